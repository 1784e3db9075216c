// Package mcp brings the tools of MCP servers (Model Context Protocol), over
// standard input and output or streamable HTTP, into a [tool.Registry].
//
// A server is a stranger: its descriptions and results are data, cleaned and
// bounded; its annotations may make us more careful, never less; a tool whose
// description or schema changed since it was first seen is kept out until an
// operator accepts it. A server that is slow, floods, hangs or dies costs its own
// tools and nothing else, and is started again.
//
// Which servers there are comes from the operator's settings and, by [Pool.Attach], from
// admins; never from a model. Nothing of an attached server is used before an admin accepted
// it as it is ([Server].Review). It knows nothing of agents and platforms.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"maru/agent/tool"
)

// Config is what a Pool is made of.
type Config struct {
	Servers  []Server
	Registry *tool.Registry    // gets the tools
	Finder   *tool.Recommender // gets them as well; may be nil
	Notes    Notes             // keeps what was accepted; nil keeps it in process
	Disabled []string          // tools that are never offered, by their names in the registry
	Interval time.Duration     // between two looks at a server's list; 0 never looks again by itself
	Watch    bool              // heed servers that say that their list changed
	Environ  []string          // of every child process: what no secret is in, such as PATH and HOME
	Version  string            // of this program, told to servers
	HTTP     http.RoundTripper // nil for the default
	Read     Reader            // of documents that tools return; nil leaves them to people
	Tokens   Tokens            // of people at personal servers; nil: nobody has any
	Restart  time.Duration     // first wait before a server that died is started again; 0 means 1 s
	Settle   time.Duration     // after a server said that its list changed; 0 means 1 s
	Jitter   func() float64    // in [0,1), spreads restarts; nil for none
	Now      func() time.Time  // nil for time.Now
	Log      *slog.Logger
}

// Reader returns the text of a document, or an error for what it cannot read.
type Reader func(ctx context.Context, name string, data []byte) (string, error)

func (c Config) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

func (c Config) restart() time.Duration { return cmp.Or(c.Restart, defaultRestart) }

func (c Config) settle() time.Duration { return cmp.Or(c.Settle, time.Second) }

// spread lengthens a wait by up to a fifth, so that servers that died together do
// not start together.
func (c Config) spread(d time.Duration) time.Duration {
	if c.Jitter == nil {
		return d
	}
	return d + time.Duration(c.Jitter()*float64(d)/5)
}

// Server is one MCP server. It has either a Command or a URL.
type Server struct {
	Name    string   // [a-z][a-z0-9_]{0,23}; begins the names of its tools
	Command string   // a program that speaks MCP over its standard streams
	Args    []string // of the program
	Env     []string // "NAME=value" for the program beside Config.Environ; may hold secrets
	URL     string   // of a streamable HTTP endpoint
	Origin  string   // tells the server from others that had its name and address before, "" for none
	Headers http.Header
	Allow   []string          // tools as the server calls them, "*" at the end for all that begin so; none means all
	Deny    []string          // wins over Allow
	Policy  map[string]Policy // by the same patterns; the longest that fits counts
	Timeout time.Duration     // of one call, and of one look at the list; 0 means 30 s

	Review bool              // its tools are used only as Accept has them
	Accept map[string]Pin    // accepted tools of a server under review, by their names there
	Only   []string          // scopes as in [tool.Policy].Only, for all its tools
	HTTP   http.RoundTripper // instead of Config.HTTP; nil for that

	// Personal says that each person uses it with their own token: its tools are those of Accept, and every call is a
	// connection of its own.
	Personal bool
}

// Policy is what the operator says about tools of a server.
type Policy struct {
	tool.Policy
	Timeout time.Duration // 0 for the server's
}

// Notes stores short texts by key. Without its note, the next tools of a server are accepted as its first ones.
// SwapNote writes value if the note holds before, and reports whether the note holds value afterwards.
type Notes interface {
	Note(ctx context.Context, key string) (string, error) // "" if there is none
	SwapNote(ctx context.Context, key, before, value string) (bool, error)
}

// ErrUnknown says that there is no change of that name to accept.
var ErrUnknown = errors.New("mcp: no such tool waits to be accepted")

// Pool holds the connections to all servers.
type Pool struct {
	cfg     Config
	servers []*server // of the settings

	attaching sync.Mutex // one Attach at a time; taken before mu
	mu        sync.Mutex
	attached  []*server
	begin     func(*server) // runs a server; nil outside Run
	running   sync.WaitGroup
}

// nameShape matches the valid names of servers.
var nameShape = regexp.MustCompile(`^[a-z][a-z0-9_]{0,23}$`)

// New returns a pool that is connected to nothing yet: see [Pool.Run]. Faults of the
// settings are reported all at once.
func New(cfg Config) (*Pool, error) {
	if cfg.Notes == nil {
		cfg.Notes = &processNotes{notes: map[string]string{}}
	}
	p := &Pool{cfg: cfg}
	var errs []error
	seen := map[string]bool{}
	for _, s := range cfg.Servers {
		switch {
		case !nameShape.MatchString(s.Name):
			errs = append(errs, fmt.Errorf("mcp server %.40q: a name is a letter and up to 23 more of a-z, 0-9 and _", s.Name))
		case seen[s.Name]:
			errs = append(errs, fmt.Errorf("mcp server %s: there is one of that name already", s.Name))
		case (s.Command == "") == (s.URL == ""):
			errs = append(errs, fmt.Errorf("mcp server %s: give either a command or a url", s.Name))
		}
		seen[s.Name] = true
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, s := range cfg.Servers {
		p.servers = append(p.servers, newServer(p, withDefaults(s)))
	}
	return p, nil
}

func withDefaults(s Server) Server {
	s.Timeout = cmp.Or(max(s.Timeout, 0), defaultTimeout)
	return s
}

// defaultTimeout bounds a call of a server that has no limit of its own.
const defaultTimeout = 30 * time.Second

// Status describes the state of a server.
type Status struct {
	Server  string
	Review  bool // of an attached server; see [Server]
	State   State
	Program bool     // it is started here, and not called at an address
	Tools   []string // in the registry, by name
	Changes []Change // kept out until an admin accepts them
	Skipped []string // what is not offered and why, for operators
	Err     string   // why it is not ready, and the end of what it wrote to its error stream
	Since   time.Time
}

// State says whether a server answers.
type State string

// The states of a server.
const (
	Connecting State = "connecting"
	Ready      State = "ready"
	Down       State = "down" // and will be tried again
)

// Change is a tool that is no longer what was accepted.
type Change struct {
	Tool   string // its name in the registry
	New    bool   // nothing of that name was accepted before
	Hash   string // of what it is now, for [Pool.Accept]
	Before string // the beginning of its description as it was accepted
	After  string // and as it is now; equal if only its schema changed
}

// Status describes the servers of the settings, in their order, then the attached ones.
func (p *Pool) Status() []Status {
	var out []Status
	for _, s := range p.all() {
		out = append(out, s.status())
	}
	return out
}

// Accept offers a changed tool from now on, if it still is what the [Change] with
// this hash showed. It returns [ErrUnknown] if no such change waits. Other replicas
// follow when they look at the list again.
func (p *Pool) Accept(ctx context.Context, name, hash string) error {
	for _, s := range p.servers {
		if o, ok := s.waiting(name); ok && o.hash == hash && !s.cfg.Review {
			return s.accept(ctx, name, o)
		}
	}
	return fmt.Errorf("%w: %.80s", ErrUnknown, name)
}

// Check connects to every server once, counts its tools and disconnects: it changes
// nothing in registry and notes. ctx bounds it.
func (p *Pool) Check(ctx context.Context) []Status {
	out := make([]Status, len(p.servers))
	var all sync.WaitGroup
	for i, s := range p.servers {
		all.Go(func() { out[i] = s.check(ctx) })
	}
	all.Wait()
	return out
}

// processNotes are notes that end with the process.
type processNotes struct {
	mu    sync.Mutex
	notes map[string]string
}

// Note implements Notes.
func (n *processNotes) Note(_ context.Context, key string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.notes[key], nil
}

// SwapNote implements Notes.
func (n *processNotes) SwapNote(_ context.Context, key, before, value string) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := n.notes[key]; now != before && now != value {
		return false, nil
	}
	n.notes[key] = value
	return true, nil
}

// sortedNames lists the keys of what a server offers.
func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
