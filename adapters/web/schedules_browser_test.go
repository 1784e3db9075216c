//go:build !race

package web_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"maru/adapters/web/site"
	"maru/bot"
)

var _ site.Schedules = (*staffed)(nil)

// plans are the schedules of a fake desk.
type plans struct {
	mu   sync.Mutex
	list []site.Schedule
	did  []string
}

// manySchedules makes schedules of three channels, every tenth paused.
func manySchedules(n int) []site.Schedule {
	out := make([]site.Schedule, n)
	for i := range out {
		out[i] = site.Schedule{
			ID: fmt.Sprintf("s%d", i), Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: fmt.Sprintf("C%d", i%3)}, Owner: "영희",
			Text: fmt.Sprintf("지난주 티켓 %d을 요약해줘", i), When: "every Monday at 9:00", Zone: "Asia/Seoul", Due: ranAt.Add(time.Duration(i) * time.Hour), Last: ranAt, Paused: i%10 == 9,
		}
		if i == 0 {
			out[i].Runs = []string{"r7"}
		}
	}
	return out
}

func (p *plans) ListSchedules(context.Context, bot.User, bot.Thread) ([]site.Schedule, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list), nil
}

func (p *plans) LastRun(_ context.Context, s site.Schedule) (run, status string, err error) {
	if len(s.Runs) == 0 {
		return "", "", nil
	}
	return s.Runs[0], bot.RunDone, nil
}

func (p *plans) ChangeSchedule(_ context.Context, _ bot.User, _ bot.Thread, id, verb string) (said string, done bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.list, func(s site.Schedule) bool { return s.ID == id })
	switch {
	case i < 0:
		return "", false, bot.ErrNotFound
	case verb == "resume":
		return "This time is **over**.", false, nil
	case verb == "pause":
		p.list[i].Paused = true
	case verb == "delete":
		p.list = slices.Delete(p.list, i, i+1)
	}
	p.did = append(p.did, verb+" "+id)
	return "", true, nil
}

func TestBrowserSchedules(t *testing.T) {
	t.Parallel()
	for lang, words := range map[string]struct{ paused, never, did string }{
		"en": {"Paused", "This time is over.", "The schedule is paused."},
		"ko": {"멈춤", "This time is over.", "예약을 멈췄어요."},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			s := &staffed{plans: plans{list: manySchedules(1000)}}
			c := startStaffed(t, s)
			b := browser(t)
			problems := complaints(t, b)
			b.open(c.URL + "/schedules")
			b.click("[name=lang][value=" + lang + "]")
			b.wait("html[lang=" + lang + "]")
			b.see(".rows.acts li")
			if n := js[int](b, `document.querySelectorAll(".rows.acts li").length`); n != 50 {
				t.Errorf("a page has %d schedules", n)
			}
			t.Logf("1,000 schedules: the page was there after %.0f ms", js[float64](b, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`))
			if to := js[string](b, `document.querySelector("[data-schedule=s0] .state a").getAttribute("href")`); to != "/runs/r7" {
				t.Errorf("the last run leads to %q", to)
			}
			b.click(".pager a[rel=next]")
			b.until(`document.readyState === "complete" && Boolean(document.querySelector("[data-schedule=s50]"))`)
			b.do(chromedp.SetValue(chromedp.CSS("[name=words]"), "티켓 995"), chromedp.SetValue(chromedp.CSS("[name=place]"), "slack/T1/C2"))
			b.click(".filters [type=submit]")
			b.until(`document.querySelectorAll(".rows.acts li").length === 1 && Boolean(document.querySelector("[data-schedule=s995]"))`)
			b.click("[data-schedule=s995] [value=pause]")
			b.until(`document.querySelector(".said") && document.querySelector(".said").textContent === "` + words.did + `"`)
			b.until(`location.search.includes("words=") && document.querySelector("[data-schedule=s995] .tag").textContent === "` + words.paused + `"`)
			b.click("[data-schedule=s995] [value=resume]")
			b.until(`document.querySelector("[role=alert]").textContent === "` + words.never + `"`)
			b.open(c.URL + "/schedules")
			b.click("[data-schedule=s1] [value=run]")
			b.until(`Boolean(document.querySelector(".said"))`)
			b.click("[data-schedule=s2] summary")
			b.click("[data-schedule=s2] [value=delete]")
			b.until(`Boolean(document.querySelector(".said")) && !document.querySelector("[data-schedule=s2]")`)
			s.plans.mu.Lock()
			defer s.plans.mu.Unlock()
			if got := strings.Join(s.plans.did, ", "); got != "pause s995, run s1, delete s2" {
				t.Errorf("did %s", got)
			}
			if p := problems(); len(p) > 0 {
				t.Errorf("the browser complained: %q", p)
			}
		})
	}
}
