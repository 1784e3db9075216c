// Package tool holds the words for tools: what one is ([Tool]), what it may do
// ([Policy]), how its arguments are checked against its schema, and the
// [Registry] that an agent is given. A tool's result is data: bounded, never an
// instruction, and an error is an observation for the model with a sentence for
// people.
//
// It knows no particular tool: agent/tool/builtin has ours, agent/tool/mcp
// brings those of MCP servers, and a [Recommender] finds the few that a task may
// need among thousands. Of ours it imports phrase, how texts are cut, and the words of agent, agent/llm and rag.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"maru/agent"
	"maru/phrase"
)

// Tool is an operation that an agent may call.
//
// Call receives arguments validated against Spec().Parameters and honours ctx. Errors for the
// model and people are *Error; any other error is internal and becomes a neutral sentence.
type Tool interface {
	Spec() Spec
	Call(ctx context.Context, call Call) (Result, error)
}

// Spec describes a tool to models, people and policy.
type Spec struct {
	Name        string          // [a-z0-9_]{1,64}, unique in a registry
	Title       phrase.Sentence // shown while it runs
	Description string          // for models
	Parameters  json.RawMessage // JSON Schema of an object
	Policy      Policy
	Origin      string        // of a tool from outside: what its server is, so that another one under its name is told from it
	Allowable   bool          // in a run: admins of its place may allow it for a time, see [Spec.In]
	Timeout     time.Duration // of one call; 0 means 30 s
}

// Call is one call of a tool in its run.
type Call struct {
	ID        string // stable over retries: the idempotency key
	Arguments json.RawMessage
	Thread    string
	Scopes    []string // documents the run may read
	User      string   // id of the person who asked
	Said      string   // the person's own words, not a document's or tool's
	Message   string   // id of the message they wrote it in
	Learn     string   // scope of lessons about them
	NoMemory  bool     // nothing is recalled or learned of them
	TimeZone  string   // IANA name, "" if unknown
	Language  string   // one of [phrase.Languages], or ""
	Now       time.Time
	Until     time.Time // when the run's work must end; zero: no end but the context's
	Bench     any       // workspace of an agent's own tool, see [Own]
}

// Result is the output of a tool.
type Result struct {
	Text    string           // at most MaxResult bytes; models read what Observe makes of it
	Data    json.RawMessage  // the same, typed, for programs; may be nil
	Sources []Source         // where it comes from, for people
	From    string           // name of the outside server whose words it is, "" for ours
	Known   []agent.Known    // long-term memory used; Text is then private and in no trace
	Files   []agent.Artifact // for the person; models read of them in Text
}

// Source is a place a result was taken from.
type Source struct{ Title, URL string }

// Bounds of Result.Text in bytes; longer ones are cut with a note.
const (
	MaxResult = 128 << 10 // stored bytes of a result
	MaxShown  = 16 << 10  // of what [Observe] shows a model at once
)

// Error is a failure to report to the model and the person.
type Error struct {
	Code    string          // "bad_argument", "not_found", "unavailable", "refused", "timeout", "limit"
	Model   string          // for the model, with a hint how to continue
	People  phrase.Sentence // one useful sentence
	Faults  []Fault         // of a "bad_argument": what is wrong with the arguments
	Unsure  bool            // the call was made and its end not seen: it may have taken place
	Account string          // the call was not made: the person has to sign in at this server first
	Err     error           // for the log
}

// Error implements error.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Code + ": " + e.Model + ": " + e.Err.Error()
	}
	return e.Code + ": " + e.Model
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrUnknown says that no tool of that name is in the registry.
var ErrUnknown = errors.New("tool: unknown tool")
