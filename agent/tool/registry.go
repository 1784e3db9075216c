package tool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/phrase/pattern"
)

// Registry holds the tools an agent may be offered. The wiring fills it; MCP servers add and
// remove tools later. It is safe for concurrent use: a running call keeps its tool.
type Registry struct {
	mu      sync.RWMutex
	tools   map[string]entry
	filling int           // how many have not offered their first tools yet
	filled  chan struct{} // closed when the next of them has; nil while nobody fills
}

// entry is a tool as it was when it was added.
type entry struct {
	tool   Tool
	spec   Spec
	schema *schema
}

// NewRegistry returns a registry of these tools. Duplicate names, malformed names and broken
// schemas are errors, reported together; the registry contains the other tools.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{tools: map[string]entry{}}
	var errs []error
	for _, t := range tools {
		errs = append(errs, r.Add(t))
	}
	return r, errors.Join(errs...)
}

// nameShape matches the function names that every endpoint accepts.
var nameShape = pattern.New(`^[a-z0-9_]{1,64}$`)

// Add adds one tool. Scopes that switch it off (see [agent.Without]) are added to its policy.
func (r *Registry) Add(t Tool) error {
	spec := t.Spec()
	if !nameShape.MatchString(spec.Name) {
		return fmt.Errorf("tool %q: a name is 1 to 64 of a-z, 0-9 and _", clip(spec.Name, 80))
	}
	s, err := compile(spec.Parameters)
	if err != nil {
		return fmt.Errorf("tool %s: %w", spec.Name, err)
	}
	spec.Policy.Forbidden = append(slices.Clip(spec.Policy.Forbidden), agent.Without(spec.Name))
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, twice := r.tools[spec.Name]; twice {
		return fmt.Errorf("tool %s: there is one of that name already", spec.Name)
	}
	r.tools[spec.Name] = entry{t, spec, s}
	return nil
}

// Filling announces tools that somebody adds later, until done is called: servers of tools take a moment to answer
// when a program starts.
func (r *Registry) Filling() (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.filling++; r.filled == nil {
		r.filled = make(chan struct{})
	}
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		close(r.filled)
		r.filled = nil
		if r.filling--; r.filling > 0 {
			r.filled = make(chan struct{})
		}
	})
}

// Settle waits until the registry is no longer [Registry.Filling] or, with names, until tools of
// these names exist; at most until ctx ends or limit has passed. A resumed run thus does not
// mistake a slow server's tool for a removed one.
func (r *Registry) Settle(ctx context.Context, limit time.Duration, names ...string) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		filled := r.late(names)
		if filled == nil {
			return
		}
		select {
		case <-filled:
		case <-ctx.Done():
			return
		}
	}
}

// late returns a channel that is closed when more tools arrive, or nil if none are expected.
func (r *Registry) late(names []string) <-chan struct{} {
	r.mu.RLock()
	defer r.mu.RUnlock()
	absent := func(name string) bool { _, ok := r.tools[name]; return !ok }
	if len(names) > 0 && !slices.ContainsFunc(names, absent) {
		return nil
	}
	return r.filled
}

// Remove takes a tool away and reports whether it was there.
func (r *Registry) Remove(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.tools[name]
	delete(r.tools, name)
	return ok
}

// Names lists the tools in alphabetical order.
func (r *Registry) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.tools))
}

// Lookup returns a tool with its spec, or ErrUnknown.
func (r *Registry) Lookup(name string) (Tool, Spec, error) {
	e, ok := r.entry(name)
	if !ok {
		return nil, Spec{}, fmt.Errorf("%w: %s", ErrUnknown, clip(name, 80))
	}
	return e.tool, e.spec, nil
}

func (r *Registry) entry(name string) (entry, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, ok := r.tools[name]
	return e, ok
}

// Specs lists what the tools are, by name.
func (r *Registry) Specs() []Spec {
	names := r.Names()
	specs := make([]Spec, 0, len(names))
	for _, name := range names {
		if e, ok := r.entry(name); ok {
			specs = append(specs, e.spec)
		}
	}
	return specs
}

// Offer describes all tools, or the named ones, to a model. They are sorted by name, so that an
// endpoint can cache the prompt.
func (r *Registry) Offer(allow ...string) []llm.Tool {
	return r.OfferIf(func(s Spec) bool { return len(allow) == 0 || slices.Contains(allow, s.Name) })
}

// OfferIf describes those tools to a model that allowed lets through, in the order
// of their names. A tool that was added since the last round is among them.
func (r *Registry) OfferIf(allowed func(Spec) bool) []llm.Tool {
	var offered []llm.Tool
	for _, s := range r.Specs() {
		if allowed(s) {
			offered = append(offered, llm.Tool{Name: s.Name, Description: s.Description, Parameters: s.Parameters})
		}
	}
	return offered
}
