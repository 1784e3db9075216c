package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// chat answers a chat request.
func (s *Server) chat(w http.ResponseWriter, r *http.Request, e *Entry) {
	var req Request
	bad := decode(e.Body, &req)
	if bad == nil {
		e.Chat = &req
		bad = s.check(req)
	}
	if bad != nil {
		s.refuse(w, e, http.StatusBadRequest, bad)
		return
	}
	rep, pace, named := ByName(req.Model)
	if !named {
		rep = s.answer(req)
	}
	f := rep.Fault
	if f.Status != 0 {
		e.Status = f.Status
	}
	s.write(*e)
	switch {
	case f.Silent:
		s.hang(r)
	case f.Status != 0:
		s.failBy(w, f)
	case f.Body != "":
		w.Header().Set("Content-Type", or(f.ContentType, "text/html; charset=utf-8"))
		_, _ = w.Write([]byte(f.Body))
	case rep.Wait != nil && !s.wait(r, rep.Wait):
	case req.Stream && !s.lacks("stream"):
		s.stream(w, r, req, rep, pace)
	default:
		s.whole(w, r, req, rep, pace)
	}
}

func (s *Server) answer(req Request) Reply {
	if s.cfg.Handler != nil {
		return s.cfg.Handler(req)
	}
	if schema := req.Schema(); schema != nil {
		return JSON(Least(schema))
	}
	return Text("ok")
}

// hang waits for the client to go.
func (s *Server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.quit:
	}
}

func (s *Server) wait(r *http.Request, ch chan struct{}) bool {
	select {
	case <-ch:
		return true
	case <-r.Context().Done():
	case <-s.quit:
	}
	return false
}

// pause waits for d, false when the client went.
func (s *Server) pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
	case <-s.quit:
	}
	return false
}

func (s *Server) failBy(w http.ResponseWriter, f Fault) {
	code, typ, msg := f.Code, f.Type, f.Message
	if f.Body != "" {
		w.Header().Set("Content-Type", or(f.ContentType, "text/html; charset=utf-8"))
		if f.RetryAfter != "" {
			w.Header().Set("Retry-After", f.RetryAfter)
		}
		w.WriteHeader(f.Status)
		_, _ = w.Write([]byte(f.Body))
		return
	}
	switch {
	case code != "":
	case f.Status == http.StatusTooManyRequests:
		code = "rate_limit_exceeded"
	case f.Status == http.StatusUnauthorized:
		code = "invalid_api_key"
	}
	fail(w, f.Status, f.RetryAfter, map[string]any{
		"message": or(msg, http.StatusText(f.Status)), "type": or(typ, "error"), "param": nil, "code": orNull(code),
	})
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// head returns the fields that every answer and chunk has.
func (s *Server) head(object string, req Request) map[string]any {
	s.mu.Lock()
	s.calls++
	n := s.calls
	s.mu.Unlock()
	return map[string]any{"id": fmt.Sprintf("chatcmpl-%d", n), "object": object, "created": 1700000000, "model": req.Model}
}

func (s *Server) whole(w http.ResponseWriter, r *http.Request, req Request, rep Reply, pace Pace) {
	if !s.pause(r, pace.First) {
		return
	}
	msg := map[string]any{"role": "assistant", "content": rep.text(), "refusal": orNull(rep.Refusal)}
	if calls := rep.wireCalls(); len(calls) > 0 {
		for i := range calls {
			calls[i].Index = nil
		}
		msg["tool_calls"] = calls
		msg["content"] = orNull(rep.text())
	}
	out := s.head("chat.completion", req)
	out["choices"] = []any{map[string]any{"index": 0, "message": msg, "finish_reason": rep.finish(), "logprobs": nil}}
	if rep.Fault.Empty {
		out["choices"] = []any{}
	}
	out["usage"] = rep.wireUsage(req)
	reply(w, out)
}

// stream sends the reply in chunks, as far as its fault lets it.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, req Request, rep Reply, pace Pace) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	out := &cutter{w: w, left: rep.Fault.Cut}
	head := s.head("chat.completion.chunk", req)
	send := func(v map[string]any) {
		for k, x := range head {
			if _, ok := v[k]; !ok {
				v[k] = x
			}
		}
		b, err := json.Marshal(v)
		if err != nil {
			panic(err) // a reply of the test that is no JSON
		}
		out.write("data: " + string(b) + "\n\n")
	}
	if !s.pause(r, pace.First) {
		return
	}
	if rep.Fault.Empty {
		send(map[string]any{"choices": []any{}})
		out.write("data: [DONE]\n\n")
		return
	}
	deltas := rep.deltas()
	for i, d := range deltas {
		if rep.Fault.Stall > 0 && i == rep.Fault.Stall {
			s.hang(r)
			return
		}
		if i > 0 && !s.pause(r, pace.Each) || out.done {
			break
		}
		if rep.Fault.MidError != "" && i >= len(deltas)/2 {
			out.write(fmt.Sprintf("data: {\"error\":{\"message\":%q,\"type\":\"server_error\",\"code\":null}}\n\n", rep.Fault.MidError))
			return
		}
		out.write(strings.Repeat(": keep-alive\n\n", rep.Fault.Comments))
		if rep.Fault.Garbage && i == 1 {
			out.write("data: {\"choices\":[\x00\x00\x00 {\n\n")
		}
		send(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": d, "finish_reason": nil}}})
	}
	if !rep.Fault.NoFinish {
		s.finish(out, send, req, rep)
	}
	if out.done && !rep.Fault.Clean {
		panic(http.ErrAbortHandler) // breaks the connection
	}
}

func (s *Server) finish(out *cutter, send func(map[string]any), req Request, rep Reply) {
	send(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": rep.finish()}}})
	if req.StreamOptions != nil && req.StreamOptions.IncludeUsage {
		send(map[string]any{"choices": []any{}, "usage": rep.wireUsage(req)})
	}
	if !rep.Fault.NoDone {
		out.write("data: [DONE]\n\n")
	}
}

// cutter writes until its bytes are used up; 0 means no end.
type cutter struct {
	w    http.ResponseWriter
	left int
	done bool
}

func (c *cutter) write(s string) {
	if c.done {
		return
	}
	if c.left > 0 {
		if len(s) >= c.left {
			s, c.done = s[:c.left], true
		}
		c.left -= len(s)
	}
	_, _ = c.w.Write([]byte(s))
	if f, ok := c.w.(http.Flusher); ok {
		f.Flush()
	}
}

func (r Reply) text() string {
	if r.Fault.Huge > 0 {
		return strings.Repeat("x", r.Fault.Huge)
	}
	return r.Text
}

// deltas returns the pieces of the stream: text first, then tool calls.
func (r Reply) deltas() []map[string]any {
	out := []map[string]any{{"role": "assistant", "content": ""}}
	if r.Refusal != "" {
		return append(out, map[string]any{"refusal": r.Refusal})
	}
	pieces := r.pieces()
	if r.Fault.Huge > 0 {
		pieces = nil
		for n := r.Fault.Huge; n > 0; n -= 1 << 16 {
			pieces = append(pieces, strings.Repeat("x", min(n, 1<<16)))
		}
	}
	for _, p := range pieces {
		out = append(out, map[string]any{"content": p})
	}
	return append(out, r.callDeltas()...)
}

func (r Reply) callDeltas() []map[string]any {
	var heads, bodies []map[string]any
	add := func(list *[]map[string]any, c ToolCall) {
		*list = append(*list, map[string]any{"tool_calls": []ToolCall{c}})
	}
	for _, c := range r.wireCalls() {
		first := c
		first.Function.Arguments = ""
		target := &bodies
		if r.Fault.Interleave {
			target = &heads
		}
		add(target, first)
		args := []rune(c.Function.Arguments)
		for half := len(args) / 2; len(args) > 0; half = len(args) {
			if half == 0 {
				half = len(args)
			}
			part := ToolCall{Index: c.Index, Function: Function{Arguments: string(args[:half])}}
			if r.Fault.Repeat {
				part.ID = c.ID
			}
			add(&bodies, part)
			args = args[half:]
		}
	}
	if r.Fault.Interleave {
		bodies = interleave(bodies, len(heads))
	}
	return append(heads, bodies...)
}

// interleave takes the first piece of each call, then the second of each.
func interleave(pieces []map[string]any, calls int) []map[string]any {
	if calls < 2 {
		return pieces
	}
	var odd, even []map[string]any
	for i, p := range pieces {
		if i%2 == 0 {
			even = append(even, p)
		} else {
			odd = append(odd, p)
		}
	}
	return append(even, odd...)
}

func (r Reply) wireCalls() []ToolCall {
	var out []ToolCall
	for i, c := range r.Calls {
		index := i
		if r.Fault.Repeat {
			index = 0
		}
		id := c.ID
		if id == "" && !r.Fault.NoIDs {
			id = fmt.Sprintf("call_%s_%d", c.Name, i)
		}
		out = append(out, ToolCall{Index: &index, ID: id, Type: "function", Function: Function{Name: c.Name, Arguments: string(bytes.TrimSpace(c.Arguments))}})
	}
	return out
}

func (r Reply) wireUsage(req Request) map[string]any {
	in, out, cached := 0, len(strings.Fields(r.Text))+len(r.Calls), 0
	for _, m := range req.Messages {
		in += len(strings.Fields(m.Text()))
	}
	if r.Usage != nil {
		in, out, cached = r.Usage.Input, r.Usage.Output, r.Usage.Cached
	}
	return map[string]any{
		"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out,
		"prompt_tokens_details": map[string]any{"cached_tokens": cached},
	}
}
