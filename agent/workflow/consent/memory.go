package consent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"maru/agent/flow"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/memory/longterm"
	"maru/phrase/fit"
)

// Remembered is something from before this conversation that may have given a call its values.
type Remembered struct {
	Text string    `json:"text"`
	At   time.Time `json:"at,omitzero"`    // when it was learned
	From Origin    `json:"from,omitempty"` // "" means what is known of the person
}

// Origin is the kind of something remembered.
type Origin string

// The origins.
const (
	FromAnswer Origin = "answer" // their answer to a question of an earlier task
	FromCall   Origin = "call"   // the values of an earlier call of the tool
)

// Bounds of the notes on a card.
const (
	maxRemembered = 5  // values
	maxMadeUp     = 8  // values
	maxMemory     = 80 // characters of a memory
	shortValue    = 80 // characters of a value that can be one memory as a whole
)

// RememberedOf returns what a recollection may give calls.
func RememberedOf(r longterm.Recollection) []Remembered {
	var out []Remembered
	for _, m := range r.Mementos {
		out = append(out, Remembered{Text: m.Text, At: m.Since})
	}
	return out
}

// Sought returns what a call asked long-term memory for; ok is false for calls of other tools. What memory told it may have
// given later calls their values.
func (c Call) Sought() (query string, ok bool) {
	var q struct {
		Query string `json:"query"`
	}
	return q.Query, c.Tool == readMemory && json.Unmarshal(c.Arguments, &q) == nil && q.Query != ""
}

// readMemory is the name of the tool with which models ask memory.
const readMemory = "read_memory"

// Marks tells people which values of the call they did not give in this conversation: those in something remembered, and
// those that nobody gave, see [Call.madeUp].
func (c Call) Marks(x *workflow.Exec, list []Remembered, read flow.Context) []string {
	here := strings.Join(read.Said, "\n")
	var out []string
	var rest []leaf
	for _, v := range leaves("", exact(c.Arguments)) {
		i := slices.IndexFunc(list, func(r Remembered) bool { return r.gave(v.text, here) })
		if i < 0 {
			rest = append(rest, v)
		}
		if i < 0 || len(out) == maxRemembered {
			continue
		}
		from, day := "agent.from_memory", x.Phrase("agent.earlier")
		switch list[i].From {
		case FromAnswer:
			from = "agent.from_answer"
		case FromCall:
			from = "agent.from_call"
		}
		if at := list[i].At; !at.IsZero() {
			day = x.Request.User.Clock(at).Format(time.DateOnly)
		}
		out = append(out, x.Phrase(from, fit.Quoted(v.path, maxMemory), day, fit.Quoted(list[i].Text, maxMemory)))
	}
	return append(out, c.madeUp(x, rest, read)...)
}

// madeUp names the values of a call that writes or sends which neither a person nor anything that the run has read gave: the
// model made them up. Choices and defaults of the tool are its own. What a picture shows cannot be compared.
func (c Call) madeUp(x *workflow.Exec, values []leaf, read flow.Context) []string {
	spec, ok := x.Tool(c.Tool)
	if class := flow.ClassOf(spec.Policy); !ok || class != flow.Writes && class != flow.Sends || len(x.Request.Pictures) > 0 {
		return nil
	}
	r := x.Request
	read.Read = append([]string{r.User.Name, r.User.ID, r.Thread}, read.Read...)
	given, own := read.Given(r.User.Clock(r.Now)), fixed(spec.Parameters)
	var names []string
	for _, v := range values {
		has := given.Has
		if v.wording() {
			has = given.HasFacts
		}
		if !own[v.text] && !has(v.text) {
			names = append(names, "`"+fit.Quoted(v.path, maxMemory)+"` “"+fit.Literal(fit.Quoted(v.text, maxMemory))+"”")
		}
	}
	if len(names) == 0 {
		return nil
	}
	more := ""
	if n := len(names) - maxMadeUp; n > 0 {
		names, more = names[:maxMadeUp], fmt.Sprintf(" … +%d", n)
	}
	return []string{x.Phrase("agent.made_up", strings.Join(names, ", ")+more)}
}

// fixed returns the values that a schema of parameters names itself: choices, constants and defaults.
func fixed(schema json.RawMessage) map[string]bool {
	out := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for _, name := range []string{"enum", "const", "default"} {
				for _, l := range leaves("", v[name]) {
					out[l.text] = true
				}
			}
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(any(exact(schema)))
	return out
}

// gave reports whether a value stems from it: the value is part of it, or has a name, number or address of it.
func (r Remembered) gave(value, said string) bool {
	if utf8.RuneCountInString(value) <= shortValue && flow.Stands(r.Text, value) && !flow.Stands(said, value) {
		return true
	}
	return slices.ContainsFunc(strings.Fields(r.Text), func(word string) bool {
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		return utf8.RuneCountInString(word) >= 4 && strings.ContainsAny(word, "0123456789@") && flow.Stands(value, word) && !flow.Stands(said, word)
	})
}

// leaf is a value of a call, as text, with its place.
type leaf struct{ path, text string }

// wording reports whether the value is a text for people, which the model is free to word.
func (l leaf) wording() bool {
	name := l.path[strings.LastIndexByte(l.path, '.')+1:]
	return slices.Contains(wordings, strings.ToLower(strings.TrimRight(name, " 0123456789")))
}

// wordings are the names that tools give to texts for people.
var wordings = []string{
	"title", "subject", "summary", "headline", "caption", "heading", "message", "text", "body", "content", "description", "comment", "note", "notes", "memo", "details",
	"reason", "agenda", "topic", "purpose",
}

// leaves lists texts and numbers, by their names.
func leaves(path string, v any) (out []leaf) {
	switch v := v.(type) {
	case string:
		return []leaf{{path, v}}
	case json.Number:
		return []leaf{{path, v.String()}}
	case []any:
		for i, one := range v {
			out = append(out, leaves(fmt.Sprintf("%s %d", path, i+1), one)...)
		}
	case map[string]any:
		for name, one := range v {
			out = append(out, leaves(strings.TrimPrefix(path+"."+name, "."), one)...)
		}
		slices.SortStableFunc(out, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	}
	return out
}

// CallRemembered is an earlier call of the tool.
func CallRemembered(arguments json.RawMessage) Remembered {
	return Remembered{Text: node.Legible(arguments), From: FromCall}
}
