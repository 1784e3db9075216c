package openai

import (
	"strings"
	"sync"
	"time"

	"maru/agent/llm"
)

// quirks are what an endpoint's model turned out not to take. They are learned
// from refusals and remembered, so that only the first call pays for them. What is
// no refusal is remembered as a [manner].
type quirks struct {
	format          format
	noStreamOptions bool
	noStream        bool
	noTemperature   bool
	noTools         bool // the model takes none, or the server was started without them
	byTurns         bool // knows no system message, or wants people and model to take turns
	maxCompletion   bool // wants the token limit as max_completion_tokens
}

// memory keeps quirks by model. It is bounded: names come from settings.
type memory struct {
	mu    sync.Mutex
	byID  map[string]quirks
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

func (m *memory) get(model string) quirks {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.byID[model]
}

func (m *memory) put(model string, q quirks) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byID == nil || len(m.byID) > 100 {
		m.byID = map[string]quirks{}
	}
	m.byID[model] = q
}

// lesson reads a refusal: what to leave out so that the same request may pass.
// learned is false when nothing can be left out; keep is false when the request
// is to blame and not the endpoint, so that the next one tries again.
func lesson(err error, req llm.Request, q quirks) (next quirks, learned, keep bool) {
	f, refused := faultOf(err)
	if !refused {
		return q, false, false
	}
	says := strings.ToLower(f.param + " " + f.message)
	next = q
	switch {
	case !q.byTurns && refusesRoles(says):
		next.byTurns = true
	case !q.noStreamOptions && strings.Contains(says, "stream_options"):
		next.noStreamOptions = true
	case !q.maxCompletion && req.MaxTokens > 0 && strings.Contains(says, "max_completion_tokens"):
		next.maxCompletion = true
	case !q.noTemperature && req.Temperature != nil && strings.Contains(says, "temperature"):
		next.noTemperature = true
	case !q.noTools && len(req.Tools) > 0 && refusesTools(says):
		next.noTools = true
	case req.Schema != nil && q.format < formatPlain && hasAny(says, "response_format", "json_schema", "json_object", "strict", "schema", "guided", "grammar"):
		next.format = q.format + 1
		if next.format == formatSchema && !req.Schema.Strict {
			next.format = formatObject // it was not strict: no use in asking the same again
		}
		return next, true, !strings.Contains(says, "invalid schema")
	case !q.noStream && strings.Contains(says, "stream") && !strings.Contains(says, "stream_options"):
		next.noStream = true
	default:
		return q, false, false
	}
	return next, true, true
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
