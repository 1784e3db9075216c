package config

import (
	"maps"
	"slices"
	"time"
)

// ModelRole is the purpose of a model. Each role may have an endpoint, a key, a model, limits and a price of its own
// under `models:` in the YAML file.
type ModelRole string

// The roles of models.
const (
	RoleAnswer        ModelRole = "answer"        // answers, and every call without a role of its own
	RoleRoute         ModelRole = "route"         // which way a message goes, and whether it is for the bot
	RolePlan          ModelRole = "plan"          // plans, and the values of their calls
	RoleSummary       ModelRole = "summary"       // summaries, and what a conversation teaches
	RoleGrade         ModelRole = "grade"         // whether a draft or a step is good enough
	RoleVision        ModelRole = "vision"        // pictures
	RoleTranscription ModelRole = "transcription" // recordings
	RoleEmbedding     ModelRole = "embedding"     // vectors
	RoleRerank        ModelRole = "rerank"        // order of passages
)

// ModelRoles returns every role, in the order in which they are shown.
func ModelRoles() []ModelRole {
	return []ModelRole{RoleAnswer, RoleRoute, RolePlan, RoleSummary, RoleGrade, RoleVision, RoleTranscription, RoleEmbedding, RoleRerank}
}

// Chats reports whether a role is asked by chat calls. Only these may be in a set: vectors, for
// one, are shared by all channels.
func (r ModelRole) Chats() bool {
	return r != RoleTranscription && r != RoleEmbedding
}

// Models are the models of `models:` in the YAML file, beside [Config.Model], which is the
// answer's, and its Embedding. Each is complete: [draft.completed] says what it inherits.
type Models struct {
	Roles map[ModelRole]Model
	Sets  map[string]map[ModelRole]Model // by the set's name
}

// SetNames returns the names of the sets, sorted.
func (m Models) SetNames() []string { return slices.Sorted(maps.Keys(m.Sets)) }

// ModelOf returns the model of a role in a set, "" for none. own reports whether the role has
// one of its own there; else it is the answer's.
//
// A set with an answer is complete: a channel that chose it to stay on a machine of the team's
// must not find its plans elsewhere.
func (c Config) ModelOf(set string, role ModelRole) (m Model, own bool) {
	places := []map[ModelRole]Model{c.Models.Roles}
	if in, ok := c.Models.Sets[set]; ok {
		places = []map[ModelRole]Model{in, c.Models.Roles}
		if _, whole := in[RoleAnswer]; whole {
			places = places[:1]
		}
	}
	for _, wanted := range []ModelRole{role, RoleAnswer} {
		for _, roles := range places {
			if m, ok := roles[wanted]; ok {
				return m, wanted == role
			}
		}
	}
	return c.Model, role == RoleAnswer
}

// ModelChoices returns the values of the setting "model": models of the answer's endpoint that
// the operator offers, and sets.
func (c Config) ModelChoices() []string {
	return append(slices.Clone(c.Model.Choices), c.Models.SetNames()...)
}

// AsksModels reports whether any endpoint is asked for replies.
func (c Config) AsksModels() bool {
	return c.Model.On() || len(c.Models.Roles) > 0 || len(c.Models.Sets) > 0
}

// Reranks reports whether a model orders passages: only where the role is configured, since it costs a call for each
// question.
func (c Config) Reranks() bool {
	m, own := c.ModelOf("", RoleRerank)
	return own && m.On()
}

// Sees reports whether models may be shown pictures.
func (c Config) Sees() bool { return c.AsksModels() && c.Model.Vision != "off" }

// Transcription returns the model that writes recordings down: that of the role, or the one that the variable names, at the
// answer's endpoint; false if there is none.
func (c Config) Transcription() (Model, bool) {
	m, own := c.ModelOf("", RoleTranscription)
	if !own {
		m = c.Model
		m.Name = m.Transcriber
	}
	return m, m.On() && m.Name != ""
}

// Hears reports whether recordings are written down.
func (c Config) Hears() bool {
	_, ok := c.Transcription()
	return ok
}

// draft is a role as the file has it.
type draft struct {
	set   string
	role  ModelRole
	key   string            // "models.plan"
	at    map[string]string // places of what it has: "endpoint" → "maru.yaml:4"; "" is its own
	model Model
	price *Price
}

// has reports whether the file gives one of its members.
func (d draft) has(member string) bool { return d.at[member] != "" }

// completed returns the draft with what it leaves out taken from another model. A key goes to no
// endpoint but its own, and names of models mean nothing at another one.
func (d draft) completed(from Model) Model {
	m, own := from, d.model
	m.Settings, m.Prices = d.key, nil // prices are those of the whole program
	if d.has("endpoint") && own.BaseURL != from.BaseURL {
		m.APIKey, m.Azure, m.APIVersion, m.Fallbacks, m.InFlight, m.Context = "", false, "", nil, 0, 0
	}
	if d.has("name") && own.Name != from.Name {
		m.Context = 0
	}
	for member, take := range map[string]func(){
		"endpoint":         func() { m.BaseURL = own.BaseURL },
		"key":              func() { m.APIKey = own.APIKey },
		"api_type":         func() { m.Azure = own.Azure },
		"api_version":      func() { m.APIVersion = own.APIVersion },
		"name":             func() { m.Name = own.Name },
		"fallbacks":        func() { m.Fallbacks = own.Fallbacks },
		"limits.context":   func() { m.Context = own.Context },
		"limits.output":    func() { m.MaxTokens = own.MaxTokens },
		"limits.in_flight": func() { m.InFlight = own.InFlight },
		"limits.timeout":   func() { m.Timeout = own.Timeout },
	} {
		if d.has(member) {
			take()
		}
	}
	m.IdleTimeout = min(m.IdleTimeout, m.Timeout)
	m.FirstTimeout = min(m.FirstTimeout, max(m.Timeout/2, time.Second)) // half is left to ask again
	if !d.has("fallbacks") {
		m.Fallbacks = slices.DeleteFunc(slices.Clone(m.Fallbacks), func(f string) bool { return f == m.Name })
	}
	return m
}

// resolveModels completes the drafts: roles outside of sets from the answer, a set's answer from
// that, and its other roles from its answer or, without one, from the same role outside.
func (l *loader) resolveModels(c *Config) {
	c.Models.Roles, c.Models.Sets = map[ModelRole]Model{}, map[string]map[ModelRole]Model{}
	for _, d := range l.drafts {
		if d.set == "" {
			l.resolveRole(c, d)
		}
	}
	for _, first := range []bool{true, false} {
		for _, d := range l.drafts {
			if d.set == "" || (d.role == RoleAnswer) != first {
				continue
			}
			from, _ := c.ModelOf(d.set, d.role)
			if c.Models.Sets[d.set] == nil {
				c.Models.Sets[d.set] = map[ModelRole]Model{}
			}
			m := d.completed(from)
			c.Models.Sets[d.set][d.role] = m
			l.checkRole(c, d, m)
		}
	}
	for _, set := range c.Models.SetNames() {
		if slices.Contains(c.Model.Choices, set) {
			l.fault(modelsKey+".sets."+set, "", "has the name of a model in OPENAI_MODEL_CHOICES", "give the set another name")
		}
	}
}

// resolveRole completes a role outside of sets. Those of the answer and of embeddings were
// settings like others; what has no variable is added here.
func (l *loader) resolveRole(c *Config, d draft) {
	switch d.role {
	case RoleAnswer:
		c.Model.Context = d.model.Context
		if d.has("endpoint") && c.origin["OPENAI_BASE_URL"] == d.at["endpoint"] {
			c.Model.Settings = d.key
		}
		l.setPrice(c, d, c.Model.Name)
	case RoleEmbedding:
		c.Model.Embedding.Timeout = d.model.Timeout
		l.setPrice(c, d, c.Model.Embedding.Model)
	default:
		m := d.completed(c.Model)
		c.Models.Roles[d.role] = m
		l.checkRole(c, d, m)
	}
}
