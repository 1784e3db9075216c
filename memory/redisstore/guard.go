package redisstore

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrAway reports an open circuit: Redis failed lately and was not called.
var ErrAway = errors.New("redisstore: redis is away")

const (
	tolerance  = 3                      // calls that may fail one after the other before Redis counts as away
	probeEvery = 250 * time.Millisecond // how often it is looked for then
)

// guard is the circuit breaker of calls that may fail without harm. Each has a
// short deadline; after some failures in a row no call is made until a probe in
// the background was answered, so that people never pay for the probing. Calls that
// were under way together count as one: a moment without processor time fails them all.
type guard struct {
	timeout time.Duration
	probe   func(context.Context) error
	log     *slog.Logger

	ctx     context.Context // of the probes; ends with close
	cancel  context.CancelFunc
	probing sync.WaitGroup

	mu     sync.Mutex
	failed int
	since  time.Time // of the last failure counted
	away   bool
	closed bool
}

func newGuard(ctx context.Context, timeout time.Duration, log *slog.Logger, probe func(context.Context) error) *guard {
	g := &guard{timeout: timeout, probe: probe, log: log}
	g.ctx, g.cancel = context.WithCancel(ctx)
	return g
}

// do makes one call. It returns ErrAway at once while Redis is away.
func (g *guard) do(ctx context.Context, call func(context.Context) error) error {
	return g.doWithin(ctx, g.timeout, call)
}

// doWithin is do with another deadline.
func (g *guard) doWithin(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	if g.isAway() {
		return ErrAway
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	begun := time.Now()
	err := call(limited)
	if ctx.Err() == nil { // a caller's cancellation says nothing about Redis
		g.recordResult(begun, err)
	}
	return err
}

func (g *guard) isAway() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.away
}

// recordResult counts failures in a row, of calls of which each began after the one before had failed.
func (g *guard) recordResult(begun time.Time, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !unwell(err) {
		g.failed = 0
		return
	}
	if g.failed > 0 && begun.Before(g.since) {
		return
	}
	g.failed, g.since = g.failed+1, time.Now()
	if g.failed < tolerance || g.away || g.closed {
		return
	}
	g.away = true
	g.log.WarnContext(g.ctx, "redis is away, going on without it", "err", err)
	g.probing.Go(g.await)
}

// await looks for Redis until it answers.
func (g *guard) await() {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		select {
		case <-g.ctx.Done():
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(g.ctx, 4*g.timeout)
		err := g.probe(ctx)
		cancel()
		if err == nil {
			g.mu.Lock()
			g.away, g.failed = false, 0
			g.mu.Unlock()
			g.log.InfoContext(g.ctx, "redis is back")
			return
		}
	}
}

// close ends the probing.
func (g *guard) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.cancel()
	g.probing.Wait()
}

// unwell tells a Redis that cannot serve from one that answered, if only with
// an error about this very call.
func unwell(err error) bool {
	if err == nil || errors.Is(err, redis.Nil) {
		return false
	}
	if redis.HasErrorPrefix(err, "WRONGTYPE") || redis.HasErrorPrefix(err, "ERR") {
		return false
	}
	return true // no answer in time, no connection, LOADING, OOM, READONLY, …
}

// asURLError finds the error of an address that cannot be read.
func asURLError(err error) (*url.Error, bool) { return errors.AsType[*url.Error](err) }
