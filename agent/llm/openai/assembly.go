package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/sashabaranov/go-openai"

	"maru/agent/llm"
	"maru/agent/llm/openai/toolcall"
	"maru/agent/llm/runaway"
)

const afterFinish = 3 * time.Second // for the usage to follow the finish reason

// assembly puts a reply together from its chunks.
type assembly struct {
	onDelta func(string)
	model   string
	origin  string // of members that are the server's own

	extra   extra
	id      string
	thought thinking
	turn    runaway.Turn
	repeat  runaway.Repeat
	written *toolcall.Reader
	text    strings.Builder
	refusal strings.Builder
	calls   []*partial
	finish  sdk.FinishReason
	usage   *sdk.Usage
	choices int
}

func (a *assembly) add(c sdk.ChatCompletionStreamResponse) error {
	if c.Usage != nil {
		a.usage = c.Usage
	}
	if c.Model != "" {
		a.model = c.Model
	}
	a.id = fallback(a.id, c.ID)
	for _, ch := range c.Choices {
		if ch.Index != 0 {
			continue // we ask for one
		}
		a.choices++
		a.say(ch.Delta.Content)
		a.refusal.WriteString(ch.Delta.Refusal)
		a.extra.add(ch.Delta.ReasoningContent)
		for _, t := range ch.Delta.ToolCalls {
			if err := a.addCall(t); err != nil {
				return err
			}
		}
		if ch.FinishReason != "" && ch.FinishReason != sdk.FinishReasonNull {
			a.finish = ch.FinishReason
		}
	}
	return nil
}

func (a *assembly) addWhole(r sdk.ChatCompletionResponse) error {
	a.model, a.id = fallback(r.Model, a.model), r.ID
	if r.Usage.TotalTokens > 0 {
		a.usage = &r.Usage
	}
	for _, ch := range r.Choices {
		if ch.Index != 0 {
			continue
		}
		a.choices++
		a.say(ch.Message.Content)
		a.refusal.WriteString(ch.Message.Refusal)
		a.extra.add(ch.Message.ReasoningContent)
		for i, t := range ch.Message.ToolCalls {
			t.Index = &i
			if err := a.addCall(t); err != nil {
				return err
			}
		}
		a.finish = ch.FinishReason
	}
	return nil
}

// say gives a piece of text on, without the NUL bytes that databases and
// platforms refuse.
func (a *assembly) say(s string) {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	if a.repeat.Add(s) {
		a.finish = sdk.FinishReasonLength
	}
	a.give(a.written.Pass(a.turn.Pass(a.thought.pass(s))))
}

// over reports whether the reply has ended: later text is not part of it.
func (a *assembly) over() bool { return a.turn.Over() || a.repeat.Period() > 0 }

func (a *assembly) give(s string) {
	if s == "" {
		return
	}
	a.text.WriteString(s)
	if a.onDelta != nil {
		a.onDelta(s)
	}
}

// called reports whether the reply consists of whole calls of tools, so that it needs no reason to finish. Without arguments a call may
// have been cut before them.
func (a *assembly) called() bool {
	calls := a.calls
	if h := a.thought.channels; h != nil && len(calls) == 0 {
		calls = h.calls
	}
	if len(calls) == 0 {
		return a.written.Called()
	}
	return !slices.ContainsFunc(calls, func(p *partial) bool {
		args := strings.TrimSpace(p.args.String())
		return p.name == "" || !strings.HasPrefix(args, "{") || !json.Valid([]byte(args))
	})
}

// readWritten takes the calls that the reply's text holds, unless it has calls besides.
func (a *assembly) readWritten(ended bool) error {
	if h := a.thought.channels; h != nil && len(a.calls) == 0 {
		a.calls = h.calls
	}
	calls, rest, ok := a.written.End((ended || a.finish != "") && a.finish != sdk.FinishReasonLength && len(a.calls) == 0)
	if !ok {
		return a.fail(llm.Garbage, "a tool call that is written as text and cannot be read: start the model's server with its parser of tool calls")
	}
	a.give(rest)
	if len(calls) > 0 {
		a.calls = nil
		for _, c := range calls {
			a.calls = append(a.calls, callOf(c))
		}
		a.finish = fallback(a.finish, sdk.FinishReasonToolCalls)
	}
	return nil
}

// response finishes the reply, or says why it is none. ended is whether it came
// whole: a stream with its [DONE], or an answer in one piece.
func (a *assembly) response(req llm.Request, ended bool) (llm.Response, error) {
	a.give(a.written.Pass(a.turn.Pass(a.thought.rest()) + a.turn.Rest()))
	thinks := a.thought.had || a.thought.channels != nil
	ended = ended || a.turn.Over()
	if err := a.readWritten(ended); err != nil {
		return llm.Response{}, err
	}
	if a.turn.Over() {
		a.finish = sdk.FinishReasonStop // only the invented turns were cut off
	}
	if a.repeat.Word() && !a.turn.Over() {
		return llm.Response{}, a.fail(llm.Garbage, "the reply repeats a word without end")
	}
	if a.choices == 0 && ended {
		return llm.Response{}, a.fail(llm.Garbage, "the reply has no choices")
	}
	if a.finish == "" && !ended {
		return llm.Response{}, a.fail(llm.Cut, "the stream ended without a finish reason")
	}
	text := a.text.String()
	if !thinks {
		text, thinks = withoutThoughts(text)
		a.thought.unopened = a.thought.unopened || thinks
	}
	says := strings.TrimSpace(text) != "" // white space is no answer
	if s := strings.TrimSpace(a.refusal.String()); s != "" && !says {
		return llm.Response{}, a.fail(llm.Refused, "the model declined to answer")
	}
	switch a.finish {
	case "", sdk.FinishReasonStop, sdk.FinishReasonLength, sdk.FinishReasonToolCalls:
	case sdk.FinishReasonContentFilter:
		return llm.Response{}, a.fail(llm.ContentFilter, "the service's filter ended the reply")
	default: // the service stopped in the middle, and says so in a word of its own
		return llm.Response{}, a.fail(llm.Cut, fmt.Sprintf("the reply ended by %.60q", a.finish))
	}
	if !says && len(a.calls) == 0 && a.finish != sdk.FinishReasonLength {
		if thinks || strings.Contains(string(a.extra.json()), `"reasoning`) {
			return llm.Response{}, &llm.Error{
				Class: llm.Garbage, Model: a.model, Err: llm.ErrOnlyThoughts,
				Detail: "the reply has thoughts and no answer: check the model server's reasoning parser, and that the model may think",
			}
		}
		return llm.Response{}, a.fail(llm.Garbage, "the reply is empty")
	}
	resp := llm.Response{
		Message: llm.Message{Role: llm.Assistant, Content: text, Extra: a.extra.json()},
		Model:   a.model, Finish: "stop", Usage: a.counted(req),
	}
	if a.finish == sdk.FinishReasonLength {
		// the calls may be half of what was meant: none of them may run
		resp.Finish = "length"
		if !says {
			return resp, a.fail(llm.Length, "the token limit ended the reply before it said anything")
		}
		return resp, nil
	}
	calls, err := a.toolCalls(req)
	if err != nil {
		return llm.Response{}, err
	}
	if len(calls) > 0 {
		resp.Message.ToolCalls, resp.Finish = calls, "tool_calls"
	}
	if resp.Message.Extra != nil || slices.ContainsFunc(calls, func(c llm.ToolCall) bool { return c.Extra != nil }) {
		resp.Message.Origin = a.origin
	}
	return resp, nil
}

func (a *assembly) fail(c llm.Class, detail string) error {
	return &llm.Error{Class: c, Model: a.model, Detail: detail}
}

// toolCalls gives every call an id that no other has. Ids of our own are made of
// the conversation and the call, so that the same reply gets the same ones.
func (a *assembly) toolCalls(req llm.Request) ([]llm.ToolCall, error) {
	if a.finish == "" && len(a.calls) > 0 && !a.called() {
		return nil, a.fail(llm.Cut, "the stream ended within a tool call")
	}
	var out []llm.ToolCall
	seen := map[string]bool{}
	var calls []*partial
	for _, p := range a.calls {
		for i, c := range toolcall.Settle(toolcall.Call{Name: p.name, Args: p.args.String()}, req.Tools) {
			one := callOf(c)
			if one.index, one.extra = p.index, p.extra; i == 0 {
				one.id = p.id
			}
			calls = append(calls, one)
		}
	}
	for i, p := range calls {
		if p.name == "" {
			return nil, a.fail(llm.Garbage, "a tool call without a name")
		}
		id := p.id
		if id == "" || seen[id] {
			id = makeID(req, a.id, i, p)
		}
		seen[id] = true
		out = append(out, llm.ToolCall{ID: id, Name: p.name, Arguments: arguments(p.args.String()), Extra: p.extra.json()})
	}
	return out, nil
}

func makeID(req llm.Request, reply string, i int, p *partial) string {
	h := sha256.New()
	for _, m := range req.Messages {
		fmt.Fprintf(h, "%s\x00%s\x00%s\x00", m.Role, m.Content, m.ToolCallID)
	}
	fmt.Fprintf(h, "%s\x00%d\x00%s\x00%s", reply, i, p.name, p.args.String())
	return "call_" + hex.EncodeToString(h.Sum(nil)[:12])
}

// arguments keeps what the model wrote if it is JSON; anything else becomes a
// JSON string, which fits no tool's schema but can be stored and shown.
func arguments(s string) json.RawMessage {
	s = strings.TrimSpace(s)
	if s == "" {
		return json.RawMessage("{}")
	}
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return b
}

// counted returns the usage that the endpoint reported, or a guess when it did not.
func (a *assembly) counted(req llm.Request) llm.Usage {
	if u := a.usage; u != nil && u.PromptTokens+u.CompletionTokens > 0 {
		out := llm.Usage{Input: u.PromptTokens, Output: u.CompletionTokens}
		if u.PromptTokensDetails != nil {
			out.Cached = u.PromptTokensDetails.CachedTokens
		}
		return out
	}
	in, out := 3, guess(a.text.String())
	for _, m := range req.Messages {
		in += guess(m.Content) + 4
	}
	for _, t := range req.Tools {
		in += toolTokens(t)
	}
	for _, p := range a.calls {
		out += guess(p.name + p.args.String())
	}
	return llm.Usage{Input: in, Output: out, Estimated: true}
}

// guess returns a rough count of tokens: four letters of Latin text, or one syllable
// of Hangul and the like, make one.
func guess(s string) int {
	var n letters
	add(&n, s)
	return n.tokens()
}

// letters counts the letters of texts in one pass, without joining or converting them: a prompt is counted at every call.
type letters struct{ all, wide int }

func add[T ~string | ~[]byte](n *letters, s T) {
	for i := range len(s) {
		c := s[i]
		if c&0xc0 != 0x80 { // the first byte of a letter
			n.all++
		}
		if c >= 0xe2 { // of one from U+2000 on
			n.wide++
		}
	}
}

func (n letters) tokens() int { return n.wide + (n.all-n.wide+3)/4 }

// toolTokens is guess of a tool's name with its description, and of its parameters.
func toolTokens(t llm.Tool) int {
	var said, takes letters
	add(&said, t.Name)
	add(&said, t.Description)
	add(&takes, t.Parameters)
	return said.tokens() + takes.tokens()
}
