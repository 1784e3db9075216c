package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"maru/agent/llm"
)

// Reply is what a scripted model or a scripted endpoint says next. Build one
// with [Text], [JSON], [CallTool] or [Fail], or by hand.
type Reply struct {
	Text    string
	Refusal string         // Server: the model declines with these words
	Calls   []llm.ToolCall // an empty ID is given one
	Finish  string         // "" for what fits
	Usage   *llm.Usage     // nil: counted in words
	Pieces  []string       // how Text is cut for streaming; nil: word by word

	Err   error         // Scripted: fail with this, after Text was streamed
	Wait  chan struct{} // go on when it is closed, or fail with ctx; nil: at once
	Fault Fault         // Server: what goes wrong
}

// Text returns a reply in words.
func Text(s string) Reply { return Reply{Text: s} }

// JSON returns a reply that holds v as JSON. It panics if v cannot be encoded.
func JSON(v any) Reply {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return Reply{Text: string(b)}
}

// CallTool returns a reply that asks for one tool; arguments are a JSON object.
func CallTool(name, arguments string) Reply {
	return Reply{Calls: []llm.ToolCall{{Name: name, Arguments: json.RawMessage(arguments)}}}
}

// And adds another tool call to the reply.
func (r Reply) And(name, arguments string) Reply {
	calls := append([]llm.ToolCall{}, r.Calls...)
	r.Calls = append(calls, llm.ToolCall{Name: name, Arguments: json.RawMessage(arguments)})
	return r
}

// Fail returns a call that fails.
func Fail(err error) Reply { return Reply{Err: err} }

// Scripted is an [llm.Model] in process that says what a test wants and
// remembers what it was asked. It is safe for concurrent use.
type Scripted struct {
	mu       sync.Mutex
	next     func(n int, req llm.Request) Reply
	requests []llm.Request
	left     []Reply // of a list script
	listed   bool
}

var _ llm.Model = (*Scripted)(nil)

// Script returns a model that gives these replies in order; a call beyond them
// fails.
func Script(replies ...Reply) *Scripted {
	return &Scripted{left: replies, listed: true}
}

// Func returns a model whose n-th call (from 0) is answered by f.
func Func(f func(n int, req llm.Request) Reply) *Scripted {
	return &Scripted{next: f}
}

// ByPurpose returns a model that answers by what a call is for; a purpose that
// is not in the map fails.
func ByPurpose(replies map[llm.Purpose]func(req llm.Request) Reply) *Scripted {
	return Func(func(_ int, req llm.Request) Reply {
		if f, ok := replies[req.Purpose]; ok {
			return f(req)
		}
		return Fail(&llm.Error{Class: llm.BadRequest, Detail: fmt.Sprintf("no script for purpose %q", req.Purpose)})
	})
}

// Name implements [llm.Model].
func (s *Scripted) Name() string { return "scripted" }

// Requests returns what the model was asked so far, in order.
func (s *Scripted) Requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]llm.Request(nil), s.requests...)
}

// Count returns how often the model was called for these purposes, or at all
// when none is given.
func (s *Scripted) Count(purposes ...llm.Purpose) int {
	n := 0
	for _, r := range s.Requests() {
		if len(purposes) == 0 {
			n++
		}
		for _, p := range purposes {
			if r.Purpose == p {
				n++
			}
		}
	}
	return n
}

// AssertDone fails the test when replies of a list script are left.
func (s *Scripted) AssertDone(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.left) > 0 {
		t.Errorf("scripted model: %d replies were never asked for", len(s.left))
	}
}

// Generate implements [llm.Model].
func (s *Scripted) Generate(ctx context.Context, req llm.Request, onDelta func(string)) (llm.Response, error) {
	r, n := s.reply(req)
	if r.Wait != nil {
		select {
		case <-r.Wait:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	for _, p := range r.pieces() {
		if onDelta != nil {
			onDelta(p)
		}
	}
	if r.Err != nil {
		return llm.Response{}, r.Err
	}
	return llm.Response{
		Message: llm.Message{Role: llm.Assistant, Content: r.Text, ToolCalls: r.calls(n)},
		Model:   s.Name(), Finish: r.finish(), Usage: r.usage(req),
	}, nil
}

func (s *Scripted) reply(req llm.Request) (Reply, int) {
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, req)
	if s.listed {
		defer s.mu.Unlock()
		if len(s.left) == 0 {
			return Fail(&llm.Error{Class: llm.BadRequest, Detail: fmt.Sprintf("script is over: call %d was not expected", n+1)}), n
		}
		r := s.left[0]
		s.left = s.left[1:]
		return r, n
	}
	next := s.next
	s.mu.Unlock()
	return next(n, req), n
}

func (r Reply) pieces() []string {
	if r.Pieces != nil {
		return r.Pieces
	}
	if r.Text == "" {
		return nil
	}
	return strings.SplitAfter(r.Text, " ")
}

func (r Reply) calls(n int) []llm.ToolCall {
	var out []llm.ToolCall
	for i, c := range r.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", n, i)
		}
		out = append(out, c)
	}
	return out
}

func (r Reply) finish() string {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.Calls) > 0:
		return "tool_calls"
	default:
		return "stop"
	}
}

func (r Reply) usage(req llm.Request) llm.Usage {
	if r.Usage != nil {
		return *r.Usage
	}
	in := 0
	for _, m := range req.Messages {
		in += len(strings.Fields(m.Content))
	}
	return llm.Usage{Input: in, Output: len(strings.Fields(r.Text)) + len(r.Calls)}
}
