package console_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
)

// TestOnlyTheNewestTaskIsDoneAgain, in a conversation of the console, and once it is over.
func TestOnlyTheNewestTaskIsDoneAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	plan, err := json.Marshal(agent.Plan{Steps: []agent.PlanStep{{Text: "look"}, {Text: "보내기"}}})
	if err != nil {
		t.Fatal(err)
	}
	console := bot.Thread{Platform: "web", Team: "local", Channel: "home", ID: "t1", Direct: true}
	slack := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	task := func(id string, th bot.Thread, status string, after int, events ...agent.Event) string {
		o.ran(t, id, th)
		run := bot.Message{ID: id, Thread: th}.Run()
		trace, err := json.Marshal(events)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.record.SaveRun(t.Context(), bot.Run{ID: run, Thread: th.Key(), Agent: "orchestrator", Status: status, Started: time.Now().Add(time.Duration(after) * time.Minute), Usage: []byte(`{}`), Trace: trace}); err != nil {
			t.Fatal(err)
		}
		return run
	}
	planned := agent.Event{Kind: agent.EventPlan, Data: plan}
	old := task("m1", console, bot.RunDone, 0, planned)
	newest := task("m2", console, bot.RunFailed, 1, planned)
	task("m3", console, bot.RunDone, 2) // no task
	elsewhere := task("m4", slack, bot.RunDone, 0, planned)
	for run, want := range map[string][]string{old: nil, newest: {"look", "보내기"}, elsewhere: nil} {
		v, err := o.Trace(t.Context(), operator, run)
		if err != nil {
			t.Fatal(err)
		}
		if more, err := o.Explain(t.Context(), operator, v); err != nil || !slices.Equal(more.Redo, want) {
			t.Errorf("%s: %q, want %q, %v", run, more.Redo, want, err)
		}
	}
}
