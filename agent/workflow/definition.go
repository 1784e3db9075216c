package workflow

import (
	"encoding/json"
	"errors"
	"fmt"

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
	Position *Position       `json:"position,omitempty"`
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
		return Definition{}, Problems{{Message: fmt.Sprintf("is %d bytes long, at most %d are allowed", len(text), MaxSize)}}
	}
	if p := checkDepth(text); p != nil {
		return Definition{}, Problems{*p}
	}
	var d Definition
	if err := jsonv2.Unmarshal(text, &d, jsonv2.RejectUnknownMembers(true)); err != nil {
		return Definition{}, Problems{decodeProblem(err)}
	}
	if len(d.Nodes) > MaxNodes {
		return Definition{}, Problems{{Pointer: "/nodes", Message: fmt.Sprintf("has %d nodes, at most %d are allowed", len(d.Nodes), MaxNodes)}}
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
			return &Problem{Pointer: string(dec.StackPointer()), Message: fmt.Sprintf("is nested deeper than %d levels", MaxDepth)}
		}
		if kind == 0 {
			_, err := dec.ReadToken()
			if err == nil || isEOF(err) {
				return nil
			}
			p := decodeProblem(err)
			return &p
		}
		if _, err := dec.ReadToken(); err != nil {
			p := decodeProblem(err)
			return &p
		}
	}
}

// decodeProblem says where a text is not what it should be.
func decodeProblem(err error) Problem {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return Problem{
			Pointer: string(syntactic.JSONPointer),
			Message: fmt.Sprintf("is not valid JSON at byte %d: %v", syntactic.ByteOffset, syntactic.Err),
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
		return Problem{Pointer: string(semantic.JSONPointer), Message: msg}
	}
	return Problem{Message: err.Error()}
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
