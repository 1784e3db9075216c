package shard

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"maru/bot"
)

const (
	noteIdentifies = "identifies"
	freeIdentifies = 20 // in an hour, without waiting: an afternoon of deploys
	maxIdentifies  = 30 // in an hour
)

// budget limits how often sessions begin, over all replicas of the bot and their
// restarts. Each identify is stored in a durable note before it is sent.
type budget struct {
	base   string // prefix of the names of leases that this bot's replicas hold
	api    caller
	notes  bot.Notes
	owners Owners
	tasks  spawner
	log    *slog.Logger
	now    func() time.Time
	wait   func(context.Context, time.Duration) error

	writing sync.Mutex        // serializes changes of the note; also guards the maps
	turns   map[int]time.Time // by shard: when its last known session began
	// dialling holds, by shard, the time of a turn whose identify is not sent yet.
	dialling map[int]time.Time
}

// newBudget returns the budget of the replicas that share cfg.Token and cfg.Notes.
func newBudget(cfg Config) *budget {
	return &budget{
		base: leasePrefix(cfg.Token), api: cfg.API, notes: cfg.Notes, owners: cfg.Owners, tasks: cfg.Tasks, log: cfg.Log, now: cfg.Now, wait: cfg.Wait,
		turns: map[int]time.Time{}, dialling: map[int]time.Time{},
	}
}

// beginSession waits until a session may begin and returns the gateway's address. The
// limit holds across restarts, so that a program that crashes in a loop slows down:
// after 1,000 sessions in a day Discord resets the token.
func (bt *budget) beginSession(ctx context.Context, shard int) (address string, err error) {
	for {
		g, err := Ask(ctx, bt.api)
		if err != nil {
			return "", err
		}
		spent, err := bt.identifies(ctx)
		if err != nil {
			return "", err
		}
		d := max(bt.identifyPause(spent), bt.dayPause(spent, g))
		if d <= 0 {
			d = bt.takeTurn(spent, g, shard)
		}
		if d <= 0 {
			if d, err = bt.shareTurn(ctx, shard, g.concurrency()); err != nil {
				return "", err
			}
		}
		if d <= 0 {
			return g.URL, nil
		}
		if d > turn {
			bt.log.WarnContext(ctx, "discord sessions begin too often", "in_last_hour", len(spent), "wait", d)
		}
		if err := bt.wait(ctx, d); err != nil {
			return "", err
		}
	}
}

// identifyPause returns how long to wait to stay below the hourly limit of identifies.
func (bt *budget) identifyPause(spent []begun) time.Duration {
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
	return next.Sub(bt.now())
}

// dayPause spreads the last tenth of the day's sessions over the rest of the day. With
// none left it waits for the next day.
func (bt *budget) dayPause(spent []begun, g Info) time.Duration {
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
	return time.UnixMilli(spent[len(spent)-1].At).Add(rest / time.Duration(g.Limit.Remaining+1)).Sub(bt.now())
}

// turn is how far apart identifies of one bucket are. Discord counts 5 seconds, by
// its own clock. Another replica's turn, and that of a session whose identify is still
// on its way to being sent, is asked for again after turnPoll; the latter for dialFor.
const (
	turn     = 5500 * time.Millisecond
	turnPoll = time.Second
	dialFor  = 30 * time.Second
)

// takeTurn returns how long to wait for a bucket's turn, or 0 after taking it.
func (bt *budget) takeTurn(spent []begun, g Info, shard int) time.Duration {
	bt.writing.Lock()
	defer bt.writing.Unlock()
	bucket, now := shard%g.concurrency(), bt.now()
	var last time.Time
	for other, at := range bt.turns {
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
	for other, at := range bt.dialling { // connecting may take longer than a turn
		if other != shard && other%g.concurrency() == bucket && now.Sub(at) < dialFor {
			return turnPoll
		}
	}
	bt.turns[shard], bt.dialling[shard] = now, now
	return 0
}

// shareTurn takes the turn that takeTurn took among this process's shards from all
// other replicas too, or gives it back. Each turn has an owner name of its own, so that
// this replica's next session waits like the others'.
func (bt *budget) shareTurn(ctx context.Context, shard, buckets int) (time.Duration, error) {
	if bt.owners == nil {
		return 0, nil
	}
	name := fmt.Sprintf("%s/turn/%d/%d", bt.base, shard%buckets, buckets)
	ok, err := bt.owners.Own(ctx, name, rand.Text(), turn)
	if ok && err == nil {
		return 0, nil
	}
	bt.writing.Lock()
	delete(bt.turns, shard)
	delete(bt.dialling, shard)
	bt.writing.Unlock()
	if err != nil {
		return 0, fmt.Errorf("take a turn: %w", err)
	}
	return turnPoll, nil
}

// tookTurn records when a session was established: the identify may have been delayed
// on its way, and Discord counts from its arrival. It is stored for later processes
// too.
func (bt *budget) tookTurn(ctx context.Context, shard int) {
	now := bt.now()
	bt.writing.Lock()
	bt.turns[shard] = now
	bt.writing.Unlock()
	bt.tasks.Spawn(ctx, func(ctx context.Context) {
		err := bt.changeIdentifies(ctx, func(spent []begun) []begun {
			for i := len(spent) - 1; i >= 0; i-- {
				if b := &spent[i]; b.Shard == shard && !b.Refunded {
					b.At = max(b.At, now.UnixMilli())
					break
				}
			}
			return spent
		})
		if err != nil {
			bt.log.WarnContext(ctx, "discord identify budget not written", "err", err)
		}
	})
}

// begun is one session in the note.
type begun struct {
	At       int64 `json:"t"` // milliseconds
	Shard    int   `json:"s,omitempty"`
	Refunded bool  `json:"r,omitempty"` // the program stopped normally, so it does not count
}

// identifies returns the identifies of the last hour, oldest first.
func (bt *budget) identifies(ctx context.Context) ([]begun, error) {
	raw, err := bt.notes.Note(ctx, noteIdentifies)
	if err != nil {
		return nil, err
	}
	var all []begun
	if raw != "" && json.Unmarshal([]byte(raw), &all) != nil {
		all = nil // not ours; begin again
	}
	now := bt.now()
	var recent []begun
	for _, b := range all {
		if t := time.UnixMilli(b.At); now.Sub(t) < time.Hour && !t.After(now.Add(time.Minute)) {
			recent = append(recent, b)
		}
	}
	return recent, nil
}

// spendIdentify stores an identify before it is sent.
func (bt *budget) spendIdentify(ctx context.Context, shard int) error {
	bt.writing.Lock()
	bt.turns[shard] = bt.now()
	delete(bt.dialling, shard)
	bt.writing.Unlock()
	return bt.changeIdentifies(ctx, func(spent []begun) []begun {
		return append(spent, begun{At: bt.now().UnixMilli(), Shard: shard})
	})
}

// refundIdentify takes one identify back when the program stops normally: only crashes
// count towards the slowdown.
func (bt *budget) refundIdentify(ctx context.Context, shard int) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err := bt.changeIdentifies(ctx, func(spent []begun) []begun {
		for i := len(spent) - 1; i >= 0; i-- {
			if spent[i].Shard == shard && !spent[i].Refunded {
				spent[i].Refunded = true
				break
			}
		}
		return spent
	})
	if err != nil {
		bt.log.WarnContext(ctx, "discord identify budget not written", "err", err)
	}
}

// changeIdentifies is the only writer of the note.
func (bt *budget) changeIdentifies(ctx context.Context, change func([]begun) []begun) error {
	bt.writing.Lock()
	defer bt.writing.Unlock()
	spent, err := bt.identifies(ctx)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(change(spent))
	if err != nil {
		return err
	}
	return bt.notes.SetNote(ctx, noteIdentifies, string(raw))
}
