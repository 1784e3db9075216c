package fit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Literal writes plain text as Markdown that shows every character as written: no link, table, comment or mark of
// emphasis can hide a part of it.
func Literal(s string) string {
	var b strings.Builder
	for i, l := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		literalLine(&b, l)
	}
	return b.String()
}

// LiteralAfter is Literal for a value that follows text in Markdown. Code has no escapes: in code the value is written as
// it is, and a backtick that could end the code by its code point.
func LiteralAfter(text, s string) string {
	fence := ""
	for l := range strings.Lines(text) {
		mark := fenceOf(l)
		switch {
		case fence == "":
			fence = mark
		case strings.HasPrefix(mark, fence): // of the same character, at least as long
			fence = ""
		}
	}
	line := text[strings.LastIndexByte(text, '\n')+1:]
	switch {
	case fence != "":
		return strings.NewReplacer("```", "⟦U+0060⟧``", "~~~", "⟦U+007E⟧~~").Replace(s)
	case (strings.Count(line, "`")-strings.Count(line, "\\`"))%2 == 1:
		return strings.ReplaceAll(s, "`", "⟦U+0060⟧")
	}
	return Literal(s)
}

// fenceOf returns the run of at least three backticks or tildes that begins a line, "" for none.
func fenceOf(line string) string {
	body := strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		if n := len(body) - len(strings.TrimLeft(body, c)); n >= 3 {
			return body[:n]
		}
	}
	return ""
}

// literalLine writes one line. Its indent becomes no-break spaces: four spaces would make it code, in which escapes show.
func literalLine(b *strings.Builder, l string) {
	body := strings.TrimLeft(l, " \t")
	b.WriteString(strings.Repeat("\u00a0", len(l)-len(body)))
	if n := blockMark(body); n >= 0 {
		b.WriteString(body[:n] + `\` + body[n:n+1])
		body = body[n+1:]
	}
	for _, word := range Words(body) {
		if raw := strings.TrimRightFunc(word, unicode.IsSpace); address(raw) && escaped(raw) != raw {
			b.WriteString("<" + raw + ">" + word[len(raw):]) // an escape would become part of a link
			continue
		}
		b.WriteString(escaped(word))
	}
}

// blockMark returns the position of the character that makes a line a heading, quote, list, rule or underline, -1 for none.
func blockMark(body string) int {
	if body == "" {
		return -1
	}
	if strings.IndexByte("#>+-=:", body[0]) >= 0 {
		return 0
	}
	n := len(body) - len(strings.TrimLeft(body, "0123456789"))
	if n > 0 && n < len(body) && (body[n] == '.' || body[n] == ')') {
		return n
	}
	return -1
}

// address reports whether a word is a whole web address that angle brackets can hold.
func address(word string) bool {
	return (strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://")) &&
		!strings.ContainsFunc(word, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>\\", r) })
}

// escaped escapes the characters of a line that Markdown could read as marks.
func escaped(s string) string {
	if !strings.ContainsAny(s, "\\`*_[]<&~|") {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if marks(s, i, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// marks reports whether the character r at i may be a mark. An underscore within a word never is.
func marks(s string, i int, r rune) bool {
	switch r {
	case '\\', '`', '*', '[', ']', '<', '|':
		return true
	case '~': // one tilde is text, as in "11:30~13:00"
		return strings.HasPrefix(s[i+1:], "~") || strings.HasSuffix(s[:i], "~")
	case '&':
		return strings.Contains(s[i:], ";")
	case '_':
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+1:])
		return !isWord(before) || !isWord(after)
	}
	return false
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
