package service

import (
	"context"
	"fmt"
	"sync"
	"time"

	"maru/bot"
)

// refusedMost limits the retry delay after a platform's refusal, which doubles each time.
const refusedMost = 5 * time.Minute

// serve runs an adapter until ctx ends. If its platform refuses the bot, for example its token, the other adapters
// continue and it is retried; a single adapter returns the error.
func (b *Bot) serve(ctx context.Context, a bot.Adapter) error {
	for wait := b.cfg.Refused; ; wait = min(2*wait, refusedMost) {
		err := a.Run(ctx, b)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if len(b.cfg.Adapters) == 1 {
			return err
		}
		b.down.set(a.Platform(), err)
		b.log.ErrorContext(ctx, "platform refuses the bot, will retry", "platform", a.Platform(), "err", err, "wait", wait.String())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// down stores which platforms refuse the bot, and why.
type down struct {
	mu  sync.Mutex
	why map[string]error
}

func (d *down) set(platform string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.why[platform] = err
}

// limit returns a platform's state, given its adapter's: after a refusal the program stays ready for the other
// platforms until the adapter is ready again.
func (d *down) limit(platform string, now error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	why := d.why[platform]
	switch {
	case now == nil:
		delete(d.why, platform)
		return nil
	case why == nil:
		return now
	}
	return fmt.Errorf("%w: %w", bot.ErrLimited, why)
}
