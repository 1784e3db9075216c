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

	"maru/adapters/web/site"
	"maru/bot"
)

var _ site.Sources = (*staffed)(nil)

// synced are the sources of a fake desk.
type synced struct {
	mu   sync.Mutex
	list []site.Source
	did  []string
}

// someSources makes sources of every state.
func someSources(n int) []site.Source {
	states := []string{site.SourceDone, site.SourceFailing, site.SourcePaused, site.SourceFetching, site.SourceLeft, site.SourceRemoving, site.SourceListing}
	out := make([]site.Source, n)
	for i := range out {
		out[i] = site.Source{
			Name: fmt.Sprintf("docs%d", i), Kind: []string{"website", "git", "github", "MCP"}[i%4], Where: "https://docs.example.com", Scope: "channel:slack/T1/C1",
			State: states[i%len(states)], Documents: 12, Next: ranAt.Add(time.Hour), Done: ranAt, By: "영희",
		}
	}
	out[1].Why, out[1].Unread, out[1].Problems = "The host does not answer.", 2, []string{"https://docs.example.com/a: 404", "https://docs.example.com/b: too large"}
	out[3].Unread, out[3].Parked, out[3].Problems = 1, 1, []string{"https://docs.example.com/c: it ended the program"}
	return out
}

func (s *synced) ListSources(context.Context, bot.User, bot.Thread) ([]site.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list), nil
}

func (s *synced) ChangeSource(_ context.Context, by bot.User, _ bot.Thread, c site.SourceChange) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	did := strings.Join(strings.Fields(strings.Join([]string{c.Do, c.Name, c.Address, c.Place, c.Readers}, " ")), " ")
	i := slices.IndexFunc(s.list, func(o site.Source) bool { return o.Name == c.Name })
	switch {
	case c.Do == "add":
		s.list = append(s.list, site.Source{Name: "new", Kind: "website", Where: c.Address, Scope: bot.ScopePublic, State: site.SourceListing, By: by.Name})
	case i < 0:
		return "", bot.ErrNotFound
	case c.Do == "pause":
		s.list[i].State = site.SourcePaused
	case c.Do == "remove":
		s.list = slices.Delete(s.list, i, i+1)
	}
	s.did = append(s.did, did)
	return did, nil
}

func TestBrowserSources(t *testing.T) {
	t.Parallel()
	for lang, paused := range map[string]string{"en": "Paused", "ko": "멈춤"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			s := &staffed{synced: synced{list: someSources(60)}}
			c := startStaffed(t, s)
			b := browser(t)
			problems := complaints(t, b)
			b.open(c.URL + "/sources")
			b.click("[name=lang][value=" + lang + "]")
			b.wait("html[lang=" + lang + "]")
			b.see("[data-source=docs1] .problem")
			b.click("[data-source=docs1] .what summary")
			b.until(`document.querySelector("[data-source=docs1] .plain").textContent.includes("too large")`)
			if to := js[string](b, `document.querySelector("[data-source=docs0] .what a").getAttribute("href")`); to != "/documents?scope=channel%3aslack%2fT1%2fC1" {
				t.Errorf("the documents are at %q", to)
			}
			b.click("[data-source=docs0] [value=sync]")
			b.until(`document.querySelector(".said").textContent === "sync docs0"`)
			b.click("[data-source=docs3] [value=retry]")
			b.until(`document.querySelector(".said").textContent === "retry docs3" && document.querySelector("[data-source=docs3] .problem").textContent.includes("1") &&
				!document.querySelector("[data-source=docs0] [value=retry]")`)
			b.click("[data-source=docs0] [value=pause]")
			b.until(`document.querySelector("[data-source=docs0] .tag").textContent === "` + paused + `"`)
			b.click("[data-source=docs1] .sure summary")
			b.click("[data-source=docs1] [value=remove]")
			b.until(`document.querySelector(".said").textContent === "remove docs1" && !document.querySelector("[data-source=docs1]")`)
			b.click(".pager a[rel=next]")
			b.until(`Boolean(document.querySelector("[data-source=docs55]"))`)
			b.click("details.asks:not(.sure) summary")
			b.write("[name=address]", "https://new.example.com/")
			js[any](b, `document.querySelector("[name=readers]").value = "public"`)
			b.click("[value=add]")
			b.until(`document.querySelector(".said").textContent.startsWith("add https")`)
			s.synced.mu.Lock()
			defer s.synced.mu.Unlock()
			if got := strings.Join(s.synced.did, ", "); got != "sync docs0, retry docs3, pause docs0, remove docs1, add https://new.example.com/ public" {
				t.Errorf("did %s", got)
			}
			if p := problems(); len(p) > 0 {
				t.Errorf("the browser complained: %q", p)
			}
		})
	}
}
