package spans

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"maru/agent"
	"maru/bot"
)

// Config is where traces go.
type Config struct {
	URL      string            // of the endpoint, its path included: http://127.0.0.1:4318/v1/traces
	Headers  map[string]string // such as a key
	Resource map[string]string // service.name and others
	Version  string            // of the program
	Content  bool              // tell what tools were given and gave
	Log      *slog.Logger
	Client   *http.Client // default http.DefaultClient
}

// Exporter sends finished runs to a collector, in the background: a collector that is away delays and
// fails nothing.
type Exporter struct {
	cfg     Config
	waiting chan []span
}

// Bounds of what is sent.
const (
	maxWaiting = 256              // runs; more are dropped
	sendTime   = 10 * time.Second // of one try
	tries      = 5
	firstPause = time.Second
	lastTime   = 3 * time.Second // for what still waits at the end
)

// New returns an exporter; Run sends.
func New(c Config) *Exporter {
	if c.Client == nil {
		c.Client = http.DefaultClient
	}
	return &Exporter{cfg: c, waiting: make(chan []span, maxWaiting)}
}

// Add takes a finished run with its events. It never blocks.
func (x *Exporter) Add(ctx context.Context, r bot.Run, events []agent.Event) {
	select {
	case x.waiting <- spansOf(r, events, x.cfg.Content):
	default:
		x.cfg.Log.WarnContext(ctx, "a trace was dropped: the collector does not keep up", "run", r.ID)
	}
}

// Run sends what is added until ctx ends, and what still waits then for a moment.
func (x *Exporter) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return x.flush(ctx)
		case one := <-x.waiting:
			if err := x.deliver(ctx, one); err != nil && ctx.Err() == nil {
				x.cfg.Log.WarnContext(ctx, "a trace was not taken", "err", err)
			}
		}
	}
}

func (x *Exporter) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTime)
	defer cancel()
	for {
		select {
		case one := <-x.waiting:
			if err := x.send(ctx, one); err != nil {
				return nil //nolint:nilerr // traces are no reason to end with an error
			}
		default:
			return nil
		}
	}
}

// deliver sends a trace, with pauses between tries that may succeed later.
func (x *Exporter) deliver(ctx context.Context, one []span) error {
	pause := firstPause
	for n := 1; ; n++ {
		err := x.send(ctx, one)
		var no *refused
		if err == nil || n == tries || errors.As(err, &no) && !no.passes() {
			return err
		}
		if no != nil && no.after > 0 {
			pause = min(no.after, time.Minute)
		}
		select {
		case <-ctx.Done():
			x.waiting <- one // there is room: nothing is added any more once the program stops
			return ctx.Err()
		case <-time.After(pause):
		}
		pause *= 2
	}
}

// refused is an answer other than success.
type refused struct {
	status int
	after  time.Duration
}

func (r *refused) Error() string { return fmt.Sprintf("the collector answers %d", r.status) }

// passes reports whether the same request may succeed later, as OTLP has it.
func (r *refused) passes() bool {
	return r.status == http.StatusTooManyRequests || r.status == http.StatusBadGateway || r.status == http.StatusServiceUnavailable || r.status == http.StatusGatewayTimeout
}

// whole returns the context of one request: the end of ctx leaves it lastTime, since a request that is cut off may have been
// taken, and would be sent twice.
func whole(ctx context.Context) (context.Context, context.CancelFunc) {
	one, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	stop := context.AfterFunc(ctx, func() {
		late := time.AfterFunc(lastTime, cancel)
		context.AfterFunc(one, func() { late.Stop() })
	})
	return one, func() {
		stop()
		cancel()
	}
}

// send makes one request.
func (x *Exporter) send(ctx context.Context, one []span) error {
	resource := make([]attribute, 0, len(x.cfg.Resource)+1)
	for k, v := range x.cfg.Resource {
		resource = append(resource, text(k, v))
	}
	resource = append(resource, text("service.version", x.cfg.Version))
	body, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
		"resource":   map[string]any{"attributes": resource},
		"scopeSpans": []any{map[string]any{"scope": map[string]any{"name": "maru", "version": x.cfg.Version}, "spans": one}},
	}}})
	if err != nil {
		return fmt.Errorf("encode trace: %w", err)
	}
	ctx, cancel := whole(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.cfg.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send trace: %w", err)
	}
	for k, v := range x.cfg.Headers {
		req.Header.Set(k, v)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := x.cfg.Client.Do(req)
	if err != nil {
		return fmt.Errorf("send trace: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()                      // nothing to save
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // for the connection's sake
	if resp.StatusCode/100 == 2 {
		return nil
	}
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 without
	return &refused{resp.StatusCode, time.Duration(seconds) * time.Second}
}
