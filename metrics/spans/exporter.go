package spans

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
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

	mu   sync.Mutex
	lost int       // traces since the last line of the log
	why  error     // of the last
	said time.Time // of that line
}

// Bounds of what is sent.
const (
	maxWaiting = 256 // runs; more are dropped
	tries      = 5
	firstPause = time.Second
	quiet      = time.Minute // between two lines of the log about lost traces
)

var errBehind = errors.New("the collector does not keep up")

// New returns an exporter; Run sends.
func New(c Config) *Exporter {
	return &Exporter{cfg: c, waiting: make(chan []span, maxWaiting)}
}

// Add takes a finished run with its events. It never blocks.
func (x *Exporter) Add(ctx context.Context, r bot.Run, events []agent.Event) {
	select {
	case x.waiting <- spansOf(r, events, x.cfg.Content):
	default:
		x.lose(ctx, 1, errBehind)
	}
}

// Run sends added spans until ctx ends, and then for a moment those that still wait.
func (x *Exporter) Run(ctx context.Context) error {
	tick := time.NewTicker(quiet)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return x.flush(ctx)
		case <-tick.C:
			x.lose(ctx, 0, nil)
		case one := <-x.waiting:
			x.deliver(ctx, one)
		}
	}
}

// lose counts n lost traces, if any, and logs how many there are since the last line, at most once in [quiet].
func (x *Exporter) lose(ctx context.Context, n int, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lost, x.why = x.lost+n, cmp.Or(err, x.why)
	if time.Since(x.said) >= quiet {
		x.tell(ctx)
	}
}

// tell logs the lost traces, if there are any. The caller holds mu.
func (x *Exporter) tell(ctx context.Context) {
	if x.lost == 0 {
		return
	}
	fix := "give the collector more resources, or see in its log why it is slow"
	if !errors.Is(x.why, errBehind) {
		fix = x.cfg.To.Fix(otlp.Traces, x.why)
	}
	x.cfg.Log.WarnContext(ctx, "traces were lost", "traces", x.lost, "err", x.why, "fix", fix)
	x.lost, x.said = 0, time.Now()
}

// flush sends waiting spans within [otlp.LastTime], and logs how many are lost by then, unreported earlier losses included.
func (x *Exporter) flush(ctx context.Context) error {
	err := x.last(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil {
		x.lost, x.why = x.lost+1+len(x.waiting), err
	}
	x.tell(ctx)
	return nil // missing traces do not fail the program
}

// last sends what waits until a request fails.
func (x *Exporter) last(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), otlp.LastTime)
	defer cancel()
	for {
		select {
		case one := <-x.waiting:
			if err := x.cfg.To.Post(ctx, otlp.Traces, one); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// deliver sends a trace, with pauses between tries that may succeed later.
func (x *Exporter) deliver(ctx context.Context, one []span) {
	pause := firstPause
	for n := 1; ; n++ {
		err := x.cfg.To.Post(ctx, otlp.Traces, one)
		var no *otlp.Refused
		if err == nil {
			return
		}
		if n == tries || errors.As(err, &no) && !no.Passes() {
			x.lose(ctx, 1, err)
			return
		}
		if no != nil && no.After > 0 {
			pause = min(no.After, time.Minute)
		}
		select {
		case <-ctx.Done():
			select {
			case x.waiting <- one: // for flush
			default: // as many wait as may
				x.lose(ctx, 1, errBehind)
			}
			return
		case <-time.After(pause):
		}
		pause *= 2
	}
}
