package bot_test

import (
	"context"
	"sync/atomic"
	"testing"

	"maru/bot"
	"maru/bot/service"
)

// clumsy is a platform whose posting into one thread panics, twice.
type clumsy struct {
	*fakePlatform
	tries atomic.Int32
}

func (c *clumsy) Post(ctx context.Context, to bot.Target, card bot.Card, key string) (bot.Ref, error) {
	if to.Thread.ID == "once" && c.tries.Add(1) <= 2 {
		panic("secret words")
	}
	return c.fakePlatform.Post(ctx, to, card, key)
}

// TestAPanicIsOneItemsOwn: others are answered, and the message itself at a later try.
func TestAPanicIsOneItemsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.stop()
	w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{&clumsy{fakePlatform: w.platform}} }
	w.start()
	for _, text := range []string{"once", "fine"} {
		th := bot.Thread{Platform: "fake", Team: "T1", Channel: "C1", ID: text}
		w.say(text, th)
		if got := w.replies(th, 1)[0].Card.Text; got != "echo: "+text {
			t.Errorf("%s: %q", text, got)
		}
	}
	w.settled()
}
