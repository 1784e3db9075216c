package outbound

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

const (
	typingEvery = 8 * time.Second // Discord shows typing for 10
	typingMost  = 15 * time.Minute
)

// Typist shows the bot as typing in threads.
type Typist struct {
	api   caller
	dir   channels
	tasks spawner
	log   *slog.Logger
	wait  func(context.Context, time.Duration) error

	mu   sync.Mutex
	stop map[string]context.CancelFunc // by thread
}

// channels returns the gateway's state of a channel.
type channels interface {
	Known(id string) (wire.Channel, bool)
}

// spawner runs background work; false after its end.
type spawner interface {
	Spawn(ctx context.Context, f func(context.Context)) bool
}

// TypistConfig holds a typist's dependencies.
type TypistConfig struct {
	API      caller
	Channels channels
	Tasks    spawner
	Log      *slog.Logger
	Wait     func(context.Context, time.Duration) error
}

// NewTypist returns a typist.
func NewTypist(cfg TypistConfig) *Typist {
	return &Typist{api: cfg.API, dir: cfg.Channels, tasks: cfg.Tasks, log: cfg.Log, wait: cfg.Wait, stop: map[string]context.CancelFunc{}}
}

// Typing implements bot.Typer: it shows typing until cleared, in the channel until the thread
// exists. Discord cannot show the status text.
func (ty *Typist) Typing(ctx context.Context, to bot.Target, status string) error {
	key := to.Thread.Key()
	ty.mu.Lock()
	stop, on := ty.stop[key]
	if status == "" {
		delete(ty.stop, key)
		ty.mu.Unlock()
		if on {
			stop()
		}
		return nil
	}
	if on {
		ty.mu.Unlock()
		return nil
	}
	typed, cancel := context.WithTimeout(context.WithoutCancel(ctx), typingMost)
	ty.stop[key] = cancel
	ty.mu.Unlock()
	if !ty.tasks.Spawn(typed, func(life context.Context) {
		defer cancel()
		stopBoth := context.AfterFunc(life, cancel)
		defer stopBoth()
		ty.keepTyping(typed, to)
	}) {
		cancel()
	}
	return nil
}

func (ty *Typist) keepTyping(ctx context.Context, to bot.Target) {
	for ctx.Err() == nil {
		channel := to.Thread.Channel
		if c, ok := ty.dir.Known(to.Thread.ID); ok && c.IsThread() {
			channel = c.ID
		}
		err := ty.api.Do(ctx, rest.Call{Method: http.MethodPost, Path: "/channels/" + channel + "/typing", Bucket: "typing/" + channel})
		if err != nil && ctx.Err() == nil {
			ty.log.DebugContext(ctx, "discord typing", "err", err)
		}
		if errors.Is(err, rest.ErrToken) || rest.StatusOf(err) == http.StatusForbidden || rest.StatusOf(err) == http.StatusNotFound {
			return
		}
		if ty.wait(ctx, typingEvery) != nil {
			return
		}
	}
}
