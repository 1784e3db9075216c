package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"maru/agent/tool"
	"maru/phrase"
)

// Run connects to the servers and keeps their tools until ctx ends; then it has
// closed every connection and ended every child process. A server that does not
// answer is not an error.
func (p *Pool) Run(ctx context.Context) error {
	p.mu.Lock()
	p.begin = func(s *server) {
		own, stop := context.WithCancel(ctx)
		s.stop = stop
		p.running.Go(func() {
			defer close(s.ended)
			defer stop()
			s.run(own)
		})
	}
	for _, s := range slices.Concat(p.servers, p.attached) {
		p.begin(s)
	}
	p.mu.Unlock()
	<-ctx.Done()
	p.mu.Lock()
	p.begin = nil
	p.mu.Unlock()
	p.running.Wait()
	return nil
}

// all lists the servers of the settings and the attached ones.
func (p *Pool) all() []*server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Concat(p.servers, p.attached)
}

// Attach makes the attached servers exactly these: new ones are connected while the pool runs,
// changed ones connected again, others disconnected with their tools withdrawn. A server whose
// name is malformed or taken by one of the settings is left out; the error says which.
func (p *Pool) Attach(list []Server) error {
	p.attaching.Lock()
	defer p.attaching.Unlock()
	var errs []error
	var next []*server
	p.mu.Lock()
	had := slices.Clone(p.attached)
	p.mu.Unlock()
	for _, cfg := range list {
		cfg = withDefaults(cfg)
		taken := slices.ContainsFunc(p.servers, func(s *server) bool { return s.cfg.Name == cfg.Name })
		if taken || !nameShape.MatchString(cfg.Name) || cfg.URL == "" {
			errs = append(errs, fmt.Errorf("mcp server %.40q: its name is malformed or taken by the settings, or it has no url", cfg.Name))
			continue
		}
		if i := slices.IndexFunc(had, func(s *server) bool { return reflect.DeepEqual(s.cfg, cfg) }); i >= 0 {
			next = append(next, had[i])
			continue
		}
		next = append(next, newServer(p, cfg))
	}
	for _, s := range had {
		if !slices.Contains(next, s) {
			p.detach(s)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range next {
		if p.begin != nil && !slices.Contains(had, s) {
			p.begin(s)
		}
	}
	p.attached = next
	return errors.Join(errs...)
}

// detach ends a server and takes its tools out.
func (p *Pool) detach(s *server) {
	p.mu.Lock()
	stop := s.stop
	p.mu.Unlock()
	if stop != nil {
		stop()
		<-s.ended
	}
	s.withdraw()
	s.filled()
}

// Offer is a tool that a server offers, as an admin decides on it.
type Offer struct {
	Remote      string // its name at the server
	Tool        string // its name in the registry
	Title       phrase.Sentence
	Description string // the beginning of what models read: data
	About       string // all of it
	Parameters  json.RawMessage
	Hash        string
	Policy      tool.Policy // as the settings and the accepted class have it; else a proposal

	Whole json.RawMessage // of a personal server, for [Pin].Tool
}

// ErrSignIn says that a server wants to know who asks: it refused the request, or its token.
var ErrSignIn = errors.New("mcp: the server wants a token")

// UnusableError says why the tools of a server cannot be listed.
type UnusableError struct {
	Status  int  // of the HTTP answer that refused a request, or of the last one; 0 for none
	Answers bool // it speaks the protocol: it answered with an error of it, or answered before it was late
	said    string
	cause   error
}

// Error implements error. It shows none of the server's secrets.
func (e *UnusableError) Error() string { return e.said }

// Unwrap returns the cause, whose words may hold secrets.
func (e *UnusableError) Unwrap() error { return e.cause }

func (s *server) unusable(err error) error {
	if s.wantsToken() {
		return ErrSignIn
	}
	_, protocol := errors.AsType[*jsonrpc.Error](err)
	return &UnusableError{Status: int(s.answered.Load()), Answers: protocol || errors.Is(err, context.DeadlineExceeded), said: s.mask(err.Error()), cause: err}
}

// Look connects to a server once, lists its tools and disconnects. It changes nothing in registry
// and notes. ctx bounds it.
func (p *Pool) Look(ctx context.Context, cfg Server) ([]Offer, error) {
	s := newServer(p, withDefaults(cfg))
	s.filled()
	c, err := s.connect(ctx)
	if err != nil {
		return nil, s.unusable(err)
	}
	defer c.close()
	tools, _, err := s.list(ctx, c)
	if err != nil {
		return nil, s.unusable(err)
	}
	offers, _ := s.offers(tools)
	var out []Offer
	for _, name := range sortedNames(offers) {
		o := offers[name]
		out = append(out, Offer{o.remote, name, o.spec.Title, o.pin().Description, o.spec.Description, o.spec.Parameters, o.hash, o.spec.Policy, o.whole})
	}
	return out, nil
}
