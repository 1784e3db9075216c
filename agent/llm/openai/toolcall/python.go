package toolcall

import (
	"encoding/json"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

// Calls as Python has them, as Llama since 3.2, LFM, OLMo, Gemma and ToolACE write them: [name(key=value), …]; and Gemma's own
// notation since 2025: call:name{key:<escape>value<escape>}.

var (
	pythonName = pattern.New(`^[a-zA-Z_][\w.]{0,127}\(`)
	pythonKey  = pattern.New(`^\s*([a-zA-Z_]\w*)\s*=\s*`)
	gemmaCall  = pattern.New(`(?s)^call:([\w.-]+)(\{.*)$`)
	gemmaKey   = pattern.New(`([{,]\s*)([a-zA-Z_]\w*)\s*:`)
)

// readPython reads calls that are written one after the other, in brackets or not; nil if a text is anything else. Arguments have
// names: what a value alone would mean, only the code of a function tells.
func readPython(text string, tools []llm.Tool) []Call {
	text = strings.TrimSpace(text)
	bracket := strings.HasPrefix(text, "[")
	if bracket {
		text = strings.TrimSpace(text[1:])
	}
	var out []Call
	for len(out) < Max {
		if inner, ok := strings.CutPrefix(text, "print("); ok && !slices.ContainsFunc(tools, func(t llm.Tool) bool { return t.Name == "print" }) {
			n := closing(inner, ')')
			if n < 0 {
				return nil
			}
			text = strings.TrimSpace(inner[:n]) + inner[n+1:]
		}
		m := pythonName.FindString(text)
		if m == "" {
			return nil
		}
		n := closing(text[len(m):], ')')
		if n < 0 {
			return nil
		}
		args := pythonArguments(text[len(m) : len(m)+n])
		if args == nil {
			return nil
		}
		out = append(out, callWith(m[:len(m)-1], args)...)
		text = strings.TrimLeft(text[len(m)+n+1:], " \t\r\n;,")
		switch {
		case text == "" && !bracket, text == "]" && bracket:
			return out
		}
	}
	return nil
}

// pythonArguments reads key=value, …; nil if it is anything else.
func pythonArguments(text string) map[string]json.RawMessage {
	args := map[string]json.RawMessage{}
	for text = strings.TrimSpace(text); text != ""; {
		m := pythonKey.FindStringSubmatch(text)
		if m == nil {
			return nil
		}
		text = text[len(m[0]):]
		n := closing(text, ',')
		if n < 0 {
			n = len(text)
		}
		list, ok := llm.Loose("[" + strings.TrimSpace(text[:n]) + "]")
		var values []json.RawMessage
		if !ok || json.Unmarshal(list, &values) != nil || len(values) != 1 {
			return nil
		}
		args[m[1]] = values[0]
		text = strings.TrimSpace(text[min(n+1, len(text)):])
	}
	return args
}

// closing returns where end stands outside of quotes and brackets, -1 if nowhere.
func closing(text string, end byte) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == end && depth == 0:
			return i
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
	}
	return -1
}

// readGemma reads a call in Gemma's notation.
func readGemma(text string) []Call {
	text = strings.ReplaceAll(text, `<|"|>`, "<escape>")
	m := gemmaCall.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return nil
	}
	var object strings.Builder
	for i, piece := range strings.Split(m[2], "<escape>") {
		if i%2 == 0 {
			object.WriteString(gemmaKey.ReplaceAllString(piece, `$1"$2":`))
			continue
		}
		quoted, err := json.Marshal(piece)
		if err != nil {
			return nil
		}
		object.Write(quoted)
	}
	if !json.Valid([]byte(object.String())) {
		return nil
	}
	return []Call{{Name: m[1], Args: object.String()}}
}
