package web

import (
	"fmt"
	"html/template"

	"maru/phrase/markdown"
)

// htmlOf renders a model's or a person's Markdown into HTML that loads nothing, runs
// nothing and hides nothing. A link to where no source pointed must be confirmed.
func htmlOf(src string, s surroundings) template.HTML {
	return template.HTML(markdown.HTML(src, s)) //nolint:gosec // G203: every node that could carry HTML is escaped there, and in Cite and Link
}

// Link implements markdown.Page. A known address opens in a new tab; any other is a
// button that first shows where it leads, for the words of an answer can be made to
// carry a secret to a stranger.
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

// attr escapes text for an attribute or for the inside of an element.
func attr(s string) string { return template.HTMLEscapeString(s) }
