package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"maru/adapters/slack/web"
)

const (
	freeDials  = 6                // consecutive connection attempts without a delay
	redialMost = 15 * time.Second // maximum backoff between two attempts
	steadyFor  = 30 * time.Second // a connection of this age resets the backoff
)

// wire is the Socket Mode connection, re-established whenever it ends.
type wire struct {
	smc   *socketmode.Client
	dials *redial
	tired chan struct{} // signals that the client is about to back off too long
}

func (d *Door) newWire() *wire {
	dials := &redial{d: d}
	api := slack.New("", slack.OptionAPIURL(d.cfg.Base.String()), slack.OptionAppLevelToken(d.cfg.AppToken), slack.OptionHTTPClient(dials))
	return &wire{
		smc:   socketmode.New(api, socketmode.OptionReadLimit(readLimit), socketmode.OptionPingInterval(d.cfg.PingInterval)),
		dials: dials, tired: make(chan struct{}, 1),
	}
}

// keep runs the client, which reconnects by itself, and restarts it when its backoff exceeds
// redialMost (it grows to five minutes). It ends with the context or a permanent refusal.
func (w *wire) keep(ctx context.Context) error {
	for {
		err := w.run(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if !errors.Is(err, context.Canceled) {
			return err
		}
		if w.dials.d.cfg.Wait(ctx, time.Second) != nil {
			return nil
		}
	}
}

// run runs the client until it ends by itself or signals tired.
func (w *wire) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel()
	watch.Go(func() {
		select {
		case <-w.tired:
			cancel()
		case <-ctx.Done():
		}
	})
	return w.smc.RunContext(ctx)
}

// observe updates the state after a connection attempt.
func (w *wire) observe(e socketmode.Event) {
	switch e.Type {
	case socketmode.EventTypeConnected:
		w.dials.succeeded()
	case socketmode.EventTypeConnectionError:
		ce, ok := e.Data.(*slack.ConnectionErrorEvent)
		if !ok || ce.Backoff <= redialMost || web.RetryAfter(ce.ErrorObj) > 0 {
			return
		}
		select {
		case w.tired <- struct{}{}:
		default:
		}
	}
}

// redial is the HTTP client with which Socket Mode requests connections. When Slack ends a
// connection, the client library requests the next one at once. That is right for a refresh,
// but loops a thousand times a second when Slack ends each new connection immediately, as
// with an app's eleventh.
type redial struct {
	d *Door

	mu   sync.Mutex
	last time.Time // time of the last request
	row  int       // consecutive requests whose connection brought nothing
	made int       // connections observed among them
	told bool      // the operator was warned about this row
}

// Do requests a connection after its backoff.
func (r *redial) Do(req *http.Request) (*http.Response, error) {
	pause, warn := r.backoff()
	if warn {
		r.d.log.WarnContext(req.Context(), "slack closes new connections at once: an app may have ten, check for other users of this SLACK_APP_TOKEN")
	}
	if pause > 0 {
		if err := r.d.cfg.Wait(req.Context(), pause); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	r.last = r.d.cfg.Now()
	r.mu.Unlock()
	return r.d.cfg.HTTPClient.Do(req)
}

// backoff counts a request and returns its delay, and whether to warn the operator.
func (r *redial) backoff() (pause time.Duration, warn bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	since := r.d.cfg.Now().Sub(r.last)
	if since > steadyFor {
		r.row, r.made, r.told = 0, 0, false
	}
	r.row++
	late := r.row - freeDials
	if late <= 0 {
		return 0, false
	}
	pause = min(redialMost, time.Second<<min(late-1, 8)) - since
	warn = r.made >= freeDials && !r.told
	r.told = r.told || warn
	return pause, warn
}

func (r *redial) succeeded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made++
}

// reset resets the backoff: something arrived over the connection.
func (r *redial) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.row, r.made, r.told = 0, 0, false
}

// CheckSocket verifies the app-level token by requesting the Socket Mode URL, without
// dialling it.
func (d *Door) CheckSocket(ctx context.Context) error {
	if !d.SocketMode() {
		return nil
	}
	api := slack.New("", slack.OptionAPIURL(d.cfg.Base.String()), slack.OptionAppLevelToken(d.cfg.AppToken), slack.OptionHTTPClient(d.cfg.HTTPClient))
	if _, _, err := api.StartSocketModeContext(ctx); web.TokenRefused(err) {
		return &web.Refused{Code: web.Code(err), App: true, Err: err}
	} else if err != nil {
		return fmt.Errorf("slack: apps.connections.open: %w", web.Delivery("apps.connections.open", err))
	}
	return nil
}
