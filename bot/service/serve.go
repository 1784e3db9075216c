package service

import (
	"context"
	"fmt"
	"sync"
	"time"

	"maru/bot"
)

// refusedMost bounds how long a platform that refuses the bot is left alone: twice as long each time.
const refusedMost = 5 * time.Minute

// serve runs an adapter until ctx ends. If its platform refuses the bot, such as its token, the other
// adapters go on and it is tried again; a lone adapter returns the error.
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
		b.log.ErrorContext(ctx, "a platform refuses the bot: the others are served, and it is tried again", "platform", a.Platform(), "err", err, "wait", wait.String())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// down knows which platforms refuse the bot, and why.
type down struct {
	mu  sync.Mutex
	why map[string]error
}

func (d *down) set(platform string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.why[platform] = err
}

// limit is how a platform is, given what its adapter says: one that refuses the bot leaves the program
// ready for the others until its adapter is ready again.
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
