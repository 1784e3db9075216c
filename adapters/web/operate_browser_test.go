//go:build !race

package web_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"maru/adapters/web/site"
	"maru/bot"
)

// Used has a run of each agent on every third of the days that are asked for.
func (s *staffed) Used(_ context.Context, _ bot.User, from, to string) (out []bot.Used, err error) {
	first, err := time.Parse(time.DateOnly, from)
	if err != nil {
		return nil, err
	}
	last, err := time.Parse(time.DateOnly, to)
	for day, n := first, 1; !day.After(last); day, n = day.AddDate(0, 0, 3), n+1 {
		out = append(out,
			bot.Used{Day: day.Format(time.DateOnly), Team: "slack/T1", Channel: "C1", User: "U1", Agent: "chat", Runs: 2 * n, Took: time.Second, Usage: bot.RunUsage{Calls: 3, Input: 1000 * n, Output: 200, Cost: .01}},
			bot.Used{Day: day.Format(time.DateOnly), Team: "slack/T1", Channel: site.PrivateChannel, User: "U2", Agent: "orchestrator", Runs: 1, Failed: 1, Usage: bot.RunUsage{Calls: 9, Input: 4000, Output: 900, Cost: .05}})
	}
	return out, err
}

// UsedModels has two models, one for two purposes.
func (s *staffed) UsedModels(_ context.Context, _ bot.User, _, to string) ([]bot.Used, error) {
	of := func(model, purpose string, tokens int) bot.Used {
		return bot.Used{Day: to, Kind: bot.SpentOn(purpose), Usage: bot.RunUsage{Model: model, Calls: 3, Input: tokens, Cost: .02}}
	}
	return []bot.Used{of("large @ api.example.com", "answers", 5000), of("small", "answers", 700), of("small", "routing", 300)}, nil
}

func (s *staffed) AuditTeams(context.Context, bot.User) ([]string, error) {
	return []string{"slack/T1", "web/local"}, nil
}

func (s *staffed) AuditEntries(_ context.Context, _ bot.User, _ bot.Thread, f site.AuditFilter) (out []site.AuditEntry, err error) {
	for i, what := range []string{"setting.set", "document.move", "tool.accept"} {
		if f.What == "" || strings.HasPrefix(what, f.What) {
			out = append(out, site.AuditEntry{Seq: int64(9 - i), At: ranAt, Who: "Jiwoo", ID: "U1", What: what, Detail: `{"key":"agent","value":"chat"}`, Hash: "0123456789abcdef"})
		}
	}
	return out, nil
}

func (s *staffed) Prove(context.Context, bot.User, string) (string, bool, error) {
	return "9 entries whole.", true, nil
}

func (s *staffed) Examine(context.Context, bot.User, bot.Thread) (bot.Card, error) {
	return bot.Card{Title: "1 part needs attention", Text: "- ✅ **Database** OK\n- ❌ **Model** failing · `401`", Footer: "Operators can run `maru doctor`."}, nil
}

func TestBrowserUsageAuditAndHealth(t *testing.T) {
	t.Parallel()
	c := startStaffed(t, &staffed{})
	b := browser(t)
	problems := complaints(t, b)
	b.open(c.URL + "/usage")
	b.see(".chart svg")
	if n := js[int](b, `document.querySelectorAll(".chart .bar").length`); n != 30 {
		t.Errorf("a month has %d days", n)
	}
	if got := get(b, chromedp.Text(chromedp.CSS(".sums tbody"))); !strings.Contains(got, "orchestrator") {
		t.Errorf("by agent: %q", got)
	}
	if got := js[[]string](b, `[...document.querySelectorAll(".sums")].slice(-2).map((t) => t.innerText.replace(/\s+/g, " "))`); len(got) != 2 ||
		!strings.Contains(got[0], "large @ api.example.com 3 5,000") || !strings.Contains(got[1], "answers 6 5,700") || !strings.Contains(got[1], "routing 3 300") {
		t.Errorf("by model and purpose: %q", got)
	}
	b.do(chromedp.SetValue(chromedp.CSS("[name=of]"), "runs"), chromedp.SetValue(chromedp.CSS("[name=span]"), "week"))
	b.click(".filters [type=submit]")
	b.until(`document.querySelectorAll(".chart .bar").length === 7 && document.querySelector(".sums tbody th").textContent.includes("chat")`)
	b.until(`Math.max(...[...document.querySelectorAll(".chart .bar")].map((x) => x.height.baseVal.value)) === 180`)

	b.open(c.URL + "/audit")
	b.write("[name=what]", "document")
	b.click(".filters [type=submit]")
	b.until(`document.querySelectorAll(".rows li").length === 1 && document.querySelector(".rows").textContent.includes("document.move") && document.querySelector(".rows .raw").textContent.includes("U1")`)
	b.click("[name=verify]")
	b.until(`document.querySelector(".said").textContent === "9 entries whole."`)

	b.open(c.URL + "/health")
	b.see(".health .md strong")
	if p := problems(); len(p) > 0 {
		t.Errorf("the browser complained: %q", p)
	}
}

func (s *staffed) SettingForms(_ context.Context, _ bot.User, of site.SettingPlace) ([]bot.Form, error) {
	return []bot.Form{
		{ID: "settings", Verb: "save." + of.Level, Title: "Answers", Submit: "Save", Inputs: []bot.Input{
			{ID: "agent", Label: "The agent that answers", Value: "chat", Hint: "from the program", Options: []bot.Option{{Value: "chat", Label: "Chat"}, {Value: "guide", Label: "Guide"}}},
			{ID: "persona", Label: "Persona", Long: true, Hint: "from the channel " + of.Thread.Channel},
		}},
		{ID: "settings", Verb: "save." + of.Level, Title: "Sources", Submit: "Save", Inputs: []bot.Input{
			{ID: "tools_off", Label: "Tools that are off", Value: "clock", Several: []bot.Option{{Value: "clock", Label: "Clock"}, {Value: "dice", Label: "Dice"}}},
		}},
	}, nil
}

func (s *staffed) SaveSettings(_ context.Context, _ bot.User, of site.SettingPlace, values map[string]string) (string, map[string]string, error) {
	if values["persona"] == "rude" {
		return "", map[string]string{"persona": "Be kind."}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved = append(s.saved, values)
	return "Saved for `" + of.Thread.Channel + "`", nil, nil
}

func TestBrowserSettings(t *testing.T) {
	t.Parallel()
	s := &staffed{}
	c := startStaffed(t, s)
	b := browser(t)
	problems := complaints(t, b)
	b.open(c.URL + "/settings")
	b.write("[name=place]", "slack/T1/C9")
	b.click(".filters [type=submit]")
	b.until(`location.search.includes("C9") && document.querySelector("section form").textContent.includes("from the channel C9")`)
	b.write("textarea", "rude")
	b.click("section form [type=submit]")
	b.see("section form em.problem")
	if got := js[string](b, `document.querySelector("textarea").value`); got != "rude" {
		t.Errorf("what was refused is now %q", got)
	}
	b.do(chromedp.SetValue(chromedp.CSS("textarea"), "kind"), chromedp.SetValue(chromedp.CSS(`[name="v.agent"]`), "guide"))
	b.click("section form [type=submit]")
	b.until(`document.querySelector(".said").textContent === "Saved for C9"`)
	b.click("[value=clock]") // the last choice of a list is taken away
	js[bool](b, `window.before = true`)
	b.click("section:nth-of-type(2) form [type=submit]")
	b.until(`!window.before && document.querySelector(".said").textContent === "Saved for C9"`)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.saved) != 2 || s.saved[0]["agent"] != "guide" || s.saved[0]["persona"] != "kind" {
		t.Errorf("saved %q", s.saved)
	}
	if v, there := s.saved[len(s.saved)-1]["tools_off"]; !there || v != "" {
		t.Errorf("saved %q", s.saved)
	}
	if p := problems(); len(p) > 0 {
		t.Errorf("the browser complained: %q", p)
	}
}

// definition returns a workflow that is broken as long as its text says so.
func definition(text string) site.Workflow {
	w := site.Workflow{
		ID: "triage", Name: "Triage", Description: "Sorts requests.", Version: "1", Own: true, Nodes: 2, Text: text,
		Drawing: `<svg viewBox="0 0 200 60" role="img"><title>Triage</title><rect class="box" x="10" y="8" width="80" height="44"/></svg>`,
	}
	if strings.Contains(text, "broken") {
		w.Problems = []site.WorkflowProblem{{Where: "/nodes/0/node_type 3:9", Message: "no node type has this name", Hint: "did you mean llm_call?"}}
	}
	return w
}

func (s *staffed) ListWorkflows(context.Context, bot.User) ([]site.Workflow, error) {
	return []site.Workflow{definition("{}"), definition("{}")}, nil
}

func (s *staffed) Workflow(_ context.Context, _ bot.User, id string) (site.Workflow, error) {
	if id != "triage" {
		return site.Workflow{}, bot.ErrNotFound
	}
	w := definition("{}")
	if text := s.newest(); text != "" {
		w = definition(text)
		w.Saved, w.Newest = true, s.version(len(s.texts))
	}
	return w, nil
}

func (s *staffed) CheckWorkflow(_ context.Context, _ bot.User, text string) (site.Workflow, error) {
	return definition(text), nil
}
