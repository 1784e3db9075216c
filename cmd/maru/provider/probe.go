package provider

import (
	"context"
	"fmt"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/openai"
	"maru/config"
)

// Probe is one model of a role, to be tested by itself: a working fallback proves nothing about
// the others.
type Probe struct {
	Part    string // "model", "fallback", a role, or a role of a set: "private.plan"
	Name    string
	Setting string // that names it
	Answers bool   // it answers people where nobody chose another

	asked   asked
	model   llm.Model
	context func(context.Context) int // nil: it has none
	ping    *openai.Model             // a model that takes no chat
}

// Probes returns every model once, those of answers first. The built-in one needs no test.
func (m *Models) Probes() ([]Probe, error) {
	var out []Probe
	seen := map[llm.Model]bool{}
	for _, set := range append([]string{""}, m.cfg.Models.SetNames()...) {
		for _, role := range config.ModelRoles() {
			if role == config.RoleTranscription && set == "" {
				p, err := m.unspoken(role)
				if err != nil {
					return nil, err
				}
				out = append(out, p...)
			}
			a := m.roles[place{set, role}]
			if !role.Chats() || !a.cfg.On() || !a.own {
				continue
			}
			for i, one := range a.each {
				if s, ok := one.(interface{ Unwrap() llm.Model }); ok { // of the last one, shortened
					one = s.Unwrap()
				}
				if seen[one] {
					continue
				}
				seen[one] = true
				p := a.probe(set, role, i, one)
				p.context = m.contexts[one]
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// probe returns that of the model i of a place.
func (a asked) probe(set string, role config.ModelRole, i int, one llm.Model) Probe {
	p := Probe{Part: string(role), Name: one.Name(), Setting: Endpoint(a.cfg).Setting("MODEL"), asked: a, model: one}
	if set != "" {
		p.Part = set + "." + p.Part
	}
	if set == "" && role == config.RoleAnswer {
		p.Part, p.Answers = "model", true
	}
	if i > 0 {
		p.Setting = "OPENAI_FALLBACK_MODELS"
		if a.cfg.Settings != "" {
			p.Setting = a.cfg.Settings + ".fallbacks"
		}
		if p.Answers {
			p.Part = "fallback"
		} else {
			p.Part += " fallback"
		}
	}
	return p
}

// unspoken returns the probe of a role that takes no chat: its endpoint is asked for its models.
func (m *Models) unspoken(role config.ModelRole) ([]Probe, error) {
	cfg, own := m.cfg.ModelOf("", role)
	if !own {
		return nil, nil
	}
	c := Endpoint(cfg)
	c.Model = cfg.Name
	one, err := openai.New(c)
	if err != nil {
		return nil, err
	}
	return []Probe{{Part: string(role), Name: cfg.Name, Setting: c.Setting("MODEL"), asked: asked{cfg: cfg}, ping: one}}, nil
}

// Try asks a model for next to nothing and returns how long it took, with its retries if persistent.
// One that thinks aloud and has no room for the answer works as well.
func (p Probe) Try(ctx context.Context, persistent bool) (time.Duration, error) {
	start := time.Now()
	if p.ping != nil {
		_, err := p.ping.Ping(ctx)
		return time.Since(start).Round(time.Millisecond), err
	}
	one := p.model
	if persistent {
		one = retried(p.asked.cfg, one)
	}
	_, err := one.Generate(ctx, llm.Request{MaxTokens: 16, Messages: []llm.Message{{Role: llm.User, Content: "Say OK."}}}, nil)
	if err != nil && llm.ClassOf(err) != llm.Length {
		return 0, err
	}
	return time.Since(start).Round(time.Millisecond), nil
}

// smallContext is below what prompts are made for, in tokens.
const smallContext = 4096

// Notes says what else is known of a model that has answered, to be read behind that.
func (p Probe) Notes(ctx context.Context) string {
	if p.context == nil {
		return ""
	}
	switch n := p.context(ctx); {
	case n == 0:
		return ""
	case n < smallContext:
		return fmt.Sprintf("; its context has %d tokens: give it %d or more (Ollama: OLLAMA_CONTEXT_LENGTH)", n, smallContext)
	default:
		return fmt.Sprintf("; its context has %d tokens", n)
	}
}

// Fix returns the remedy for a model that does not answer.
func (p Probe) Fix(err error) string { return Fix(err, Endpoint(p.asked.cfg), p.Setting) }

// Fix returns the remedy for a model of an endpoint that does not answer. setting names the model.
func Fix(err error, c openai.Config, setting string) string {
	base := c.Setting("BASE_URL")
	switch llm.ClassOf(err) {
	case "":
		return "check " + setting
	case llm.Auth:
		return "check " + c.Setting("API_KEY")
	case llm.NotFound:
		return "check " + setting + " (of Azure, the deployment's name) and that " + base + " ends where the API begins, usually /v1"
	case llm.WebPage:
		return "check " + base + ": a web page is there; an API usually begins at /v1"
	case llm.Quota:
		return "the account is used up: check its billing"
	case llm.Network, llm.Timeout:
		return "check " + base + " and that this machine reaches it"
	}
	if c.APIKey == "" {
		return "see the endpoint's own log, and set " + c.Setting("API_KEY") + " if it wants a key"
	}
	return "see the endpoint's own log"
}
