package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/agent/tool"
)

// server is one server of a pool: its connection, when there is one, and what it
// offers.
type server struct {
	pool    *Pool
	cfg     Server
	secrets []string           // see mask
	stop    context.CancelFunc // ends run; nil before it, guarded by the pool's mu
	ended   chan struct{}      // closed when run has returned

	answered atomic.Int32 // HTTP status of the first answer of a connection that refused a call; else of the last one, 0 for none

	applying sync.Mutex // one change of what is offered at a time; taken before mu

	mu      sync.Mutex
	live    *connection // nil while there is none
	state   State
	since   time.Time
	err     string
	offered map[string]offer // in the registry, by name there
	changed map[string]offer
	was     map[string]Pin // what was accepted, by the tools' names at the server
	skipped []string

	filled func()        // tells the registry that the first tools are in, or that there are none
	tried  chan struct{} // closed by filled
}

func newServer(p *Pool, cfg Server) *server {
	filled, tried := p.cfg.Registry.Filling(), make(chan struct{})
	return &server{
		pool: p, cfg: cfg, secrets: secrets(cfg), state: Connecting, since: p.cfg.now(), ended: make(chan struct{}), offered: map[string]offer{}, changed: map[string]offer{},
		filled: sync.OnceFunc(func() { filled(); close(tried) }), tried: tried,
	}
}

// Waits between two starts of a server that dies: doubled each time, up to the
// last. One that lived longer than stable begins again.
const (
	defaultRestart = time.Second
	maxRestart     = 5 * time.Minute
	stable         = time.Minute
)

// run keeps the server connected until ctx ends.
func (s *server) run(ctx context.Context) {
	defer s.filled()
	if s.cfg.Personal {
		s.runPersonal(ctx)
		return
	}
	wait := s.pool.cfg.restart()
	for {
		began := s.pool.cfg.now()
		ready, err := s.session(ctx)
		if ctx.Err() != nil {
			return
		}
		said := s.mask(err.Error())
		s.setDown(said)
		s.filled()
		if !ready {
			s.withdraw()
		}
		if s.pool.cfg.now().Sub(began) > stable {
			wait = s.pool.cfg.restart()
		}
		s.pool.cfg.Log.WarnContext(ctx, "mcp server is down", "server", s.cfg.Name, "was_ready", ready, "wait", wait.String(), "err", said)
		if !sleep(ctx, s.pool.cfg.spread(wait)) {
			return
		}
		wait = min(2*wait, maxRestart)
	}
}

// session serves one connection until it ends; ready reports whether tools were offered in it.
func (s *server) session(ctx context.Context) (ready bool, err error) {
	c, err := s.connect(ctx)
	if err != nil {
		return false, err
	}
	defer func() {
		s.setLive(nil)
		if end := c.close(); err != nil && end != "" {
			err = fmt.Errorf("%w; its last words: %s", err, end)
		}
	}()
	s.setLive(c)
	if err := s.refresh(ctx, c); err != nil {
		return false, err
	}
	s.setReady(ctx)
	s.filled()
	return true, s.watch(ctx, c)
}

// watch looks at the list again when the server says so, when a call took too long,
// and every interval, until the connection ends.
func (s *server) watch(ctx context.Context, c *connection) error {
	var tick <-chan time.Time
	if s.pool.cfg.Interval > 0 {
		t := time.NewTicker(s.pool.cfg.Interval)
		defer t.Stop()
		tick = t.C
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.dead:
			return errors.New("the connection ended")
		case <-c.changed: // a server that floods is read once a moment
			if !sleep(ctx, s.pool.cfg.settle()) {
				return ctx.Err()
			}
		case <-c.doubt:
		case <-tick:
		}
		if err := s.refresh(ctx, c); err != nil {
			return err
		}
	}
}

// refresh reads the server's list, offers what may be offered and makes it
// findable.
func (s *server) refresh(ctx context.Context, c *connection) error {
	if err := s.reread(ctx, c); err != nil {
		return err
	}
	if s.pool.cfg.Finder != nil {
		s.pool.cfg.Finder.Embed(ctx)
	}
	return nil
}

func (s *server) reread(ctx context.Context, c *connection) error {
	tools, skipped, err := s.list(ctx, c)
	if err != nil {
		return fmt.Errorf("list its tools: %w", err)
	}
	return s.offer(ctx, tools, skipped)
}

// offer offers what may be offered of a list.
func (s *server) offer(ctx context.Context, tools []*mcp.Tool, skipped []string) error {
	offers, more := s.offers(tools)
	s.applying.Lock()
	defer s.applying.Unlock()
	good, changed, was, err := s.sift(ctx, offers)
	if err != nil {
		return err
	}
	refused := s.apply(good)
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range changed {
		if _, before := s.changed[name]; !before {
			s.pool.cfg.Log.WarnContext(ctx, "a tool changed and is kept out until it is accepted", "tool", name)
		}
	}
	s.changed, s.was = changed, was
	s.skipped = slices.Concat(skipped, more, refused)
	return nil
}

// apply makes the registry hold exactly these tools of the server; it returns what
// could not be put in.
func (s *server) apply(good map[string]offer) (refused []string) {
	s.mu.Lock()
	had := s.offered
	s.mu.Unlock()
	now := map[string]offer{}
	var specs []tool.Spec
	for _, name := range sortedNames(had) {
		if o, still := good[name]; still && o.same(had[name]) {
			now[name] = o
			continue
		}
		s.take(name)
	}
	for _, name := range sortedNames(good) {
		if _, in := now[name]; in {
			continue
		}
		if err := s.pool.cfg.Registry.Add(newRemote(s, good[name])); err != nil {
			refused = append(refused, err.Error())
			continue
		}
		now[name] = good[name]
		specs = append(specs, good[name].spec)
	}
	if s.pool.cfg.Finder != nil && len(specs) > 0 {
		s.pool.cfg.Finder.Add(specs...)
	}
	s.mu.Lock()
	s.offered = now
	s.mu.Unlock()
	return refused
}

// take removes a tool from the registry.
func (s *server) take(name string) {
	s.pool.cfg.Registry.Remove(name)
	if s.pool.cfg.Finder != nil {
		s.pool.cfg.Finder.Remove(name)
	}
}

// withdraw removes all tools, after the server could not be started again.
func (s *server) withdraw() {
	s.applying.Lock()
	defer s.applying.Unlock()
	s.mu.Lock()
	had := s.offered
	s.offered, s.changed, s.skipped = map[string]offer{}, map[string]offer{}, nil
	s.mu.Unlock()
	for name := range had {
		s.take(name)
	}
}

func (s *server) setLive(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = c
}

func (s *server) setReady(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.err, s.since = Ready, "", s.pool.cfg.now()
	s.pool.cfg.Log.InfoContext(ctx, "mcp server is ready", "server", s.cfg.Name,
		"tools", len(s.offered), "changed", len(s.changed), "skipped", len(s.skipped))
}

func (s *server) setDown(err string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.err, s.since = Down, err, s.pool.cfg.now()
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{
		Server: s.cfg.Name, Review: s.cfg.Review, State: s.state, Program: s.cfg.Command != "", Tools: sortedNames(s.offered),
		Skipped: slices.Clone(s.skipped), Err: s.err, Since: s.since,
	}
	for _, name := range sortedNames(s.changed) {
		o := s.changed[name]
		st.Changes = append(st.Changes, Change{
			Tool: name, New: s.was[o.remote].Hash == "", Hash: o.hash, Before: s.was[o.remote].Description, After: o.pin().Description,
		})
	}
	return st
}

// waiting returns a changed tool that waits to be accepted.
func (s *server) waiting(name string) (offer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.changed[name]
	return o, ok
}

// sleep waits, and reports false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
