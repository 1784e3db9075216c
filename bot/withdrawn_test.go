package bot_test

import (
	"context"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
)

// TestDeletedQuestionTakesItsApprovalBack deletes the message of a run that
// waits.
func TestDeletedQuestionTakesItsApprovalBack(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	b := waitingCard(w, m).Buttons[0]
	if err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Deleted: true, User: m.User, At: m.At}); err != nil {
		t.Fatal(err)
	}
	final := w.replies(m.Thread, 1)[0].Card
	if len(final.Buttons) != 0 || w.state(b.ID) != bot.ApprovalRevoked {
		t.Errorf("card %+v, state %s", final, w.state(b.ID))
	}
	if !strings.Contains(final.Text, "The question was deleted") { // nobody asked to stop
		t.Errorf("the card says %q", final.Text)
	}
	if said := w.act(click(m, b, "U1")); !strings.Contains(said, "withdrawn") || told.Load() != 0 {
		t.Errorf("the old button says %q", said)
	}
}

// TestQuestionsThatAreNoLongerAskedAreWithdrawn answers one of two questions,
// after which the run waits for neither.
func TestQuestionsThatAreNoLongerAskedAreWithdrawn(t *testing.T) {
	t.Parallel()
	two := interrupting(planAsk(), planAsk())
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if len(req.Decisions) > 0 {
			return agent.Result{Text: "done with one"}, nil
		}
		return two(ctx, req, sink)
	})
	m := w.say("do two things", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	w.act(click(m, button(t, card, "Approve 1"), "U1"))
	w.replies(m.Thread, 1)
	w.settled()
	other := button(t, card, "Approve 2")
	if s := w.state(other.ID); s != bot.ApprovalRevoked {
		t.Errorf("the other question is %s", s)
	}
	if said := w.act(click(m, other, "U1")); said == "" {
		t.Error("the other question was decided")
	}
}
