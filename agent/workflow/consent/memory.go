package consent

import (
	"encoding/json"
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
	maxMemory     = 80 // characters of a memory
	shortValue    = 80 // characters of a value that can be one memory as a whole
)

// RememberedOf returns the contents of a recollection that may give calls their values.
func RememberedOf(r longterm.Recollection) []Remembered {
	var out []Remembered
	for _, m := range r.Mementos {
		out = append(out, Remembered{Text: m.Text, At: m.Since})
	}
	return out
}

// Sought returns the query of a call that searched long-term memory; ok is false for other calls. What it found may
// have given later calls their values.
func (c Call) Sought() (query string, ok bool) {
	var q struct {
		Query string `json:"query"`
	}
	return q.Query, c.Tool == readMemory && json.Unmarshal(c.Arguments, &q) == nil && q.Query != ""
}

// readMemory is the name of the tool with which models ask memory.
const readMemory = "read_memory"

// Marks tells people which values of the call they did not give in this conversation: those in something remembered, and
// those that nobody gave, see [node.MadeUp].
func (c Call) Marks(x *workflow.Exec, list []Remembered, read flow.Context) []string {
	here := strings.Join(read.Said, "\n")
	var out []string
	var rest []flow.Value
	for _, v := range flow.Values(c.Arguments) {
		i := slices.IndexFunc(list, func(r Remembered) bool { return r.gave(v.Text, here) })
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
		out = append(out, x.Phrase(from, fit.Quoted(v.Path, maxMemory), day, fit.Quoted(list[i].Text, maxMemory)))
	}
	if spec, ok := x.Tool(c.Tool); ok {
		out = append(out, node.MadeUp(x, spec, rest, read)...)
	}
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

// CallRemembered returns an earlier call of the tool.
func CallRemembered(arguments json.RawMessage) Remembered {
	return Remembered{Text: node.Legible(arguments), From: FromCall}
}
