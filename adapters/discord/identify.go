package discord

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"maru/adapters/discord/gateway"
)

const (
	noteIdentifies = "identifies"
	freeIdentifies = 20 // in an hour, without waiting: an afternoon of deploys
	maxIdentifies  = 30 // in an hour
)

// gatewayInfo is what the API says of the gateway.
type gatewayInfo struct {
	URL    string `json:"url"`
	Shards int    `json:"shards"` // that Discord recommends
	Limit  *struct {
		Total       int   `json:"total"`
		Remaining   int   `json:"remaining"`
		ResetAfter  int64 `json:"reset_after"` // milliseconds
		Concurrency int   `json:"max_concurrency"`
	} `json:"session_start_limit"`
}

// maxShards bounds what is believed: beyond it a bot is in 400,000 servers.
const maxShards = 256

func (g gatewayInfo) shards() int { return min(max(g.Shards, 1), maxShards) }

// concurrency is how many shards may begin their sessions at the same time.
func (g gatewayInfo) concurrency() int {
	if g.Limit == nil {
		return 1
	}
	return max(g.Limit.Concurrency, 1)
}

func (a *Adapter) askGateway(ctx context.Context) (gatewayInfo, error) {
	var g gatewayInfo
	err := a.rest.do(ctx, call{method: http.MethodGet, path: "/gateway/bot", bucket: "gateway bot", out: &g, again: true, urgent: true})
	if statusOf(err) == http.StatusNotFound {
		err = a.rest.do(ctx, call{method: http.MethodGet, path: "/gateway", bucket: "gateway", out: &g, again: true, urgent: true})
	}
	g.URL = strings.TrimRight(g.URL, "/")
	return g, err
}

// beginSession waits until a session may begin, over restarts of the program
// too: after 1,000 in a day Discord resets the token, so a program that crashes
// in a loop must slow down.
func (a *Adapter) beginSession(ctx context.Context, shard int) (gateway.Start, error) {
	for {
		g, err := a.askGateway(ctx)
		if errors.Is(err, errToken) {
			return gateway.Start{}, fmt.Errorf("%w: %w", gateway.ErrStop, err)
		}
		if err != nil {
			return gateway.Start{}, err
		}
		spent, err := a.identifies(ctx)
		if err != nil {
			return gateway.Start{}, err
		}
		d := max(a.identifyPause(spent), a.dayPause(spent, g))
		if d <= 0 {
			d = a.takeTurn(spent, g, shard)
		}
		if d <= 0 {
			if d, err = a.shareTurn(ctx, shard, g.concurrency()); err != nil {
				return gateway.Start{}, err
			}
		}
		if d <= 0 {
			return gateway.Start{Address: g.URL, Intents: a.wanted()}, nil
		}
		if d > turn {
			a.log.WarnContext(ctx, "discord sessions begin too often", "in_last_hour", len(spent), "wait", d)
		}
		if err := a.cfg.Wait(ctx, d); err != nil {
			return gateway.Start{}, err
		}
	}
}

// identifyPause is how long to wait so that an hour has few enough identifies.
func (a *Adapter) identifyPause(spent []begun) time.Duration {
	var counting []time.Time
	for _, b := range spent {
		if !b.Refunded {
			counting = append(counting, time.UnixMilli(b.At))
		}
	}
	n := len(counting)
	if n < freeIdentifies {
		return 0
	}
	next := counting[n-1].Add(min(time.Second<<min(n-freeIdentifies, 8), 2*time.Minute))
	if n >= maxIdentifies {
		next = counting[n-maxIdentifies].Add(time.Hour)
	}
	return next.Sub(a.cfg.Now())
}

// dayPause keeps the last tenth of the day's sessions for the rest of the day:
// they are spread over it. With none left it waits for the next.
func (a *Adapter) dayPause(spent []begun, g gatewayInfo) time.Duration {
	if g.Limit == nil || g.Limit.ResetAfter <= 0 || g.Limit.Remaining > g.Limit.Total/10 && g.Limit.Remaining > 0 {
		return 0
	}
	rest := time.Duration(g.Limit.ResetAfter) * time.Millisecond
	if g.Limit.Remaining <= 0 {
		return rest
	}
	if len(spent) == 0 {
		return 0
	}
	return time.UnixMilli(spent[len(spent)-1].At).Add(rest / time.Duration(g.Limit.Remaining+1)).Sub(a.cfg.Now())
}

// turn is how far apart identifies of one bucket are. Discord counts 5 seconds, by
// its own clock. Another replica's turn, and that of a session whose identify is still
// on its way to being sent, is asked for again after turnPoll; the latter for dialFor.
const (
	turn     = 5500 * time.Millisecond
	turnPoll = time.Second
	dialFor  = 30 * time.Second
)

// takeTurn is how long to wait for a bucket's turn, 0 when it has been taken.
func (a *Adapter) takeTurn(spent []begun, g gatewayInfo, shard int) time.Duration {
	a.budget.Lock()
	defer a.budget.Unlock()
	bucket, now := shard%g.concurrency(), a.cfg.Now()
	var last time.Time
	for other, at := range a.turns {
		if other%g.concurrency() == bucket && at.After(last) {
			last = at
		}
	}
	for _, b := range spent {
		if at := time.UnixMilli(b.At); b.Shard%g.concurrency() == bucket && at.After(last) {
			last = at
		}
	}
	if d := last.Add(turn).Sub(now); d > 0 {
		return d
	}
	for other, at := range a.dialling { // to connect may take longer than a turn
		if other != shard && other%g.concurrency() == bucket && now.Sub(at) < dialFor {
			return turnPoll
		}
	}
	a.turns[shard], a.dialling[shard] = now, now
	return 0
}

// shareTurn takes among all replicas the turn that takeTurn took among this one's
// shards, or gives it back. Each turn has an owner of its own, so that this replica's
// next session waits for it like the others'.
func (a *Adapter) shareTurn(ctx context.Context, shard, buckets int) (time.Duration, error) {
	if a.cfg.Owners == nil {
		return 0, nil
	}
	name := fmt.Sprintf("%s/turn/%d/%d", a.deed(), shard%buckets, buckets)
	ok, err := a.cfg.Owners.Own(ctx, name, rand.Text(), turn)
	if ok && err == nil {
		return 0, nil
	}
	a.budget.Lock()
	delete(a.turns, shard)
	delete(a.dialling, shard)
	a.budget.Unlock()
	if err != nil {
		return 0, fmt.Errorf("take a turn: %w", err)
	}
	return turnPoll, nil
}

// tookTurn is told when a session stands: on its way the identify may have lost
// time, and Discord counts from when it came. It is written down as well, for whoever
// comes next.
func (a *Adapter) tookTurn(ctx context.Context, shard int) {
	now := a.cfg.Now()
	a.budget.Lock()
	a.turns[shard] = now
	a.budget.Unlock()
	a.spawn(ctx, func(ctx context.Context) {
		err := a.changeIdentifies(ctx, func(spent []begun) []begun {
			for i := len(spent) - 1; i >= 0; i-- {
				if b := &spent[i]; b.Shard == shard && !b.Refunded {
					b.At = max(b.At, now.UnixMilli())
					break
				}
			}
			return spent
		})
		if err != nil {
			a.log.WarnContext(ctx, "discord identify budget not written", "err", err)
		}
	})
}

// begun is a session that began.
type begun struct {
	At       int64 `json:"t"` // milliseconds
	Shard    int   `json:"s,omitempty"`
	Refunded bool  `json:"r,omitempty"` // it ended as it should and counts no more
}

// identifies returns the last hour's, oldest first.
func (a *Adapter) identifies(ctx context.Context) ([]begun, error) {
	raw, err := a.note(ctx, noteIdentifies)
	if err != nil {
		return nil, err
	}
	var all []begun
	if raw != "" && json.Unmarshal([]byte(raw), &all) != nil {
		all = nil // not ours; begin anew
	}
	now := a.cfg.Now()
	var recent []begun
	for _, b := range all {
		if t := time.UnixMilli(b.At); now.Sub(t) < time.Hour && !t.After(now.Add(time.Minute)) {
			recent = append(recent, b)
		}
	}
	return recent, nil
}

// spendIdentify writes an identify down before it is sent.
func (a *Adapter) spendIdentify(ctx context.Context, shard int) error {
	a.budget.Lock()
	a.turns[shard] = a.cfg.Now()
	delete(a.dialling, shard)
	a.budget.Unlock()
	return a.changeIdentifies(ctx, func(spent []begun) []begun {
		return append(spent, begun{At: a.cfg.Now().UnixMilli(), Shard: shard})
	})
}

// refundIdentify takes back one identify when the program ends as it should:
// only crashes count towards the slowdown.
func (a *Adapter) refundIdentify(ctx context.Context, shard int) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err := a.changeIdentifies(ctx, func(spent []begun) []begun {
		for i := len(spent) - 1; i >= 0; i-- {
			if spent[i].Shard == shard && !spent[i].Refunded {
				spent[i].Refunded = true
				break
			}
		}
		return spent
	})
	if err != nil {
		a.log.WarnContext(ctx, "discord identify budget not written", "err", err)
	}
}

// changeIdentifies is the one way to write the budget.
func (a *Adapter) changeIdentifies(ctx context.Context, change func([]begun) []begun) error {
	a.budget.Lock()
	defer a.budget.Unlock()
	spent, err := a.identifies(ctx)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(change(spent))
	if err != nil {
		return err
	}
	return a.setNote(ctx, noteIdentifies, string(raw))
}
