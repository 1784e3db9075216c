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

// Config configures a Door. AppToken or SigningSecret is required, and every field below
// them.
type Config struct {
	AppToken      string // selects Socket Mode
	SigningSecret string // verifies HTTP deliveries

	Base         *url.URL // of the Web API, which returns the Socket Mode URL
	HTTPClient   *http.Client
	Log          *slog.Logger
	Now          func() time.Time
	Wait         func(ctx context.Context, d time.Duration) error // sleeps for d or until ctx ends
	PingInterval time.Duration                                    // silence after which a Socket Mode connection counts as dead
}

// Take commits an envelope. An error means that it was not committed.
type Take func(ctx context.Context, in bot.Intake, env Envelope) (Result, error)

// Door receives the deliveries of one Slack app for all its workspaces, over Socket Mode or
// the signed endpoints, and passes them to take, which finds the workspace.
type Door struct {
	cfg       Config
	log       *slog.Logger
	connected atomic.Bool
	work      errands // goroutines that outlive their request
	kept      atomic.Pointer[bot.Notes]
	app       atomic.Pointer[string]    // ID of the app as reported by Slack; see Ours
	skewed    atomic.Pointer[time.Time] // time of the last clock-skew warning

	take Take
	// known returns nil once the served workspaces are known.
	known func(ctx context.Context) error
}

// New returns a Door that refuses deliveries until Open is called.
func New(c Config) *Door { return &Door{cfg: c, log: c.Log} }

// Open passes deliveries to take, once known returns nil.
func (d *Door) Open(take Take, known func(context.Context) error) { d.take, d.known = take, known }

// Go runs f in a goroutine; Finish waits for it.
func (d *Door) Go(f func()) { d.work.Go(f) }

// Finish waits for all goroutines. A later Go runs f in its caller.
func (d *Door) Finish() { d.work.Wait() }

// Online reports whether events can arrive.
func (d *Door) Online() bool { return d.connected.Load() }

// LearnApp stores the app's ID as reported by Slack.
func (d *Door) LearnApp(id string) { d.app.Store(&id) }

// Receive receives events until ctx ends. It returns an error when Slack refuses the app
// token.
func (d *Door) Receive(ctx context.Context, in bot.Intake) error {
	if d.SocketMode() {
		return d.runSocket(ctx, in)
	}
	d.connected.Store(true)
	defer d.connected.Store(false)
	<-ctx.Done()
	return nil
}

// ServeFor stores the intake, for look-ups that happen outside a delivery.
func (d *Door) ServeFor(in bot.Intake) {
	n := in.Notes()
	d.kept.Store(&n)
}

// Notes returns the adapter's durable notes, nil before Run and Mount.
func (d *Door) Notes() bot.Notes {
	if n := d.kept.Load(); n != nil {
		return *n
	}
	return nil
}

// deliver passes an envelope of this app to take, bounded by Slack's three seconds.
func (d *Door) deliver(ctx context.Context, in bot.Intake, env Envelope) (res Result, err error) {
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

// Survived turns a panic of f into an error: one faulty delivery must not end the process.
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

// after runs the work that follows an acknowledgement without delaying the next event.
func (d *Door) after(ctx context.Context, r Result) {
	if r.After != nil {
		d.Spawn(ctx, FollowUp, r.After)
	}
}

// Ours reports whether a delivery names this app or none. The app's ID is part of an
// app-level token; otherwise Slack reports it. Until then the signature alone is the proof,
// and it suffices: each app has its own signing secret. The check finds mixed-up settings.
func (d *Door) Ours(body payload.Object) bool {
	own, got := "", body.Str("api_app_id")
	if parts := strings.Split(d.cfg.AppToken, "-"); len(parts) >= 4 && strings.HasPrefix(parts[2], "A") { // xapp-1-A0123-…
		own = parts[2]
	} else if told := d.app.Load(); told != nil {
		own = *told
	}
	return got == "" || own == "" || own == got
}

// Commit retries f within Slack's time limit. Slack redelivers a failed event only after a
// while; most store errors pass sooner.
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

// Entrust is Commit for events that Slack redelivers. When the time limit passes, the attempt
// continues in the background: otherwise a slow store would start over at each redelivery
// until Slack gives up.
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

// Spawn runs f in a goroutine that Run waits for, with a context that outlives the request.
// After Run has ended it runs f in the caller.
func (d *Door) Spawn(ctx context.Context, limit time.Duration, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	d.work.Go(func() {
		defer cancel()
		err := Survived(func() error {
			f(ctx)
			return nil
		})
		if err != nil {
			d.log.ErrorContext(ctx, "slack background work panicked", "err", err.Error())
		}
	})
}
