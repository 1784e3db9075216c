package workflow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Problem is one thing that is wrong with a definition.
type Problem struct {
	Pointer string `json:"pointer"` // JSON pointer (RFC 6901) of the place, "" for the whole
	Message string `json:"message"` // what is wrong
	Hint    string `json:"hint,omitempty"`
	Warning bool   `json:"warning,omitempty"` // the definition still runs
}

// String returns "place: what is wrong (what to do)".
func (p Problem) String() string {
	place := p.Pointer
	if place == "" {
		place = "/"
	}
	s := place + ": " + p.Message
	if p.Hint != "" {
		s += " (" + p.Hint + ")"
	}
	return s
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

func (p *Problems) add(pointer, hint, format string, args ...any) {
	*p = append(*p, Problem{Pointer: pointer, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func newReader(b []byte) io.Reader { return bytes.NewReader(b) }

func isEOF(err error) bool { return errors.Is(err, io.EOF) }
