package openai

import (
	"slices"
	"strings"

	"maru/agent/llm"
)

// written finds the tool calls that a local model writes as text where its server has no
// parser for them: in marks, as Qwen and Hermes, Mistral and Llama write them, behind a word or two of
// introduction, or as JSON that is the whole reply. Only what ends a reply is a call; a
// reply to a request without tools has none.
type written struct {
	tools []llm.Tool // that may be called
	begun bool       // something was given on
	line  bool       // what was given on ends within a line
	held  string     // what has come and may be a call
	found bool       // held begins with a call's mark, or may be JSON
}

// callMarks are what such a call begins and ends with; "" ends with the reply.
var callMarks = []struct{ begin, end string }{
	{"<tool_call>", "</tool_call>"},
	{functionMark, functionEnd},
	{"[TOOL_CALLS]", ""},
	{"<|python_tag|>", ""},
}

// jsonOpenings begin a reply that may be nothing but a call.
var jsonOpenings = []string{"{", "[{", "[\n", "```json\n{", "```json\n["}

func offered(req llm.Request) written {
	var w written
	if req.ToolChoice != "none" {
		w.tools = req.Tools
	}
	return w
}

// pass returns as much as is certainly no call after another piece.
func (w *written) pass(piece string) string {
	if len(w.tools) == 0 || piece == "" {
		return piece
	}
	w.held += piece
	if w.found {
		return ""
	}
	if !w.begun {
		first := strings.TrimLeft(w.held, " \r\n\t")
		for _, o := range jsonOpenings {
			if strings.HasPrefix(first, o) {
				w.found = true
				return ""
			}
			if strings.HasPrefix(o, first) { // the mark of a call may begin so, too
				return ""
			}
		}
	}
	return w.give(w.lineOfCall())
}

// lineOfCall returns where in held the line begins that is, or may become, the first of a
// call; its length if there is none.
func (w *written) lineOfCall() int {
	at := 0
	if w.line {
		at = strings.IndexByte(w.held, '\n') + 1
		if at == 0 {
			return len(w.held)
		}
	}
	for at < len(w.held) {
		rest := w.held[at:]
		for _, m := range callMarks {
			if strings.HasPrefix(rest, m.begin) {
				w.found = true
				return at
			}
			if strings.HasPrefix(m.begin, rest) {
				return at
			}
		}
		n := strings.IndexByte(rest, '\n') + 1
		if n == 0 {
			break
		}
		at += n
	}
	return len(w.held)
}

func (w *written) give(n int) string {
	out := w.held[:n]
	w.held = w.held[n:]
	if out != "" {
		w.begun, w.line = true, out[len(out)-1] != '\n'
	}
	return out
}

// end returns the calls that the reply ends with, or the rest of its text. whole is
// whether the reply came to its end. It fails if there is a call that cannot be read.
func (w *written) end(whole bool) (calls []*partial, rest string, ok bool) {
	held := w.held
	w.held = ""
	text := strings.TrimSpace(held)
	for _, m := range callMarks {
		body, marked := strings.CutPrefix(text, m.begin)
		switch {
		case !marked:
			continue
		case !whole:
			return nil, "", true // nobody wants to read half a call
		case m.end != "":
			if strings.Contains(body, m.end) && !strings.HasSuffix(body, m.end) {
				return nil, held, true // it is told of
			}
			body = strings.ReplaceAll(body, m.end, "")
		}
		for b := range strings.SplitSeq(body, m.begin) {
			if m.begin == functionMark {
				b = m.begin + b
			}
			got := readCalls(b, w.tools)
			if len(got) == 0 {
				return nil, held, !meant(text)
			}
			calls = append(calls, got...)
		}
		return calls, "", true
	}
	if inner, fenced := strings.CutPrefix(text, "```json"); fenced {
		text = strings.TrimSuffix(inner, "```")
	}
	got := readObjects(text)
	known := func(p *partial) bool {
		return slices.ContainsFunc(w.tools, func(t llm.Tool) bool { return t.Name == p.name })
	}
	if !whole || len(got) == 0 || slices.ContainsFunc(got, func(p *partial) bool { return !known(p) }) {
		return nil, held, true
	}
	return got, "", true
}

// meant reports that a text that begins with a call's mark is one that cannot be read, and not a
// sentence about it.
func meant(text string) bool {
	return strings.Contains(text, "{") || strings.Contains(text, parameterMark) || strings.Contains(text, functionEnd) ||
		!strings.HasPrefix(text, functionMark) && strings.Contains(text, functionMark)
}
