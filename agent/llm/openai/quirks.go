package openai

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"maru/agent/llm"
)

// quirks are what an endpoint's model turned out not to take. They are learned
// from refusals and remembered for a day, so that only the first call pays for them. What is
// no refusal is remembered as a [manner].
type quirks struct {
	format          format
	noStreamOptions bool
	noStream        bool
	noTemperature   bool
	noLimit         bool // of the reply's tokens
	noTools         bool // the model takes none, or the server was started without them
	noExtra         bool // the members that came with its own earlier replies
	oneCall         bool // in a message
	byTurns         bool // knows no system message, or wants people and model to take turns
	maxCompletion   bool // wants the token limit as max_completion_tokens
	below           int  // letters of a prompt that it refused, 0 for none
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
	{"system messages and messages out of turn", refusesRoles,
		func(a attempt) bool { return !a.quirks.byTurns },
		func(q *quirks, _ attempt) { q.byTurns = true }},
	{"stream_options", naming("stream_options"),
		func(a attempt) bool { return !a.quirks.noStreamOptions },
		func(q *quirks, _ attempt) { q.noStreamOptions = true }},
	{"max_tokens under this name", naming("max_completion_tokens"),
		func(a attempt) bool { return !a.quirks.maxCompletion && !a.quirks.noLimit && a.req.MaxTokens > 0 },
		func(q *quirks, _ attempt) { q.maxCompletion = true }},
	{"temperature", naming("temperature"),
		func(a attempt) bool { return !a.quirks.noTemperature && a.req.Temperature != nil },
		func(q *quirks, _ attempt) { q.noTemperature = true }},
	{"tools", refusesTools,
		func(a attempt) bool { return !a.quirks.noTools && len(a.req.Tools) > 0 },
		func(q *quirks, _ attempt) { q.noTools = true }},
	{"response_format", naming("response_format", "json_schema", "json_object", "strict", "schema", "guided", "grammar"),
		func(a attempt) bool { return a.req.Schema != nil && a.quirks.format < formatPlain },
		func(q *quirks, a attempt) {
			if q.format++; q.format == formatSchema && !a.req.Schema.Strict {
				q.format = formatObject // it was not strict: no use in asking the same again
			}
		}},
	{"stream", naming("stream"),
		func(a attempt) bool { return !a.quirks.noStream },
		func(q *quirks, _ attempt) { q.noStream = true }},
}

// unexplained are the reductions that a refusal is answered with that names nothing of the
// request, in this order.
var unexplained = []reduction{
	ownMembers,
	halfPrompt,
	{"strict schemas", nil,
		func(a attempt) bool {
			return a.req.Schema != nil && a.req.Schema.Strict && a.quirks.format == formatStrict
		},
		func(q *quirks, _ attempt) { q.format = formatSchema }},
	{"response_format", nil,
		func(a attempt) bool { return a.req.Schema != nil && a.quirks.format < formatPlain },
		func(q *quirks, _ attempt) { q.format = formatPlain }},
	{"several calls in one message", nil,
		func(a attempt) bool {
			return !a.quirks.oneCall && slices.ContainsFunc(a.req.Messages, func(m llm.Message) bool { return len(m.ToolCalls) > 1 })
		},
		func(q *quirks, _ attempt) { q.oneCall = true }},
	{"temperature, token limit and stream_options", nil,
		func(a attempt) bool {
			return a.req.Temperature != nil && !a.quirks.noTemperature || a.req.MaxTokens > 0 && !a.quirks.noLimit
		},
		func(q *quirks, _ attempt) { q.noTemperature, q.noLimit, q.noStreamOptions = true, true, true }},
}

var ownMembers = reduction{"members that came with earlier replies", nil,
	func(a attempt) bool { return !a.quirks.noExtra && carriesExtra(a.req.Messages, a.origin) },
	func(q *quirks, _ attempt) { q.noExtra = true }}

var halfPrompt = reduction{"long prompts", nil,
	func(a attempt) bool {
		less, ok := llm.Halved(a.req)
		return ok && lettersOf(a.req.Messages)-lettersOf(less) >= longPrompt
	},
	func(q *quirks, a attempt) { q.below = lettersOf(a.req.Messages) }}

// longPrompt is how many letters must go for a half of a prompt to be worth a try.
const longPrompt = 1000

func lettersOf(messages []llm.Message) int {
	n := 0
	for _, m := range messages {
		n += utf8.RuneCountInString(m.Content)
	}
	return n
}

// fitted is a request whose prompt is shorter than one that was refused, as far as it can be.
func (q quirks) fitted(req llm.Request) llm.Request {
	for q.below > 0 && lettersOf(req.Messages) >= q.below {
		less, ok := llm.Halved(req)
		if !ok {
			break
		}
		req.Messages = less
	}
	return req
}

// learnedFor is how long it is remembered what a model does not take: then it is tried again.
const learnedFor = 24 * time.Hour

// maxReductions is how many requests follow a refusal that explains nothing.
const maxReductions = 3

// trial looks for what a model refuses without saying it. Each request leaves out one thing more;
// a half of a prompt that is refused as well is given up again.
type trial struct {
	first error       // the refusal
	left  []reduction // to be tried
	last  reduction   // of the request that is made now
	size  int         // of the prompt that was refused
}

// refused begins a trial with the first refusal.
func (t *trial) begin(err error, a attempt) {
	t.first = err
	for _, r := range unexplained {
		if r.asked(a) {
			t.left = append(t.left, r)
		}
	}
	for slices.ContainsFunc(t.left, func(r reduction) bool { return r.what == halfPrompt.what }) && len(t.left) < maxReductions {
		t.left = append(t.left, halfPrompt)
	}
	t.left = t.left[:min(len(t.left), maxReductions)]
}

// next returns the next attempt, false if there is none.
func (t *trial) next(whole, a attempt) (attempt, bool) {
	for len(t.left) > 0 {
		t.last, t.left = t.left[0], t.left[1:]
		if t.last.what != halfPrompt.what {
			if len(t.left) == 0 || t.left[0].what != halfPrompt.what {
				a.req = whole.req
			}
			t.last.leave(&a.quirks, a)
			return a, true
		}
		less, ok := llm.Halved(a.req)
		if ok {
			t.size, a.req.Messages = lettersOf(a.req.Messages), less
			return a, true
		}
	}
	return a, false
}

// helped is what the model remembers once an attempt of the trial went through.
func (t *trial) helped(q quirks, a attempt) quirks {
	if t.last.what == halfPrompt.what {
		q.below = t.size
		return q
	}
	t.last.leave(&q, a)
	return q
}

// memory keeps quirks by model. It is bounded: names come from settings.
type memory struct {
	mu    sync.Mutex
	byID  map[string]remembered
	whole map[string]manner
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

// remembered is what is known of a model, and until when.
type remembered struct {
	quirks quirks
	what   []string
	until  time.Time
}

func (m *memory) get(model string, now time.Time) quirks {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.byID[model]; ok && now.Before(r.until) {
		return r.quirks
	}
	delete(m.byID, model)
	return quirks{}
}

// learn remembers one thing more that a model does not take.
func (m *memory) learn(model, what string, q quirks, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byID == nil || len(m.byID) > 100 {
		m.byID = map[string]remembered{}
	}
	r := m.byID[model]
	if !slices.Contains(r.what, what) {
		r.what = append(slices.Clone(r.what), what)
	}
	r.quirks, r.until = q, now.Add(learnedFor)
	m.byID[model] = r
}

// Learned is something that a model turned out not to take, and is not sent before Until.
type Learned struct {
	Model string
	What  string
	Until time.Time
}

// Learned returns what the endpoint's models turned out not to take, in the order of their names.
func (m *Model) Learned() []Learned {
	m.known.mu.Lock()
	defer m.known.mu.Unlock()
	var out []Learned
	for _, name := range slices.Sorted(maps.Keys(m.known.byID)) {
		r := m.known.byID[name]
		if !m.cfg.Now().Before(r.until) {
			continue
		}
		for _, what := range r.what {
			out = append(out, Learned{Model: name, What: what, Until: r.until})
		}
	}
	return out
}

// lesson reads a refusal that names what it is about: what to leave out so that the same request
// may pass. keep is false when the request is to blame and not the endpoint, so that the next one
// tries again.
func lesson(err error, a attempt) (r reduction, learned, keep bool) {
	f, refused := faultOf(err)
	if !refused {
		return r, false, false
	}
	says := strings.ToLower(f.param + " " + f.message)
	for _, r := range explained {
		if r.names(says) && r.asked(a) {
			return r, true, r.what != "response_format" || !strings.Contains(says, "invalid schema")
		}
	}
	if ownMembers.asked(a) && hasAny(says, extraNames(a)...) {
		return ownMembers, true, true
	}
	return r, false, false
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
