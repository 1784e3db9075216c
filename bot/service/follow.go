package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"maru/bot"
)

const (
	followEvery = time.Second            // how often the record is looked at, for what no event told
	tellOthers  = 100 * time.Millisecond // between two pictures for other replicas
)

// Follow shows a run to whoever may see it, until it has ended, ctx ends or show
// returns an error: first as it stands, then whenever it has changed. It works
// from any replica; where events do not reach, the record says how far the run
// is. show is called from one goroutine.
func (b *Bot) Follow(ctx context.Context, t bot.Thread, u bot.User, run string, show func(bot.Feed) error) error {
	if err := b.MaySee(ctx, t, u, run); err != nil {
		return err
	}
	woken, leave := b.feeds.watch(run)
	defer leave()
	far, err := b.fromAfar(ctx, run)
	if err != nil {
		b.log.InfoContext(ctx, "follow a run without live events", "run", run, "err", err)
	}
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	news := news{woken: woken, far: far, tick: tick.C}
	for {
		f, here := b.feeds.of(run)
		if !here {
			if f, err = b.recorded(ctx, run); err != nil {
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

// news is where whoever follows a run hears of its changes.
type news struct {
	woken <-chan struct{}  // of a run of this process
	far   <-chan []byte    // pictures from other replicas
	tick  <-chan time.Time // it is time to look at the record
}

// await waits for a change; pictures from other replicas are shown as they come.
// ended says that nobody follows any more.
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
				n.far = nil // never ready again: the record still tells
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

// MaySee says whether a person may follow a run: from its own place, or because
// they may decide it.
func (b *Bot) MaySee(ctx context.Context, t bot.Thread, u bot.User, run string) error {
	reply, err := b.cfg.Record.Reply(ctx, run)
	if errors.Is(err, bot.ErrNotFound) {
		return &bot.Error{Code: bot.CodeNotFound, Err: err}
	}
	if err != nil {
		return fmt.Errorf("read reply: %w", err)
	}
	if t.SharesChannel(reply.Thread) {
		return nil
	}
	rows, err := b.cfg.Record.RunApprovals(ctx, reply.Thread, run, maxAsked)
	if err != nil {
		return fmt.Errorf("read approvals: %w", err)
	}
	for _, row := range rows {
		if may, err := b.mayDecide(ctx, row, t, u); may || err != nil {
			return err
		}
	}
	return &bot.Error{Code: bot.CodeNotFound}
}

// fromAfar subscribes to what other replicas tell of a run; nil if there is
// nothing that carries it.
func (b *Bot) fromAfar(ctx context.Context, run string) (<-chan []byte, error) {
	if b.cfg.Events == nil {
		return nil, nil //nolint:nilnil // a nil channel is never ready
	}
	return b.cfg.Events.Subscribe(ctx, feedTopic(run))
}

// feedTopic is the topic of a run's pictures.
func feedTopic(run string) string { return "run/" + run }

// publish tells other replicas about a run until ctx ends.
func (b *Bot) publish(ctx context.Context, run string) {
	tick := time.NewTicker(tellOthers)
	defer tick.Stop()
	for {
		if f, ok := b.feeds.news(run); ok {
			raw, err := json.Marshal(f)
			if err == nil {
				err = b.cfg.Events.Publish(ctx, feedTopic(run), raw)
			}
			if err != nil && ctx.Err() == nil {
				b.log.DebugContext(ctx, "tell other replicas", "run", run, "err", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// recorded is a run that is not at work here, as the record has it.
func (b *Bot) recorded(ctx context.Context, run string) (bot.Feed, error) {
	reply, err := b.cfg.Record.Reply(ctx, run)
	if err != nil {
		return bot.Feed{}, fmt.Errorf("read reply: %w", err)
	}
	f := bot.Feed{Run: run, Thread: reply.Thread, Life: "record"}
	if reply.State != bot.ReplyOpen {
		return b.over(ctx, f, reply)
	}
	list, err := b.pendingOf(ctx, reply.Thread, run)
	if err != nil {
		return bot.Feed{}, err
	}
	for _, a := range list {
		f.Asks = append(f.Asks, bot.FeedAsk{
			Approval: a.row.ID, Interrupt: a.row.Interrupt, Kind: a.row.Kind, Ask: a.w.Interrupt.Payload, Schema: a.w.Interrupt.Schema,
			Expires: a.row.Expires.UTC().Format(time.RFC3339),
		})
	}
	return f, nil
}

// over is a run that has ended.
func (b *Bot) over(ctx context.Context, f bot.Feed, reply bot.Reply) (bot.Feed, error) {
	var card bot.Card
	if err := json.Unmarshal(reply.Card, &card); err != nil {
		return bot.Feed{}, fmt.Errorf("decode card: %w", err)
	}
	f.Final, f.Text, f.Ended = &card, card.Text, bot.RunDone
	if r, err := b.cfg.Record.RunByID(ctx, f.Run); err == nil {
		f.Ended = r.Status
	} else if card.Kind == bot.CardNotice {
		f.Ended = bot.RunFailed
	}
	return f, nil
}
