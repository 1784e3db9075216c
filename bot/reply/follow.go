package reply

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"maru/agent"
	"maru/bot"
)

const (
	followEvery = time.Second            // interval of reading the record, as events may be lost
	tellOthers  = 100 * time.Millisecond // between two pictures for other replicas
)

// Ended reads runs that are not active here.
type Ended interface {
	Reply(ctx context.Context, run string) (bot.Reply, error)
	RunByID(ctx context.Context, id string) (bot.Run, error)
}

// Asks reads the questions on which a run waits, as programs can answer them.
type Asks interface {
	AsksOf(ctx context.Context, thread, run string) ([]bot.FeedAsk, error)
}

// FollowConfig holds the dependencies of Follows.
type FollowConfig struct {
	Record Ended
	Asks   Asks
	Sees   Sees
	Events bot.Events    // carries live events between replicas; nil: each shows its own runs alone
	NewID  func() string // names the process's work on a run
	Log    *slog.Logger
}

// Follows lets people follow active runs, from any replica.
type Follows struct {
	cfg   FollowConfig
	feeds *feeds
}

// NewFollows returns Follows.
func NewFollows(c FollowConfig) *Follows { return &Follows{cfg: c, feeds: newFeeds()} }

// Event applies a run's event to its feed.
func (fs *Follows) Event(run string, e agent.Event) { fs.feeds.event(run, e) }

// Follow shows a run to a person who may see it, until the run ends, ctx ends or show returns an
// error: first its present state, then every change. It works on any replica; without events from
// the run's replica it polls the record. show is called from one goroutine.
func (fs *Follows) Follow(ctx context.Context, t bot.Thread, u bot.User, run string, show func(bot.Feed) error) error {
	if err := fs.cfg.Sees.MaySee(ctx, t, u, run); err != nil {
		return err
	}
	woken, leave := fs.feeds.watch(run)
	defer leave()
	far, err := fs.fromAfar(ctx, run)
	if err != nil {
		fs.cfg.Log.InfoContext(ctx, "follow a run without live events", "run", run, "err", err)
	}
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	news := news{woken: woken, far: far, tick: tick.C}
	for {
		f, here := fs.feeds.of(run)
		if !here {
			if f, err = fs.recorded(ctx, run); err != nil {
				return err
			}
		}
		if err := show(f); err != nil || f.Ended != "" {
			return err
		}
		if ended, err := news.await(ctx, run, show); ended || err != nil {
			return err
		}
	}
}

// news notifies a follower of changes.
type news struct {
	woken <-chan struct{}  // of a run of this process
	far   <-chan []byte    // pictures from other replicas
	tick  <-chan time.Time // time to read the record
}

// await waits for a change, and shows states from other replicas as they arrive. ended reports that there are no
// followers.
func (n *news) await(ctx context.Context, run string, show func(bot.Feed) error) (ended bool, err error) {
	for {
		select {
		case <-ctx.Done():
			return true, nil
		case <-n.woken:
			return false, nil
		case <-n.tick:
			return false, nil
		case raw, ok := <-n.far:
			if !ok {
				n.far = nil // never ready again: the record is polled instead
				continue
			}
			var f bot.Feed
			if json.Unmarshal(raw, &f) == nil && f.Run == run {
				if err := show(f); err != nil {
					return true, err
				}
			}
		}
	}
}

// fromAfar subscribes to other replicas' events of a run; nil without a transport.
func (fs *Follows) fromAfar(ctx context.Context, run string) (<-chan []byte, error) {
	if fs.cfg.Events == nil {
		return nil, nil //nolint:nilnil // a nil channel is never ready
	}
	return fs.cfg.Events.Subscribe(ctx, feedTopic(run))
}

// feedTopic returns the topic of a run's states.
func feedTopic(run string) string { return "run/" + run }

// publish sends a run's states to other replicas until ctx ends.
func (fs *Follows) publish(ctx context.Context, run string) {
	tick := time.NewTicker(tellOthers)
	defer tick.Stop()
	for {
		if f, ok := fs.feeds.news(run); ok {
			raw, err := json.Marshal(f)
			if err == nil {
				err = fs.cfg.Events.Publish(ctx, feedTopic(run), raw)
			}
			if err != nil && ctx.Err() == nil {
				fs.cfg.Log.DebugContext(ctx, "publish to other replicas", "run", run, "err", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// recorded returns a run that is not active here, from the record.
func (fs *Follows) recorded(ctx context.Context, run string) (bot.Feed, error) {
	reply, err := fs.cfg.Record.Reply(ctx, run)
	if err != nil {
		return bot.Feed{}, fmt.Errorf("read reply: %w", err)
	}
	f := bot.Feed{Run: run, Thread: reply.Thread, Life: "record"}
	if reply.State != bot.ReplyOpen {
		return fs.over(ctx, f, reply)
	}
	f.Asks, err = fs.cfg.Asks.AsksOf(ctx, reply.Thread, run)
	return f, err
}

// over returns the feed of a finished run.
func (fs *Follows) over(ctx context.Context, f bot.Feed, reply bot.Reply) (bot.Feed, error) {
	var card bot.Card
	if err := json.Unmarshal(reply.Card, &card); err != nil {
		return bot.Feed{}, fmt.Errorf("decode card: %w", err)
	}
	card = card.Worded()
	f.Final, f.Text, f.Ended = &card, card.Text, bot.RunDone
	if r, err := fs.cfg.Record.RunByID(ctx, f.Run); err == nil {
		f.Ended = r.Status
	} else if card.Kind == bot.CardNotice {
		f.Ended = bot.RunFailed
	}
	return f, nil
}

// Open makes a run available to followers, here and on other replicas, until end is called.
func (fs *Follows) Open(ctx context.Context, run, thread string) (end func()) {
	fs.feeds.begin(run, thread, fs.cfg.NewID())
	if fs.cfg.Events == nil {
		return func() { fs.feeds.end(run) }
	}
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	telling.Go(func() { fs.publish(ctx, run) })
	return func() {
		cancel()
		telling.Wait()
		fs.feeds.end(run)
	}
}
