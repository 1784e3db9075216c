package toolcall

import (
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

// Reader finds the tool calls that a local model writes as text where its server has no parser for them: in the [marks] of its
// family, or as JSON or Python, in a fence or bare, with words before and after. The words before a call are given on as they come;
// who gets the call takes them back. The words after it are dropped: the model does not know the result yet. Without tools
// nothing is looked for; where tools were called before, a reply that is only a call is unreadable.
type Reader struct {
	tools  []llm.Tool // that may be called
	told   told       // what was given on
	held   string     // what has come and may be a call
	calls  []Call
	failed int  // marks after which no call could be read
	tried  int  // bytes of held that were read as Python and break off
	broken bool // a call's mark is before what cannot be read
	after  bool // no tool may be called any more, and some were: a reply that is only a call is no answer
}

// told is where the text that was given on stands.
type told struct {
	any   bool   // there was more than white space
	line  string // its last line, the first maxLine bytes of it
	fence string // the mark that began the code block in which it stands, "" for none
}

// maxLine is how much of a line is looked at.
const maxLine = 1 << 10

// add notes a text that was given on.
func (t *told) add(text string) {
	t.any = t.any || strings.TrimSpace(text) != ""
	for text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		t.line += line[:min(len(line), max(0, maxLine-len(t.line)))]
		if text = rest; !ended {
			return
		}
		mark, info := fenceOf(t.line)
		switch {
		case t.fence == "":
			t.fence = mark
		case strings.HasPrefix(mark, t.fence) && strings.TrimSpace(info) == "":
			t.fence = ""
		}
		t.line = ""
	}
}

// fenceOf returns the mark with which a line begins or ends a code block, and what follows it; "" for any other line. Source:
// CommonMark 0.31, section 4.5; here a block may be in a list or a quote.
func fenceOf(line string) (mark, info string) {
	line = strings.TrimLeft(line, " \t>")
	for _, c := range []string{"`", "~"} {
		info = strings.TrimLeft(line, c)
		if n := len(line) - len(info); n >= 3 && !(c == "`" && strings.Contains(info, c)) {
			return line[:n], info
		}
	}
	return "", ""
}

// inBlock reports whether what follows is in a code block, fenced or indented.
func (t *told) inBlock() bool {
	mark, _ := fenceOf(t.line)
	return t.fence != "" || mark != "" || t.any && (strings.HasPrefix(t.line, "    ") || strings.HasPrefix(t.line, "\t"))
}

// inCode reports whether a mark that follows is quoted: one that ordinary text may have, after an odd number of backquotes on its
// line; one that only templates have, right after a backquote.
func (t *told) inCode(m mark) bool {
	if m.tag || m.begin == functionMark || m.begin == callMark {
		return strings.Count(t.line, "`")%2 == 1
	}
	return strings.HasSuffix(t.line, "`")
}

const (
	maxHeld   = 64 << 10 // bytes of an answer that are held back since they may be a call
	maxFailed = 16       // marks without a call after them: then none is looked for any more
)

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

// Called reports whether whole calls came, and nothing of another behind them.
func (r *Reader) Called() bool { return len(r.calls) > 0 && strings.TrimSpace(r.held) == "" }

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
			r.told.add(text)
		}
		if at > 0 {
			r.held, r.tried = r.held[at:], 0
		}
		if r.held == "" {
			break
		}
		n, calls, sure := r.judge(final)
		if !sure {
			return out.String()
		}
		r.calls = append(r.calls, calls...)
		if len(calls) == 0 && !r.broken && len(r.calls) == 0 {
			out.WriteString(r.held[:n])
			r.told.add(r.held[:n])
		}
		r.held, r.tried = r.held[n:], 0
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
			line := r.held[:i]
			if at := strings.LastIndexByte(line, '\n'); at >= 0 {
				line = line[at+1:]
			} else {
				line = r.told.line + line
			}
			if strings.Trim(line, " \t") == "" {
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
	callKey = pattern.New(`^[\[\s]*\{\s*["'\x60]?(?:name|function|function_name|tool|tool_name|tool_call|tool_calls|type|id|arguments|parameters)["'\x60]?\s*:`)
	mayKey  = pattern.New(`^[\[\s]*(?:\{\s*["'\x60]?[a-z_]{0,13}["'\x60]?\s*)?$`)
)

// judge tells what begins where held does: calls in its first n bytes, or none. sure is false if
// that depends on what comes.
func (r *Reader) judge(final bool) (n int, calls []Call, sure bool) {
	for i, m := range marks {
		switch {
		case r.failed > maxFailed, r.told.inCode(m), i >= fenced && r.told.inBlock():
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
			for i, m := range marks {
				if i >= fenced && r.told.any {
					break // an example
				}
				if rest := r.held[skip:]; strings.HasPrefix(rest, m.begin) || !final && strings.HasPrefix(m.begin, rest) {
					inner := Reader{tools: r.tools, held: rest, told: told{any: true}}
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
	if run := len(text) - len(strings.TrimLeft(text, "[")); run > llm.MaxDepth {
		return run, nil, true // each of them would be looked at as the beginning of a list
	}
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

// python reads a list of calls as Python has them, which is a whole reply of Llama. No calls if what is held is anything else.
func (r *Reader) python(final bool) (n int, calls []Call, sure bool) {
	if r.told.any || r.held[0] != '[' {
		return 1, nil, true
	}
	if !final && r.tried > 0 && !strings.Contains(r.held[r.tried:], "]") && len(r.held) <= maxHeld {
		return 0, nil, false
	}
	p := &python{text: r.held, at: 1}
	calls, ok := p.list()
	switch {
	case !ok && !final && p.cut && len(r.held) <= maxHeld && r.begins(r.held[1:]):
		r.tried = len(r.held)
		return 0, nil, false
	case !ok, strings.TrimSpace(p.rest()) != "", !r.offersAll(calls):
		return 1, nil, true
	case !final:
		return 0, nil, false // words after it would make it a part of an answer
	}
	return p.at, calls, true
}

// begins reports whether a text begins with the name of a tool and a bracket, as far as it has come.
func (r *Reader) begins(text string) bool {
	name, _, called := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "(")
	last := name[strings.LastIndexByte(name, '.')+1:]
	return slices.ContainsFunc(r.tools, func(t llm.Tool) bool {
		return t.Name == last || !called && (strings.HasPrefix(t.Name, last) || strings.HasPrefix("functions.", name))
	})
}

// codeFence begins the block in which Gemma writes calls.
const codeFence = "```tool_code\n"

// code reads a block of calls; no calls if what is held is anything else.
func (r *Reader) code(final bool) (n int, calls []Call, sure bool) {
	if !strings.HasPrefix(r.held, codeFence) {
		return 1, nil, final || !strings.HasPrefix(codeFence, r.held)
	}
	body := r.held[len(codeFence):]
	end := strings.Index("\n"+body, "\n```")
	switch {
	case end < 0 && !final:
		return 0, nil, len(body) > maxHeld
	case end < 0:
		end = len(body)
	}
	if calls = readPython(body[:end], r.tools); !r.offersAll(calls) {
		return 1, nil, true
	}
	rest := strings.TrimPrefix(body[end:], "```")
	return len(r.held) - len(rest), calls, true
}

// offersAll reports whether all calls are of tools that may be called.
func (r *Reader) offersAll(calls []Call) bool {
	return !slices.ContainsFunc(calls, func(c Call) bool {
		name := Offered(c.Name, r.tools)
		return !slices.ContainsFunc(r.tools, func(t llm.Tool) bool { return t.Name == name })
	})
}

var (
	outerBraces = pattern.New(`^(?:\{\s*)+`) // small models open a call with several
	onlyBefore  = pattern.New("^\\s*(?:```[a-zA-Z_]*\\s*)?[\\[\\s]*(?:\\{\\s*)*")
)

// mayBeOnly reports whether a reply that begins with text may be nothing but a call.
func mayBeOnly(text string) bool {
	first := strings.TrimLeft(text, " \t\r\n")
	for _, m := range marks {
		if strings.HasPrefix(m.begin, first) || strings.HasPrefix(first, m.begin) && m.meant(first) {
			return true
		}
	}
	if strings.HasPrefix(first, codeFence) || first != "" && strings.HasPrefix(codeFence, first) {
		return true
	}
	if strings.HasPrefix(first, "[") {
		p := &python{text: first, at: 1}
		if _, ok := p.list(); ok || p.cut {
			return true
		}
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
	body, code := strings.CutPrefix(text, codeFence)
	if (code || strings.HasPrefix(text, "[")) && readPython(strings.TrimSuffix(body, "```"), nil) != nil {
		return true
	}
	at := strings.LastIndexByte(onlyBefore.FindString(text), '{')
	if at < 0 || !callKey.MatchString(text[at:]) {
		return false
	}
	value, n, ok := llm.LooseAt(text[at:])
	return ok && len(readObjects(string(value))) > 0 && strings.Trim(text[at+n:], "}]` \t\r\n") == ""
}
