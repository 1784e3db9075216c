package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"maru/adapters/slack/payload"
	"maru/bot"
)

// Config is what the way in needs. AppToken or SigningSecret must be set, and all
// that is below them.
type Config struct {
	AppToken      string // selects Socket Mode
	SigningSecret string // verifies what arrives over HTTP

	Base         *url.URL // of the Web API, which tells where Socket Mode is dialled
	HTTPClient   *http.Client
	Log          *slog.Logger
	Now          func() time.Time
	Wait         func(ctx context.Context, d time.Duration) error // sleeps for d or until ctx ends
	PingInterval time.Duration                                    // how long Socket Mode may be silent
}

// Take commits what an envelope carries. An error means that it was not.
type Take func(ctx context.Context, in bot.Intake, env Envelope) (Result, error)

// Door is where Slack's deliveries come in, one for each Slack app however many
// workspaces it serves: a Socket Mode connection or the signed endpoints. What
// comes through it is handed to take, which knows the workspaces.
type Door struct {
	cfg       Config
	log       *slog.Logger
	connected atomic.Bool
	work      errands // what outlives the request that began it
	kept      atomic.Pointer[bot.Notes]
	app       atomic.Pointer[string]    // id of the app, as Slack told it; see ours
	skewed    atomic.Pointer[time.Time] // when it was last said that the clocks differ

	take Take
	// known returns nil when it is known whom deliveries are for.
	known func(ctx context.Context) error
}

// New makes a door that is closed until Open is called.
func New(c Config) *Door { return &Door{cfg: c, log: c.Log} }

// Open hands what comes in to take, once known knows for whom deliveries are.
func (d *Door) Open(take Take, known func(context.Context) error) { d.take, d.known = take, known }

// Go runs f beside; Finish waits for it.
func (d *Door) Go(f func()) { d.work.Go(f) }

// Finish waits for everything that was begun. What comes later runs in its caller.
func (d *Door) Finish() { d.work.Wait() }

// Online reports whether events can arrive.
func (d *Door) Online() bool { return d.connected.Load() }

// LearnApp notes which app this is, as Slack told it.
func (d *Door) LearnApp(id string) { d.app.Store(&id) }

// Receive receives events until ctx ends. An error says that the app's token is refused.
func (d *Door) Receive(ctx context.Context, in bot.Intake) error {
	if d.SocketMode() {
		return d.runSocket(ctx, in)
	}
	d.connected.Store(true)
	defer d.connected.Store(false)
	<-ctx.Done()
	return nil
}

// ServeFor notes where events go, for what has to look something up later.
func (d *Door) ServeFor(in bot.Intake) {
	n := in.Notes()
	d.kept.Store(&n)
}

// Notes is the durable memory of the adapter, nil before Run and Mount.
func (d *Door) Notes() bot.Notes {
	if n := d.kept.Load(); n != nil {
		return *n
	}
	return nil
}

// hand gives an envelope that is for this app to take, for as long as Slack
// waits.
func (d *Door) hand(ctx context.Context, in bot.Intake, env Envelope) (res Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, commitTime)
	defer cancel()
	if !d.Ours(env.Body) {
		return Result{}, errForeignApp
	}
	err = Survived(func() (err error) {
		res, err = d.take(ctx, in, env)
		return err
	})
	return res, err
}

// Survived makes a panic of f an error: a fault in one delivery does not end the
// program for all others.
func Survived(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("slack: panicked: %v\n%s", r, debug.Stack())
		}
	}()
	return f()
}

// SocketMode reports whether events come over Socket Mode.
func (d *Door) SocketMode() bool { return d.cfg.AppToken != "" }

// after runs what follows an acknowledgement without holding up the next event.
func (d *Door) after(ctx context.Context, r Result) {
	if r.After != nil {
		d.Spawn(ctx, FollowUp, r.After)
	}
}

// Ours reports whether a delivery names no other app than this one. The id of
// the app is part of an app-level token; without one Slack is asked for it. As long
// as it does not tell, the signature alone is the proof, which it is: Slack gives
// every app a signing secret of its own. This finds settings that were mixed up.
func (d *Door) Ours(body payload.Object) bool {
	own, got := "", body.Str("api_app_id")
	if parts := strings.Split(d.cfg.AppToken, "-"); len(parts) >= 4 && strings.HasPrefix(parts[2], "A") { // xapp-1-A0123-…
		own = parts[2]
	} else if told := d.app.Load(); told != nil {
		own = *told
	}
	return got == "" || own == "" || own == got
}

// Commit tries to commit for as long as Slack waits. In Slack's eyes an event
// that failed is only sent again after a while; most faults of a store pass
// sooner.
func (d *Door) Commit(ctx context.Context, f func(context.Context) error) error {
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

// Entrust is commit for what Slack sends again. When Slack's time is up an attempt
// is not given up but goes on by itself: a slow store then knows the event when it
// comes again, and would else begin anew every time until Slack stops sending it.
func (d *Door) Entrust(ctx context.Context, f func(context.Context) error) error {
	return d.Commit(ctx, func(ctx context.Context) error {
		done := make(chan error, 1)
		d.Spawn(ctx, lateCommit, func(ctx context.Context) {
			done <- Survived(func() error { return f(ctx) })
		})
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// Spawn runs f in a goroutine that Run waits for, with a context that outlives
// the request it came from. After Run has ended the caller waits for f itself.
func (d *Door) Spawn(ctx context.Context, limit time.Duration, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	d.work.Go(func() {
		defer cancel()
		err := Survived(func() error {
			f(ctx)
			return nil
		})
		if err != nil {
			d.log.ErrorContext(ctx, "slack work was broken off", "err", err.Error())
		}
	})
}
