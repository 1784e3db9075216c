package web

import (
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
	}})
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
	if empty := draw(bot.RunView{}); len(empty.Spans) != 0 {
		t.Errorf("an empty trace draws %+v", empty.Spans)
	}
}
