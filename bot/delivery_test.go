package bot_test

import (
	"context"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
)

// drafted returns a run that has shown a draft as the reply to m and finishes when it
// is let go on. The platform has these faults from the beginning.
func drafted(t *testing.T, faults ...bottest.Fault) (w *world, m bot.Message, goOn func()) {
	t.Helper()
	let := make(chan struct{})
	w = newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "draft"})
		<-let
		return echo(ctx, req, sink)
	})
	w.platform.Fail(faults...)
	m = w.say("hello", w.platform.Thread("C1", ""))
	w.until("the draft is shown", func() bool { return len(w.platform.Posts(m.Thread)) > 0 })
	return w, m, func() { close(let) }
}

func TestDeliveryFaults(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string][]bottest.Fault{
		"post_refused_at_first":          {{Op: "post", Err: errDown}, {Op: "post", Err: errDown}},
		"post_worked_but_said_it_failed": {{Op: "post", Err: errDown, After: true}},
		"edit_fails_at_first":            {{Op: "edit", Err: errDown}, {Op: "edit", Err: errDown}},
		"edit_worked_but_said_it_failed": {{Op: "edit", Err: errDown, After: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m, goOn := drafted(t, faults...)
			goOn()
			w.replies(m.Thread, 1)
			w.settled()
			posts := w.platform.Posts(m.Thread)
			if len(posts) != 1 || posts[0].Card.Text != "echo: hello" {
				t.Errorf("replies: %+v", posts)
			}
		})
	}
}

func TestADeletedReplyIsPostedAnew(t *testing.T) {
	t.Parallel()
	w, m, goOn := drafted(t)
	w.platform.Delete(w.platform.Posts(m.Thread)[0].ID)
	goOn()
	if got := w.replies(m.Thread, 1); got[0].Card.Text != "echo: hello" {
		t.Errorf("replies: %+v", got)
	}
}

// TestWhatMayNotBeEditedIsPostedAnew: in a thread that was locked whoever asked can
// be told elsewhere.
func TestWhatMayNotBeEditedIsPostedAnew(t *testing.T) {
	t.Parallel()
	w, m, goOn := drafted(t)
	forbidden := &bot.DeliveryError{Op: "edit", Code: "50013", Err: bot.ErrForbidden}
	for range 20 { // the draft may still grow a few times
		w.platform.Fail(bottest.Fault{Op: "edit", Err: forbidden})
	}
	goOn()
	w.settled()
	posts := w.platform.Posts(m.Thread)
	if len(posts) != 2 || posts[1].Card.Text != "echo: hello" {
		t.Errorf("replies: %+v", posts)
	}
}

// TestAnAnswerWhoseQuestionMayNotBeEditedIsPosted: the card with the question was
// posted by an item before, and is known to the platform still. What may not be
// edited for its age makes room; a place that is closed keeps it.
func TestAnAnswerWhoseQuestionMayNotBeEditedIsPosted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		why   error
		find  bool // is refused as well
		posts int
	}{
		"too_old":            {bot.ErrTooOld, false, 1},
		"forbidden":          {bot.ErrForbidden, false, 2},
		"forbidden_to_read":  {bot.ErrForbidden, true, 2},
		"gone_and_not_known": {bot.ErrGone, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, asking)
			m := w.say("send a mail", w.platform.Thread("C1", ""))
			ask := waitingCard(w, m)
			refusal := &bot.DeliveryError{Op: "edit", Code: name, Err: c.why}
			for range 20 {
				w.platform.Fail(bottest.Fault{Op: "edit", Err: refusal})
			}
			if c.find {
				w.platform.Fail(bottest.Fault{Op: "find", Err: refusal})
			}
			w.act(click(m, ask.Buttons[0], "U1"))
			w.settled()
			posts := w.platform.Posts(m.Thread)
			if len(posts) != c.posts || !strings.HasPrefix(posts[len(posts)-1].Card.Text, "sent, says") {
				t.Errorf("%d replies: %+v", len(posts), posts)
			}
		})
	}
}
