package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"maru/agent"
	"maru/bot"
)

// drafting asks about a plan again after each edit, until it is accepted, and answers
// with what it was told.
func drafting(ctx context.Context, req agent.Request, sink agent.Sink, told *[]string) (agent.Result, error) {
	for _, d := range req.Decisions {
		var r agent.Reply
		if err := json.Unmarshal(d.Value, &r); err != nil {
			return agent.Result{}, err
		}
		*told = append(*told, fmt.Sprintf("%s %s%s by %s", d.Interrupt, r.Action, r.Text, d.By))
		if r.Action == agent.VerbAccept {
			return agent.Result{Text: "runs " + d.Interrupt}, nil
		}
	}
	n := len(*told) + 1
	ask, err := json.Marshal(agent.Ask{Question: fmt.Sprintf("Plan %d?", n), Actions: []agent.Action{{Verb: agent.VerbAccept}, {Verb: agent.VerbEdit, Words: true}}})
	return agent.Result{Interrupts: []agent.Interrupt{{ID: fmt.Sprintf("i%d", n), Kind: "plan", Payload: ask}}}, err
}

// TestAnOldCardNeverRunsWhatItDidNotShow edits a plan twice while another approver
// has the first card before them: their approval is refused with a word, and what
// runs in the end is the plan that was approved as it was shown.
func TestAnOldCardNeverRunsWhatItDidNotShow(t *testing.T) {
	t.Parallel()
	var told []string // one run at a time
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		return drafting(ctx, req, sink, &told)
	})
	w.set("approvers", []string{"U2"})
	m := w.say("do it", w.platform.Thread("C1", ""))
	first := waitingCard(w, m)
	for n := range 2 {
		shown := awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Text, fmt.Sprintf("Plan %d?", n+1)) })
		edit := click(m, button(t, shown, "Edit"), "U1")
		edit.Verb, edit.Values = edit.Verb+".form", map[string]string{"text": fmt.Sprint(n)}
		if said := w.act(edit); said != "" {
			t.Fatal(said)
		}
		awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Text, fmt.Sprintf("Plan %d?", n+2)) })
		if said := w.act(click(m, button(t, first, "Approve"), "U2")); !strings.Contains(said, "already been decided") || !strings.Contains(said, "U1") {
			t.Errorf("after edit %d the old card says %q", n+1, said)
		}
	}
	third := awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Text, "Plan 3?") })
	w.act(click(m, button(t, third, "Approve"), "U2"))
	if final := w.replies(m.Thread, 1)[0].Card.Text; final != "runs i3" {
		t.Errorf("it says %q, told %q", final, told)
	}
}

// TestAnEditAndApprovalsAtOnce lets an approver's clicks and an edit of the same
// card race: exactly one of them counts, and an approval is of what was shown.
func TestAnEditAndApprovalsAtOnce(t *testing.T) {
	t.Parallel()
	for range 20 {
		var told []string
		w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
			return drafting(ctx, req, sink, &told)
		})
		w.set("approvers", []string{"U2"})
		m := w.say("do it", w.platform.Thread("C1", ""))
		card := waitingCard(w, m)
		edit := click(m, button(t, card, "Edit"), "U1")
		edit.Verb, edit.Values = edit.Verb+".form", map[string]string{"text": "x"}
		var race sync.WaitGroup
		race.Go(func() { w.act(edit) })
		for range 20 {
			race.Go(func() { w.act(click(m, button(t, card, "Approve"), "U2")) })
		}
		race.Wait()
		rows, err := w.store.RunApprovals(w.ctx, m.Thread.Key(), card.Run, 10)
		if err != nil || len(rows) == 0 || rows[0].State != bot.ApprovalDecided {
			t.Fatalf("%+v, %v", rows, err)
		}
		if rows[0].By == "U1" {
			second := awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Text, "Plan 2?") })
			w.act(click(m, button(t, second, "Approve"), "U2"))
			if final := w.replies(m.Thread, 1)[0].Card.Text; final != "runs i2" {
				t.Errorf("it says %q, told %q", final, told)
			}
		} else if final := w.replies(m.Thread, 1)[0].Card.Text; final != "runs i1" || len(told) != 1 {
			t.Errorf("it says %q, told %q", final, told)
		}
		w.stop()
	}
}
