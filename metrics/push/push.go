// Package push sends the program's figures to an OpenTelemetry collector over OTLP/HTTP: at an interval, and once when
// the program stops. It sends what /metrics shows, under the same names, and those of the conventions for generative AI
// under theirs.
//
// It must not know what is counted. See maru/metrics, which counts, and maru/metrics/otlp, which posts.
package push

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"maru/metrics/otlp"
)

// Config holds what an [Exporter] needs.
type Config struct {
	To          otlp.Client
	From        prometheus.Gatherer // what is sent
	Temporality Temporality         // "" is Cumulative
	Interval    time.Duration       // from one request to the next
	Started     time.Time           // since when is counted
	Log         *slog.Logger
}

// Exporter sends figures in the background: a collector that is away delays and fails nothing. Sums count from the
// program's start, or with [Delta] from the last request that was taken, so that the next request holds what one that was lost
// would have told. A request that the collector takes without saying so is counted twice with Delta.
type Exporter struct {
	cfg  Config
	last counts
	lost string // why the last request was not taken, "" if it was
}

// New returns an exporter; Run sends.
func New(c Config) *Exporter { return &Exporter{cfg: c, last: counts{at: c.Started}} }

// Run sends at each interval until ctx ends, and once more when done is closed: what the program did while it stopped
// counts, too. done must be closed soon after the end of ctx.
func (x *Exporter) Run(ctx context.Context, done <-chan struct{}) error {
	tick := time.NewTicker(x.cfg.Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
		case <-tick.C:
			if ctx.Err() == nil { // both may be ready: a collector that hangs would be waited for once more
				x.send(ctx)
				continue
			}
		}
		<-done
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), otlp.LastTime)
		defer cancel()
		x.send(last)
		return nil
	}
}

// send makes one request, and logs when the collector stops and begins to take them.
func (x *Exporter) send(ctx context.Context) {
	families, err := x.cfg.From.Gather()
	if err != nil {
		x.cfg.Log.DebugContext(ctx, "some metrics could not be read", "err", err) // the readiness of the part says why
	}
	now := time.Now()
	list := metricsOf(families, x.cfg.Temporality, x.last, x.cfg.Started, now)
	if len(list) == 0 {
		return
	}
	err = x.cfg.To.Post(ctx, otlp.Metrics, list)
	if no := new(otlp.Refused); err == nil || errors.As(err, &no) && no.Rejected > 0 { // what was rejected is not to be sent again
		x.last = countsOf(families, now)
	}
	switch {
	case err == nil && x.lost != "":
		x.cfg.Log.InfoContext(ctx, "the collector takes metrics again")
		x.lost = ""
	case err != nil && x.lost != kind(err): // not once a minute for as long as it is away
		x.cfg.Log.WarnContext(ctx, "metrics were not taken; they are sent again", "err", err, "wait", x.cfg.Interval.String(), "fix", x.cfg.To.Fix(otlp.Metrics, err))
		x.lost = kind(err)
	}
}

// kind tells failures apart that an operator mends differently.
func kind(err error) string {
	if no := new(otlp.Refused); errors.As(err, &no) {
		return no.Error()
	}
	return "away"
}
