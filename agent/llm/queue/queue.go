// Package queue shares one model endpoint fairly among the calls that want it. A server that
// computes one reply at a time is not faster for being asked for six: the six wait inside it, in
// its order, until they time out, and are asked for again. Here they wait before they are sent:
//
//   - no more calls are in flight than the endpoint has shown to answer in time, see [Config.Limit];
//   - the question that was asked first goes first, within it replies that people wait for before
//     those that nobody waits for, short ones before long ones, see [priority];
//   - time limits count from the moment a call is sent (package limit), the one for the first
//     piece of a reply grows with what the endpoint needs for a prompt of that length, and a call
//     that was given up keeps its place for as long again, since its server may still be at work.
//
// The package knows calls and endpoints; it must not know vendors, agents and stores.
package queue

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"maru/agent/limit"
	"maru/agent/llm"
)

// Config says how an endpoint is shared. The zero value of a field means its default.
type Config struct {
	// Limit is how many calls are in flight at most; 0: learned. One more is sent each time a reply
	// began soon while others waited, fewer when one began late or the endpoint refused for load.
	Limit int
	// URL is the endpoint's address, and its name among replicas. Before anything is learned a
	// machine on a private address gets one call at a time, one on a public address eight.
	URL string
	// First is the time for the first piece of a reply that the endpoint is given by default:
	// a tenth of it is soon, a quarter is late. Default 90 s.
	First time.Duration
	// Longest bounds what First may grow to, default 4 min.
	Longest time.Duration
	// Patience ends the waiting of a call as an error, default 1 h.
	Patience time.Duration
	// Shared counts the calls of all replicas; nil: there is one.
	Shared Shared
}

// Shared counts calls in flight over replicas. Where it fails each replica keeps to its own limit.
type Shared interface {
	// Take reserves a place, or renews it and the limit of its replica. False means that all are taken or that others come first: the claim waits in
	// a line over all replicas until it is made again, given back, or Waits has passed. As many calls are in flight as
	// the largest limit among the claims allows.
	Take(ctx context.Context, endpoint string, c Claim) (bool, error)
	// Give returns the place or the turn in the line, for other replicas within milliseconds; giving one that is not taken
	// does nothing.
	Give(ctx context.Context, endpoint, id string) error
}

// Claim is a call that wants a place among those of all replicas.
type Claim struct {
	ID      string
	Replica string
	Limit   int           // of the replica
	Sent    bool          // the call is in flight, whatever the line
	Turn    time.Duration // added to the time of its first claim for its turn in the line
	Lease   time.Duration // until the place of a dead replica is free
	Waits   time.Duration // until the turn of a dead replica is lost
}

const (
	publicStart = 8
	most        = 256              // calls in flight, learned
	told        = time.Second      // whoever has waited as long is told of it, and of changes as often
	lease       = 10 * time.Second // of a place that replicas share
	waits       = 5 * time.Second  // of a turn in their line
	shortly     = 5 * time.Second  // what Shared may take
)

// Endpoint is one endpoint with its queue. It is safe for concurrent use.
type Endpoint struct {
	cfg     Config
	replica string // names this process among the replicas

	mu      sync.Mutex
	speed   speed
	flight  map[*place]struct{} // calls that were sent, and those that were given up; see [Endpoint.leave]
	waiting []*place            // in the order in which they go
	arrived int
}

// place is a call's place in the queue and then at the endpoint.
type place struct {
	account *llm.Account // whose question it is
	order   time.Time    // see [priority]
	arrived int          // breaks ties
	letters int
	turn    chan struct{} // closed when it may be sent
	sent    time.Time
	beside  int    // the most other calls that were in flight with it
	epoch   int    // of the learned limit then
	vectors bool   // it is an embedder's
	gone    bool   // it was given up, and its server may still be at work
	give    func() // returns what the replicas share, if anything
}

// New returns an endpoint that nothing is known of.
func New(c Config) *Endpoint {
	if c.First <= 0 {
		c.First = 90 * time.Second
	}
	if c.Longest <= 0 {
		c.Longest = 4 * time.Minute
	}
	if c.Patience <= 0 {
		c.Patience = time.Hour
	}
	return &Endpoint{cfg: c, replica: rand.Text(), flight: map[*place]struct{}{}, speed: speed{limit: cmp.Or(c.Limit, start(c.URL)), fixed: c.Limit > 0, slowStart: true}}
}

// start returns the limit before anything is learned.
func start(address string) int {
	u, err := url.Parse(address)
	if err != nil || address == "" {
		return publicStart
	}
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	if err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()) || err != nil && (!strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal")) {
		return 1
	}
	return publicStart
}

// Model returns m, whose calls wait for their turn at the endpoint. It belongs directly around
// [llm.Metered], inside of [llm.Retry], so that each attempt waits and none is charged before.
func (e *Endpoint) Model(m llm.Model) llm.Model { return &model{m, e} }

// State is what an endpoint shows operators.
type State struct {
	Limit    int
	Learned  bool
	InFlight int
	Waiting  int
}

// State returns the endpoint's state.
func (e *Endpoint) State() State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return State{Limit: e.speed.limit, Learned: !e.speed.fixed, InFlight: len(e.flight), Waiting: len(e.waiting)}
}

type model struct {
	llm.Model

	at *Endpoint
}

// Generate implements [llm.Model].
func (m *model) Generate(ctx context.Context, req llm.Request, onDelta func(string)) (llm.Response, error) {
	p, err := m.at.enter(ctx, req)
	if err != nil {
		return llm.Response{}, err
	}
	var first time.Duration
	end := outcome{err: errPanicked}
	defer func() { // even if the model or onDelta panics: the place would be kept for ever
		end.first, end.took = first, time.Since(p.sent)
		m.at.leave(p, end)
	}()
	req.First = max(req.First, m.at.first(p.letters))
	resp, err := m.Model.Generate(ctx, req, func(piece string) {
		if first == 0 {
			first = time.Since(p.sent)
		}
		if onDelta != nil {
			onDelta(piece)
		}
	})
	end.err = err
	return resp, err
}

// errPanicked is the outcome of a call that ended in a panic.
var errPanicked = errors.New("the call panicked")

// enter waits until the call may be sent. The time limits of ctx stand still meanwhile.
func (e *Endpoint) enter(ctx context.Context, req llm.Request) (*place, error) {
	p := &place{account: req.Account, letters: llm.Letters(req), vectors: req.Purpose == llm.ForEmbedding, turn: make(chan struct{})}
	e.mu.Lock()
	now := time.Now()
	e.arrived++
	p.arrived, p.order = e.arrived, priority(req, p.letters, now, e.others(req.Account))
	at, _ := slices.BinarySearchFunc(e.waiting, p, before)
	e.waiting = slices.Insert(e.waiting, at, p)
	e.send()
	e.mu.Unlock()
	if err := e.wait(ctx, p); err != nil {
		return nil, err
	}
	if e.cfg.Shared == nil {
		return p, nil
	}
	if err := e.reserve(ctx, p); err != nil {
		return nil, err
	}
	return p, nil
}

// wait lasts until it is the call's turn, and tells whose question it is how many are before it.
func (e *Endpoint) wait(ctx context.Context, p *place) error {
	select {
	case <-p.turn:
		return nil
	default:
	}
	defer limit.Hold(ctx)()
	tick := time.NewTicker(told)
	defer tick.Stop()
	end := time.NewTimer(e.cfg.Patience)
	defer end.Stop()
	shown := -1
	for {
		select {
		case <-p.turn:
			if shown >= 0 {
				p.account.Queued(0)
			}
			return nil
		case <-ctx.Done():
			e.withdraw(p)
			return fmt.Errorf("waiting for the model's endpoint: %w", ctx.Err())
		case <-end.C:
			e.withdraw(p)
			return &llm.Error{Class: llm.Busy, Detail: fmt.Sprintf("the endpoint was busy with other calls for %v; it answers too few for what is asked", e.cfg.Patience)}
		case <-tick.C:
			if n := e.ahead(p); n != shown && n > 0 {
				shown = n
				p.account.Queued(n)
			}
		}
	}
}

// withdraw takes a call out that is not going to be made.
func (e *Endpoint) withdraw(p *place) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.Index(e.waiting, p); i >= 0 {
		e.waiting = slices.Delete(e.waiting, i, i+1)
		return
	}
	e.free(p) // its turn came at the same moment
}

// send gives calls their turn while there are places. The caller holds mu.
func (e *Endpoint) send() {
	for len(e.waiting) > 0 && len(e.flight) < e.speed.limit {
		p := e.waiting[0]
		e.waiting = slices.Delete(e.waiting, 0, 1)
		p.sent, p.beside, p.epoch = time.Now(), len(e.flight), e.speed.epoch
		for other := range e.flight {
			other.beside = max(other.beside, len(e.flight))
		}
		e.flight[p] = struct{}{}
		close(p.turn)
	}
}

// leave ends a call. One that was given up before anything came may still occupy its server, which
// nobody can see: it keeps its place for as long again, unless a call that was sent after it is
// answered.
func (e *Endpoint) leave(p *place, o outcome) {
	if p.give != nil { // first: the call that gets the place here looks for one among all replicas next
		p.give()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !p.vectors || o.err != nil && !o.givenUp() {
		e.speed.learn(e.cfg, p, o, len(e.waiting) > 0)
	}
	if o.givenUp() {
		p.gone = true
		time.AfterFunc(o.took, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.free(p)
		})
		return
	}
	if o.err == nil {
		for other := range e.flight {
			if other.gone && other.sent.Before(p.sent) {
				e.free(other)
			}
		}
	}
	e.free(p)
}

// free empties a place. The caller holds mu.
func (e *Endpoint) free(p *place) {
	delete(e.flight, p)
	e.send()
}

// ahead counts the questions before p: those that are worked on and those that wait in front of it.
func (e *Endpoint) ahead(p *place) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, sent := e.flight[p]; sent {
		return 0
	}
	seen, n := map[*llm.Account]bool{p.account: true}, 0
	count := func(other *place) {
		if other.account == nil { // of nobody's question: each for itself
			n++
		} else if !seen[other.account] {
			seen[other.account] = true
			n++
		}
	}
	for other := range e.flight {
		count(other)
	}
	for _, other := range e.waiting {
		if other == p {
			break
		}
		count(other)
	}
	return n
}

// others counts the person's other questions that wait. The caller holds mu.
func (e *Endpoint) others(a *llm.Account) int {
	if a == nil || a.Who == "" {
		return 0
	}
	seen := map[*llm.Account]bool{a: true}
	for _, p := range e.waiting {
		if p.account != nil && p.account.Who == a.Who {
			seen[p.account] = true
		}
	}
	return len(seen) - 1
}

// first returns how long a prompt of that length may take until its reply begins.
func (e *Endpoint) first(letters int) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cfg.patience(e.speed.expected(letters))
}
