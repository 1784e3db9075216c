package web

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/lanes/conn"
	"maru/bot"
)

func settings() Config {
	return Config{Now: time.Now, Wait: conn.Sleep, PostEvery: 1050 * time.Millisecond}
}

// What somebody waits for goes first, however much progress is queued.
func TestUrgentGoesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGates(settings())
		var order []string
		limited := true
		first := make(chan struct{})
		run := func(name string, urgent bool) {
			err := g.do(t.Context(), Job{Method: MethodUpdate, Channel: "C1", Urgent: urgent}, func(context.Context) error {
				if limited {
					limited = false
					close(first)
					return &slack.RateLimitedError{RetryAfter: 10 * time.Second}
				}
				order = append(order, name)
				return nil
			})
			if err != nil && urgent {
				t.Errorf("%s: %v", name, err)
			}
		}
		go run("first", true)
		<-first
		synctest.Wait()
		begin := time.Now()
		for range 20 {
			go run("progress", false)
		}
		synctest.Wait()
		for range 3 {
			go run("final", true)
		}
		_ = conn.Sleep(t.Context(), time.Minute)
		synctest.Wait()
		if len(order) < 4 || order[0] != "first" || order[1] != "final" || order[2] != "final" || order[3] != "final" {
			t.Errorf("order: %v", order)
		}
		if time.Since(begin) < 10*time.Second {
			t.Error("the pause was not kept")
		}
	})
}

func TestGateKeepsToTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGates(settings())
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		begin := time.Now()
		err := g.do(ctx, Job{Method: MethodPost, Channel: "C1", Urgent: true}, func(context.Context) error {
			return &slack.RateLimitedError{RetryAfter: time.Minute}
		})
		var de *bot.DeliveryError
		if !errors.As(err, &de) || de.After < 59*time.Second || !errors.Is(err, bot.ErrUnavailable) {
			t.Errorf("%v", err)
		}
		if time.Since(begin) != 0 {
			t.Error("waited although it was in vain")
		}
		if err := g.do(t.Context(), Job{Method: MethodPost, Channel: "C2", Urgent: true}, func(context.Context) error { return nil }); err != nil {
			t.Errorf("another channel: %v", err)
		}
	})
}

func TestGatesAreForgotten(t *testing.T) {
	t.Parallel()
	g := newGates(Config{Now: time.Now, Wait: conn.Sleep, PostEvery: time.Nanosecond})
	for i := range 3 * maxGates {
		_ = g.do(t.Context(), Job{Method: MethodPost, Channel: string(rune(i + 1000))}, func(context.Context) error { return nil })
	}
	if n := len(g.m); n > maxGates+1 {
		t.Errorf("%d gates are kept", n)
	}
}

// pool is a limiter that replicas share, by the clock of the bubble.
type pool struct {
	mu    sync.Mutex
	level map[string]float64
	at    map[string]time.Time
	err   error
}

func (p *pool) Allow(_ context.Context, name string, r bot.Rate, n int) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, level := time.Now(), float64(r.Burst)
	if at, ok := p.at[name]; ok {
		level = min(level, p.level[name]+now.Sub(at).Seconds()*r.PerSecond)
	}
	wait := time.Duration(0)
	if level >= float64(n) {
		level -= float64(n)
	} else {
		wait = time.Duration(math.Ceil((float64(n)-level)/r.PerSecond*1000)) * time.Millisecond
	}
	p.level[name], p.at[name] = level, now
	return wait, p.err
}

// TestReplicasShareABudget: three replicas that Slack has told to slow down make
// no more calls together than it takes, and what somebody waits for gets through.
func TestReplicasShareABudget(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		most int // calls in the worst minute
	}{
		"shared":        {nil, 50},
		"redis is away": {errors.New("away"), 3 * 46},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				shared := &pool{level: map[string]float64{}, at: map[string]time.Time{}, err: c.err}
				var mu sync.Mutex
				var calls []time.Time
				var wg sync.WaitGroup
				for range 3 {
					g := newGates(Config{Now: time.Now, Wait: conn.Sleep, PostEvery: 1050 * time.Millisecond, Limiter: shared})
					g.budget.noteLimit(MethodUpdate)
					for range 60 {
						wg.Go(func() {
							err := g.do(t.Context(), Job{Method: MethodUpdate, Channel: "C1", Urgent: true}, func(context.Context) error {
								mu.Lock()
								defer mu.Unlock()
								calls = append(calls, time.Now())
								return nil
							})
							if err != nil {
								t.Error(err)
							}
						})
					}
				}
				wg.Wait()
				most := 0
				for i, from := range calls {
					n := 0
					for _, at := range calls[i:] {
						if at.Sub(from) < time.Minute {
							n++
						}
					}
					most = max(most, n)
				}
				if len(calls) != 180 || most > c.most || most < c.most/2 {
					t.Errorf("%d calls, %d in the worst minute, want 180 and at most %d", len(calls), most, c.most)
				}
			})
		})
	}
}
