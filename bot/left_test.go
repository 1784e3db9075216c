package bot_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// cutPlatform posts the second question without a reply to whoever sent it, and takes no edits until it is mended.
type cutPlatform struct {
	*fakePlatform
	mended atomic.Bool
	sent   chan struct{}
}

func (c *cutPlatform) Post(ctx context.Context, to bot.Target, card bot.Card, key string) (bot.Ref, error) {
	ref, err := c.fakePlatform.Post(ctx, to, card, key)
	if c.mended.Load() || !strings.Contains(card.Text, "Question 2") {
		return ref, err
	}
	close(c.sent)
	<-ctx.Done()
	return bot.Ref{}, ctx.Err()
}

func (c *cutPlatform) Edit(ctx context.Context, ref bot.Ref, card bot.Card) (bot.Ref, error) {
	if !c.mended.Load() {
		return bot.Ref{}, errors.New("the platform is not reachable")
	}
	return c.fakePlatform.Edit(ctx, ref, card)
}

// TestALeftCardIsClosedAfterACrash: a process ends while it posts the second question, before it could close the card of the
// first. People decide the second while the next process still works its way there. Both cards are closed in the end.
func TestALeftCardIsClosedAfterACrash(t *testing.T) {
	t.Parallel()
	var gate atomic.Pointer[chan struct{}]
	w := newWorld(t, asks(2, func() {
		if g := gate.Load(); g != nil {
			<-*g
		}
	}))
	w.platform.SetFacts(bot.Facts{SilentEdits: true})
	cut := &cutPlatform{fakePlatform: w.platform, sent: make(chan struct{})}
	w.stop()
	w.change = func(cfg *service.Config) { cfg.Adapters = []bot.Adapter{cut} }
	w.start()
	asked := func(text string) bottest.Post {
		t.Helper()
		p, err := w.platform.AwaitPost(w.ctx, bot.Thread{Platform: "fake", Team: "T1", Channel: "C1", ID: "m000001"}, func(p bottest.Post) bool {
			return strings.Contains(p.Card.Text, text) && len(p.Card.Buttons) > 0
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	m := w.say("do it", w.platform.Thread("C1", ""))
	w.act(click(m, asked("Question 1").Card.Buttons[0], "U1"))
	<-cut.sent
	second := asked("Question 2")
	w.stop()
	hold := make(chan struct{})
	gate.Store(&hold)
	cut.mended.Store(true)
	w.start()
	w.until("the second question's message shows that the run goes on", func() bool {
		for _, p := range w.platform.Posts(m.Thread) {
			if p.ID == second.ID {
				return p.Edits > 0
			}
		}
		return false
	})
	w.act(click(m, second.Card.Buttons[0], "U1"))
	gate.Store(nil)
	close(hold)
	w.until("both cards are closed above the answer", func() bool {
		shown := shownIn(w, m.Thread) // the first with what was decided when it was closed
		return strings.HasPrefix(shown, "decided ") && strings.HasSuffix(shown, ", decided 2, answer")
	})
}
