package spans

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/metrics/otlp"
)

// Config is where traces go.
type Config struct {
	To      otlp.Client
	Content bool // tell what tools were given and gave
	Log     *slog.Logger
}

// Exporter sends finished runs to a collector, in the background: a collector that is away delays and
// fails nothing.
type Exporter struct {
	cfg     Config
	waiting chan []span
}

// Bounds of what is sent.
const (
	maxWaiting = 256 // runs; more are dropped
	tries      = 5
	firstPause = time.Second
)

// New returns an exporter; Run sends.
func New(c Config) *Exporter {
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
				x.cfg.Log.WarnContext(ctx, "a trace was not taken", "err", err, "fix", x.cfg.To.Fix(otlp.Traces, err))
			}
		}
	}
}

func (x *Exporter) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), otlp.LastTime)
	defer cancel()
	for {
		select {
		case one := <-x.waiting:
			if err := x.cfg.To.Post(ctx, otlp.Traces, one); err != nil {
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
		err := x.cfg.To.Post(ctx, otlp.Traces, one)
		var no *otlp.Refused
		if err == nil || n == tries || errors.As(err, &no) && !no.Passes() {
			return err
		}
		if no != nil && no.After > 0 {
			pause = min(no.After, time.Minute)
		}
		select {
		case <-ctx.Done():
			select {
			case x.waiting <- one: // for flush
			default: // as many wait as may
			}
			return ctx.Err()
		case <-time.After(pause):
		}
		pause *= 2
	}
}
