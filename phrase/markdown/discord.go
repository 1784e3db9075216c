package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"maru/phrase/link"
	"maru/phrase/pattern"
)

// Discord is Discord's Markdown. It has no tables, one level of quotes and three of headings,
// and parses its own tokens in text and in code.
func Discord() *Dialect {
	return &Dialect{
		measure: utf8.RuneCountInString, growth: 4,
		escape: discordWord, start: discordStart, codeSpan: discordSpan, codeLine: discordCode, empty: " ",
		headings: discordHeading, rule: "――――――", boxes: [2]string{"☐ ", "☑ "},
		between: discordBetween, table: alignedTable, fence: "```", address: discordAddress, link: discordLink, marks: asterisks,
		moment: "<t:%:f>",
	}
}

// discordHeading writes levels 1 to 3 as they are; Discord has no others, and none in a list.
func discordHeading(level int, nested bool) (lead, marks string) {
	if level > 3 || nested {
		return "", string(Bold)
	}
	return strings.Repeat("#", level) + " ", ""
}

// discordBetween reports whether a blank line separates two blocks.
func discordBetween(prev, next ast.Node) bool {
	if _, ok := next.(*ast.List); ok {
		_, tight := prev.(*ast.TextBlock)
		_, after := prev.(*ast.Paragraph)
		return !tight && !after
	}
	_, ok := prev.(*ast.Heading)
	return !ok
}

// discordStart escapes the first word of a line if the line would begin a block.
func discordStart(tokens []Token, _ bool) []Token {
	if len(tokens) == 0 || tokens[0].Kind != Word || tokens[0].Marks != "" {
		return tokens
	}
	s := tokens[0].Text
	switch {
	case strings.HasSuffix(s, " "):
		s = escapeStart(s)
	case len(tokens) == 1:
		s = strings.TrimSuffix(escapeStart(s+" "), " ")
	}
	if s == tokens[0].Text {
		return tokens
	}
	tokens = append([]Token(nil), tokens...)
	tokens[0].Text = s
	return tokens
}

// maxDiscordURL is the maximum length of a link's URL.
const maxDiscordURL = 1500

// discordAddress accepts web pages only: Discord has no mailto links.
func discordAddress(raw string) (url string, to link.Address, ok bool) {
	to, ok = link.Parse(raw)
	if !ok || to.Mail || len(to.Raw) > maxDiscordURL {
		return "", link.Address{}, false
	}
	return crowd.ReplaceAllString(to.Markdown(), "%40$1"), to, true
}

// looksLikeURL reports whether a label looks like a URL: Discord does not link such labels,
// and they would mislead people.
func looksLikeURL(label string) bool {
	l := strings.ToLower(label)
	return strings.Contains(l, "://") || strings.Contains(l, "www.") || strings.Contains(l, "discord.gg/")
}

func discordLink(a anchor) Token {
	switch {
	case a.auto: // in angle brackets, which delimit the URL
		return Token{Text: "<" + a.url + ">", Plain: a.name}
	case a.name == "" || a.name == a.raw || looksLikeURL(a.name):
		return Token{Text: "<" + a.url + ">", Plain: a.url}
	}
	t := Token{Text: "[" + discordEscape(a.name) + "](" + a.url + ")", Plain: a.name + " (" + a.url + ")"}
	if note := a.to.Note(a.name); note != "" && !a.known {
		t.Text += " (" + discordEscape(note) + ")"
	}
	return t
}

// lineStart matches block syntax at the start of a line.
var lineStart = pattern.New(`^( *)(#{1,3} |-# |>{1,3} |[-*+] |\d{1,9}[.)] )`)

// escapeStart escapes plain text that would start a heading, quote or list.
func escapeStart(s string) string {
	m := lineStart.FindStringSubmatchIndex(s)
	if m == nil {
		return s
	}
	if c := s[m[4]]; c >= '0' && c <= '9' { // "1. " becomes "1\. "
		dot := m[5] - 2
		return s[:dot] + "\\" + s[dot:]
	}
	return s[:m[4]] + "\\" + s[m[4]:]
}
