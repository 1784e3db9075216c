package slack_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// clock is a time that waiting moves forward.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return ctx.Err()
}

func (c *clock) pass(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// A hundred replies wait in one channel that takes one a second.
func TestManyRepliesInOneChannel(t *testing.T) {
	t.Parallel()
	clk := &clock{now: time.Unix(1_800_000_000, 0)}
	w := start(t, slackfake.Options{RateLimits: true, Now: clk.Now}, func(c *slack.Config) { c.Now, c.Wait, c.PostEvery = clk.Now, clk.Wait, 0 })
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	w.settle()
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if _, err := w.adapter.Post(t.Context(), target("C1", th), text(fmt.Sprint("answer ", i)), fmt.Sprint("run", i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	refused := len(w.Refused())
	if n := len(w.Replies("C1", th)); n != 100 || refused > 1 {
		t.Errorf("%d replies, %d refused calls", n, refused)
	}
	t.Logf("100 posts, %d answered 429", refused)
}

func TestFinalEditGoesBeforeProgress(t *testing.T) {
	t.Parallel()
	clk := &clock{now: time.Unix(1_800_000_000, 0)}
	w := start(t, slackfake.Options{}, func(c *slack.Config) { c.Now, c.Wait = clk.Now, clk.Wait })
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	ref, err := w.adapter.Post(t.Context(), target("C1", th), bot.Card{Kind: bot.CardProgress, Text: "a"}, "k")
	if err != nil {
		t.Fatal(err)
	}
	w.Fail(slackfake.Fault{Method: "chat.update", Status: 429, After: 30, Times: 1})
	_, err = w.adapter.Edit(t.Context(), ref, bot.Card{Kind: bot.CardProgress, Text: "a b"})
	var de *bot.DeliveryError
	if !errors.As(err, &de) || de.Code != "ratelimited" || de.After < 25*time.Second {
		t.Errorf("progress during a pause: %v", err)
	}
	if _, err := w.adapter.Edit(t.Context(), ref, text("a b c")); err != nil {
		t.Errorf("final edit: %v", err)
	}
	if m, _ := w.Message("C1", ref.Messages[0]); m.Shown() != "a b c" {
		t.Errorf("shows %q", m.Shown())
	}
}
