// Package llm holds the words in which agents talk to language models:
// [Model], [Embedder], [Request], [Message], and what every agent needs on top
// of any model: structured output with bounded repairs, retries by error class,
// fallback models and usage accounting.
//
// It knows no vendor: agent/llm/openai speaks to OpenAI-compatible endpoints,
// agent/llm/extractive is the built-in model that needs none, and
// agent/llm/llmtest has scripted models for tests. It imports nothing of ours but phrase/fit
// and agent/limit.
package llm

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// BuiltIn is the name of the built-in model, which needs no network.
const BuiltIn = "maru-extractive"

// Model generates one reply.
//
// Generate calls onDelta (which may be nil) with each piece of the reply's text
// as it arrives, in order, from the calling goroutine or before Generate
// returns. The response carries the whole text. A reply that was cut off
// without a finish reason is an error, never a success; pieces already given
// to onDelta are then void. Errors are *Error where the class is known.
// Generate honours ctx within a second and leaves no goroutine behind.
type Model interface {
	Name() string
	Generate(ctx context.Context, req Request, onDelta func(string)) (Response, error)
}

// Embedder turns texts into vectors of one fixed length.
//
// Name names the vectors: those of two embedders can be compared only if it is the same.
// Embed returns one vector for each text, in order. It batches as the endpoint
// needs; an empty list gives an empty result without a call. Many models embed a question
// in another way than the passages that answer it.
type Embedder interface {
	Name() string
	Embed(ctx context.Context, kind TextKind, texts []string) ([][]float32, error)
}

// TextKind is what an embedded text is.
type TextKind string

// The kinds of embedded texts.
const (
	QuestionText TextKind = "question" // that is searched with
	PassageText  TextKind = "passage"  // that is searched for
)

// Role says who speaks a message.
type Role string

// The roles of the chat protocol.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// SharedFiles begins the note after a person's words, in a line of its own, that names
// the files which came with them; a bracket ends it.
const SharedFiles = "(shared files: "

// Quoted begins the note after a person's words, in a line of its own, of a message of
// somebody else's that they are about. It is the last of the notes.
const Quoted = "(quoted from "

// Unquoted returns what a person said themselves, without the messages that it is about.
func Unquoted(said string) string {
	own, _, _ := strings.Cut("\n"+said, "\n"+Quoted)
	return strings.TrimSpace(own)
}

// OlderPart begins a person's message that nobody wrote: the transcript of what leaves the
// window, with which a router is asked for a summary as well.
const OlderPart = "The older part of this conversation, which is to be summarised and not answered:\n\n"

// Message is one message of a prompt or a reply.
type Message struct {
	Role       Role
	Content    string
	Author     string     // the name of who wrote a person's message; "" if it does not matter
	Day        string     // on which it was written, as 2006-01-02 on its writer's calendar; "" if it does not matter
	Name       string     // of the tool, for role tool
	ToolCalls  []ToolCall // of an assistant's message
	ToolCallID string     // which call a tool's message answers
	Pictures   []Picture  `json:",omitempty"` // that a person showed with it

	// Origin names the endpoint and model that wrote the message and want the Extra members of it
	// and of its calls back, such as a signature of thoughts; no other is sent them. "" if there
	// are none.
	Origin string          `json:",omitempty"`
	Extra  json.RawMessage `json:",omitempty"` // a JSON object
}

// ForPerson begins the last line of a tool's message about a failure: what the person
// would be told of it, in their language.
const ForPerson = "For the person: "

// ToolCall is a model's wish to call a tool.
type ToolCall struct {
	ID        string // as the service gave it, which some demand back; not empty, and unique within its reply alone
	Name      string
	Arguments json.RawMessage // always JSON, not yet validated; text that is no JSON comes as a JSON string
	Extra     json.RawMessage `json:",omitempty"` // as a [Message] has it, of its Origin
}

// Tool describes a tool to a model.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of an object
	Rank        int             `json:"-"` // 0 is the likeliest; the others go first from a prompt that is too long
}

// Schema asks for a reply that is one JSON value of this shape.
type Schema struct {
	Name   string // [a-zA-Z0-9_-]{1,64}
	JSON   json.RawMessage
	Strict bool // ask the endpoint to enforce it where it can
}

// Purpose says what a call is for: it labels traces and metrics, and tells the
// built-in model which of its skills is wanted. Endpoints never see it.
type Purpose string

// The purposes that the agents share.
const (
	ForRoute     Purpose = "route"
	ForAnswer    Purpose = "answer"
	ForSummary   Purpose = "summary"
	ForDigest    Purpose = "digest" // of people's messages
	ForRepair    Purpose = "repair"
	ForRewrite   Purpose = "rewrite"
	ForPlan      Purpose = "plan"
	ForReview    Purpose = "review"
	ForExtract   Purpose = "extract"
	ForTitle     Purpose = "title"
	ForRerank    Purpose = "rerank"    // the order of passages
	ForLearn     Purpose = "learn"     // what a person said about themselves
	ForEmbedding Purpose = "embedding" // of an [Embedder]
	ForUndefined Purpose = ""
)

// Passage is a retrieved text that a prompt already shows in words. It is
// repeated here as data for the built-in model; endpoints never see it.
type Passage struct {
	N     int // its number in the prompt, 1-based
	Title string
	Text  string
	// Document tells passages of documents with the same title apart; "" if unknown.
	Document string  `json:"-"`
	Ordinal  int     `json:"-"` // its position in the document, 0-based
	Score    float64 // how sure the index is that it is about the question, from 0 to 1; 0 if unknown
	Named    bool    // it is of an article that the question names

	Words [][]string // words that mean the same to those whose documents these are
}

// Request is one call.
type Request struct {
	Model       string // "" for the model's own default
	Purpose     Purpose
	Repairs     Purpose `json:"-"` // what a call ForRepair repairs a reply to
	Messages    []Message
	Tools       []Tool
	ToolChoice  string   // "", "auto", "none", "required" or a tool's name
	Schema      *Schema  // nil for free text
	Temperature *float64 // nil for the endpoint's default
	MaxTokens   int      // of the reply, 0 for the endpoint's default
	Passages    []Passage
	Later       bool          // nobody waits for the reply: it may come after all others
	First       time.Duration // until the reply begins, if that is longer than the endpoint's own time
	Account     *Account      `json:"-"` // of the run that makes the call; nil: no bound, and nobody is told
}

// Response is a finished reply.
type Response struct {
	Message Message
	Model   string // which model answered
	Finish  string // "stop", "tool_calls" or "length"; a reply ended by a filter is an error
	Usage   Usage
	Saw     bool // the model was sent the pictures of the request
}

// Usage counts the tokens of one or more calls.
type Usage struct {
	Input     int
	Output    int
	Cached    int
	Estimated bool // the endpoint did not count; these are guesses
}
