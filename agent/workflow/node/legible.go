package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"maru/agent/workflow"
	"maru/phrase/fit"
)

// Legible writes JSON readably: escapes of visible letters are replaced by the letters, so that "\uc608\uc0b0" is 예산.
// What would not be seen, such as a mark that turns the direction of writing, stays an escape. The value is the same.
func Legible(raw json.RawMessage) string {
	var b strings.Builder
	for rest := []byte(raw); len(rest) > 0; {
		start := bytes.IndexByte(rest, '"')
		if start < 0 {
			b.Write(rest)
			break
		}
		b.Write(rest[:start])
		end := start + 1
		for end < len(rest) && rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(rest))
		var text string
		if json.Unmarshal(rest[start:end], &text) != nil { // not JSON: as it is
			b.Write(rest[start:end])
		} else {
			quote(&b, text)
		}
		rest = rest[end:]
	}
	return b.String()
}

// ShowCall tells people exactly which call would be made: the tool by its title and
// name, and the arguments as they are.
func ShowCall(x *workflow.Exec, name string, arguments json.RawMessage) string {
	title := name
	if x.Tools != nil {
		if _, spec, err := x.Tools.Lookup(name); err == nil && !spec.Title.Empty() {
			title = spec.Title.In(x.Request.Language)
		}
	}
	if title = fit.Literal(fit.OneLine(title)); title != name {
		title += " (`" + name + "`)"
	}
	text := x.Phrase("agent.call_of", title)
	var pretty bytes.Buffer
	if json.Indent(&pretty, arguments, "", "  ") == nil {
		text += "\n```json\n" + Legible(pretty.Bytes()) + "\n```"
	}
	if open := Unsettled(x, name, arguments); open != "" {
		text += "\n" + open
	}
	return text
}

// Bounds of the values that a card lists beside a call.
const (
	maxOpen     = 10
	maxOpenText = 200
)

// Unsettled tells people which values the tool's server may add to a call by itself, "" if none.
func Unsettled(x *workflow.Exec, name string, arguments json.RawMessage) string {
	open, unknown := x.Open(name, arguments)
	if unknown {
		return x.Phrase("agent.call_unknown")
	}
	var shown []string
	for _, o := range open[:min(len(open), maxOpen)] {
		shown = append(shown, "`"+strings.ReplaceAll(fit.Clip(fit.OneLine(Legible(json.RawMessage(o))), maxOpenText), "`", "'")+"`")
	}
	switch more := len(open) - len(shown); {
	case len(open) == 0:
		return ""
	case more > 0:
		return x.Phrase("agent.call_open_more", strings.Join(shown, ", "), more)
	}
	return x.Phrase("agent.call_open", strings.Join(shown, ", "))
}

// quote writes a string of JSON with as few escapes as can be.
func quote(b *strings.Builder, text string) {
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			hi, lo := (r-0x10000)>>10+0xD800, (r-0x10000)&0x3FF+0xDC00
			fmt.Fprintf(b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
}
