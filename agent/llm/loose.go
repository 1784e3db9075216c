package llm

import (
	"bytes"
	"encoding/json"
	"strings"

	"gopkg.in/yaml.v3"

	"maru/phrase/pattern"
)

// loose reads an object or a list as people and models write them who know JSON by sight: with
// single quotes or backquotes, names and words without quotes, a comma behind the last value, or True and None
// as Python has them. YAML's flow style is that notation. What breaks off is nothing: the half of a
// value is not what was meant. What is JSON already stays as it is.
func loose(text string) (json.RawMessage, bool) {
	text = strings.TrimSpace(text)
	if len(text) > MaxJSON || !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil, false
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), true
	}
	if end, ok := balanced(text); !ok || end != len(text) {
		return nil, false
	}
	text = backquoted.ReplaceAllStringFunc(text, func(s string) string {
		if !strings.HasSuffix(s, "`") {
			return s
		}
		return strings.ReplaceAll(s, "`", `"`)
	})
	var doc yaml.Node
	if yaml.Unmarshal([]byte(strings.ReplaceAll(text, "\t", " ")), &doc) != nil || len(doc.Content) != 1 {
		return nil, false
	}
	var out bytes.Buffer
	if !writeLoose(&out, doc.Content[0], 0) || !json.Valid(out.Bytes()) {
		return nil, false
	}
	return out.Bytes(), true
}

// backquoted matches a word in backquotes where a name or a value stands, or a text in quotes, whose backquotes are its own.
var backquoted = pattern.New("\"(?:[^\"\\\\]|\\\\.)*\"|[{\\[,:]\\s*(?:'(?:[^'\\\\]|\\\\.|'')*'|`[^`\"\\\\\n]*`)")

func writeLoose(out *bytes.Buffer, n *yaml.Node, depth int) bool {
	if depth > MaxDepth || n.Anchor != "" || n.Kind == yaml.AliasNode {
		return false
	}
	switch n.Kind {
	case yaml.MappingNode:
		out.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				out.WriteByte(',')
			}
			if n.Content[i].Kind != yaml.ScalarNode {
				return false
			}
			writeText(out, n.Content[i].Value)
			out.WriteByte(':')
			if !writeLoose(out, n.Content[i+1], depth+1) {
				return false
			}
		}
		out.WriteByte('}')
		return true
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, v := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			if !writeLoose(out, v, depth+1) {
				return false
			}
		}
		out.WriteByte(']')
		return true
	case yaml.ScalarNode:
		word := strings.ToLower(n.Value)
		switch plain := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0; {
		case plain && (word == "true" || word == "false" || word == "null"):
			out.WriteString(word)
		case plain && (n.Value == "None" || n.Value == ""):
			out.WriteString("null")
		case plain && (n.Tag == "!!int" || n.Tag == "!!float") && json.Valid([]byte(n.Value)):
			out.WriteString(n.Value)
		default:
			writeText(out, n.Value)
		}
		return true
	}
	return false
}

func writeText(out *bytes.Buffer, s string) {
	b, _ := json.Marshal(s) // strings always encode
	out.Write(b)
}

// balanced returns where the object or list ends with which text begins.
func balanced(text string) (end int, ok bool) {
	var open []byte
	quote, before := byte(0), byte(0) // before is the last letter that is no space
	for i := 0; i < len(text); i++ {
		c := text[i]
		if quote != 0 {
			switch c {
			case '\\':
				i++
			case quote:
				quote = 0
			}
			before = c
			continue
		}
		switch c {
		case '"':
			quote = c
		case '\'':
			if strings.IndexByte("{[,:", before) >= 0 { // an apostrophe is within a word
				quote = c
			}
		case '{', '[':
			if open = append(open, c); len(open) > MaxDepth {
				return 0, false
			}
		case '}', ']':
			if last := open[len(open)-1]; c == '}' && last != '{' || c == ']' && last != '[' {
				return 0, false
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return i + 1, true
			}
		}
		if c > ' ' {
			before = c
		}
	}
	return 0, false
}

// maxValues bounds the values that are looked for in one text.
const maxValues = 32

// LooseAt reads the value with which text begins, by [loose], and returns how long it is written.
func LooseAt(text string) (value json.RawMessage, length int, ok bool) {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return nil, 0, false
	}
	end, ok := balanced(text)
	if !ok {
		return nil, 0, false
	}
	value, ok = loose(text[:end])
	return value, end, ok
}

// values returns the objects and lists that are in a text among words.
func values(text string) []json.RawMessage {
	var out []json.RawMessage
	for tries := 0; tries < maxValues; tries++ {
		at := strings.IndexAny(text, "{[")
		if at < 0 {
			break
		}
		text = text[at:]
		value, n, ok := LooseAt(text)
		if !ok {
			text = text[1:]
			continue
		}
		out, text = append(out, value), text[n:]
	}
	return out
}

// FirstObject returns the first object that is in a text, among words or alone.
func FirstObject(text string) (json.RawMessage, bool) {
	for _, v := range values(unwrap(text)) {
		if v[0] == '{' {
			return v, true
		}
	}
	return nil, false
}
