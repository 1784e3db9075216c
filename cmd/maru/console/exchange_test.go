package console_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/exchange"
)

// told stores a run of a person with two model calls, the second of which read the first of two passages.
func (o office) told(t *testing.T, id string, th bot.Thread) (run string, calls []string) {
	t.Helper()
	o.ran(t, id, th)
	run = bot.Message{ID: id, Thread: th}.Run()
	call := func(name, prompt, reply string) agent.Event {
		return agent.Event{Kind: agent.EventModelCall, Run: run, Name: name, Text: "gpt-test", Usage: &agent.Usage{Calls: 1, Input: 9, Output: 3}, Exchange: &agent.Exchange{
			Prompt: []agent.Spoken{{Role: "user", Text: prompt}}, Given: []string{"Doors close at ten."}, Reply: agent.Spoken{Role: "assistant", Text: reply},
		}}
	}
	events, rows := exchange.Pack([]agent.Event{
		{Kind: agent.EventSources, Run: run, Sources: []agent.Source{{N: 1, Chunk: "c1", Quote: "Leave is\n15 days."}, {N: 2, Chunk: "c2", Quote: "Lunch is at noon."}, {N: 3, Chunk: "c3", Quote: "Doors close at ten."}}},
		call("route", "secret question?", "documents"), call("answer", "[1] Leave is 15 days.\nsecret question?", "secret answer"),
	})
	o.traced(t, run, th, events)
	if err := o.record.SaveExchanges(t.Context(), run, th.Key(), time.Now(), rows); err != nil {
		t.Fatal(err)
	}
	return run, []string{events[1].Call, events[2].Call}
}

// traced stores the trace of a run.
func (o office) traced(t testing.TB, run string, th bot.Thread, events []agent.Event) {
	t.Helper()
	trace, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.record.SaveRun(t.Context(), bot.Run{ID: run, Thread: th.Key(), Agent: "chat", User: "U1", Status: bot.RunDone, Started: time.Now(), Usage: []byte(`{}`), Trace: trace}); err != nil {
		t.Fatal(err)
	}
}

// TestPromptsByRight: operators see the words of calls, but not those of other people's private conversations, which
// only the person themselves sees.
func TestPromptsByRight(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	open := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	private := bot.Thread{Platform: "slack", Team: "T1", Channel: "D1", ID: "1", Direct: true}
	console := bot.Thread{Platform: "web", Team: "local", Channel: "home"}
	asker, other := bot.User{ID: "U1"}, bot.User{ID: "U2"}
	for name, c := range map[string]struct {
		of   bot.Thread
		by   bot.User
		from bot.Thread
		may  bool
	}{
		"an_operator":                        {open, operator, console, true},
		"an_operator_in_a_private_one":       {private, operator, console, false},
		"who_asked":                          {open, asker, open, true},
		"who_asked_in_private":               {private, asker, private, true},
		"another_member":                     {open, other, open, false},
		"the_same_id_in_another_workspace":   {open, asker, bot.Thread{Platform: "slack", Team: "T2", Channel: "C1", ID: "1"}, false},
		"the_same_id_on_the_console":         {private, asker, console, false},
		"an_admin_of_the_platform_elsewhere": {open, bot.User{ID: "U9", Admin: true}, console, false},
	} {
		run, calls := o.told(t, name, c.of)
		e, err := o.Exchange(t.Context(), c.by, c.from, run, calls[1])
		if (err == nil) != c.may {
			t.Errorf("%s: %v", name, err)
		}
		if c.may && (e.Words.Reply.Text != "secret answer" || e.N != 2 || e.Of != 2 || e.Before != calls[0] || e.After != "" || e.Model != "gpt-test" || e.Usage.Input != 9) {
			t.Errorf("%s: %+v", name, e)
		}
		if !c.may && strings.Contains(e.Words.Reply.Text, "secret") {
			t.Errorf("%s: the words come with the refusal", name)
		}
	}
	run, _ := o.told(t, "gone", open)
	if _, err := o.Exchange(t.Context(), operator, console, run, "unknown"); !strings.Contains(err.Error(), bot.ErrNotFound.Error()) {
		t.Errorf("an unknown call: %v", err)
	}
}

// TestAPassageThatNoModelRead is told from one that a model read and did not cite, where all prompts are known.
func TestAPassageThatNoModelRead(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	th := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	run, _ := o.told(t, "m1", th)
	v, err := o.Trace(t.Context(), operator, run)
	if err != nil {
		t.Fatal(err)
	}
	more, err := o.Explain(t.Context(), operator, v)
	if err != nil || more.Read["c1"] != "yes" || more.Read["c2"] != "no" || more.Read["c3"] != "" {
		t.Errorf("%+v, %v", more.Read, err)
	}
	if err := o.record.DropExchanges(t.Context(), th.Key()); err != nil {
		t.Fatal(err)
	}
	if more, err = o.Explain(t.Context(), operator, v); err != nil || len(more.Read) != 0 {
		t.Errorf("without prompts: %+v, %v", more.Read, err)
	}
}
