package markdown

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"maru/phrase/fit"
	"maru/phrase/link"
	"maru/phrase/pattern"
)

// Slack returns the standard Markdown of Slack's markdown block. The source is kept, normalised
// and escaped. For Slack's mrkdwn see [Mrkdwn].
func Slack() *Dialect {
	return &Dialect{
		measure: fit.UTF16, growth: 8, spare: 16,
		source: slackSource, escape: slackWord, start: slackStart,
		codeSpan: slackSpan, codeLine: slackCode,
		headings: func(level int, _ bool) (string, string) { return strings.Repeat("#", level) + " ", "" },
		rule:     "---", boxes: [2]string{"[ ] ", "[x] "},
		quotes: true, inset: true, apart: true, loose: true, between: slackBetween,
		table: barTable, address: slackAddress, link: slackLink, marks: asterisks,
	}
}

// slackBetween reports whether a blank line separates two blocks: always, except for a list
// in a tight item.
func slackBetween(prev, next ast.Node) bool {
	_, list := next.(*ast.List)
	_, tight := prev.(*ast.TextBlock)
	return !list || !tight
}

// slackBlock matches block syntax at the start of a line.
var slackBlock = pattern.New("^\\s*(#{1,6}(\\s|$)|=+\\s*$|-{1,}\\s*$|([-+*]\\s*){3,}$|[-+*](\\s|$)|[0-9]{1,9}[.)](\\s|$)|`{3,}|~{3,}|_{3,}\\s*$|\\||\\[[^\\]]+\\]:)")

// slackStart escapes a continuation line of a paragraph that would start a block.
func slackStart(tokens []Token, begins bool) []Token {
	if begins || len(tokens) == 0 || tokens[0].Kind != Word || tokens[0].Marks != "" {
		return tokens
	}
	s, rest := strings.TrimLeft(tokens[0].Text, " "), ""
	if len(tokens) > 1 {
		rest = tokens[1].Text
	}
	m := slackBlock.FindString(s)
	if m == "" || rest != "" && slackBlock.FindString(s+rest) == "" {
		return tokens
	}
	out := append([]Token(nil), tokens...)
	if i := strings.IndexAny(m, ".)"); i > 0 {
		out[0].Text = s[:i] + "\\" + s[i:]
	} else if out[0].Text = strings.NewReplacer("`", "\\`", "~", "\\~").Replace(m) + s[len(m):]; out[0].Text == s {
		out[0].Text = "\\" + s
	}
	return out
}

// maxSlackURL is Slack's maximum length of a URL.
const maxSlackURL = 3000

func slackAddress(raw string) (url string, to link.Address, ok bool) {
	to, ok = link.Parse(raw)
	if !ok || len(to.Raw) > maxSlackURL {
		return "", link.Address{}, false
	}
	return to.Markdown(), to, true
}

func slackLink(a anchor) Token {
	if a.auto {
		return Token{Text: "[" + angles(slackLabel.Replace(a.name)) + "](" + a.url + ")", Plain: a.name, Label: a.name}
	}
	var label strings.Builder
	for _, t := range a.label {
		label.WriteString(t.Text)
	}
	name := first(a.name, a.to.Host)
	shown := strings.TrimSpace(label.String())
	if fit.UTF16(shown) > maxLabel || strings.ContainsAny(shown, "`[]") || a.name == "" {
		shown = angles(slackLabel.Replace(name))
	}
	t := Token{Plain: name + " (" + a.url + ")", Label: name}
	if note := a.to.Note(a.name); note == "" {
		t.Plain = a.url
	} else if a.name != "" && !a.known {
		shown += " (" + angles(note) + ")"
		t.Label += " (" + note + ")"
	}
	t.Text = "[" + calm(shown) + "](" + a.url + ")"
	return t
}

// LeadsAway reports whether Markdown contains an unknown URL. Slack cannot disable previews
// in a stream, and a preview fetches the URL without a click.
func LeadsAway(md string, known map[string]bool) bool {
	if !strings.Contains(md, "://") {
		return false
	}
	safe := make(map[string]bool, len(known))
	for u := range known {
		if url, _, ok := slackAddress(u); ok {
			safe[url] = true
		}
	}
	return slices.ContainsFunc(webAddress.FindAllString(md, -1), func(u string) bool { return !safe[u] })
}

var webAddress = pattern.New(`(?i)https?://[^\s<>()\[\]"'` + "`" + `]+`)
