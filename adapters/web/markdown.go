package web

import (
	"fmt"
	"html/template"

	"maru/phrase/chart"
	"maru/phrase/markdown"
)

// htmlOf renders Markdown of a model or person as HTML that loads nothing, runs nothing and
// hides nothing. A link to an unknown URL must be confirmed.
func htmlOf(src string, s surroundings) template.HTML {
	return template.HTML(markdown.HTML(src, s)) //nolint:gosec // G203: every node that could carry HTML is escaped there, and in Cite and Link
}

// Link implements markdown.Page. A known URL opens in a new tab; any other is a button that
// first shows its target, because a manipulated answer could leak a secret in a URL.
func (s surroundings) Link(href, host string) (before, after string) {
	if href == "" {
		return `<span class="nolink">`, `</span>`
	}
	if host != "" {
		after = fmt.Sprintf(` <span class="host">(%s)</span>`, attr(host))
	}
	if s.known[href] {
		return fmt.Sprintf(`<a href="%s" rel="noopener noreferrer nofollow ugc" target="_blank">`, attr(href)), after + `</a>`
	}
	before = fmt.Sprintf(`<button type="button" class="away" data-away="%s" title="%s">`, attr(href), attr(word(s.lang, "away.title")))
	return before, after + `</button>`
}

// Timed implements markdown.Page.
func (s surroundings) Timed() bool { return s.own }

// Chart implements markdown.Page.
func (s surroundings) Chart(c chart.Chart) string { return c.HTML(s.lang) }

// timedHTML renders a plain text of the bot, with its moments.
func timedHTML(s string) template.HTML {
	return template.HTML(markdown.TimedHTML(s)) //nolint:gosec // G203: all text is escaped there
}

// attr escapes text for an attribute or an element's content.
func attr(s string) string { return template.HTMLEscapeString(s) }
