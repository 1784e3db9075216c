package rehearsal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/tool/replay"
	"maru/bot"
	"maru/bot/overview"
	"maru/bot/rehearsal"
	"maru/config"
)

// memory is a record of a few answered questions, one a thread.
type memory struct {
	entries map[string][]bot.Entry // by thread
	runs    []bot.Run
	private map[string]bool
	unsaid  map[string]bool
}

func (m *memory) ListRuns(_ context.Context, q overview.RunQuery) ([]overview.Run, error) {
	var out []overview.Run
	for _, r := range slices.Backward(m.runs) {
		if q.Before.ID == "" {
			out = append(out, overview.Run{ID: r.ID, Started: r.Started})
		}
	}
	return out, nil
}

func (m *memory) RunByID(_ context.Context, id string) (bot.Run, error) {
	for _, r := range m.runs {
		if r.ID == id {
			return r, nil
		}
	}
	return bot.Run{}, bot.ErrNotFound
}

func (m *memory) Reply(context.Context, string) (bot.Reply, error) {
	return bot.Reply{}, bot.ErrNotFound
}

func (m *memory) Transcript(_ context.Context, thread string, _ int) ([]bot.Entry, error) {
	return m.entries[thread], nil
}

func (m *memory) Note(_ context.Context, key string) (string, error) {
	if m.unsaid[strings.TrimPrefix(key, bot.NoteUnsaid)] {
		return "1", nil
	}
	return "", nil
}

func (m *memory) RunApprovals(context.Context, string, string, int) ([]bot.Approval, error) {
	return nil, nil
}

func (m *memory) SettingsOf(context.Context, []string) ([]bot.Setting, error) { return nil, nil }

func (m *memory) Private(_ context.Context, thread string) (bool, error) {
	return m.private[thread], nil
}

// add adds a question with its answer and returns its run.
func (m *memory) add(t *testing.T, n int, question, answer string) string {
	t.Helper()
	thread := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: fmt.Sprint(n)}
	q := bot.Message{ID: fmt.Sprint(n), Thread: thread}
	run := bot.RunID(q.Key())
	trace, err := json.Marshal([]agent.Event{{Kind: agent.EventCustom, Name: "router", Text: "rag"}})
	if err != nil {
		t.Fatal(err)
	}
	if m.entries == nil {
		m.entries, m.private, m.unsaid = map[string][]bot.Entry{}, map[string]bool{}, map[string]bool{}
	}
	m.entries[thread.Key()] = []bot.Entry{
		{ID: "slack/T1/C1/before", Thread: thread.Key(), Author: "bob", Text: "before"},
		{ID: q.Key(), Thread: thread.Key(), Author: "ann", User: "U1", Text: question, At: time.Unix(int64(n), 0)},
		{ID: run, Thread: thread.Key(), Own: true, Text: answer, Run: run},
	}
	m.runs = append(m.runs, bot.Run{ID: run, Thread: thread.Key(), Agent: "echo", User: "U1", Status: bot.RunDone, Started: time.Unix(int64(n), 0), Trace: trace})
	return run
}

// echo answers with a func, for one unit of money.
type echo struct {
	answer func(agent.Request) string
}

func (echo) Name() string { return "echo" }

func (e echo) Run(_ context.Context, r agent.Request, sink agent.Sink) (agent.Result, error) {
	sink(agent.Event{Kind: agent.EventCustom, Name: "router", Text: "rag"})
	sink(agent.Event{Kind: agent.EventModelCall, Usage: &agent.Usage{Calls: 1, Input: 1}})
	text := e.answer(r)
	if text == "" {
		return agent.Result{}, errors.New("broken")
	}
	return agent.Result{Text: text}, nil
}

func stageOf(answer func(agent.Request) string) *rehearsal.Stage {
	r := agent.NewRunner(slog.New(slog.DiscardHandler), time.Minute, time.Now, echo{answer})
	r.Charge(func(u agent.Usage) float64 { return float64(u.Input) })
	return &rehearsal.Stage{
		Runner: r, Desk: &replay.Desk{}, Now: time.Now,
		Resolve: func([]config.Entry) config.Resolved { return config.Resolved{Agent: "echo"} },
	}
}

// book is a journal in memory.
type book map[string]rehearsal.Outcome

func (b book) Done() map[string]rehearsal.Outcome { return b }

func (b book) Add(o rehearsal.Outcome) error { b[o.Run] = o; return nil }

// same repeats what a question asks for.
func same(r agent.Request) string { return strings.TrimPrefix(r.Text, "say ") }

func newPlan(t *testing.T, m *memory, after func(agent.Request) string) rehearsal.Plan {
	t.Helper()
	runs, err := rehearsal.Last(t.Context(), m, "slack/T1", "C1", 100)
	if err != nil {
		t.Fatal(err)
	}
	return rehearsal.Plan{Record: m, Runs: runs, After: stageOf(after), Journal: book{}, Now: time.Now}
}

// TestOnlyWhatStandsIsReplayed: neither private, deleted and withdrawn questions, those that a rule answered nor files' names, and with what was said
// before.
func TestOnlyWhatStandsIsReplayed(t *testing.T) {
	t.Parallel()
	m := &memory{}
	for n, text := range []string{"say 0", "say 1", "say 2", "say 3\n📎 plan.pdf", "stop"} {
		m.add(t, n, text, text)
	}
	m.private["slack/T1/C1/0"] = true
	m.entries["slack/T1/C1/1"][1].Deleted, m.entries["slack/T1/C1/1"][1].Text = true, ""
	m.unsaid["slack/T1/C1/2"] = true
	m.runs[4].Trace = []byte(`[{"kind":"custom","name":"ruled"}]`)
	var asked []string
	p := newPlan(t, m, func(r agent.Request) string {
		asked = append(asked, r.Text)
		if len(r.Context) != 1 || r.Context[0].Text != "before" || !r.NoMemory || r.User.ID != "slack/T1/U1" || !slices.Contains(r.Scopes, "channel:slack/T1/C1") {
			t.Errorf("%+v", r)
		}
		return "3"
	})
	if err := p.Run(t.Context()); err != nil || !slices.Equal(asked, []string{"say 3"}) {
		t.Errorf("asked %q, %v", asked, err)
	}
	m.entries["slack/T1/C1/3"][1].Deleted = true // in the meantime
	r, err := p.Report(t.Context(), "x", nil)
	if err != nil || len(r.Rows) != 0 || r.Gone != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestBounds: of cost and of time; the next call goes on with what is left, and with what failed.
func TestBounds(t *testing.T) {
	t.Parallel()
	m := &memory{}
	for n := range 6 {
		m.add(t, n, fmt.Sprint("say ", n), fmt.Sprint(n))
	}
	asked := 0
	p := newPlan(t, m, func(r agent.Request) string {
		asked++
		if asked == 2 {
			return ""
		}
		return same(r)
	})
	p.Cost = 3
	err := p.Run(t.Context())
	r, err2 := p.Report(t.Context(), "x", err)
	if !errors.Is(err, rehearsal.ErrCost) || err2 != nil || asked != 3 || r.Left != 3 || r.Count(rehearsal.Broken) != 1 || r.Spent != 3 {
		t.Errorf("asked %d, %v, %v: %+v", asked, err, err2, r)
	}
	p.Cost, p.Time = 0, time.Nanosecond
	if err := p.Run(t.Context()); !errors.Is(err, rehearsal.ErrTime) || !rehearsal.Ended(err) {
		t.Error(err)
	}
	p.Time, asked = 0, 10
	if err := p.Run(t.Context()); err != nil || asked != 14 { // the three that are left, and the one that failed
		t.Errorf("asked %d, %v", asked-10, err)
	}
	if r, err = p.Report(t.Context(), "x", nil); err != nil || r.Changed() != 0 || r.Count(rehearsal.Unchanged) != 6 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestBaselineTellsChance: what the present settings answer differently, too, is not the change's.
func TestBaselineTellsChance(t *testing.T) {
	t.Parallel()
	m := &memory{}
	for n := range 3 {
		m.add(t, n, fmt.Sprint("say ", n), fmt.Sprint(n))
	}
	moody := func(r agent.Request) string {
		if r.Text == "say 1" {
			return "41"
		}
		return same(r)
	}
	p := newPlan(t, m, func(r agent.Request) string {
		if r.Text == "say 2" {
			return "42"
		}
		return moody(r)
	})
	p.Base = stageOf(moody)
	graded := 0
	p.Grade = func(_ context.Context, _ rehearsal.Question, a rehearsal.Answer) (rehearsal.Opinion, float64, error) {
		graded++
		return rehearsal.Opinion{Right: a.Text == "2", Because: a.Text}, 10, nil
	}
	if err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := p.Report(t.Context(), "new.yaml", nil)
	if err != nil || r.Changed() != 1 || r.Chance() != 1 || r.Rows[0].Text != "say 2" || graded != 2 || r.Spent != 26 {
		t.Fatalf("graded %d, %v: %+v", graded, err, r)
	}
	for lang, want := range map[string][]string{
		"en": {"1 answers changed", "1. [other numbers] say 2", "only before: 2", "The grading model finds the new answer worse.", "1 of 3 questions got another answer", "put new.yaml in place"},
		"ko": {"답이 바뀐 것 1개", "1. [숫자 다름] say 2", "전에만: 2", "새 답이 더 나쁘다고", "3개 질문 중 1개는", "new.yaml 파일을"},
	} {
		var text, page strings.Builder
		if err := errors.Join(r.WriteText(&text, lang, "new.yaml"), r.WritePage(&page, lang)); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(text.String(), w) {
				t.Errorf("%s lacks %q:\n%s", lang, w, text.String())
			}
		}
		if p := page.String(); strings.Count(p, "<section>") != 9 || !strings.Contains(p, "<mark>42</mark>") || !strings.Contains(p, `lang="`+lang+`"`) {
			t.Errorf("%s: page %s", lang, p)
		}
	}
}

// TestPagesEscapeWords: answers and questions are data.
func TestPagesEscapeWords(t *testing.T) {
	t.Parallel()
	m := &memory{}
	m.add(t, 1, "say <script>x</script>", "<b>7</b>")
	p := newPlan(t, m, func(agent.Request) string { return "<img src=x onerror=alert(1)> 8" })
	if err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := p.Report(t.Context(), "<i>", nil)
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := r.WritePage(&page, "en"); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<b>", "<img", "<i>"} {
		if strings.Contains(page.String(), bad) {
			t.Errorf("the page has %s", bad)
		}
	}
}
