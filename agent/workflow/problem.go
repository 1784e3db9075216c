package workflow

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"maru/phrase"
	"maru/phrase/fit"
)

// Stage is one of the five steps from a definition to a plan.
type Stage string

// The stages, in their order.
const (
	StageValidate Stage = "validate" // the text and its shape
	StageResolve  Stage = "resolve"  // node types in the registry
	StageBind     Stage = "bind"     // each node to its config
	StageWire     Stage = "wire"     // edges to routes
	StageCompile  Stage = "compile"  // to an indexed plan
)

// Problem is one thing that is wrong with a definition.
type Problem struct {
	Pointer string `json:"pointer"`          // JSON pointer (RFC 6901) of the place, "" for the whole
	Line    int    `json:"line,omitempty"`   // of the place in the text, from 1; 0 where no text is known
	Column  int    `json:"column,omitempty"` // in letters, from 1
	Message string `json:"message"`          // what is wrong
	Hint    string `json:"hint,omitempty"`
	Stage   Stage  `json:"stage,omitempty"`   // which of the five found it
	Warning bool   `json:"warning,omitempty"` // the definition still runs

	mistyped bool   // an expression's types: an error for whoever writes the definition, none that keeps it from running
	node     string // id of the node that has the place, "" for none
	told     *told  // Message and Hint, which are in English; nil: they have no other language
}

// told is what is wrong and what to do, for people.
type told struct{ says, does phrase.Sentence }

// problem returns a problem at a place.
func problem(pointer string, does, says phrase.Sentence) Problem {
	return Problem{Pointer: pointer, Message: says.String(), Hint: does.String(), told: &told{says: says, does: does}}
}

// String is [Problem.In] English.
func (p Problem) String() string { return p.In(phrase.Fallback) }

// Said returns what is wrong and what to do, in a language.
func (p Problem) Said(language string) (message, hint string) {
	if p.told == nil {
		return p.Message, p.Hint
	}
	return p.told.says.In(language), p.told.does.In(language)
}

// Where returns the place with the node that has it, in a language.
func (p Problem) Where(language string) string {
	if p.node == "" {
		return cmp.Or(p.Pointer, "/")
	}
	return phrase.Say(language, "definition.node", fit.Quoted(p.node, 80), p.Pointer)
}

// In returns "place, line 3, column 7: what is wrong (what to do)" in a language.
func (p Problem) In(language string) string {
	message, hint := p.Said(language)
	place := p.Where(language)
	if p.Line > 0 {
		place += phrase.Say(language, "definition.at", p.Line, p.Column)
	}
	if p.Warning {
		message = phrase.Say(language, "definition.warning", message)
	}
	if hint != "" {
		message += " (" + hint + ")"
	}
	return place + ": " + message
}

// ConfigError is a fault in a node's config that only its type can see. Several
// are joined by errors.Join.
type ConfigError struct {
	Pointer string          // JSON pointer below the config, such as /set/answer
	Err     error           // with a method Said() [phrase.Sentence] people read it in their language
	Hint    phrase.Sentence // what to do; empty for the type's documentation
}

// Error implements error.
func (e *ConfigError) Error() string { return e.Pointer + ": " + e.Err.Error() }

// Unwrap implements the contract of errors.Is and errors.As.
func (e *ConfigError) Unwrap() error { return e.Err }

// bound adds the faults that a type found in the config at a place.
func (p *Problems) bound(at string, hint phrase.Sentence, err error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // of errors.Join, not what it wraps
		for _, one := range several.Unwrap() {
			p.bound(at, hint, one)
		}
		return
	}
	var ce *ConfigError
	if errors.As(err, &ce) {
		at, err = at+ce.Pointer, ce.Err
		if !ce.Hint.Empty() {
			hint = ce.Hint
		}
	}
	says := phrase.Raw(err.Error())
	if e, ok := err.(interface{ Said() phrase.Sentence }); ok { //nolint:errorlint // what it wraps lacks the rest
		says = e.Said()
	}
	p.say(StageBind, at, hint, says)
}

// Problems are all the problems found at once.
type Problems []Problem

// Error implements error with one line a problem.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
	}
	return "workflow: " + strings.Join(lines, "\n")
}

// err returns the problems as an error if one of them is more than a warning.
func (p Problems) err() error {
	for _, one := range p {
		if !one.Warning {
			return p
		}
	}
	return nil
}

// Stored returns the problems for a definition that is already stored or configured: wrong types of expressions are
// warnings. Such a definition ran before types were checked, often on its else branch, and so do the runs that wait in
// it.
func (p Problems) Stored() Problems {
	out := slices.Clone(p)
	for i := range out {
		out[i].Warning = out[i].Warning || out[i].mistyped
	}
	return out
}

// Err returns the problems as an error, nil if there are only warnings.
func (p Problems) Err() error { return p.err() }

func (p *Problems) say(stage Stage, pointer string, hint, says phrase.Sentence) {
	one := problem(pointer, hint, says)
	one.Stage = stage
	*p = append(*p, one)
}

func (p *Problems) add(stage Stage, pointer string, hint phrase.Sentence, key string, args ...any) {
	p.say(stage, pointer, hint, phrase.Of(key, args...))
}

// Warn adds a warning with what to do; key and args are those of its sentence.
func (p *Problems) Warn(stage Stage, pointer string, hint phrase.Sentence, key string, args ...any) {
	p.add(stage, pointer, hint, key, args...)
	(*p)[len(*p)-1].Warning = true
}

// meant names what a mistyped name may have been.
func meant(near []string) phrase.Sentence {
	return phrase.Of("definition.did_you_mean", strings.Join(near, ", "))
}
