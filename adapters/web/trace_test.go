package web

import (
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
)

func TestTimeline(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	ev := func(n int, kind, node, name string) bot.RunEvent {
		e := bot.RunEvent{Node: node, Name: name}
		e.Kind = agent.EventKind(kind)
		if n >= 0 {
			e.At = at.Add(ms(n))
		}
		return e
	}
	model := ev(-1, "model_call", "", "route") // without a time of its own
	model.Took = ms(30)
	failed := ev(90, "tool_result", "tools", "weather")
	failed.Err = "no key"
	got := draw(bot.RunView{Started: at, Ended: at.Add(ms(200)), Events: []bot.RunEvent{
		ev(10, "node_start", "router", ""), model, ev(50, "node_end", "router", ""),
		ev(60, "node_start", "tools", ""), ev(60, "tool_call", "tools", "weather"), ev(70, "tool_call", "tools", "weather"),
		failed, ev(100, "tool_result", "tools", "weather"), // tools is still at work when the trace ends
	}}, at)
	want := []struct {
		kind, name  string
		start, took int
		failed      bool
	}{
		{"node", "router", 10, 40, false}, {"model", "route", 10, 30, false}, {"node", "tools", 60, 140, false},
		{"tool", "weather", 60, 30, true}, {"tool", "weather", 70, 30, false},
	}
	if len(got.Spans) != len(want) || got.Total != ms(200) || got.Tools != 2 {
		t.Fatalf("%d spans, %v, %d tools: %+v", len(got.Spans), got.Total, got.Tools, got.Spans)
	}
	for i, w := range want {
		s := got.Spans[i]
		if s.Kind != w.kind || s.Name != w.name || s.Start != ms(w.start) || s.Took != ms(w.took) || (s.Err != "") != w.failed {
			t.Errorf("span %d is %+v, want %+v", i, s, w)
		}
		if s.X < 0 || s.X+s.W > 1000 {
			t.Errorf("span %d leaves the picture: %v + %v", i, s.X, s.W)
		}
	}
	if empty := draw(bot.RunView{}, at); len(empty.Spans) != 0 {
		t.Errorf("an empty trace draws %+v", empty.Spans)
	}
}

// TestTimelineOfARunThatWaited shows for how long a run waited for people, and
// that it waits: the picture goes on with the same run.
func TestTimelineOfARunThatWaited(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	ev := func(s int, kind agent.EventKind, waits bool) bot.RunEvent {
		return bot.RunEvent{Kind: kind, Node: "ask", At: at.Add(time.Duration(s) * time.Second), Waits: waits}
	}
	run := bot.RunView{Started: at, Ended: at.Add(time.Second), Status: statusWaiting, Events: []bot.RunEvent{
		ev(0, agent.EventNodeStart, false), ev(1, agent.EventNodeEnd, true),
	}}
	wait := func(now time.Duration) (n int, s span) {
		for _, one := range draw(run, at.Add(now)).Spans {
			if one.Kind == spanWait {
				n, s = n+1, one
			}
		}
		return n, s
	}
	if n, s := wait(time.Minute); n != 1 || s.Name != "ask" || s.Took != 59*time.Second || !s.Since.Equal(at.Add(time.Second)) {
		t.Errorf("while it waits: %d, %+v", n, s)
	}
	run.Events = append(run.Events, ev(31, agent.EventNodeStart, false), ev(32, agent.EventNodeEnd, false))
	run.Status, run.Ended = "done", at.Add(32*time.Second)
	if n, s := wait(time.Hour); n != 1 || s.Start != time.Second || s.Took != 30*time.Second || !s.Since.IsZero() {
		t.Errorf("after the answer: %d, %+v", n, s)
	}
	run.Events = run.Events[:2]
	run.Status = "stopped"
	if n, _ := wait(time.Hour); n != 0 {
		t.Error("a run that was stopped waits on")
	}
}

// TestPageOfARunThatWaits writes the page itself.
func TestPageOfARunThatWaits(t *testing.T) {
	t.Parallel()
	shown := allPages()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	run := bot.RunView{Started: at, Status: statusWaiting, Events: []bot.RunEvent{{Kind: agent.EventNodeEnd, Node: "ask", At: at, Waits: true}},
		Waits: []bot.RunWait{{Node: "ask", Asker: "Mina", Others: []string{"U7", "@admins"}}}}
	for lang, want := range map[string]string{
		"en": "waiting for a person · 09:00 · the person who asked (Mina), U7, @admins", "ko": "사람의 답을 기다림 · 09:00 · 질문한 사람(Mina), U7, @admins",
	} {
		p := runPage{view: view{visit: &visit{Lang: lang}}, told: told{Run: run, Line: draw(run, at.Add(time.Minute))}, now: at.Add(time.Minute)}
		var out strings.Builder
		if err := shown.byName["run"].ExecuteTemplate(&out, "main", p); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not on the page:\n%s", want, out.String())
		}
	}
}

// TestTraceTellsRankAndCitation: a passage is found at a rank, and the answer has a number of its
// own for it.
func TestTraceTellsRankAndCitation(t *testing.T) {
	t.Parallel()
	got := draw(bot.RunView{Events: []bot.RunEvent{
		{Kind: agent.EventSources, Sources: []agent.Source{{N: 1, Chunk: "a"}, {N: 2, Chunk: "b"}}},
		{Kind: agent.EventCustom, Name: "other", Sources: []agent.Source{{N: 9, Chunk: "a"}}},
		{Kind: agent.EventCustom, Name: agent.CustomCited, Sources: []agent.Source{{N: 1, Chunk: "b"}}},
	}}, time.Time{}).Found
	if len(got) != 2 || got[0].N != 1 || got[0].Cited != 0 || got[1].N != 2 || got[1].Cited != 1 {
		t.Errorf("found %+v", got)
	}
}
