package workflow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Node types that every definition has: where a run begins and where it ends.
// They do nothing.
const (
	TypeStart = "start"
	TypeEnd   = "end"
)

// Definition is an agent as data.
type Definition struct {
	Schema        string `json:"$schema,omitempty"` // for editors
	ID            string `json:"id"`
	Name          string `json:"name"`
	Description   string `json:"description,omitempty"`
	Version       string `json:"version"`
	MaxIterations int    `json:"max_iterations,omitempty"` // super-steps of a turn; 0 means 50
	Nodes         []Node `json:"nodes"`
	Edges         []Edge `json:"edges"`
}

// Node is one node of a definition.
type Node struct {
	ID       string          `json:"id"`
	Type     string          `json:"node_type"`
	Label    string          `json:"label,omitempty"`
	Config   json.RawMessage `json:"config,omitempty"`
	Policy   *Policy         `json:"policy,omitempty"`
	Position *Position       `json:"position,omitempty"`
}

// Policy bounds the runs of one node, whatever its type.
type Policy struct {
	Timeout string `json:"timeout,omitempty"` // of one attempt, such as "30s"
	Retry   *Retry `json:"retry,omitempty"`
}

// Retry says how often a node that failed runs again.
type Retry struct {
	Attempts int    `json:"attempts"`           // in all, 1 to 10
	Wait     string `json:"wait,omitempty"`     // before the second, doubled each time; default "1s"
	MaxWait  string `json:"max_wait,omitempty"` // default "30s"
}

// Position is where an editor draws a node; it means nothing to a run.
type Position struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Edge leads from a node's output port to a node. A node with one port needs
// not name it.
type Edge struct {
	Source string `json:"source"`
	Port   string `json:"source_port,omitempty"`
	Target string `json:"target"`
}

// Hash names what the definition says: two definitions with one hash run alike.
// Labels and positions count too, since people see them in traces.
func (d Definition) Hash() string {
	text, err := json.Marshal(d)
	if err != nil { // a config that is no JSON, which Parse does not let through
		text = []byte(err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Bounds of a definition's text.
const (
	MaxSize  = 1 << 20 // bytes
	MaxNodes = 1000
	MaxDepth = 32 // of nested JSON values
)

// Parse reads a definition strictly: member names are compared by case, none
// may be unknown or stand twice, and size and depth are bounded. Errors are
// Problems that name the place by its JSON pointer.
func Parse(text []byte) (Definition, error) {
	if len(text) > MaxSize {
		return Definition{}, Problems{{
			Message: fmt.Sprintf("is longer than %d bytes, which is the most", MaxSize), Stage: StageValidate,
			Hint: "move parts into sub-workflows",
		}}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some editors put it there
	if len(bytes.TrimSpace(text)) == 0 {
		return Definition{}, Problems{{Message: "is empty", Hint: "begin with what `maru workflow show chat` prints", Stage: StageValidate}}
	}
	if p := checkDepth(text); p != nil {
		p.Stage = StageValidate
		return Definition{}, Problems{*p}
	}
	var d Definition
	if err := jsonv2.Unmarshal(text, &d, jsonv2.RejectUnknownMembers(true)); err != nil {
		p := decodeProblem(text, err)
		p.Stage = StageValidate
		return Definition{}, Problems{p}
	}
	if len(d.Nodes) > MaxNodes {
		return Definition{}, Problems{{
			Pointer: "/nodes", Message: fmt.Sprintf("has %d nodes, at most %d are allowed", len(d.Nodes), MaxNodes),
			Hint: "move parts into sub-workflows", Stage: StageValidate,
		}}
	}
	return d, nil
}

// checkDepth reads the tokens once, so that neither depth nor syntax can
// surprise the decoder.
func checkDepth(text []byte) *Problem {
	dec := jsontext.NewDecoder(newReader(text))
	for {
		kind := dec.PeekKind()
		if dec.StackDepth() > MaxDepth {
			return &Problem{Pointer: string(dec.StackPointer()), Message: fmt.Sprintf("is nested deeper than %d levels", MaxDepth), Hint: "flatten it"}
		}
		if kind == 0 {
			_, err := dec.ReadToken()
			if err == nil || isEOF(err) {
				return nil
			}
			p := decodeProblem(text, err)
			return &p
		}
		if _, err := dec.ReadToken(); err != nil {
			p := decodeProblem(text, err)
			return &p
		}
	}
}

// decodeProblem says where a text is not what it should be.
func decodeProblem(text []byte, err error) Problem {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		hint := "check quotes, commas and brackets there"
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			hint = "keep one of the two"
		case strings.Contains(syntactic.Err.Error(), "UTF-8"):
			hint = "save the file as UTF-8"
		}
		line, column := position(text, int(syntactic.ByteOffset))
		return Problem{
			Pointer: string(syntactic.JSONPointer), Hint: hint,
			Message: fmt.Sprintf("is not valid JSON at line %d, column %d: %v", line, column, syntactic.Err),
		}
	}
	var semantic *jsonv2.SemanticError
	if errors.As(err, &semantic) {
		if errors.Is(err, jsonv2.ErrUnknownName) {
			return Problem{
				Pointer: string(semantic.JSONPointer), Message: "is not a member that a definition has",
				Hint: "remove it, or check its spelling and case",
			}
		}
		msg := "has the wrong type"
		if semantic.GoType != nil {
			msg = fmt.Sprintf("has the wrong type: wants %s, has a JSON %v", wanted(semantic), semantic.JSONKind)
		}
		return Problem{Pointer: string(semantic.JSONPointer), Message: msg, Hint: "see `maru workflow schema`"}
	}
	return Problem{Message: err.Error()}
}

// position returns the line and the column of a byte, from 1 and in letters.
func position(text []byte, at int) (line, column int) {
	before := text[:min(at, len(text))]
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

// wanted names a Go type in words of JSON.
func wanted(e *jsonv2.SemanticError) string {
	switch e.GoType.Kind().String() {
	case "string":
		return "a string"
	case "slice":
		return "an array"
	case "struct", "map", "ptr":
		return "an object"
	case "int", "float64":
		return "a number"
	case "bool":
		return "true or false"
	}
	return e.GoType.String()
}
