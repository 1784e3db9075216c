package workflow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/memory/longterm"
	"maru/phrase"
	"maru/rag"
)

// Documents is what nodes ask of the team's documents.
type Documents interface {
	Search(ctx context.Context, q rag.Query) ([]rag.Hit, error)
}

// Memory outlives threads: it returns what fits a question and records turns. Both are bounded by the scopes of the
// run.
type Memory interface {
	Recall(ctx context.Context, q Recall) ([]MemoryRef, error)
	// Record keeps a turn; twice with one Run is once.
	Record(ctx context.Context, t Transcript) error
}

// Recall asks a [Memory] for what fits.
type Recall struct {
	Text   string
	Thread string
	User   string
	Scopes []string
	Limit  int
}

// MemoryRef is something remembered, known by its file name.
type MemoryRef struct {
	Filename string `json:"filename"`
	Title    string `json:"title,omitempty"`
	Text     string `json:"text"`
}

// Transcript is one turn as memory and session log keep it.
type Transcript struct {
	Run, Thread, Scope, User string
	Input, Answer            string
	Difficulty               string
	At                       time.Time
}

// SessionLog takes the turns of a session in the order in which they end.
type SessionLog interface {
	Append(ctx context.Context, t Transcript) error
}

// Recollect returns what is known of the run's person and fits its question.
type Recollect func(ctx context.Context) (longterm.Recollection, error)

// Exec holds what the nodes of a run use besides the state. It belongs to one run and is the same after a crash.
type Exec struct {
	Request    agent.Request
	Sink       agent.Sink
	Models     []llm.Model // the first is asked, the others when it is unable
	ModelName  string      // asked of the first model, "" for its own default
	MaxRetries int         // of a passing failure of one model; 0 means 2, negative none
	Backoff    time.Duration
	Patience   time.Duration // with one model, all its repetitions counted; 0 means no end but the run's
	Session    string        // key of the conversation
	Memory     Memory        // nil: nothing lasts beyond the thread
	Recollect  Recollect     // nil: long-term memory is not asked
	Past       Past          // nil: of a thread, what its state holds
	Log        SessionLog
	Guard      *Guard // of the context window; nil: none
	Tools      *tool.Registry
	Documents  Documents
	HTTP       *http.Client // of http_request; nil: the type refuses to run
	Random     func() float64
	Now        func() time.Time
	Warn       *slog.Logger // of what the run does without; nil: nobody is told

	account *llm.Account            // of this call of the run, see [Exec.Begin]; nil: no bound
	doing   *atomic.Pointer[string] // the sentence of the last [Exec.Doing] of it
	unkept  *unkept                 // words that no exchange may keep
	heard   *atomic.Pointer[string] // see [Exec.Hear]
}

// ExecOf returns the Exec of a run: the Local of its graph's call. Every call of a graph of ours has one.
func ExecOf(s graph.State) *Exec {
	x, ok := s.Local().(*Exec)
	if !ok {
		panic("workflow: a node ran outside a run")
	}
	return x
}

// Without logs for the operator that the run continues without a reply of the model. It expects models that fill no
// schemas at all, such as the built-in one.
func (x *Exec) Without(ctx context.Context, purpose llm.Purpose, err error) {
	var e *llm.Error
	if x.Warn == nil || !errors.As(err, &e) || e.Class == llm.BadRequest && e.Status == 0 {
		return
	}
	// What was wrong with a reply may hold words of it.
	x.Warn.WarnContext(ctx, "the run goes on without a reply of the model", "run", x.Request.Run, "purpose", string(purpose),
		"err", &llm.Error{Class: e.Class, Model: e.Model, Detail: e.Detail})
}

// Tool returns a tool as it is where the run speaks, if it may be used there.
func (x *Exec) Tool(name string) (tool.Spec, bool) {
	if x.Tools == nil || name == "" {
		return tool.Spec{}, false
	}
	_, spec, err := x.Tools.Lookup(name)
	return spec.In(x.Request.Scopes), err == nil && spec.Policy.Allows(x.Request.Scopes)
}

// AbsentTool is the digest of a tool that is not there. No tool has it: one that comes later is another one.
const AbsentTool = "absent"

// Digest identifies a tool as it is now ([tool.Spec.Digest]), and is [AbsentTool] for one that may not be used here.
func (x *Exec) Digest(name string) string {
	spec, ok := x.Tool(name)
	if !ok {
		return AbsentTool
	}
	return spec.Digest()
}

// Faults returns why a tool would refuse the arguments of a call, nil if it would accept them. A
// missing tool is reported when the call is made.
func (x *Exec) Faults(name string, arguments json.RawMessage) *tool.Error {
	if x.Tools == nil {
		return nil
	}
	_, err := x.Tools.Check(name, x.Request.Scopes, arguments)
	var wrong *tool.Error
	if errors.As(err, &wrong) && wrong.Code == "bad_argument" {
		return wrong
	}
	return nil
}

// Filled returns the arguments of a call with the defaults of the tool's parameters for absent values, so that a card shows all
// values that the tool gets. If the tool would refuse the defaults, the arguments are returned as they are.
func (x *Exec) Filled(name string, arguments json.RawMessage) json.RawMessage {
	spec, ok := x.Tool(name)
	if !ok {
		return arguments
	}
	whole := spec.Filled(arguments)
	if x.Faults(name, whole) != nil && x.Faults(name, arguments) == nil {
		return arguments
	}
	return whole
}

// Open returns the defaults of a tool that its server may add to these arguments, and nobody knows whether it does. unknown reports
// that finding them takes too much work.
func (x *Exec) Open(name string, arguments json.RawMessage) (open []string, unknown bool) {
	spec, ok := x.Tool(name)
	if !ok {
		return nil, false
	}
	f := spec.Fill(arguments)
	return append(f.Added, f.Open...), f.Unknown // added are those that the tool itself would refuse, see Filled
}

// InReach reports whether any document may be searched in the run.
func (x *Exec) InReach(ctx context.Context) bool {
	s, ok := x.Documents.(rag.Sampler)
	if !ok {
		return false
	}
	_, total, err := s.Some(ctx, x.Request.Scopes, 1)
	return err == nil && total > 0
}

// Emit sends an event of the run.
func (x *Exec) Emit(e agent.Event) {
	e.Run = x.Request.Run
	if x.Sink != nil {
		x.Sink(e)
	}
}

// Phrase says a sentence of the catalogues in the person's language, see
// [phrase.Say].
func (x *Exec) Phrase(key string, args ...any) string {
	return phrase.Say(x.Request.Language, key, args...)
}

// Doing tells people what is going on, by a sentence of the catalogues.
func (x *Exec) Doing(key string, args ...any) {
	text := x.Phrase(key, args...)
	if x.doing != nil {
		x.doing.Store(&text)
	}
	x.Emit(agent.Event{Kind: agent.EventStatus, Text: text})
}

// queued tells people that the model is busy with others' questions, and then again what is going on.
func (x *Exec) queued(before int) {
	text := x.Phrase("agent.queued", before)
	if before == 0 {
		text = ""
		if was := x.doing.Load(); was != nil {
			text = *was
		}
	}
	x.Emit(agent.Event{Kind: agent.EventStatus, Text: text})
}

// Knew shows what the run used of its person's memory, and returns what the trace may keep of a text that holds it,
// which is nothing.
func (x *Exec) Knew(text string, known []agent.Known) string {
	if len(known) == 0 {
		return text
	}
	if raw, err := json.Marshal(known); err == nil { // plain texts: always
		x.Emit(agent.Event{Kind: agent.EventMemory, Data: raw})
	}
	return ""
}

// Switch says that one model was unable and another was asked.
type Switch struct {
	Purpose string `json:"purpose,omitempty"`
	From    string `json:"from"`
	To      string `json:"to"`
	Class   string `json:"class"` // why: the class of the failure
}

// ErrNoModel says that a run has no model to ask.
var ErrNoModel = errors.New("workflow: the run has no model")

// ResilientInvoke asks the model: passing failures (rate limits, overload,
// timeouts, the network) are tried again with growing waits, then the next
// model is asked. What happened is returned for the state's fallback. The
// prompt is cut to the window of the guard before anything is sent.
func (x *Exec) ResilientInvoke(ctx context.Context, req llm.Request, onDelta func(string)) (llm.Response, []Switch, error) {
	if len(x.Models) == 0 {
		return llm.Response{}, nil, ErrNoModel
	}
	if x.Guard != nil {
		req.Messages, _ = x.Guard.Fit(req.Messages)
	}
	req.Model = cmp.Or(req.Model, x.ModelName)
	models, req, bind := x.chosen(req)
	var switches []Switch
	for i, m := range models {
		given := false
		take := onDelta
		if onDelta != nil {
			take = func(s string) {
				given = true
				onDelta(s)
			}
		}
		if i > 0 { // the channel's choice is among the models of the first service
			bind = x.run().Bind
		}
		resp, err := x.inTime(ctx, bind(m), req, take)
		if err == nil || i == len(models)-1 || ctx.Err() != nil || !llm.Elsewhere(err) {
			return resp, switches, err
		}
		switches = append(switches, Switch{
			Purpose: string(req.Purpose), From: m.Name(), To: models[i+1].Name(), Class: string(llm.ClassOf(err)),
		})
		if given {
			x.Emit(agent.Event{Kind: agent.EventReset})
		}
		req.Model = "" // a name of the first service means nothing to another
	}
	return llm.Response{}, switches, ErrNoModel
}

// chosen returns the models to ask, each with its retries, the request as they take it, and how
// the run binds the first one. Where the model is a selector, the channel's choice is its to read.
func (x *Exec) chosen(req llm.Request) ([]llm.Model, llm.Request, func(llm.Model) llm.Model) {
	if s, ok := x.Models[0].(llm.Selector); ok && len(x.Models) == 1 {
		req.Model = cmp.Or(req.Model, x.Request.Model)
		models, req := s.Select(req)
		run := x.run()
		run.Temperature = x.Request.Temperature
		return models, req, run.Bind
	}
	models := make([]llm.Model, len(x.Models))
	for i, m := range x.Models {
		models[i] = llm.Retry(m, x.retries())
	}
	return models, req, x.Bind
}

// inTime asks one model for as long as the run may work. After that the model counts as one that does not answer, so
// that people still read what was done.
func (x *Exec) inTime(ctx context.Context, m llm.Model, req llm.Request, onDelta func(string)) (llm.Response, error) {
	working, cancel := agent.Working(ctx, x.Request.Until)
	defer cancel()
	var resp llm.Response
	err := working.Err()
	if err == nil {
		resp, err = m.Generate(working, req, onDelta)
	}
	if err != nil && working.Err() != nil && ctx.Err() == nil {
		err = &llm.Error{Class: llm.Timeout, Model: m.Name(), Detail: "the time of the run is over", Err: err}
	}
	return resp, err
}

// Say is ResilientInvoke for a reply that people see as it comes, if stream is set. What they saw of a failed reply is
// taken back; given reports whether they saw anything.
func (x *Exec) Say(ctx context.Context, req llm.Request, stream bool) (resp llm.Response, switches []Switch, given bool, err error) {
	var give func(string)
	if stream {
		give = func(piece string) {
			given = true
			x.Emit(agent.Event{Kind: agent.EventToken, Text: piece})
		}
	}
	resp, switches, err = x.ResilientInvoke(ctx, req, give)
	if err != nil && given {
		x.Emit(agent.Event{Kind: agent.EventReset})
	}
	return resp, switches, given, err
}

func (x *Exec) retries() llm.RetryPolicy {
	n := x.MaxRetries
	switch {
	case n == 0:
		n = 2
	case n < 0:
		n = 0
	}
	p := llm.RetryPolicy{Attempts: n + 1, Base: x.Backoff, Limit: x.Patience, Random: x.Random, Now: x.Now}
	if p.Random == nil {
		p.Random = func() float64 { return 0.5 }
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	return p
}

// Model returns the run's models as one, which notes its switches.
func (x *Exec) Model(switches *[]Switch) llm.Model { return &resilient{x, switches} }

type resilient struct {
	x        *Exec
	switches *[]Switch
}

func (r *resilient) Name() string {
	if len(r.x.Models) == 0 {
		return ""
	}
	return r.x.Models[0].Name()
}

func (r *resilient) Generate(ctx context.Context, req llm.Request, onDelta func(string)) (llm.Response, error) {
	resp, switches, err := r.x.ResilientInvoke(ctx, req, onDelta)
	*r.switches = append(*r.switches, switches...)
	return resp, err
}
