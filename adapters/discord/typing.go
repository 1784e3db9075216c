package discord

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"maru/bot"
)

const (
	typingEvery = 8 * time.Second // Discord shows typing for 10
	typingMost  = 15 * time.Minute
)

// typists are the threads in which the bot is shown as typing.
type typists struct {
	mu   sync.Mutex
	stop map[string]context.CancelFunc
}

func newTypists() *typists { return &typists{stop: map[string]context.CancelFunc{}} }

// Typing implements bot.Typer: it is shown until it is cleared, in the channel
// until the thread exists. The status has no place on Discord.
func (a *Adapter) Typing(ctx context.Context, to bot.Target, status string) error {
	key := to.Thread.Key()
	a.typing.mu.Lock()
	stop, on := a.typing.stop[key]
	if status == "" {
		delete(a.typing.stop, key)
		a.typing.mu.Unlock()
		if on {
			stop()
		}
		return nil
	}
	if on {
		a.typing.mu.Unlock()
		return nil
	}
	typed, cancel := context.WithTimeout(context.WithoutCancel(ctx), typingMost)
	a.typing.stop[key] = cancel
	a.typing.mu.Unlock()
	if !a.spawn(typed, func(life context.Context) {
		defer cancel()
		stopBoth := context.AfterFunc(life, cancel)
		defer stopBoth()
		a.keepTyping(typed, to)
	}) {
		cancel()
	}
	return nil
}

func (a *Adapter) keepTyping(ctx context.Context, to bot.Target) {
	for ctx.Err() == nil {
		channel := to.Thread.Channel
		if c, ok := a.places.known(to.Thread.ID); ok && c.isThread() {
			channel = c.ID
		}
		err := a.rest.do(ctx, call{method: http.MethodPost, path: "/channels/" + channel + "/typing", bucket: "typing/" + channel})
		if err != nil && ctx.Err() == nil {
			a.log.DebugContext(ctx, "discord typing", "err", err)
		}
		if errors.Is(err, errToken) || statusOf(err) == http.StatusForbidden || statusOf(err) == http.StatusNotFound {
			return
		}
		if a.cfg.Wait(ctx, typingEvery) != nil {
			return
		}
	}
}

// React implements bot.Reactor. A mark that would wait for longer than a click does is
// refused with the time to wait.
func (a *Adapter) React(ctx context.Context, to bot.Target, message string, mark bot.Mark, on bool) error {
	emoji := map[bot.Mark]string{bot.MarkSeen: "👀", bot.MarkQueued: "⏳"}[mark]
	if emoji == "" || idNumber(message) == 0 || a.wasAnswered(message) {
		return nil // a command has no message to put a mark on
	}
	method, route := http.MethodPut, "react/"
	if !on {
		method, route = http.MethodDelete, "unreact/"
	}
	channel := a.whereIs(to.Thread, message)
	ctx, cancel := context.WithTimeout(ctx, a.cfg.AnswerWithin)
	defer cancel()
	err := a.rest.do(ctx, call{
		method: method, path: "/channels/" + channel + "/messages/" + message + "/reactions/" + url.PathEscape(emoji) + "/@me",
		bucket: route + channel, again: true, urgent: true,
	})
	return delivery("react", err)
}
