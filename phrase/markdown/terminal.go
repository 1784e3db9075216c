package markdown

import (
	"strings"

	"github.com/rivo/uniseg"

	"maru/phrase/link"
)

// Terminal is text with terminal styles: emphasis and code without marks, aligned tables,
// links with their URL. It is joined, never split.
func Terminal() *Dialect {
	asIs := func(s string) string { return s }
	return &Dialect{
		measure: uniseg.StringWidth, growth: 1,
		escape: asIs, start: func(tokens []Token, _ bool) []Token { return tokens },
		codeSpan: func(s string) string { return cyan + s + plainColour }, codeLine: asIs,
		headings: func(int, bool) (string, string) { return "", string(Bold) },
		rule:     "────────", boxes: [2]string{"☐ ", "☑ "},
		quotes: true, inset: true, apart: true, loose: true, between: slackBetween,
		table: alignedTable, address: terminalAddress, link: terminalLink, marks: ansi,
	}
}

// Terminal escape sequences (ECMA-48). Input cannot contain any: controls are removed when it
// is parsed.
const (
	cyan        = "\x1b[36m"
	plainColour = "\x1b[39m"
)

// ansi returns the escape sequences of emphasis.
func ansi(mark byte) (before, after string) {
	switch mark {
	case Italic:
		return "\x1b[3m", "\x1b[23m"
	case Bold:
		return "\x1b[1m", "\x1b[22m"
	case Struck:
		return "\x1b[9m", "\x1b[29m"
	}
	return "", ""
}

func terminalAddress(raw string) (url string, to link.Address, ok bool) {
	to, ok = link.Parse(raw)
	return to.Raw, to, ok
}

// terminalLink shows a link's label and its URL as written, with the ASCII host if the URL
// could be mistaken for another.
func terminalLink(a anchor) Token {
	shown := strings.TrimPrefix(a.to.Raw, "mailto:")
	if !strings.Contains(strings.ToLower(a.to.Raw), strings.ToLower(a.to.Host)) {
		shown += " → " + a.to.Host
	}
	if a.auto || a.name == "" || a.name == shown || a.name == a.to.Raw {
		return Token{Text: shown, Plain: shown}
	}
	s := a.name + " (" + shown + ")"
	return Token{Text: s, Plain: s}
}

// Draft writes the settled part of a growing text, and its last words as they are.
func (d *Dialect) Draft(src string) string {
	n := Settled(src)
	if strings.IndexFunc(src[n:], func(r rune) bool { return !isWord(r) && !strings.ContainsRune(" ,", r) }) < 0 && !digits(src[n:]) {
		n = len(src)
	}
	lines := d.Lines(src[:n], nil)
	return Growing(d.Join(lines), lines)
}

// digits reports whether s may still become a list number.
func digits(s string) bool { return strings.TrimLeft(s, "0123456789") == "" }
