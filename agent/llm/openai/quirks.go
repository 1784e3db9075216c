package openai

import (
	"slices"
	"strings"
	"sync"
	"time"

	"maru/agent/llm"
)

// quirks are what an endpoint's model turned out not to take. They are learned
// from refusals and remembered for a day, see [Refusals], so that only the first call pays for them.
// What is no refusal is remembered as a [manner].
type quirks struct {
	Format          format
	NoStreamOptions bool
	NoStream        bool
	NoTemperature   bool
	NoLimit         bool     // of the reply's tokens
	NoTools         bool     // the model takes none, or the server was started without them
	PlainTools      bool     // their schemas are sent as [schema.Plain] makes them
	NoChoice        bool     // of a tool that must be called
	NoExtra         bool     // the members that came with its own earlier replies
	NoPictures      bool     // it sees none
	OneCall         bool     // in a message, and nothing beside it
	ByTurns         bool     // knows no system message, or wants people and model to take turns
	MaxCompletion   bool     // wants the token limit as max_completion_tokens
	Batch           int      // texts in one call, of an embedding model; 0 for as many as are set
	Below           int      // letters of a prompt that it refused, 0 for none
	Context         int      // tokens of prompt and reply, as a refusal said
	Cut             int      // tokens of a prompt that its server keeps when it cuts without a word
	Without         []string `json:",omitempty"` // tools whose parameters it refuses also where they are plain
}

// reduction is something of a request that can be left out, or said otherwise.
type reduction struct {
	what string // as maru doctor shows it
	// names tells that a refusal, in small letters, is about it: by the member of the request that it names.
	names func(says string) bool
	// asked reports whether the request has it.
	asked func(a attempt) bool
	leave func(q *quirks, a attempt)
}

// attempt is one request as it was sent.
type attempt struct {
	req    llm.Request
	quirks quirks
	origin string
}

func naming(words ...string) func(string) bool {
	return func(says string) bool { return hasAny(says, words...) }
}

// Reductions whose refusals name them, in the order in which they are looked for. The ones of
// [unexplained] are among them.
var explained = []reduction{
	{pictures.what, refusesPictures, pictures.asked, pictures.leave},
	{"system messages and messages out of turn", refusesRoles,
		func(a attempt) bool { return !a.quirks.ByTurns },
		func(q *quirks, _ attempt) { q.ByTurns = true }},
	{"stream_options", naming("stream_options"),
		func(a attempt) bool { return !a.quirks.NoStreamOptions },
		func(q *quirks, _ attempt) { q.NoStreamOptions = true }},
	{"max_tokens under this name", naming("max_completion_tokens"),
		func(a attempt) bool { return !a.quirks.MaxCompletion && !a.quirks.NoLimit && a.req.MaxTokens > 0 },
		func(q *quirks, _ attempt) { q.MaxCompletion = true }},
	{"temperature", naming("temperature"),
		func(a attempt) bool { return !a.quirks.NoTemperature && a.req.Temperature != nil },
		func(q *quirks, _ attempt) { q.NoTemperature = true }},
	{forcedCall.what, naming("tool_choice"), forcedCall.asked, forcedCall.leave},
	{"tools", refusesTools,
		func(a attempt) bool { return !a.quirks.NoTools && len(a.req.Tools) > 0 },
		func(q *quirks, _ attempt) { q.NoTools = true }},
	{"response_format", naming("response_format", "json_schema", "json_object", "strict", "schema", "guided", "grammar"),
		func(a attempt) bool { return a.req.Schema != nil && a.quirks.Format < formatPlain },
		func(q *quirks, a attempt) {
			if q.Format++; q.Format == formatSchema && !a.req.Schema.Strict {
				q.Format = formatObject // it was not strict: no use in asking the same again
			}
		}},
	{"stream", naming("stream"),
		func(a attempt) bool { return !a.quirks.NoStream },
		func(q *quirks, _ attempt) { q.NoStream = true }},
}

// unexplained are the reductions that a refusal is answered with that names nothing of the
// request, in this order.
var unexplained = []reduction{
	pictures,
	ownMembers,
	halfPrompt,
	{"strict schemas", nil,
		func(a attempt) bool {
			return a.req.Schema != nil && a.req.Schema.Strict && a.quirks.Format == formatStrict
		},
		func(q *quirks, _ attempt) { q.Format = formatSchema }},
	{"response_format", nil,
		func(a attempt) bool { return a.req.Schema != nil && a.quirks.Format < formatPlain },
		func(q *quirks, _ attempt) { q.Format = formatPlain }},
	forcedCall,
	{"several calls, or words, in a message that calls", nil,
		func(a attempt) bool {
			return !a.quirks.OneCall && slices.ContainsFunc(a.req.Messages, func(m llm.Message) bool {
				return len(m.ToolCalls) > 1 || len(m.ToolCalls) > 0 && m.Content != ""
			})
		},
		func(q *quirks, _ attempt) { q.OneCall = true }},
	{"temperature, token limit and stream_options", nil,
		func(a attempt) bool {
			return a.req.Temperature != nil && !a.quirks.NoTemperature || a.req.MaxTokens > 0 && !a.quirks.NoLimit
		},
		func(q *quirks, _ attempt) { q.NoTemperature, q.NoLimit, q.NoStreamOptions = true, true, true }},
}

var ownMembers = reduction{"members that came with earlier replies", nil,
	func(a attempt) bool { return !a.quirks.NoExtra && carriesExtra(a.req.Messages, a.origin) },
	func(q *quirks, _ attempt) { q.NoExtra = true }}

var halfPrompt = reduction{"long prompts", nil,
	func(a attempt) bool {
		less, ok := llm.Halved(a.req)
		return ok && llm.Letters(a.req)-llm.Letters(less) >= longPrompt
	},
	func(q *quirks, a attempt) { q.Below = llm.Letters(a.req) }}

var forcedCall = reduction{"a tool that must be called", nil,
	func(a attempt) bool {
		return !a.quirks.NoChoice && len(a.req.Tools) > 0 && a.req.ToolChoice != "" && a.req.ToolChoice != "auto" && a.req.ToolChoice != "none"
	},
	func(q *quirks, _ attempt) { q.NoChoice = true }}

// longPrompt is how many letters must go for a half of a prompt to be worth a try.
const longPrompt = 1000

// fitted returns a request whose prompt is shorter than one that was refused, as far as it can be.
func (q quirks) fitted(req llm.Request) llm.Request {
	for q.Below > 0 && llm.Letters(req) >= q.Below {
		less, ok := llm.Halved(req)
		if !ok {
			break
		}
		req = less
	}
	return req
}

// maxReductions is how many requests follow a refusal that explains nothing.
const maxReductions = 3

// trial looks for what a model refuses without saying it. Each request leaves out one thing more;
// what a model may need, pictures, its own members and the whole prompt, is given back when that did not help.
type trial struct {
	first  error       // the refusal
	left   []reduction // to be tried
	last   reduction   // of the request that is made now
	before attempt     // what is given back to
	size   int         // of the prompt that was refused
}

// begin takes the first refusal.
func (t *trial) begin(err error, a attempt) {
	t.first = err
	for _, r := range unexplained {
		if r.asked(a) {
			t.left = append(t.left, r)
		}
	}
	for halfPrompt.asked(a) && len(t.left) < maxReductions {
		t.left = append(t.left, halfPrompt)
	}
	t.left = t.left[:min(len(t.left), maxReductions)]
}

// next returns the next attempt, false if there is none.
func (t *trial) next(a attempt) (attempt, bool) {
	for len(t.left) > 0 {
		r := t.left[0]
		t.left = t.left[1:]
		if more := r.what == t.last.what; !more {
			if t.last.needed() {
				a = t.before
			}
			t.before = a
		}
		t.last = r
		if r.what != halfPrompt.what {
			r.leave(&a.quirks, a)
			return a, true
		}
		if less, ok := llm.Halved(a.req); ok {
			t.size, a.req = llm.Letters(a.req), less
			return a, true
		}
	}
	return a, false
}

// needed reports whether the answer suffers from what is left out.
func (r reduction) needed() bool {
	return r.what == ownMembers.what || r.what == halfPrompt.what || r.what == pictures.what
}

// helped returns what the model remembers once an attempt of the trial went through.
func (t *trial) helped(q quirks, a attempt) quirks {
	if t.last.what == halfPrompt.what {
		q.Below = t.size
		return q
	}
	t.last.leave(&q, a)
	return q
}

// memory keeps how the endpoint's models answered. It is bounded: names come from settings.
type memory struct {
	mu    sync.Mutex
	whole map[string]manner
	ends  map[string]ending
	first map[string]bool // models whose prompts begin their thoughts, so that a reply has the end of them alone
}

// thinksFirst reports whether a model's replies are likely to begin within thoughts.
func (m *memory) thinksFirst(model string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.first[model]
}

// thought notes whether a reply began within thoughts.
func (m *memory) thought(model string, first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !first {
		delete(m.first, model)
		return
	}
	if m.first == nil || len(m.first) > 100 {
		m.first = map[string]bool{}
	}
	m.first[model] = true
}

// ending is how a model's streams ended.
type ending struct {
	finished   bool // one gave a reason to finish
	unfinished int  // that gave none before their [DONE], before the first that did
}

// unfinishedStreams is after how many streams without a reason to finish the model is believed to give none.
const unfinishedStreams = 2

// finished notes how a stream ended that came to its [DONE], and reports whether it is whole: gateways end it likewise where the model
// broke off (https://github.com/BerriAI/litellm/issues/40260), so that a reason to finish is waited for unless the model never gives
// one. Whole calls of tools need none, see [assembly.called].
func (m *memory) finished(model string, reason bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ends == nil || len(m.ends) > 100 {
		m.ends = map[string]ending{}
	}
	e := m.ends[model]
	if e.finished = e.finished || reason; !e.finished {
		e.unfinished++
	}
	m.ends[model] = e
	return reason || !e.finished && e.unfinished >= unfinishedStreams
}

// manner is how a model's endpoint answered when a stream was asked for. One answer
// in one piece may be an accident, of a proxy or a cache: it says nothing of the next.
type manner struct {
	pieces int       // answers in one piece, one after the other
	until  time.Time // streams are not asked for before
}

// Answers in one piece, one after the other, after which streams are not asked for,
// and for how long: then it is tried again, at the price of a request.
const (
	oddAnswers = 2
	wholeFor   = 10 * time.Minute
)

// wholeAt reports whether a model's answer is better asked for in one piece.
func (m *memory) wholeAt(model string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return now.Before(m.whole[model].until)
}

// cameWhole notes an answer in one piece to a call that asked for a stream.
func (m *memory) cameWhole(model string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.whole == nil || len(m.whole) > 100 {
		m.whole = map[string]manner{}
	}
	w := m.whole[model]
	if w.pieces++; w.pieces >= oddAnswers {
		w.until = now.Add(wholeFor)
	}
	m.whole[model] = w
}

// streamed notes an answer that came as a stream.
func (m *memory) streamed(model string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.whole, model)
}

// keeping is whether a lesson is remembered.
type keeping int

const (
	forget   keeping = iota // the request is to blame and not the endpoint: the next one tries again
	keep                    // for a day
	keepLate                // for a day, once a request has gone through with it
)

// lesson reads a refusal that names what it is about: what to leave out so that the same request
// may pass.
func lesson(err error, a attempt) (r reduction, learned bool, how keeping) {
	f, refused := faultOf(err)
	if !refused {
		return r, false, forget
	}
	if r, ok := refusedTool(f, a); ok {
		return r, true, keepLate
	}
	says := strings.ToLower(f.param + " " + f.message)
	for _, r := range explained {
		if !r.names(says) || !r.asked(a) {
			continue
		}
		if r.what == "response_format" && strings.Contains(says, "invalid schema") || r.what == pictures.what && faultsPicture(says) {
			return r, true, forget
		}
		return r, true, keep
	}
	if ownMembers.asked(a) && hasAny(says, extraNames(a)...) {
		return ownMembers, true, keep
	}
	return r, false, forget
}

// refusesTools reads a refusal of tools as such, in the words of Ollama ("does not
// support tools"), OpenAI and OpenRouter ("tools is not supported"), vLLM ("requires
// --enable-auto-tool-choice") and llama.cpp ("requires --jinja flag").
func refusesTools(says string) bool {
	return hasAny(says, "tool", "function call", "functions") &&
		hasAny(says, "support", "unrecognized", "unknown", "not permitted", "not available", "--jinja", "--enable-auto-tool-choice")
}

func hasAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
