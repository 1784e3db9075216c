package workflow

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"maru/agent/graph"
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

	Owner    string    `json:"owner,omitempty"`    // who besides admins may enable the triggers: "slack/T0123/U0123"
	Triggers []Trigger `json:"triggers,omitempty"` // when it runs by itself, where it is enabled
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
// not name it, or calls it "default".
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
	maxNodes = 1000
	maxDepth = 32 // of nested JSON values
)

// Parse reads a definition strictly: member names are compared by case, none
// may be unknown or occur twice, and size and depth are bounded. The error is
// Problems, all of them at once, with their places; what could be read comes
// with it.
func Parse(text []byte) (Definition, error) {
	s := readSource(bytes.TrimPrefix(text, []byte("\ufeff"))) // some editors put it there
	return s.d, s.found.err()
}

// CheckFile is [Check] for the text of a file: it returns every problem of the
// text and of what could be read of it, each with its line and column, in the order
// of the text.
func CheckFile(name string, text []byte, r *Registry, schema *graph.Schema, find Find) Problems {
	s := readFile(name, text)
	if s.root == nil {
		return s.found
	}
	found := s.place(append(s.follow(Check(s.d, r, schema, find)), s.found...))
	slices.SortStableFunc(found, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	return found
}

// readFile reads the text of a file. The seeds' definitions have nodes and edges alone: the file's name
// stands for an absent id, the id for an absent name, and an absent version is the first.
func readFile(name string, text []byte) *source {
	s := readSource(bytes.TrimPrefix(text, []byte("\ufeff"))) // some editors put it there
	if s.root == nil || s.root.kind != '{' {
		return s
	}
	for _, m := range []struct {
		name, absent string
		to           *string
	}{{"id", strings.TrimSuffix(filepath.Base(name), ".json"), &s.d.ID}, {"name", s.d.ID, &s.d.Name}, {"version", "1", &s.d.Version}} {
		if s.root.step(m.name) == nil && !slices.Contains(s.unread, "/"+m.name) {
			*m.to = cmp.Or(m.absent, s.d.ID)
		}
	}
	return s
}

// Place gives the problems of a definition their lines and columns in its text.
func (p Problems) Place(text []byte) Problems {
	return readSource(bytes.TrimPrefix(text, []byte("\ufeff"))).place(slices.Clone(p))
}

func (s *source) place(out Problems) Problems {
	for i := range out {
		if out[i].Line == 0 {
			out[i].Line, out[i].Column = s.locate(out[i].Pointer)
		}
		if i < maxFaults {
			out[i].node = s.nodeAt(out[i].Pointer)
		}
	}
	return out
}

// follow leaves out what follows from values that could not be read.
func (s *source) follow(list Problems) Problems {
	return slices.DeleteFunc(list, func(p Problem) bool {
		return slices.ContainsFunc(s.unread, func(at string) bool {
			whole := at == "" || at == "/nodes" || at == "/edges" // one means nothing without the other
			return p.Pointer == at || strings.HasPrefix(p.Pointer, at+"/") || (whole && !slices.Contains([]string{"/id", "/name", "/version"}, p.Pointer))
		})
	})
}
