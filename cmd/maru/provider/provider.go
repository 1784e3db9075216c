// Package provider builds the models that the settings name: a client for each endpoint and name,
// in order for each role and set, and the selectors through which agents ask them. It is wiring: it
// decides nothing that a setting does not say.
package provider

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/openai"
	"maru/agent/llm/queue"
	"maru/agent/workflow/host"
	"maru/bot/turn"
	"maru/config"
)

// cooldown is how long a model that failed is passed over.
const cooldown = 30 * time.Second

// BuiltIn is the name of the model that needs no endpoint, as people read it.
const BuiltIn = "built-in extractive"

// Models are the models of every role and set. They are safe for concurrent use.
type Models struct {
	cfg      config.Config
	refusals *openai.Refusals
	log      *slog.Logger

	shared   queue.Shared                            // of replicas; nil: there is one
	contexts map[llm.Model]func(context.Context) int // tokens, 0 if unknown
	queues   map[string]*queue.Endpoint              // by address
	clients  map[string]llm.Model                    // shared by roles that ask the same; "" is the built-in model
	roles    map[place]asked
}

// place is a role in a set, "" for none.
type place struct {
	set  string
	role config.ModelRole
}

// asked are the models of a place.
type asked struct {
	cfg   config.Model
	own   bool        // it has a model of its own; else it is the answer's
	each  []llm.Model // the preferred one first, metered, without retries
	tried []llm.Model // each with its retries
	one   llm.Model   // all of them as one
}

// New builds the models of the settings. Every attempt waits for its turn at the endpoint and is counted to the run that makes it.
// With shared it waits for its turn among those of all replicas.
func New(cfg config.Config, refusals *openai.Refusals, log *slog.Logger, shared queue.Shared) (*Models, error) {
	m := &Models{cfg: cfg, refusals: refusals, log: log, shared: shared, contexts: map[llm.Model]func(context.Context) int{}, queues: map[string]*queue.Endpoint{}, clients: map[string]llm.Model{}, roles: map[place]asked{}}
	for _, set := range append([]string{""}, cfg.Models.SetNames()...) {
		for _, role := range config.ModelRoles() {
			if !role.Chats() {
				continue
			}
			a, err := m.build(set, role)
			if err != nil {
				return nil, err
			}
			m.roles[place{set, role}] = a
		}
	}
	return m, nil
}

// build makes the models of a place.
func (m *Models) build(set string, role config.ModelRole) (asked, error) {
	cfg, own := m.cfg.ModelOf(set, role)
	a := asked{cfg: cfg, own: own}
	names := append([]string{cfg.Name}, cfg.Fallbacks...)
	if !cfg.On() {
		names = names[:1]
	}
	for i, name := range names {
		one, err := m.client(cfg, name, i == 0, i == len(names)-1)
		if err != nil {
			return asked{}, fmt.Errorf("%s: %w", role, err)
		}
		if cfg.On() && i == len(names)-1 {
			one = llm.Shortened(one) // the rest has no reader
		}
		a.each = append(a.each, one)
		a.tried = append(a.tried, retried(cfg, one))
	}
	if a.one = a.tried[0]; len(a.tried) > 1 {
		a.one = llm.Fallback(cooldown, time.Now, a.tried...)
	}
	return a, nil
}

// client returns the client of a model, one for all roles that ask it in the same way. What does
// not fit goes to the next model, if there is one.
func (m *Models) client(cfg config.Model, name string, first, last bool) (llm.Model, error) {
	if !cfg.On() {
		return m.reuse("", func() (llm.Model, error) { return llm.Metered(extractive.New(), time.Now), nil })
	}
	c := Endpoint(cfg)
	c.Model, c.MaxTokens, c.Whole = name, cfg.MaxTokens, !last
	if first { // the size of another model is its own
		c.Context = cfg.Context
	}
	key := fmt.Sprintf("%q", []any{c.BaseURL, c.APIKey, c.Azure, c.APIVersion, c.Model, c.First, c.Idle, c.Total, c.MaxTokens, c.Context, c.Whole, c.Vision})
	return m.reuse(key, func() (llm.Model, error) {
		c.Refusals, c.Log = m.refusals, m.log
		one, err := openai.New(c)
		if err != nil {
			return nil, err
		}
		out := m.queue(cfg).Model(llm.Metered(one, time.Now))
		m.contexts[out] = func(ctx context.Context) int { return one.Context(ctx, "") }
		return out, nil
	})
}

// queue returns the queue of an endpoint, one for all that ask it. Its limit is the first that a
// role gives.
func (m *Models) queue(cfg config.Model) *queue.Endpoint {
	if q, ok := m.queues[cfg.BaseURL]; ok {
		return q
	}
	q := queue.New(queue.Config{URL: cfg.BaseURL, Limit: m.inFlight(cfg.BaseURL), First: cfg.FirstTimeout, Longest: cfg.Timeout * 4 / 5, Shared: m.shared})
	m.queues[cfg.BaseURL] = q
	return q
}

// Embedder returns e, whose calls share the queue of the models at an address; e itself where no model is asked there.
func (m *Models) Embedder(address string, e llm.Embedder) llm.Embedder {
	for at, q := range m.queues {
		if strings.TrimRight(at, "/") == strings.TrimRight(address, "/") {
			return q.Embedder(e)
		}
	}
	return e
}

func (m *Models) inFlight(address string) int {
	for _, set := range append([]string{""}, m.cfg.Models.SetNames()...) {
		for _, role := range config.ModelRoles() {
			if cfg, _ := m.cfg.ModelOf(set, role); cfg.BaseURL == address && cfg.InFlight > 0 {
				return cfg.InFlight
			}
		}
	}
	return 0
}

func (m *Models) reuse(key string, make func() (llm.Model, error)) (llm.Model, error) {
	if one, ok := m.clients[key]; ok {
		return one, nil
	}
	one, err := make()
	if err != nil {
		return nil, err
	}
	m.clients[key] = one
	return one, nil
}

// retried repeats what may pass, by error class.
func retried(cfg config.Model, m llm.Model) llm.Model {
	return llm.Retry(m, llm.RetryPolicy{Attempts: cfg.Retries + 1, Limit: cfg.Timeout, Random: rand.Float64, Now: time.Now})
}

// Transcriber writes recordings down; nil: no model for them is configured.
func (m *Models) Transcriber() (turn.Transcriber, error) {
	cfg, ok := m.cfg.Transcription()
	if !ok {
		return nil, nil //nolint:nilnil // recordings are named and not heard
	}
	c := Endpoint(cfg)
	c.Model = cfg.Name
	return openai.NewTranscriber(c)
}

// Endpoint returns where a model is asked, and how long it is waited for.
func Endpoint(m config.Model) openai.Config {
	return openai.Config{
		BaseURL: m.BaseURL, APIKey: m.APIKey.Reveal(), Azure: m.Azure, APIVersion: m.APIVersion, Settings: m.Settings,
		First: m.FirstTimeout, Idle: m.IdleTimeout, Total: m.Timeout, Vision: openai.Vision(m.Vision),
	}
}

// Name returns that of the model that answers where nobody chose another.
func (m *Models) Name() string {
	if !m.cfg.Model.On() {
		return BuiltIn
	}
	return m.cfg.Model.Name
}

// One returns all models as one, with retries and fallbacks of its own.
func (m *Models) One() llm.Model {
	return llm.Selecting(m.Name(), func(req llm.Request) ([]llm.Model, llm.Request) {
		a, req := m.choose(req)
		return []llm.Model{a.one}, req
	})
}

// Asks returns how the agents ask that tell of fallbacks in their state.
func (m *Models) Asks() host.Models {
	return host.Models{Random: rand.Float64, Now: time.Now, Model: llm.Selecting(m.Name(), func(req llm.Request) ([]llm.Model, llm.Request) {
		a, req := m.choose(req)
		return a.tried, req
	})}
}

// choose returns the model for a request. A place may have chosen a set, or a model of the answer's endpoint, which
// replaces the answer's own and does not apply to a role with a model of its own.
func (m *Models) choose(req llm.Request) (asked, llm.Request) {
	role, set := roleOf(req.Task()), ""
	if llm.HasPictures(req.Messages) {
		role = config.RoleVision
	}
	if _, ok := m.cfg.Models.Sets[req.Model]; ok {
		set, req.Model = req.Model, ""
	}
	a := m.roles[place{set, role}]
	if role == config.RoleVision && !a.own { // no model is set apart for pictures
		a = m.roles[place{set, roleOf(req.Task())}]
	}
	if a.own && role != config.RoleAnswer {
		req.Model = ""
	}
	return a, req
}

// roleOf returns the role that a purpose belongs to. A purpose with the name of a role is that role's.
func roleOf(p llm.Purpose) config.ModelRole {
	switch p {
	case llm.ForRoute:
		return config.RoleRoute
	case llm.ForPlan, llm.ForExtract, llm.ForRewrite:
		return config.RolePlan
	case llm.ForSummary, llm.ForTitle, llm.ForLearn:
		return config.RoleSummary
	case llm.ForReview:
		return config.RoleGrade
	}
	for _, role := range config.ModelRoles() {
		if string(role) == string(p) && role.Chats() {
			return role
		}
	}
	return config.RoleAnswer
}
