package workflow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
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

	mistyped bool // an expression's types: an error for whoever writes the definition, none that keeps it from running
}

// String returns "place, line 3, column 7: what is wrong (what to do)".
func (p Problem) String() string {
	place := p.Pointer
	if place == "" {
		place = "/"
	}
	if p.Line > 0 {
		place += fmt.Sprintf(", line %d, column %d", p.Line, p.Column)
	}
	s := place + ": "
	if p.Warning {
		s += "warning: "
	}
	s += p.Message
	if p.Hint != "" {
		s += " (" + p.Hint + ")"
	}
	return s
}

// ConfigError is a fault in a node's config that only its type can see. Several
// are joined by errors.Join.
type ConfigError struct {
	Pointer string // JSON pointer below the config, such as /set/answer
	Err     error
	Hint    string // what to do; "" for the type's documentation
}

// Error implements error.
func (e *ConfigError) Error() string { return e.Pointer + ": " + e.Err.Error() }

// Unwrap implements the contract of errors.Is and errors.As.
func (e *ConfigError) Unwrap() error { return e.Err }

// bound adds the faults that a type found in the config at a place.
func (p *Problems) bound(at, hint string, err error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // of errors.Join, not what it wraps
		for _, one := range several.Unwrap() {
			p.bound(at, hint, one)
		}
		return
	}
	var ce *ConfigError
	if !errors.As(err, &ce) {
		p.add(StageBind, at, hint, "%v", err)
		return
	}
	if ce.Hint != "" {
		hint = ce.Hint
	}
	p.add(StageBind, at+ce.Pointer, hint, "%v", ce.Err)
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

// Stored returns the problems as they are for a definition that is stored or configured already: wrong types of expressions are
// warnings. Such a definition ran before types were checked, often on its else branch, and so do the runs that wait in it.
func (p Problems) Stored() Problems {
	out := slices.Clone(p)
	for i := range out {
		out[i].Warning = out[i].Warning || out[i].mistyped
	}
	return out
}

// Err returns the problems as an error, nil if there are only warnings.
func (p Problems) Err() error { return p.err() }

func (p *Problems) add(stage Stage, pointer, hint, format string, args ...any) {
	*p = append(*p, Problem{Pointer: pointer, Message: fmt.Sprintf(format, args...), Hint: hint, Stage: stage})
}

func (p *Problems) warn(stage Stage, pointer, hint, format string, args ...any) {
	p.add(stage, pointer, hint, format, args...)
	(*p)[len(*p)-1].Warning = true
}

func newReader(b []byte) io.Reader { return bytes.NewReader(b) }

func isEOF(err error) bool { return errors.Is(err, io.EOF) }
