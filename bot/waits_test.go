package bot_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
)

// TestTraceSaysForWhomARunWaits: until it is decided, by "why" in both languages
// and to those who draw the run.
func TestTraceSaysForWhomARunWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventNodeEnd, Node: "ask", Waits: len(req.Decisions) == 0})
		if len(req.Decisions) > 0 {
			return agent.Result{Text: "done"}, nil
		}
		ask, err := json.Marshal(agent.Ask{Question: "Send it?", Actions: []agent.Action{{Verb: agent.VerbAccept}}})
		return agent.Result{Interrupts: []agent.Interrupt{{ID: "i1", Kind: "approval", Node: "ask", Payload: ask}}}, err
	})
	w.set("approvers", []string{"U7", "@admins"})
	thread := w.platform.Thread("C1", "root")
	m := w.say("do it", thread)
	card := waitingCard(w, m)
	w.settled()
	for lang, want := range map[string]string{
		"en": "- ⏳ `ask`: waiting for a decision by the person who asked (U1), U7, @admins, until ",
		"ko": "- ⏳ `ask`: 질문한 사람(U1), U7, @admins의 결정을 ",
	} {
		if got := w.order(bot.Invocation{Name: "why", Thread: thread, User: bot.User{ID: "U1", Locale: lang}}); !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	view, err := w.bot.Trace(t.Context(), bot.User{ID: "U1"}, card.Run)
	if err != nil || len(view.Waits) != 1 || view.Waits[0].Node != "ask" || view.Waits[0].Until.IsZero() || !slices.Equal(view.Waits[0].Others, []string{"U7", "@admins"}) {
		t.Errorf("%+v, %v", view.Waits, err)
	}
	w.act(click(m, button(t, card, "Approve"), "U1"))
	w.settled()
	if got := w.order(bot.Invocation{Name: "why", Thread: thread, User: bot.User{ID: "U1", Locale: "en"}}); strings.Contains(got, "waiting for a decision") {
		t.Errorf("it waits for nobody:\n%s", got)
	}
}

// TestWhySaysWhatTheAnswerCites: passages are found by rank and cited from 1.
func TestWhySaysWhatTheAnswerCites(t *testing.T) {
	t.Parallel()
	found := []agent.Source{{N: 1, Chunk: "a#0", Title: "Ferries"}, {N: 2, Chunk: "b#0", Title: "Buses", Heading: "Night"}}
	w := newWorld(t, func(_ context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventSources, Sources: found})
		cited := found[1]
		cited.N = 1
		return agent.Result{Text: "At eight [1].", Sources: []agent.Source{cited}}, nil
	})
	thread := w.platform.Thread("C1", "root")
	w.say("when does the bus leave?", thread)
	card := w.replies(thread, 1)[0].Card
	w.settled()
	for lang, want := range map[string]string{
		"en": "- 2 passages found\n- [1] in the answer: Buses › Night, ranked 2\n",
		"ko": "- 찾은 구절 2개\n- 답의 [1]: Buses › Night, 찾은 순위 2위\n",
	} {
		if got := w.order(bot.Invocation{Name: "why", Thread: thread, User: bot.User{ID: "U1", Locale: lang}}); !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	view, err := w.bot.Trace(t.Context(), bot.User{ID: "U1"}, card.Run)
	if err != nil || len(view.Events) == 0 {
		t.Fatal(view, err)
	}
	if last := view.Events[len(view.Events)-1]; last.Name != agent.CustomCited || len(last.Sources) != 1 || last.Sources[0].N != 1 || last.Sources[0].Chunk != "b#0" {
		t.Errorf("the trace ends with %+v", last)
	}
}

// TestWhySaysWhyARunHadNoAnswer: whoever wrote the workflow reads it there.
func TestWhySaysWhyARunHadNoAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventCustom, Name: "progress", Text: "half"})
		sink(agent.Event{Kind: agent.EventCustom, Name: agent.CustomNoAnswer, Node: "note", Text: "It ended after `note`."})
		return agent.Result{Text: "nothing to say"}, nil
	})
	thread := w.platform.Thread("C1", "root")
	w.say("do it", thread)
	w.replies(thread, 1)
	w.settled()
	got := w.order(bot.Invocation{Name: "why", Thread: thread, User: bot.User{ID: "U1", Locale: "en"}})
	if !strings.Contains(got, "- It ended after `note`.\n") || strings.Contains(got, "half") {
		t.Errorf("it says\n%s", got)
	}
}
