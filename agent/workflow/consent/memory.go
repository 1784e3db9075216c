package consent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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

// RememberedOf returns what a recollection may give calls.
func RememberedOf(r longterm.Recollection) []Remembered {
	var out []Remembered
	for _, m := range r.Mementos {
		out = append(out, Remembered{Text: m.Text, At: m.Since})
	}
	return out
}

// Marks tells people which values of the call stem from before this conversation: those in something remembered which
// the person did not say here.
func (c Call) Marks(x *workflow.Exec, list []Remembered, said []string) []string {
	here := strings.Join(said, "\n")
	var out []string
	for _, v := range leaves("", exact(c.Arguments)) {
		i := slices.IndexFunc(list, func(r Remembered) bool { return r.gave(v.text, here) })
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
	return out
}

// gave reports whether a value stems from it: the value is part of it, or has a name, number or address of it.
func (r Remembered) gave(value, said string) bool {
	if utf8.RuneCountInString(value) <= shortValue && stands(r.Text, value) && !stands(said, value) {
		return true
	}
	return slices.ContainsFunc(strings.Fields(r.Text), func(word string) bool {
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		return utf8.RuneCountInString(word) >= 4 && strings.ContainsAny(word, "0123456789@") && stands(value, word) && !stands(said, word)
	})
}

// stands reports whether a value stands in a text as a word of its own. A particle may follow Korean.
func stands(text, value string) bool {
	text, value = strings.ToLower(fit.OneLine(text)), strings.ToLower(fit.OneLine(value))
	if utf8.RuneCountInString(value) < 2 {
		return false
	}
	word := func(r rune) bool { return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	first, _ := utf8.DecodeRuneInString(value)
	last, _ := utf8.DecodeLastRuneInString(value)
	for from := 0; ; {
		i := strings.Index(text[from:], value)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(value)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (begin == 0 || !word(first) || !word(before)) && (end == len(text) || !word(last) || !word(after)) {
			return true
		}
		from = begin + len(value)
	}
}

// leaf is a value of a call, as text, with its place.
type leaf struct{ path, text string }

// leaves lists texts and numbers, by their names.
func leaves(path string, v any) (out []leaf) {
	switch v := v.(type) {
	case string:
		return []leaf{{path, v}}
	case json.Number:
		return []leaf{{path, v.String()}}
	case []any:
		for i, one := range v {
			out = append(out, leaves(fmt.Sprintf("%s[%d]", path, i), one)...)
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
