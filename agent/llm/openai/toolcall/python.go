package toolcall

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

// python reads calls as Python has them, as Llama since 3.2, LFM, OLMo, Gemma and ToolACE write them: name(key=value), alone, one
// after the other, or in a list. Arguments have names, since only a function's code tells what a value alone means; values are
// literals. Source of the notation: the Python Language Reference, "Literals" and "Calls".
type python struct {
	text string
	at   int
	cut  bool // the text ends where more would have to come
}

// readPython reads a text that consists of calls; nil if it is anything else.
func readPython(text string, tools []llm.Tool) []Call {
	p := &python{text: text}
	printed := !slices.ContainsFunc(tools, func(t llm.Tool) bool { return t.Name == "print" })
	if p.space(); p.is("[") {
		out, ok := p.list()
		if p.space(); !ok || p.at < len(text) {
			return nil
		}
		return out
	}
	var out []Call
	for p.at < len(text) {
		around := printed && p.is("print(")
		c, ok := p.call()
		if p.space(); !ok || around && !p.is(")") || len(out) == Max {
			return nil
		}
		out = append(out, c)
		for p.space(); p.is(";") || p.is(","); p.space() {
			continue
		}
	}
	return out
}

// list reads the rest of a list of calls.
func (p *python) list() ([]Call, bool) {
	var out []Call
	for len(out) < Max {
		c, ok := p.call()
		if !ok {
			return nil, false
		}
		out = append(out, c)
		if p.space(); p.is("]") {
			return out, true
		}
		if !p.is(",") {
			return nil, false
		}
		if p.space(); p.is("]") {
			return out, true
		}
	}
	return nil, false
}

// call reads name(key=value, …).
func (p *python) call() (Call, bool) {
	p.space()
	name := p.name(true)
	if name == "" || !p.is("(") {
		return Call{}, false
	}
	args := map[string]json.RawMessage{}
	for p.space(); !p.is(")"); p.space() {
		key := p.name(false)
		if p.space(); key == "" || !p.is("=") {
			return Call{}, false
		}
		value, ok := p.value(0)
		if !ok {
			return Call{}, false
		}
		args[key] = value
		if p.space(); !p.is(",") && !strings.HasPrefix(p.rest(), ")") {
			p.cut = p.cut || p.rest() == ""
			return Call{}, false
		}
	}
	return callWith(name, args), true
}

func (p *python) rest() string { return p.text[p.at:] }

func (p *python) space() { p.at = len(p.text) - len(strings.TrimLeft(p.rest(), " \t\r\n")) }

// is takes a mark if it stands here.
func (p *python) is(mark string) bool {
	if strings.HasPrefix(p.rest(), mark) {
		p.at += len(mark)
		return true
	}
	p.cut = p.cut || strings.HasPrefix(mark, p.rest())
	return false
}

// name takes a name, with dots if it may be of a module.
func (p *python) name(dots bool) string {
	n := 0
	for _, c := range p.rest() {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (n == 0 || (c < '0' || c > '9') && (c != '.' || !dots)) {
			break
		}
		n++
	}
	name := p.rest()[:n]
	p.at += n
	return name
}

// value takes a literal and returns it as JSON.
func (p *python) value(depth int) (json.RawMessage, bool) {
	p.space()
	switch rest := p.rest(); {
	case rest == "" || depth > llm.MaxDepth:
		p.cut = p.cut || rest == ""
		return nil, false
	case p.is("["):
		return p.several("]", depth)
	case p.is("("):
		return p.several(")", depth)
	case p.is("{"):
		return p.dict(depth)
	case strings.ContainsRune(`"'rRuU`, rune(rest[0])) && strings.ContainsAny(rest[:min(2, len(rest))], `"'`):
		s, ok := p.quoted()
		return jsonText(s), ok
	}
	n := strings.IndexAny(p.rest(), ",)]} \t\r\n")
	if n < 0 {
		p.cut = true
		return nil, false
	}
	word := p.rest()[:n]
	p.at += n
	if w, ok := pythonWords[word]; ok {
		return json.RawMessage(w), true
	}
	plain := strings.TrimPrefix(strings.ReplaceAll(word, "_", ""), "+")
	if _, err := strconv.ParseFloat(plain, 64); err == nil && json.Valid([]byte(plain)) && !strings.Contains(word, "__") {
		return json.RawMessage(plain), true
	}
	return nil, false // a name, or an expression
}

// several takes the rest of a list or a tuple.
func (p *python) several(end string, depth int) (json.RawMessage, bool) {
	out := []json.RawMessage{}
	for p.space(); !p.is(end); p.space() {
		v, ok := p.value(depth + 1)
		if p.space(); !ok || !p.is(",") && !strings.HasPrefix(p.rest(), end) {
			p.cut = p.cut || p.rest() == ""
			return nil, false
		}
		out = append(out, v)
	}
	raw, err := json.Marshal(out)
	return raw, err == nil
}

// dict takes the rest of a dictionary with texts as keys.
func (p *python) dict(depth int) (json.RawMessage, bool) {
	out := map[string]json.RawMessage{}
	for p.space(); !p.is("}"); p.space() {
		key, ok := p.quoted()
		if p.space(); !ok || !p.is(":") {
			return nil, false
		}
		v, ok := p.value(depth + 1)
		if p.space(); !ok || !p.is(",") && !strings.HasPrefix(p.rest(), "}") {
			p.cut = p.cut || p.rest() == ""
			return nil, false
		}
		out[key] = v
	}
	raw, err := json.Marshal(out)
	return raw, err == nil
}

// escapes are the one-letter ones of Python's strings.
var escapes = map[byte]string{
	'\n': "", '\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// quoted takes a string.
func (p *python) quoted() (string, bool) {
	raw := p.is("r") || p.is("R")
	_ = raw || p.is("u") || p.is("U") // which says nothing
	quote := ""
	for _, q := range []string{`"""`, `'''`, `"`, `'`} {
		if p.is(q) {
			quote = q
			break
		}
	}
	if quote == "" {
		return "", false
	}
	var out strings.Builder
	for p.at < len(p.text) {
		if p.is(quote) {
			return out.String(), true
		}
		c := p.text[p.at]
		switch {
		case c == '\n' && len(quote) == 1:
			return "", false
		case c == '\\' && p.at+1 == len(p.text):
			p.cut = true
			return "", false
		case c == '\\' && raw:
			out.WriteString(p.text[p.at : p.at+2])
			p.at += 2
		case c == '\\':
			p.escaped(&out)
		default:
			out.WriteByte(c)
			p.at++
		}
	}
	p.cut = true
	return "", false
}

// escaped takes a backslash and what belongs to it. Python keeps the backslash of an escape that it does not know.
func (p *python) escaped(out *strings.Builder) {
	c := p.text[p.at+1]
	if octal := p.text[p.at+1 : min(p.at+4, len(p.text))]; c >= '0' && c <= '7' {
		octal = octal[:len(octal)-len(strings.TrimLeft(octal, "01234567"))]
		code, _ := strconv.ParseUint(octal, 8, 16) // digits only
		out.WriteRune(rune(code))
		p.at += 1 + len(octal)
		return
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	if n := p.at + 2 + digits; digits > 0 && n <= len(p.text) {
		if code, err := strconv.ParseUint(p.text[p.at+2:n], 16, 32); err == nil && utf8.ValidRune(rune(code)) {
			out.WriteRune(rune(code))
			p.at = n
			return
		}
	}
	if s, ok := escapes[c]; ok {
		out.WriteString(s)
	} else {
		out.WriteString(p.text[p.at : p.at+2])
	}
	p.at += 2
}

func jsonText(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`) // never: every string can be written
	}
	return raw
}

var (
	gemmaCall = pattern.New(`(?s)^call:([\w.-]+)(\{.*)$`)
	gemmaKey  = pattern.New(`([{,]\s*)([a-zA-Z_][\w-]*)\s*:`)
)

// readGemma reads a call in Gemma's notation since 2025: call:name{key:<escape>value<escape>}.
func readGemma(text string) []Call {
	m := gemmaCall.FindStringSubmatch(strings.TrimSpace(strings.ReplaceAll(text, `<|"|>`, "<escape>")))
	if m == nil {
		return nil
	}
	var object strings.Builder
	for i, piece := range strings.Split(m[2], "<escape>") {
		if i%2 == 0 {
			object.WriteString(gemmaKey.ReplaceAllString(piece, `$1"$2":`))
			continue
		}
		object.Write(jsonText(piece))
	}
	if !json.Valid([]byte(object.String())) {
		return nil
	}
	return []Call{{Name: m[1], Args: object.String()}}
}
