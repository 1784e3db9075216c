package web

import (
	"context"
	"sync"
	"time"

	"maru/bot"
)

const (
	slowFor   = time.Minute // how long a gate stays slow after a 429
	maxGates  = 2048
	postSlots = 1 // posts of a channel are serial: that keeps order and pace
	homeSlots = 1 // a person's Homes are serial too
	editSlots = 4
)

// gates rate-limits requests. Slack limits chat.postMessage to about one a second and
// channel, and other methods to a number a minute and workspace. There is one gate per method
// and channel, so a 429 pauses only that one, and one [budget] per method. Drafts stay below
// the limits, yield to answers (a new message, a final edit), and never wait out a pause: the
// next edit includes their text. Answers are throttled only after a 429.
type gates struct {
	now       func() time.Time
	wait      func(context.Context, time.Duration) error
	postEvery time.Duration // minimum interval between two posts in a channel
	budget    *budget
	limiter   bot.Limiter                                            // shares the budget with other replicas; nil: single process
	place     func() string                                          // the workspace's name in the limiter
	freshen   func(ctx context.Context) string                       // returns the token of the next call; nil: it never changes
	heal      func(ctx context.Context, used string, err error) bool // whether to retry a call that Slack refused
	heard     func(ctx context.Context, method string, err error)    // receives the result of every call

	mu sync.Mutex
	m  map[string]*gate
}

type gate struct {
	slots, busy  int
	pace         time.Duration // interval between two calls while slow
	last         time.Time     // time of the last call
	until        time.Time     // paused until then
	slow         time.Time     // slow until then
	urgent, rest []chan struct{}
}

func newGates(c Config) *gates {
	return &gates{now: c.Now, wait: c.Wait, postEvery: c.PostEvery, budget: newBudget(c.Now), limiter: c.Limiter, place: func() string { return "" }, m: make(map[string]*gate)}
}

// Job describes a call to a gate.
type Job struct {
	Method, Channel string
	Urgent          bool
}

// do runs call when its turn comes, and again after each 429.
func (g *gates) do(ctx context.Context, j Job, call func(context.Context) error) error {
	key := j.Method + " " + j.Channel
	gt, err := g.enter(ctx, key, j)
	if err != nil {
		return err
	}
	defer g.leave(gt)
	for healed := 0; ; {
		if err := g.pause(ctx, gt, j); err != nil {
			return err
		}
		if err := g.spend(ctx, j); err != nil {
			return err
		}
		used := ""
		if g.freshen != nil {
			used = g.freshen(ctx)
		}
		err := call(ctx)
		after := RetryAfter(err)
		if after > 0 {
			g.budget.noteLimit(j.Method)
		}
		paced := j.Method == MethodPost && g.budget.isStrict(j.Method)
		g.mu.Lock()
		now := g.now()
		gt.last = now
		if after > 0 {
			gt.until, gt.slow = now.Add(after), now.Add(after+slowFor)
		} else if now.Before(gt.slow) || paced {
			gt.until = now.Add(gt.pace)
		}
		g.mu.Unlock()
		if after == 0 {
			if err == nil || healed == maxHeals || g.freshen == nil || !g.heal(ctx, used, err) {
				if g.heard != nil {
					g.heard(ctx, j.Method, err)
				}
				return err
			}
			healed++
		}
	}
}

// pause waits until the gate is open. It fails at once if that is after ctx's deadline, or if
// the job is a draft.
func (g *gates) pause(ctx context.Context, gt *gate, j Job) error {
	for {
		g.mu.Lock()
		d := gt.until.Sub(g.now())
		g.mu.Unlock()
		if d <= 0 {
			return ctx.Err()
		}
		if err := g.sleep(ctx, j, d); err != nil {
			return err
		}
	}
}

// spend waits until the workspace's budget has a call of the method left.
func (g *gates) spend(ctx context.Context, j Job) error {
	for {
		d := g.budget.reserve(j.Method, j.Urgent)
		if d <= 0 {
			if d = g.share(ctx, j); d <= 0 {
				return nil
			}
			g.budget.release(j.Method)
		}
		if err := g.sleep(ctx, j, d); err != nil {
			return err
		}
	}
}

// share takes a call from the budget of all replicas, or returns the delay until the next
// one. Like the budget, it throttles answers only after a 429.
func (g *gates) share(ctx context.Context, j Job) time.Duration {
	t, ok := g.budget.tiers[j.Method]
	if g.limiter == nil || !ok {
		return 0
	}
	name := "slack/" + g.place() + "/" + j.Method
	if !j.Urgent {
		if d, err := g.limiter.Allow(ctx, name+"/drafts", bucket(t.drafts), 1); err != nil || d > 0 {
			return d
		}
	}
	d, err := g.limiter.Allow(ctx, name, bucket(t.most), 1)
	if err != nil || j.Urgent && !g.budget.isStrict(j.Method) {
		return 0
	}
	return d
}

// sleep waits for d, unless that is futile.
func (g *gates) sleep(ctx context.Context, j Job, d time.Duration) error {
	end, bounded := ctx.Deadline()
	if !j.Urgent || bounded && end.Before(g.now().Add(d)) {
		return tooFast(j, d)
	}
	return g.wait(ctx, d)
}

// tooFast is the error of a job that was not tried because of its rate limit.
func tooFast(j Job, d time.Duration) error {
	return &bot.DeliveryError{Op: j.Method, Code: "ratelimited", After: d, Err: bot.ErrUnavailable}
}

// backlog estimates the queueing delay of a new call.
func (g *gates) backlog(method, channel string) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	gt, ok := g.m[method+" "+channel]
	if !ok {
		return 0
	}
	ahead := max(0, gt.until.Sub(g.now()))
	return ahead + time.Duration(gt.busy+len(gt.urgent)+len(gt.rest))*gt.pace
}

// enter waits for a free slot.
func (g *gates) enter(ctx context.Context, key string, j Job) (*gate, error) {
	g.mu.Lock()
	gt := g.gate(key, j.Method)
	if j.Method == MethodPost && !j.Urgent {
		if d := gt.last.Add(gt.pace).Sub(g.now()); d > 0 || gt.busy > 0 {
			g.mu.Unlock()
			return nil, tooFast(j, max(d, gt.pace)) // answers go before drafts
		}
	}
	if gt.busy < gt.width(g.now()) && len(gt.urgent)+len(gt.rest) == 0 {
		gt.busy++
		g.mu.Unlock()
		return gt, nil
	}
	turn := make(chan struct{}, 1)
	if j.Urgent {
		gt.urgent = append(gt.urgent, turn)
	} else {
		gt.rest = append(gt.rest, turn)
	}
	g.mu.Unlock()
	select {
	case <-turn:
		return gt, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	gt.urgent, gt.rest = without(gt.urgent, turn), without(gt.rest, turn)
	g.mu.Unlock()
	select {
	case <-turn: // the slot was granted concurrently: pass it on
		g.leave(gt)
	default:
	}
	return nil, ctx.Err()
}

// leave releases a slot to the next waiter.
func (g *gates) leave(gt *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	gt.busy--
	for gt.busy < gt.width(g.now()) {
		queue := &gt.urgent
		if len(*queue) == 0 {
			queue = &gt.rest
		}
		if len(*queue) == 0 {
			break
		}
		turn := (*queue)[0]
		*queue = (*queue)[1:]
		gt.busy++
		turn <- struct{}{}
	}
	if len(g.m) > maxGates {
		g.sweep()
	}
}

// gate returns the named gate, creating it if necessary.
func (g *gates) gate(key, method string) *gate {
	gt, ok := g.m[key]
	if !ok {
		gt = &gate{slots: editSlots, pace: 1250 * time.Millisecond}
		switch method {
		case MethodPost:
			gt.slots, gt.pace = postSlots, g.postEvery
		case MethodHome:
			gt.slots = homeSlots
		}
		g.m[key] = gt
	}
	return gt
}

// sweep removes idle gates.
func (g *gates) sweep() {
	now := g.now()
	for k, gt := range g.m {
		if gt.busy == 0 && len(gt.urgent)+len(gt.rest) == 0 && now.After(gt.slow) && now.After(gt.until) {
			delete(g.m, k)
		}
	}
}

// width returns the number of concurrent calls allowed now.
func (gt *gate) width(now time.Time) int {
	if now.Before(gt.slow) {
		return 1
	}
	return gt.slots
}

func without(q []chan struct{}, c chan struct{}) []chan struct{} {
	for i, x := range q {
		if x == c {
			return append(q[:i:i], q[i+1:]...)
		}
	}
	return q
}
