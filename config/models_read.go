package config

import (
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// modelsKey is the group of roles in the file. It has no variable of its own: those of the answer
// and of embeddings are OPENAI_* as well.
const modelsKey = "models"

// maxSets bounds the sets.
const maxSets = 50

// roleKeys are what a role may have, embeddingKeys what is different for vectors.
var (
	roleKeys      = []string{"endpoint", "name", "key", "key_file", "key_env", "api_type", "api_version", "fallbacks", "limits", "price"}
	embeddingKeys = []string{"endpoint", "name", "key", "key_file", "key_env", "query_prefix", "passage_prefix", "limits", "price"}
	limitKeys     = []string{"context", "output", "in_flight", "timeout"}
	timeKeys      = []string{"timeout"} // of calls other than chat
	priceKeys     = []string{"input", "output", "cached"}
)

// roleVariables are the settings that the members of a role outside of sets are.
var roleVariables = map[ModelRole]map[string]string{
	RoleAnswer: {
		"endpoint": "OPENAI_BASE_URL", "name": "OPENAI_MODEL", "key": "OPENAI_API_KEY", "api_type": "OPENAI_API_TYPE", "api_version": "OPENAI_API_VERSION",
		"fallbacks": "OPENAI_FALLBACK_MODELS", "limits.output": "OPENAI_MAX_TOKENS", "limits.timeout": "OPENAI_TIMEOUT", "limits.in_flight": "OPENAI_IN_FLIGHT",
	},
	RoleEmbedding: {
		"endpoint": "OPENAI_EMBEDDING_BASE_URL", "name": "OPENAI_EMBEDDING_MODEL", "key": "OPENAI_EMBEDDING_API_KEY",
		"query_prefix": "OPENAI_EMBEDDING_QUERY_PREFIX", "passage_prefix": "OPENAI_EMBEDDING_PASSAGE_PREFIX",
	},
}

// roleWords are the members of a role for the settings that a remedy names.
var roleWords = strings.NewReplacer("OPENAI_API_TYPE=azure", "api_type: azure", "OPENAI_API_TYPE", "api_type", "OPENAI_API_VERSION", "api_version", "OPENAI_MODEL", "name")

// models reads the roles and the sets.
func (w *walker) models(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	known := []string{"sets"}
	for _, r := range ModelRoles() {
		known = append(known, string(r))
	}
	r := &entryReader{walker: w, at: w.at(n), key: modelsKey}
	fields := r.group(modelsKey, n, known)
	for _, role := range ModelRoles() {
		if fields[string(role)] != nil {
			w.role("", role, modelsKey, fields[string(role)])
		}
	}
	if sets := fields["sets"]; sets != nil {
		w.modelSets(sets)
	}
}

// modelSets reads the sets that places may choose.
func (w *walker) modelSets(n *yaml.Node) {
	const key = modelsKey + ".sets"
	r := &entryReader{walker: w, at: w.at(n), key: key}
	sets := r.group(key, n, nil)
	if len(sets) > maxSets {
		w.fault(key, w.at(n), "has more than 50 sets", "keep those that places choose")
		return
	}
	var known []string
	for _, role := range ModelRoles() {
		if role.Chats() {
			known = append(known, string(role))
		}
	}
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		at := key + "." + quoteKey(set)
		if wrong, fix := name(set); wrong != "" {
			w.fault(at, w.at(sets[set]), "is no name of a set", fix)
			continue
		}
		roles := (&entryReader{walker: w, at: w.at(sets[set]), key: at}).group(at, sets[set], known)
		if len(roles) == 0 && len(sets[set].Content) == 0 && sets[set].Kind == yaml.MappingNode {
			w.fault(at, w.at(sets[set]), "has no role", "give it at least one of "+strings.Join(known, ", "))
		}
		for _, role := range ModelRoles() {
			if roles[string(role)] != nil {
				w.role(set, role, at, roles[string(role)])
			}
		}
	}
}

// role reads one role.
func (w *walker) role(set string, role ModelRole, under string, n *yaml.Node) {
	d := draft{set: set, role: role, key: under + "." + string(role), at: map[string]string{"": w.at(n)}}
	r := &roleReader{entryReader: &entryReader{walker: w, at: w.at(n), key: d.key}, draft: &d}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return // a heading with everything under it commented out
	}
	keys := roleKeys
	if role == RoleEmbedding {
		keys = embeddingKeys
	}
	fields := r.group(d.key, n, keys)
	r.value(fields, "endpoint", webURL, &d.model.BaseURL)
	d.model.BaseURL = strings.TrimRight(d.model.BaseURL, "/")
	r.value(fields, "name", oneWord, &d.model.Name)
	r.value(fields, "api_type", oneOf("openai", "azure"), apiType{&d.model.Azure})
	r.value(fields, "api_version", apiVersion, &d.model.APIVersion)
	r.value(fields, "query_prefix", nil, &d.model.Embedding.QueryPrefix)
	r.value(fields, "passage_prefix", nil, &d.model.Embedding.PassagePrefix)
	r.secret(fields)
	r.fallbacks(fields)
	r.limits(fields["limits"])
	r.priced(fields["price"])
	w.drafts = append(w.drafts, d)
}

// roleReader reads the members of a role into its draft. A member that is a setting, too, goes
// the way of settings, so that flags and the environment win over it.
type roleReader struct {
	*entryReader

	draft *draft
}

// value reads one member. key may be of a group within: "limits.output".
func (r *roleReader) value(fields map[string]*yaml.Node, key string, check rule, into any) {
	_, last, within := cutLast(key, ".")
	if !within {
		last = key
	}
	n := fields[last]
	if n == nil {
		return
	}
	at, text, bad := r.walker.at(n), "", len(r.faults)
	inner := *r.entryReader
	inner.key = strings.TrimSuffix(r.draft.key+"."+key, "."+last)
	inner.text(fields, last, check, &text)
	if len(r.faults) > bad {
		return
	}
	if strings.HasSuffix(key, "_prefix") { // its last blank is part of it
		text = n.Value
	}
	if expected := assign(into, text); expected != "" {
		r.fault(r.draft.key+"."+key, at, "is "+quote(text), "use "+expected)
		return
	}
	r.keep(key, text, at)
}

// keep notes that the draft has a member, and hands it on where it is a setting.
func (r *roleReader) keep(member, text, at string) {
	r.draft.at[member] = at
	if variable := roleVariables[r.draft.role][member]; variable != "" && r.draft.set == "" {
		if _, twice := r.found[variable]; twice {
			r.fault(r.draft.key+"."+member, at, "is given as "+keyOf(variable)+", too", "give it once")
			return
		}
		r.found[variable] = raw{text, at}
	}
}

// keyOf returns the key in the file of a variable.
func keyOf(variable string) string {
	for _, s := range all() {
		if s.Var == variable {
			return s.Key
		}
	}
	return variable
}

// secret reads the key, from the file itself, another file or a variable.
func (r *roleReader) secret(fields map[string]*yaml.Node) {
	var given []string
	for _, k := range []string{"key", "key_file", "key_env"} {
		if fields[k] != nil {
			given = append(given, k)
		}
	}
	if len(given) > 1 {
		r.fault(r.key+"."+given[1], r.walker.at(fields[given[1]]), "is given together with "+given[0], "give one of them")
		return
	}
	if len(given) == 0 {
		return
	}
	source, at := given[0], r.walker.at(fields[given[0]])
	shapes := map[string]rule{"key": oneWord, "key_file": path, "key_env": variableName}
	var text string
	bad := len(r.faults)
	if r.text(fields, source, shapes[source], &text); len(r.faults) > bad {
		return
	}
	switch source {
	case "key_file":
		held, ok := r.heldBy(r.key+".key_file", raw{text, at})
		if !ok {
			return
		}
		text = strings.TrimSpace(held.value)
	case "key_env":
		r.named = append(r.named, text)
		variable := text
		if text = strings.TrimSpace(environment(r.src.Environ)[variable].value); text == "" {
			r.fault(r.key+".key_env", at, "names "+variable+", which is not set", "set this variable to the key")
			return
		}
	}
	if wrong, fix := oneWord(text); wrong != "" {
		r.fault(r.key+"."+source, at, wrong, fix)
		return
	}
	r.draft.model.APIKey = Secret(text)
	r.keep("key", text, at)
}

// variableName returns the rule of a name of a variable. A key in its place is not repeated.
func variableName(v string) (wrong, fix string) {
	if !envName.MatchString(v) || secretLike.MatchString(v) && strings.ToUpper(v) != v {
		return "is no name of a variable", "name the environment variable that holds the key"
	}
	return "", ""
}

func (r *roleReader) fallbacks(fields map[string]*yaml.Node) {
	n := fields["fallbacks"]
	if n == nil {
		return
	}
	bad := len(r.faults)
	names := r.list(fields, "fallbacks")
	for _, one := range names {
		if wrong, _ := oneWord(one); wrong != "" || one == "" || strings.Contains(one, ",") {
			r.fault(r.key+".fallbacks", r.walker.at(n), "has an entry that is no name of a model", "write [one, two]")
			return
		}
	}
	if len(r.faults) > bad {
		return
	}
	r.draft.model.Fallbacks = names
	r.keep("fallbacks", strings.Join(names, ","), r.walker.at(n))
}

func (r *roleReader) limits(n *yaml.Node) {
	if n == nil {
		return
	}
	m := &r.draft.model
	keys := limitKeys
	if !r.draft.role.Chats() {
		keys = timeKeys
	}
	fields := r.group(r.key+".limits", n, keys)
	r.value(fields, "limits.context", between(512, 10_000_000), &m.Context)
	r.value(fields, "limits.output", between(0, 1_000_000), &m.MaxTokens)
	r.value(fields, "limits.in_flight", between(1, 1000), &m.InFlight)
	r.value(fields, "limits.timeout", lasting("1s", "1h"), &m.Timeout)
}

func (r *roleReader) priced(n *yaml.Node) {
	if n == nil {
		return
	}
	key, bad := r.key+".price", len(r.faults)
	fields := r.group(key, n, priceKeys)
	var p Price
	p.Cached = -1
	r.value(fields, "price.input", ranging(0, 1e6), &p.Input)
	r.value(fields, "price.output", ranging(0, 1e6), &p.Output)
	r.value(fields, "price.cached", ranging(0, 1e6), &p.Cached)
	if len(r.faults) > bad {
		return
	}
	if fields["input"] == nil || fields["output"] == nil {
		r.fault(key, r.walker.at(n), "has not both input and output", "write {input: 0.4, output: 1.6}, for a million tokens each")
		return
	}
	if p.Cached < 0 { // no discount is known
		p.Cached = p.Input
	}
	r.draft.price = &p
	r.draft.at["price"] = r.walker.at(n)
}
