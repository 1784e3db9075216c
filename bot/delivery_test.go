package bot_test

import (
	"context"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
)

// drafted is a run that has shown a draft as the reply to m and finishes when it
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
