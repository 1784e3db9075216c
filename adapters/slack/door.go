package slack

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"maru/adapters/slack/payload"
	"maru/bot"
)

// door is where Slack's deliveries come in, one for each Slack app however many
// workspaces it serves: a Socket Mode connection or the signed endpoints. What
// comes through it is handed to take, which knows the workspaces.
type door struct {
	cfg       Config
	log       *slog.Logger
	connected atomic.Bool
	work      errands // what outlives the request that began it
	kept      atomic.Pointer[bot.Notes]
	app       atomic.Pointer[string]    // id of the app, as Slack told it; see ours
	skewed    atomic.Pointer[time.Time] // when it was last said that the clocks differ

	// take commits what an envelope carries. An error means that it was not.
	take func(ctx context.Context, in bot.Intake, env envelope) (result, error)
	// known returns nil when it is known whom deliveries are for.
	known func(ctx context.Context) error
}

func newDoor(c Config) *door { return &door{cfg: c, log: c.Logger} }

// serveFor notes where events go, for what has to look something up later.
func (d *door) serveFor(in bot.Intake) {
	n := in.Notes()
	d.kept.Store(&n)
}

// notes is the durable memory of the adapter, nil before Run and Mount.
func (d *door) notes() bot.Notes {
	if n := d.kept.Load(); n != nil {
		return *n
	}
	return nil
}

// receive hands an envelope that is for this app to take, for as long as Slack
// waits.
func (d *door) receive(ctx context.Context, in bot.Intake, env envelope) (res result, err error) {
	ctx, cancel := context.WithTimeout(ctx, commitTime)
	defer cancel()
	if !d.ours(env.body) {
		return result{}, errForeignApp
	}
	err = survived(func() (err error) {
		res, err = d.take(ctx, in, env)
		return err
	})
	return res, err
}

// survived makes a panic of f an error: a fault in one delivery does not end the
// program for all others.
func survived(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("slack: panicked: %v\n%s", r, debug.Stack())
		}
	}()
	return f()
}

// socketMode reports whether events come over Socket Mode.
func (d *door) socketMode() bool { return d.cfg.AppToken != "" }

// after runs what follows an acknowledgement without holding up the next event.
func (d *door) after(ctx context.Context, r result) {
	if r.after != nil {
		d.spawn(ctx, followUp, r.after)
	}
}

// ours reports whether a delivery names no other app than this one. The id of
// the app is part of an app-level token; without one Slack is asked for it. As long
// as it does not tell, the signature alone is the proof, which it is: Slack gives
// every app a signing secret of its own. This finds settings that were mixed up.
func (d *door) ours(body payload.Object) bool {
	own, got := "", body.Str("api_app_id")
	if parts := strings.Split(d.cfg.AppToken, "-"); len(parts) >= 4 && strings.HasPrefix(parts[2], "A") { // xapp-1-A0123-…
		own = parts[2]
	} else if told := d.app.Load(); told != nil {
		own = *told
	}
	return got == "" || own == "" || own == got
}

// commit tries to commit for as long as Slack waits. In Slack's eyes an event
// that failed is only sent again after a while; most faults of a store pass
// sooner.
func (d *door) commit(ctx context.Context, f func(context.Context) error) error {
	for pause := commitFirst; ; pause *= 2 {
		err := f(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if d.cfg.Wait(ctx, pause) != nil {
			return err
		}
	}
}

// entrust is commit for what Slack sends again. When Slack's time is up an attempt
// is not given up but goes on by itself: a slow store then knows the event when it
// comes again, and would else begin anew every time until Slack stops sending it.
func (d *door) entrust(ctx context.Context, f func(context.Context) error) error {
	return d.commit(ctx, func(ctx context.Context) error {
		done := make(chan error, 1)
		d.spawn(ctx, lateCommit, func(ctx context.Context) {
			done <- survived(func() error { return f(ctx) })
		})
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// spawn runs f in a goroutine that Run waits for, with a context that outlives
// the request it came from. After Run has ended the caller waits for f itself.
func (d *door) spawn(ctx context.Context, limit time.Duration, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	d.work.Go(func() {
		defer cancel()
		err := survived(func() error {
			f(ctx)
			return nil
		})
		if err != nil {
			d.log.ErrorContext(ctx, "slack work was broken off", "err", err.Error())
		}
	})
}
