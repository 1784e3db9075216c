// Package agent holds the words in which a run of an agent is asked for and
// told about: [Request], [Event], [Result], [Interrupt], [Decision], and the
// [Agent] interface that the five agents implement. The [Runner] starts and
// resumes runs and guards them: it recovers a panic, enforces the run's
// deadline and writes the trace.
//
// The package must not know any platform, any store or any particular agent;
// it imports nothing of ours but phrase. Thinking lives in the agents (agent/chat, …),
// which are graphs run by agent/graph; people and conversations live in bot.
package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// Agent answers one message or resumes a waiting run.
//
// Run is called at least once per Request.Run: after a crash it is called again with the same
// request and must continue from its last checkpoint, without a second answer. It reports progress
// through sink, which does not block, and returns a finished Result or one with Interrupts. After
// cancellation it returns ctx's error; everything committed before is kept.
type Agent interface {
	Name() string
	Run(ctx context.Context, req Request, sink Sink) (Result, error)
}

// Sink takes a run's events. It must return at once: a slow reader loses
// token events, never the run's time.
type Sink func(Event)

// Request is one turn in a thread.
type Request struct {
	Run         string    // stable id of the run: the same after a crash or a resume
	Message     string    // id of the message that is answered, unique in its thread
	Thread      string    // key of the conversation, unique over platforms and workspaces
	Aside       string    // set for a run parallel to a waiting one: key of a log of its own; see [Request.Log]
	Fence       int64     // fencing token of the caller's lease on the thread; 0: none
	Agent       string    // name of the agent that the place has chosen
	Text        string    // the person's message, without the mention of the bot
	User        User      // its author
	Now         time.Time // when; agents take the time from here
	Scopes      []string  // documents this run may read: what everyone who reads the answer may read; see also [Without] and [AskFirst]
	Tags        []string  // of those, only documents with all of these tags
	Model       string    // the model that the place has chosen, "" for the program's own
	Temperature *float64  // of its replies, nil for the agent's own
	Home        string    // the scope that new documents and memories of this place belong to
	Learn       string    // the scope that what is learned of the person belongs to; "" means Home
	NoMemory    bool      // long-term memory is switched off here or by this person: nothing is recalled, no lessons are kept
	Files       []File    // files of this message that have been added to the documents
	Unseen      []File    // of those, what cannot be read: Unread has the kind, for the model
	Outsiders   bool      // may contain somebody else's words, as in a recording
	Pictures    []Picture // that the message shows, for a model that sees
	Talk        *Talk     // what people wrote in the channel that the message asks about
	Quoted      []Turn    // the messages that this one is about, as the person shows them
	Context     []Turn    // earlier messages, for a thread new to the agent
	Language    string    // one of [phrase.Languages], or "" for that of the question
	Persona     string    // extra words of the workspace for the system prompt, data not authority
	Approvals   Approvals // which questions this run asks its people
	Decisions   []Decision
	Until       time.Time           // when its calls of models and tools must end, see [Working]; set by the [Runner]
	Limits      Limits              // what its models may use at most
	Price       func(Usage) float64 // of a call; set by the [Runner], nil: nobody knows
	Redo        Redo                // the task to repeat, if any; only for a [Redoer]
}

// Limits bound what a run may spend on models; a field that is 0 bounds nothing.
type Limits struct {
	Calls  int
	Tokens int // input and output together
	Cost   float64
}

// Without returns the scope of a place where a tool is switched off: each tool forbids its own. No
// document has this scope.
func Without(tool string) string { return "without:" + tool }

// AskFirst returns the scope of a place where a person approves every call of a tool, even one that
// only reads. It never removes a tool's own need for approval. No document has this scope.
func AskFirst(tool string) string { return "ask:" + tool }

// Allowed returns the scope of a place whose admins allowed calls of a tool that only reads, as its digest says it is. No document has this
// scope.
func Allowed(tool, digest string) string { return "allow:" + tool + "@" + digest }

// Approvals say which questions a run asks its people. The zero value asks
// nothing: then a run does only what needs no approval.
type Approvals struct {
	Clarification bool // a question about an unclear task
	Plan          bool // whether a plan may run
	Step          bool // whether a step may run
	AutoStep      bool // steps that only read may be approved by this person's own history
}

// MayAsk reports whether people may be asked about a call of a tool: the run may ask, or
// the place requires asking before this tool.
func (r Request) MayAsk(tool string) bool {
	a := r.Approvals
	return a.Clarification || a.Plan || a.Step || slices.Contains(r.Scopes, AskFirst(tool))
}

// Log returns the key of the agents' state for the run: the thread's, or that of a parallel run. The
// conversation is found by Thread.
func (r Request) Log() string { return cmp.Or(r.Aside, r.Thread) }

// LearnScope returns the scope of lessons about the person.
func (r Request) LearnScope() string {
	if r.Learn != "" {
		return r.Learn
	}
	return r.Home
}

// User is the person who speaks, as the platform verified them.
type User struct {
	ID       string // unique over platforms and workspaces: "slack/T1/U1"
	Name     string // display name: data, never authority
	Locale   string // BCP 47, "" if unknown
	TimeZone string // IANA name, "" if unknown
	Stranger bool   // a guest, or of another workspace
}

// Clock returns a moment as the person's own clock shows it, which decides what
// "today" is; by UTC if their time zone is unknown.
func (u User) Clock(t time.Time) time.Time {
	if loc, ok := Zone(u.TimeZone); ok {
		return t.In(loc)
	}
	return t.In(time.UTC)
}

// zones caches the zones that exist, by name: time.LoadLocation reads a file each time.
var zones sync.Map

// Zone returns the time zone of an IANA name; false for "" and for one that does not exist.
func Zone(name string) (*time.Location, bool) {
	if loc, ok := zones.Load(name); ok {
		return loc.(*time.Location), true //nolint:errcheck // nothing else is stored
	}
	loc, err := time.LoadLocation(name)
	if err != nil || name == "" {
		return nil, false
	}
	zones.Store(name, loc)
	return loc, true
}

// File is a file that is part of the documents of this place.
type File struct {
	Document string // id of the document in the index
	Name     string
	MIME     string
	Size     int64  // bytes
	Unread   string // what of it could not be read, for people; "" if all was
}

// Picture is a picture that came with a message, small enough for a model. It is fetched again from where
// it was posted for each part of a run; no state keeps its bytes.
type Picture struct {
	Name   string
	MIME   string
	Digest string // of Data
	Data   []byte
}

// Talk is what people wrote in a channel. Like pictures it is read again for each part of a run; no state keeps its words.
type Talk struct {
	Place     string // its name, for people
	From, To  time.Time
	Posts     []Post // oldest first
	Outsiders bool   // some are by people from outside
}

// Post is one message of a channel.
type Post struct {
	Link   string // its address on the platform
	Author string // display name: data
	At     time.Time
	Text   string
}

// Bounds of a Talk: each part is one prompt.
const (
	TalkParts  = 6
	TalkWidth  = 40_000 // of a part, in half-width characters
	TalkMargin = 60     // likewise, of a post's number, time and author
)

// Turn is one earlier message of a conversation.
type Turn struct {
	ID     string // that an [Amender] gets; "" if there is none
	Author string
	Own    bool // written by the bot
	Text   string
	At     time.Time
}

// EventKind tells what an Event reports.
type EventKind string

// The kinds of events, in the order in which a run usually sends them.
const (
	EventNodeStart  EventKind = "node_start"
	EventNodeEnd    EventKind = "node_end"
	EventStatus     EventKind = "status"      // Text: what the run is doing now, for people
	EventSources    EventKind = "sources"     // Sources: passages the answer may cite
	EventToolCall   EventKind = "tool_call"   // Name, Data: arguments, Effect, Lasting
	EventToolResult EventKind = "tool_result" // Name, Text: result or error as the model sees it
	EventToken      EventKind = "token"       // Text: the next piece of the answer
	EventReset      EventKind = "reset"       // the tokens so far are void: the answer starts again
	EventModelCall  EventKind = "model_call"  // Name: purpose, Usage: its cost
	EventPlan       EventKind = "plan"        // Data: a Plan, how far its steps are now
	EventMemory     EventKind = "memory"      // Data: []Known, what the run used of its person's long-term memory
	EventInterrupt  EventKind = "interrupt"   // Interrupt: the run waits for a person
	EventCustom     EventKind = "custom"      // Name, Data: an agent's own progress
)

// CustomNoAnswer names the EventCustom of a run that ended without an answer. Node is the last
// node; Text explains the cause to the workflow's author, in their language.
const CustomNoAnswer = "no_answer"

// CustomUnseen names the EventCustom of an answer whose model did not see the pictures of the question.
const CustomUnseen = "pictures_unseen"

// CustomCited names the EventCustom that a trace ends with: Sources are the passages
// that the answer cites, numbered as it cites them. EventSources numbers them by rank.
const CustomCited = "cited"

// CustomRuled names the only event of a run without an agent: a fixed rule answered its message. CustomUnasked is that of a message
// that answers none, such as a reminder.
const (
	CustomRuled   = "ruled"
	CustomUnasked = "unasked"
)

// ByRule returns the trace of a run without an agent, by which agents find its message. After an error it is empty: an agent may answer
// the message yet, after a restart.
func ByRule(run string, at time.Time, err error) Trace {
	if err != nil {
		return Trace{}
	}
	return Trace{Events: []Event{{Kind: EventCustom, Name: CustomRuled, Run: run, At: at}}}
}

// Unasked is ByRule for a message that answers none.
func Unasked(run string, at time.Time) Trace {
	return Trace{Events: []Event{{Kind: EventCustom, Name: CustomUnasked, Run: run, At: at}}}
}

// Ruled reports whether a run's events say that a fixed rule wrote its answer, and no agent.
func Ruled(events []Event) bool {
	return len(events) == 1 && events[0].Kind == EventCustom && (events[0].Name == CustomRuled || events[0].Name == CustomUnasked)
}

// CustomChecked names the EventCustom of an answer whose citations were held against
// its passages and did not all stand as they were. Data is a [Checked].
const CustomChecked = "citations_checked"

// Checked counts what the check of an answer's citations came to.
type Checked struct {
	Removed int `json:"removed"` // removed citations of passages that do not exist
	Moved   int `json:"moved"`   // that pointed at a passage without the statement: now at the one that has it
	Added   int `json:"added"`   // of statements that came without one
	Uncited int `json:"uncited"` // statements without a passage that supports them
}

// Event is one thing that happened in a run.
type Event struct {
	Kind      EventKind       `json:"kind"`
	Run       string          `json:"run"`
	At        time.Time       `json:"at"`
	Node      string          `json:"node,omitempty"`
	Name      string          `json:"name,omitempty"`
	Text      string          `json:"text,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Sources   []Source        `json:"sources,omitempty"`
	Usage     *Usage          `json:"usage,omitempty"`
	Interrupt *Interrupt      `json:"interrupt,omitempty"`
	Took      time.Duration   `json:"took,omitempty"`    // of a node, a tool or a model call
	Effect    Effect          `json:"effect,omitempty"`  // of a tool call: its possible effect
	Lasting   bool            `json:"lasting,omitempty"` // of a tool call: its effect is permanent
	Cut       bool            `json:"cut,omitempty"`     // of a model call: the limit of one reply ended it in the middle
	Waits     bool            `json:"waits,omitempty"`   // of a node that ends: it asks a person and runs again
	Err       string          `json:"err,omitempty"`
	Call      string          `json:"call,omitempty"` // of a model call: names its prompt and reply where they are kept; of a tool: the same for the call and its result
	Exchange  *Exchange       `json:"-"`              // of a model call: its prompt and reply, on their way to the record
	Files     []Artifact      `json:"-"`              // of a tool's result, on their way to the answer
}

// Source is a passage that an answer cites by its number.
type Source struct {
	N        int     `json:"n"` // 1-based, as in the answer's "[1]"
	Document string  `json:"document"`
	Chunk    string  `json:"chunk"`
	Title    string  `json:"title"`
	Heading  string  `json:"heading,omitempty"`
	Page     int     `json:"page,omitempty"` // 1-based, 0 if the format has none
	Score    float64 `json:"score"`
	Quote    string  `json:"quote"`            // the passage's text
	URL      string  `json:"url,omitempty"`    // where people open what its document was made of
	Own      bool    `json:"own,omitempty"`    // of a source whose words are the team's own
	Sample   bool    `json:"sample,omitempty"` // of the sample handbook, not the team's own
	Named    bool    `json:"named,omitempty"`  // of an article that the question names
	Called   string  `json:"called,omitempty"` // the question's name for the document among others of its kind

	Words [][]string `json:"words,omitempty"` // synonyms of the team's for words of the question

	Dated   string   `json:"dated,omitempty"`   // the day of its document: the one it names, or that of adding it
	Edition string   `json:"edition,omitempty"` // of its document, if there are several
	Newer   string   `json:"newer,omitempty"`   // a newer edition, which does not say this
	Older   *Edition `json:"older,omitempty"`   // the previous edition's text
}

// Outsiders reports whether the passage may hold outsiders' words: any document does but the sample handbook
// and those of sources that an admin marked as the team's own.
func (s Source) Outsiders() bool { return !s.Sample && !s.Own }

// Edition is what an older edition of a document says.
type Edition struct {
	Edition string `json:"edition"`
	Quote   string `json:"quote"`
}

// Usage is what model calls cost.
type Usage struct {
	Model  string  `json:"model,omitempty"`
	Host   string  `json:"host,omitempty"` // of the endpoint that was asked, of one call
	Calls  int     `json:"calls"`
	Input  int     `json:"input"`  // tokens
	Output int     `json:"output"` // tokens
	Cached int     `json:"cached"` // input tokens that the service had cached
	Cost   float64 `json:"cost"`   // in the currency of the price table, 0 if unknown
}

// Add adds another usage to u; the model name of the last one stays. A sum has no host.
func (u *Usage) Add(v Usage) {
	if v.Model != "" {
		u.Model = v.Model
	}
	u.Calls += v.Calls
	u.Input += v.Input
	u.Output += v.Output
	u.Cached += v.Cached
	u.Cost += v.Cost
}

// Result is how a run ended for now.
type Result struct {
	Text       string      // the whole answer, Markdown
	Sources    []Source    // those the answer cites
	Found      []Source    // all that were retrieved
	Nearest    []Source    // the closest passages, for an answer that found none; not sources, and unnumbered
	Interrupts []Interrupt // non-empty: the run waits, Text is not final
	HandOff    string      // the agent that continues the request; Text is then not an answer
	Offer      string      // an agent that could work on the request as a task of several steps, "" for none
	Artifacts  []Artifact  // files to offer with the answer
	Lessons    []Lesson    // for long-term memory, taken after the answer is delivered
	Usage      Usage
}

// Interrupt is a question to a person on which a run waits.
type Interrupt struct {
	ID      string          `json:"id"`   // of this visit of the node: a loop asks under a new id
	Kind    string          `json:"kind"` // "clarification", "plan", "step", …
	Node    string          `json:"node"`
	Payload json.RawMessage `json:"payload"`          // an Ask: what is shown and exactly what will run
	Schema  json.RawMessage `json:"schema,omitempty"` // JSON Schema of the answer
	Expires time.Time       `json:"expires,omitzero"` // zero: when the place's setting says
}

// Decision answers an interrupt.
type Decision struct {
	Interrupt string          `json:"interrupt"`
	By        string          `json:"by"` // User.ID of the person who decided
	At        time.Time       `json:"at"`
	Value     json.RawMessage `json:"value"`
	Expired   bool            `json:"expired,omitempty"` // not decided in time; there is no value
}
