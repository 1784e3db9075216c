package web

import (
	"context"
	"sync"
	"time"

	"maru/bot"
)

const (
	slowFor   = time.Minute // how long a gate stays slow after Slack said "too fast"
	maxGates  = 2048
	postSlots = 1 // posts of a channel go one at a time: that keeps order and pace
	homeSlots = 1 // nor do a person's Homes overtake each other
	editSlots = 4
)

// gates paces requests. Slack limits chat.postMessage to about one a second and
// channel and the other methods to so many a minute and workspace; there is one
// gate for each method and channel, so a 429 pauses that one and nothing else,
// and one [budget] for each method. Progress keeps below the limits, goes after
// what a person waits for (a new message, a final edit), and never waits out a
// pause: its text will come with the next edit anyway. What a person waits for
// goes at once until Slack says that it is too much.
type gates struct {
	now       func() time.Time
	wait      func(context.Context, time.Duration) error
	postEvery time.Duration // between two posts in a channel
	budget    *budget
	limiter   bot.Limiter                                            // shares the budget with other replicas; nil: there are none
	place     func() string                                          // names the workspace to them
	freshen   func(ctx context.Context) string                       // gives the token of the next call; nil: it never changes
	heal      func(ctx context.Context, used string, err error) bool // whether a call that Slack refused may be made once more
	heard     func(ctx context.Context, method string, err error)    // is told what came of every call

	mu sync.Mutex
	m  map[string]*gate
}

type gate struct {
	slots, busy  int
	pace         time.Duration // between two calls while slow
	last         time.Time     // when the last call was made
	until        time.Time     // paused until then
	slow         time.Time     // slow until then
	urgent, rest []chan struct{}
}

func newGates(c Config) *gates {
	return &gates{now: c.Now, wait: c.Wait, postEvery: c.PostEvery, budget: newBudget(c.Now), limiter: c.Limiter, place: func() string { return "" }, m: make(map[string]*gate)}
}

// Job says what a gate is asked to let through.
type Job struct {
	Method, Channel string
	Urgent          bool
}

// do runs call when its turn comes, and again as often as Slack answers 429.
func (g *gates) do(ctx context.Context, j Job, call func(context.Context) error) error {
	key := j.Method + " " + j.Channel
	gt, err := g.enter(ctx, key, j)
	if err != nil {
		return err
	}
	defer g.leave(key, gt)
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
			g.budget.limited(j.Method)
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

// pause waits until the gate is open again. It gives up at once when that is
// later than ctx allows, or when nobody waits for what the job would show.
func (g *gates) pause(ctx context.Context, gt *gate, j Job) error {
	for {
		g.mu.Lock()
		d := gt.until.Sub(g.now())
		g.mu.Unlock()
		if d <= 0 {
			return ctx.Err()
		}
		if err := g.sit(ctx, j, d); err != nil {
			return err
		}
	}
}

// spend waits until the workspace has a call of the method left.
func (g *gates) spend(ctx context.Context, j Job) error {
	for {
		d := g.budget.take(j.Method, j.Urgent)
		if d <= 0 {
			if d = g.share(ctx, j); d <= 0 {
				return nil
			}
			g.budget.giveBack(j.Method)
		}
		if err := g.sit(ctx, j, d); err != nil {
			return err
		}
	}
}

// share asks for a call of what all replicas may make together, and says how long
// to wait for the next one. As with the budget, what somebody waits for is only
// held back once Slack has said that it is too much.
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

// sit waits for d, unless that is in vain.
func (g *gates) sit(ctx context.Context, j Job, d time.Duration) error {
	end, bounded := ctx.Deadline()
	if !j.Urgent || bounded && end.Before(g.now().Add(d)) {
		return tooFast(j, d)
	}
	return g.wait(ctx, d)
}

// tooFast is the error of a job that was not tried because its turn is later.
func tooFast(j Job, d time.Duration) error {
	return &bot.DeliveryError{Op: j.Method, Code: "ratelimited", After: d, Err: bot.ErrUnavailable}
}

// backlog is how long a new call would have to wait for its turn, about.
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
			return nil, tooFast(j, max(d, gt.pace)) // there is always something better to post than progress
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
	case <-turn: // the slot was handed over in the same moment: pass it on
		g.leave(key, gt)
	default:
	}
	return nil, ctx.Err()
}

// leave frees a slot and hands it to who waits.
func (g *gates) leave(key string, gt *gate) {
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

// gate returns the gate of that name, making it if need be.
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

// sweep forgets idle gates.
func (g *gates) sweep() {
	now := g.now()
	for k, gt := range g.m {
		if gt.busy == 0 && len(gt.urgent)+len(gt.rest) == 0 && now.After(gt.slow) && now.After(gt.until) {
			delete(g.m, k)
		}
	}
}

// width is how many calls may be under way now.
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
