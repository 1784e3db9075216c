//go:build !race

package web_test

import (
	"context"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"maru/adapters/web/site"
	"maru/bot"
)

var _ site.Rehearsals = (*staffed)(nil)

// stagehand are the rehearsals of a fake desk: a draft, and one that has ended.
type stagehand struct {
	mu     sync.Mutex
	states map[string]string // by ID, where it is not the first
	did    []string
	drafts []site.RehearsedChange
}

// rehearsedRows returns n question results; the answers to the first two differ.
func rehearsedRows(n int) []site.RehearsedRow {
	out := make([]site.RehearsedRow, n)
	for i := range out {
		side := func(title, text string) site.RehearsedSide {
			return site.RehearsedSide{Title: title, Route: "agent chat, route rag, cost 0.0012, 1.2s", Sources: "Sources: 취업 규칙 › 휴가 › 연차", Text: template.HTML(text), Grade: "right, cited"} //nolint:gosec // of this test
		}
		out[i] = site.RehearsedRow{
			N: i + 1, Run: fmt.Sprint("r", i), Text: fmt.Sprintf("%d년 다니면 연차는 며칠이야?", i+1), Author: "영희", At: ranAt, Label: "unchanged", Same: true,
			Sides: []site.RehearsedSide{side("Recorded answer", "연차는 15일이에요 [1]."), side("With the change", "연차는 15일이에요 [1].")},
		}
	}
	for i := range min(n, 2) {
		out[i].Label, out[i].Grave, out[i].Same, out[i].Remarks = "other numbers", true, false, []string{"only before: 15", "only with the change: 12"}
		out[i].Sides[1].Text = "연차는 <mark>12</mark>일이에요 [1]."
	}
	return out
}

func (s *stagehand) rehearsal(id string) (site.Rehearsal, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := site.Rehearsal{
		ID: id, Kind: site.RehearsesSettings, By: "owner", Made: ranAt, Priced: true, Mean: .0012, Undoes: true, Channels: []string{"slack/T1/C1", "slack/T1/C2"},
		Name: "Agent: chat → guide, Persona: – → 짧게 답해 줘", Changes: []site.RehearsedValue{{Name: "Agent", Before: "chat", After: "guide"}, {Name: "Persona", After: "짧게 답해 줘"}},
	}
	switch id {
	case "draft":
		r.State = site.RehearsalDraft
	case "flow":
		r.State, r.Kind, r.Name, r.Diff = site.RehearsalDraft, site.RehearsesWorkflow, "Triage", site.Compared("{\n  \"id\": \"triage\"\n}", "{\n  \"id\": \"triage\",\n  \"name\": \"Triage\"\n}")
		r.Changes = nil
	case "runs":
		r.State, r.Done, r.All, r.Took, r.Spent = site.RehearsalRuns, 12, 50, 40*time.Second, .02
	case "ended":
		r.State, r.Why, r.Bounds = site.RehearsalEnded, "time", site.RehearsalBounds{Channel: "slack/T1/C1", Last: 200, Minutes: 15}
		r.Left, r.Done, r.All, r.Rows = 60, 140, 200, rehearsedRows(140)
		r.Facts = []string{"140 questions replayed: 2 answers changed, 0 differ only in wording, 138 are unchanged, 0 can't be compared."}
	default:
		return r, false
	}
	if state := s.states[id]; state != "" {
		r.State = state
	}
	return r, true
}

func (s *stagehand) DraftRehearsal(_ context.Context, _ bot.User, c site.RehearsedChange) (string, map[string]string, error) {
	s.mu.Lock()
	s.drafts = append(s.drafts, c)
	s.mu.Unlock()
	if c.Kind == site.RehearsesDocuments && len(c.Gone)+len(c.Files) == 0 {
		return "", nil, nil
	}
	return map[string]string{site.RehearsesWorkflow: "flow"}[c.Kind] + map[string]string{site.RehearsesSettings: "draft", site.RehearsesDocuments: "draft"}[c.Kind], nil, nil
}

func (s *stagehand) ListRehearsals(context.Context, bot.User) (out []site.Rehearsal, err error) {
	for _, id := range []string{"draft", "runs", "ended"} {
		r, _ := s.rehearsal(id)
		out = append(out, r)
	}
	return out, nil
}

func (s *stagehand) Rehearsal(_ context.Context, _ bot.User, id string) (site.Rehearsal, error) {
	r, ok := s.rehearsal(id)
	if !ok {
		return r, bot.ErrNotFound
	}
	return r, nil
}

func (s *stagehand) ActOnRehearsal(_ context.Context, _ bot.User, _ bot.Thread, id string, do site.RehearsalAct, b site.RehearsalBounds) (site.RehearsalRefusal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.did = append(s.did, fmt.Sprint(id, " ", do, " ", b.Channel, " ", b.Last, " ", b.Minutes))
	if s.states == nil {
		s.states = map[string]string{}
	}
	s.states[id] = map[site.RehearsalAct]string{
		site.RehearsalStart: site.RehearsalRuns, site.RehearsalStop: site.RehearsalEnded, site.RehearsalAccept: site.RehearsalAccepted, site.RehearsalRollBack: site.RehearsalRolled,
	}[do]
	return "", nil
}

func (s *stagehand) RehearsalQuestions(_ context.Context, _ bot.User, _ string, numbers []int) ([]byte, error) {
	return fmt.Appendf(nil, "%v\n", numbers), nil
}

func TestBrowserRehearsal(t *testing.T) {
	t.Parallel()
	for lang, words := range map[string]struct{ draft, accepted string }{
		"en": {"Nothing has been changed yet.", "The change was accepted and is in effect."}, "ko": {"아직 아무것도 바뀌지 않았어요.", "변경을 적용했어요. 지금 쓰이고 있어요."},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			s := &staffed{library: manyDocuments(3)}
			c := startStaffed(t, s)
			b := browser(t)
			problems := complaints(t, b)
			b.open(c.URL + "/settings")
			b.click("[name=lang][value=" + lang + "]")
			b.wait("html[lang=" + lang + "]")
			b.click(`[name=rehearse][value=settings]`)
			b.until(`location.pathname === "/rehearsals/draft" && document.querySelector("main").textContent.includes("` + words.draft + `")`)
			b.do(chromedp.SetValue(chromedp.CSS("select[name=channel]"), "slack/T1/C1"))
			b.click("[value=start]")
			b.see("#progress")
			b.click("[value=stop]")
			b.until(`!document.querySelector("#progress")`)
			b.open(c.URL + "/rehearsals/ended")
			b.until(`document.readyState === "complete" && document.querySelectorAll(".rehearsed").length === 25`)
			b.see(".rehearsed.grave mark")
			b.click("details.asks summary.primary")
			b.click("[value=accept]")
			b.until(`document.querySelector("main").textContent.includes("` + words.accepted + `")`)
			b.click("details.asks summary:not(.danger)")
			b.click("[value=rollback]")
			b.until(`!document.querySelector("[value=rollback]") && !document.querySelector("[value=accept]")`)
			s.stagehand.mu.Lock()
			did := strings.Join(s.stagehand.did, "; ")
			s.stagehand.mu.Unlock()
			if want := "draft start slack/T1/C1 50 15; draft stop  0 0; ended accept  0 0; ended rollback  0 0"; did != want {
				t.Errorf("did %q, want %q", did, want)
			}
			b.open(c.URL + "/workflows/triage")
			b.click("[name=rehearse][value=workflow]")
			b.until(`location.pathname === "/rehearsals/flow"`)
			b.see("[name=all]:checked")
			if p := problems(); len(p) > 0 {
				t.Errorf("the browser complained: %q", p)
			}
			b.open(c.URL + "/documents")
			b.click("[name=rehearse][value=documents]") // nothing is chosen
			b.see(".problem")
		})
	}
}
