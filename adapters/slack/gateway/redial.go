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
	freeDials  = 6                // connections in a row that are asked for at once
	redialMost = 15 * time.Second // between two tries, however often they failed
	steadyFor  = 30 * time.Second // a connection that lasted as long was of use, too
)

// wire is the Socket Mode connection, made again whenever it ends.
type wire struct {
	smc   *socketmode.Client
	dials *redial
	tired chan struct{} // the client is about to wait for too long
}

func (d *Door) newWire() *wire {
	dials := &redial{d: d}
	api := slack.New("", slack.OptionAPIURL(d.cfg.Base.String()), slack.OptionAppLevelToken(d.cfg.AppToken), slack.OptionHTTPClient(dials))
	return &wire{
		smc:   socketmode.New(api, socketmode.OptionReadLimit(readLimit), socketmode.OptionPingInterval(d.cfg.PingInterval)),
		dials: dials, tired: make(chan struct{}, 1),
	}
}

// keep runs the client, which reconnects by itself, and anew when it would wait
// for longer than redialMost, as it does for up to five minutes; it ends with the
// context or with a refusal that no further try can change.
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

// Go runs the client until it ends by itself or is tired.
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

// heed looks at how a try to connect went.
func (w *wire) heed(e socketmode.Event) {
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

// redial is the HTTP client with which Socket Mode asks for connections. The
// client library asks again at once when Slack ends a connection, which is right
// when one is refreshed, and a thousand times a second when Slack ends each as
// soon as it is made, as it does with the eleventh of an app.
type redial struct {
	d *Door

	mu   sync.Mutex
	last time.Time // when a connection was asked for last
	row  int       // how many were asked for in a row, none of which was of use
	made int       // how many of them there were, as far as that was noticed
	told bool      // the operator was told about this row
}

// Do asks for a connection when its turn has come.
func (r *redial) Do(req *http.Request) (*http.Response, error) {
	pause, warn := r.turn()
	if warn {
		r.d.log.WarnContext(req.Context(), "slack ends connections as soon as they are made: it takes ten of one app, see what else uses this SLACK_APP_TOKEN")
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

// turn counts a connection, and says how long it has to wait and whether an
// operator should know why.
func (r *redial) turn() (pause time.Duration, warn bool) {
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

// useful notes that something came over a connection.
func (r *redial) useful() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.row, r.made, r.told = 0, 0, false
}

// CheckSocket tries the app-level token by asking where Socket Mode is to be dialled,
// and does not dial.
func (d *Door) CheckSocket(ctx context.Context) error {
	if !d.SocketMode() {
		return nil
	}
	api := slack.New("", slack.OptionAPIURL(d.cfg.Base.String()), slack.OptionAppLevelToken(d.cfg.AppToken), slack.OptionHTTPClient(d.cfg.HTTPClient))
	if _, _, err := api.StartSocketModeContext(ctx); web.TokenRefused(err) {
		return fmt.Errorf("slack: apps.connections.open: the app-level token is refused (%s): it needs the scope connections:write", web.Code(err))
	} else if err != nil {
		return fmt.Errorf("slack: apps.connections.open: %w", web.Delivery("apps.connections.open", err))
	}
	return nil
}
