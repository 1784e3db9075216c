package bot_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/datatest"
)

// stormPlatform is a platform over a bad line: a post or an edit may be refused, its answer may be lost, and a post may take
// effect only when the storm is over, while whoever sent it waits until he dies or is told that nothing answers.
type stormPlatform struct {
	*fakePlatform
	calls, waiting atomic.Int64

	mu     sync.Mutex
	random *rand.Rand
	calm   bool
	late   []func()
}

var errLimited = &bot.DeliveryError{Op: "post", Code: "ratelimited", After: time.Millisecond, Err: bot.ErrUnavailable}

// weather draws what happens to a call.
func (s *stormPlatform) weather() int {
	s.calls.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calm {
		return 100
	}
	return s.random.IntN(100)
}

func (s *stormPlatform) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	post := func() (bot.Ref, error) { return s.fakePlatform.Post(context.WithoutCancel(ctx), to, c, key) }
	switch n := s.weather(); {
	case n < 10, n < 20:
		s.mu.Lock()
		s.late = append(s.late, func() { _, _ = post() })
		s.mu.Unlock()
		if n < 10 {
			return bot.Ref{}, errDown
		}
		s.waiting.Add(1)
		defer s.waiting.Add(-1)
		<-ctx.Done()
		return bot.Ref{}, ctx.Err()
	case n < 28:
		_, _ = post()
		return bot.Ref{}, errDown
	case n < 36:
		return bot.Ref{}, errLimited
	case n < 46 && c.Kind == bot.CardProgress:
		return bot.Ref{}, nil // skipped
	}
	return post()
}

func (s *stormPlatform) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	switch n := s.weather(); {
	case n < 10:
		if ref, err := s.fakePlatform.Edit(ctx, ref, c); err != nil {
			return ref, err
		}
		return ref, errDown
	case n < 20:
		return ref, errLimited
	}
	return s.fakePlatform.Edit(ctx, ref, c)
}

// EditEvery is above the interval at which a platform must know its posts by their keys.
func (s *stormPlatform) EditEvery() time.Duration { return 101 * time.Millisecond }

// clears ends the storm: what was under way arrives.
func (s *stormPlatform) clears() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calm = true
	for _, land := range s.late {
		land()
	}
	s.late = nil
}

// TestStorm lets a run ask and answer over lines that lose, delay and refuse, in processes that end at random moments. In the
// end every message that a person sees is there once.
func TestStorm(t *testing.T) {
	t.Parallel()
	storms := 40
	if datatest.Short(t) {
		storms = 8
	}
	for _, silent := range []bool{true, false} {
		for seed := range storms {
			t.Run(fmt.Sprintf("silent_%v_%d", silent, seed), func(t *testing.T) {
				t.Parallel()
				weathers(t, silent, rand.New(rand.NewPCG(uint64(seed), 7)))
			})
		}
	}
}

func weathers(t *testing.T, silent bool, random *rand.Rand) {
	t.Helper()
	var ahead atomic.Int64
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "half of it"})
		return asking(ctx, req, sink)
	})
	s := &stormPlatform{fakePlatform: w.platform, random: rand.New(rand.NewPCG(random.Uint64(), random.Uint64()))}
	w.platform.SetFacts(bot.Facts{SilentEdits: silent})
	w.stop()
	w.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{s} }
	w.start()
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	clicks := func() {
		for _, p := range w.platform.Posts(m.Thread) {
			if len(p.Card.Buttons) > 0 && p.Card.Kind == bot.CardChoices {
				if _, err := w.bot.Action(w.ctx, click(m, p.Card.Buttons[0], "U1")); err != nil && !errors.Is(err, bot.ErrDecided) {
					t.Errorf("a click: %v", err)
				}
			}
		}
	}
	for range 2 + random.IntN(5) {
		until := s.calls.Load() + 1 + random.Int64N(6)
		w.until("it calls, waits or has answered", func() bool {
			clicks()
			return s.calls.Load() >= until || s.waiting.Load() > 0 || finals(w, m)
		})
		w.stop()
		w.start()
	}
	s.mu.Lock()
	s.calm = true
	s.mu.Unlock()
	w.until("it has answered", func() bool {
		if s.waiting.Load() > 0 { // since before the calm
			w.stop()
			w.start()
		}
		clicks()
		return finals(w, m)
	})
	w.settled()
	s.clears()
	answers := func() (n int, others []bottest.Post) {
		for _, p := range w.platform.Posts(m.Thread) {
			if p.Card.Text == "sent, says fake/T1/U1" && p.Card.Final && len(p.Card.Buttons) == 0 {
				n++
			} else {
				others = append(others, p)
			}
		}
		return n, others
	}
	w.passing(func(d time.Duration) { ahead.Add(int64(d)) })
	n, others := answers()
	if n != 1 || silent && (len(others) != 1 || len(others[0].Card.Buttons) > 0 || !others[0].Card.Final) || !silent && len(others) > 0 {
		t.Errorf("%d answers beside %+v", n, others)
	}
}
