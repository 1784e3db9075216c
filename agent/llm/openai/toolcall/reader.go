package toolcall

import (
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

// Reader finds the tool calls that a local model writes as text where its server has no
// parser for them: in the [marks] of its family, or as JSON or Python, in a fence or bare, with words before and behind. What stands before a call was given on and is
// taken back by who gets the call; what stands behind it is no answer, for the model does not know
// the result yet. A reply to a request without tools has none; where tools were called before, one that is only a call is
// unreadable.
type Reader struct {
	tools  []llm.Tool // that may be called
	line   bool       // what was given on ends within a line
	held   string     // what has come and may be a call
	calls  []Call
	broken bool // a call's mark stands before what cannot be read
	after  bool // no tool may be called any more, and some were: a reply that is only a call is no answer
}

// maxHeld bounds what is held back of an answer that may be a call.
const maxHeld = 64 << 10

// NewReader returns a reader for the reply to a request.
func NewReader(req llm.Request) *Reader {
	var r Reader
	if req.ToolChoice != "none" {
		r.tools = req.Tools
	}
	r.after = len(r.tools) == 0 && req.Schema == nil && slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return len(m.ToolCalls) > 0 })
	return &r
}

// Pass returns as much as is certainly no call after another piece.
func (r *Reader) Pass(piece string) string {
	if len(r.tools) == 0 && !r.after || piece == "" {
		return piece
	}
	r.held += piece
	if r.after {
		if len(r.held) <= maxHeld && mayBeOnly(r.held) {
			return ""
		}
		piece, r.held, r.after = r.held, "", false
		return piece
	}
	return r.read(false)
}

// End returns the calls of the reply, and the rest of its text. whole is whether the reply came to
// its end. It fails if there is a call that cannot be read.
func (r *Reader) End(whole bool) (calls []Call, rest string, ok bool) {
	if !whole { // nobody wants to read half a call
		rest = r.held
		for _, m := range marks {
			if strings.HasPrefix(rest, m.begin) {
				rest = ""
			}
		}
		r.held = ""
		return nil, rest, true
	}
	if len(r.tools) == 0 {
		rest, r.held = r.held, ""
		return nil, rest, !r.after || !onlyCalls(rest)
	}
	rest = r.read(true)
	return r.calls, rest, !r.broken || len(r.calls) > 0
}

// read looks for calls in what is held. final is whether no more comes.
func (r *Reader) read(final bool) string {
	var out strings.Builder
	for r.held != "" && !r.broken {
		at := r.next()
		text := r.held[:at]
		if text != "" && len(r.calls) == 0 {
			out.WriteString(text)
			r.line = text[len(text)-1] != '\n'
		}
		if r.held = r.held[at:]; r.held == "" {
			break
		}
		n, calls, sure := r.judge(final)
		if !sure {
			return out.String()
		}
		r.calls = append(r.calls, calls...)
		if len(calls) == 0 && !r.broken && len(r.calls) == 0 {
			out.WriteString(r.held[:n])
			r.line = r.held[n-1] != '\n'
		}
		r.held = r.held[n:]
	}
	if r.broken {
		r.held = ""
	}
	return out.String()
}

// next returns where a call may begin; the length of what is held if nowhere.
func (r *Reader) next() int {
	for i := range len(r.held) {
		switch r.held[i] {
		case '{', '[', '<':
			return i
		case '`':
			if i == 0 && !r.line || i > 0 && r.held[i-1] == '\n' {
				return i
			}
		}
	}
	return len(r.held)
}

var (
	// callFence is the line with which a fence begins, before an object or a list.
	callFence = pattern.New("^```[a-zA-Z_]*[ \r\t]*\n\\s*")
	mayFence  = pattern.New("^(?:`{1,3}|```[a-zA-Z_]*[ \r\t]*|```[a-zA-Z_]*[ \r\t]*\n\\s*)$")
	// callKey is how an object of a call begins: by one of the names that calls have.
	callKey = pattern.New(`^[\[\s]*\{\s*["']?(?:name|function|function_name|tool|tool_name|tool_call|tool_calls|type|id|arguments|parameters)["']?\s*:`)
	mayKey  = pattern.New(`^[\[\s]*(?:\{\s*["']?[a-z_]{0,13}["']?\s*)?$`)
)

// judge tells what begins where held does: calls in its first n bytes, or none. sure is false if
// that depends on what comes.
func (r *Reader) judge(final bool) (n int, calls []Call, sure bool) {
	for _, m := range marks {
		switch {
		case strings.HasPrefix(r.held, m.begin):
			return r.marked(m, final)
		case !final && strings.HasPrefix(m.begin, r.held):
			return 0, nil, false
		}
	}
	skip := 0
	if r.held[0] == '`' {
		if !final && mayFence.MatchString(r.held) {
			return 0, nil, false
		}
		if n, calls, sure = r.code(final); !sure || calls != nil {
			return n, calls, sure
		}
		skip = len(callFence.FindString(r.held))
		if skip == 0 || skip == len(r.held) || !strings.ContainsAny(r.held[skip:skip+1], "{[<") {
			return len(r.held) - len(strings.TrimLeft(r.held, "`")), nil, true
		}
		if r.held[skip] == '<' { // a mark within a fence: the fence says nothing
			for _, m := range marks {
				if rest := r.held[skip:]; strings.HasPrefix(rest, m.begin) || !final && strings.HasPrefix(m.begin, rest) {
					inner := Reader{tools: r.tools, held: rest}
					n, calls, sure = inner.judge(final)
					r.broken = inner.broken
					return skip + n, calls, sure
				}
			}
			return skip, nil, true
		}
	}
	if r.held[skip] == '<' {
		return 1, nil, true
	}
	if skip == 0 {
		if n, calls, sure = r.python(final); !sure || calls != nil {
			return n, calls, sure
		}
	}
	n, calls, sure = r.object(r.held[skip:], final)
	if sure && len(calls) == 0 {
		return max(skip, 1), nil, true
	}
	return skip + n, calls, sure
}

// object reads an object or a list that may be calls of tools that are offered.
func (r *Reader) object(text string, final bool) (n int, calls []Call, sure bool) {
	outer := max(0, strings.LastIndexByte(outerBraces.FindString(text), '{'))
	text = text[outer:]
	if !callKey.MatchString(text) {
		return 1, nil, final || !mayKey.MatchString(text)
	}
	value, n, ok := llm.LooseAt(text)
	if !ok {
		return 1, nil, final || n > 0 || len(text) > maxHeld
	}
	calls = readObjects(string(value))
	if !r.offersAll(calls) {
		return 1, nil, true
	}
	return outer + n, calls, true
}

// python reads a list of calls as Python has them; no calls if what is held is anything else.
func (r *Reader) python(final bool) (n int, calls []Call, sure bool) {
	text, ok := strings.CutPrefix(r.held, "[")
	name, rest, called := strings.Cut(text, "(")
	if !ok || !r.offers(strings.TrimSpace(name), !called && !final) {
		return 1, nil, true
	}
	end := closing(text, ']')
	switch {
	case !called, end < 0:
		return 1, nil, final || len(rest) > maxHeld
	}
	n = 1 + end + 1
	calls = readPython(r.held[:n], r.tools)
	if !r.offersAll(calls) || strings.HasPrefix(r.held[n:], "(") { // a link
		return 1, nil, true
	}
	return n, calls, true
}

// codeFence begins the block in which Gemma writes calls.
const codeFence = "```tool_code\n"

// code reads a block of calls; no calls if what is held is anything else.
func (r *Reader) code(final bool) (n int, calls []Call, sure bool) {
	if !strings.HasPrefix(r.held, codeFence) {
		return 1, nil, final || !strings.HasPrefix(codeFence, r.held)
	}
	body := r.held[len(codeFence):]
	end := strings.Index(body, "```")
	switch {
	case end < 0 && !final:
		return 0, nil, len(body) > maxHeld
	case end < 0:
		end = len(body)
	}
	if calls = readPython(body[:end], r.tools); !r.offersAll(calls) {
		return 1, nil, true
	}
	return min(len(codeFence)+end+3, len(r.held)), calls, true
}

// offers reports whether a tool has this name, or one that begins with it.
func (r *Reader) offers(name string, begins bool) bool {
	return slices.ContainsFunc(r.tools, func(t llm.Tool) bool { return t.Name == name || begins && strings.HasPrefix(t.Name, name) })
}

func (r *Reader) offersAll(calls []Call) bool {
	return !slices.ContainsFunc(calls, func(c Call) bool { return !r.offers(Offered(c.Name, r.tools), false) })
}

var (
	outerBraces = pattern.New(`^(?:\{\s*)+`) // small models open a call with several
	onlyBefore  = pattern.New("^\\s*(?:```[a-zA-Z_]*\\s*)?[\\[\\s]*(?:\\{\\s*)*")
)

// mayBeOnly reports whether a reply that begins with text may be nothing but a call.
func mayBeOnly(text string) bool {
	if first := strings.TrimLeft(text, " \t\r\n"); slices.ContainsFunc(marks, func(m mark) bool {
		return strings.HasPrefix(first, m.begin) || strings.HasPrefix(m.begin, first)
	}) {
		return true
	}
	before := onlyBefore.FindString(text)
	at := strings.LastIndexByte(before, '{')
	if at < 0 { // before its first brace
		return strings.Trim(text[len(before):], "`") == "" && len(text)-len(before) < 3
	}
	return callKey.MatchString(text[at:]) || mayKey.MatchString(text[at:])
}

// onlyCalls reports whether a reply is calls and nothing else, apart from marks, or a fence and braces, around them.
func onlyCalls(text string) bool {
	text = strings.TrimSpace(text)
	for _, m := range marks {
		if strings.HasPrefix(text, m.begin) {
			r := Reader{held: text}
			n, calls, _ := r.marked(m, true)
			return r.broken || len(calls) > 0 && (strings.TrimSpace(text[n:]) == "" || onlyCalls(text[n:]))
		}
	}
	at := strings.LastIndexByte(onlyBefore.FindString(text), '{')
	if at < 0 || !callKey.MatchString(text[at:]) {
		return false
	}
	value, n, ok := llm.LooseAt(text[at:])
	return ok && len(readObjects(string(value))) > 0 && strings.Trim(text[at+n:], "}]` \t\r\n") == ""
}

// marked reads what stands between the marks of a call.
func (r *Reader) marked(m mark, final bool) (n int, calls []Call, sure bool) {
	body := r.held[len(m.begin):]
	at := -1
	if m.end != "" {
		at = strings.Index(body, m.end)
	}
	n = len(r.held)
	switch {
	case at >= 0:
		n = len(m.begin) + at + len(m.end)
		body = body[:at]
	case !final:
		return 0, nil, false
	}
	if m.end == "" && strings.Contains(body, m.begin) {
		n = len(m.begin) + strings.Index(body, m.begin)
		body = r.held[len(m.begin):n]
	}
	if m.part {
		body = r.held[:n]
	}
	if calls = readCalls(body, r.tools); len(calls) > 0 {
		return n, calls, true
	}
	if meant(r.held) {
		r.broken = true
		return len(r.held), nil, true
	}
	return len(m.begin), nil, true
}

// noCall is the mark of a call with nothing in it.
var noCall = pattern.New(`^<(?:tools|tool_call)>\s*(?:</(?:tools|tool_call)>|$)`)

// meant reports that a text that begins with a call's mark is one that cannot be read, and not a
// sentence about it.
func meant(text string) bool {
	return noCall.MatchString(text) || strings.Contains(text, "{") || strings.Contains(text, parameterMark) || strings.Contains(text, functionEnd) ||
		!strings.HasPrefix(text, functionMark) && strings.Contains(text, functionMark) || strings.Contains(text, argumentKey) ||
		strings.Contains(text, `parameter name="`)
}
