package confluence

import (
	"html"
	"strconv"
	"strings"
)

// renderer writes a page as plain HTML, which the loader reads: headings, paragraphs, lists, tables and code.
type renderer struct {
	b     strings.Builder
	names map[person]string // of users, as far as they are known
	text  bool              // something of the page's own was written
	cells int               // of tables that are open
}

// render returns the HTML of a page's body, and whether it says anything.
func render(body *element, names map[person]string) (text string, says bool) {
	r := &renderer{names: names}
	r.inside(body)
	return r.b.String(), r.text
}

// kept are elements that keep their names.
func kept(name string) bool {
	switch name {
	case "p", "ul", "ol", "li", "table", "thead", "tbody", "tfoot", "tr", "caption", "blockquote", "pre", "dl", "dt", "dd", "div", "br", "hr", "details", "summary":
		return true
	}
	return false
}

// elementOf writes an element with what is in it.
func (r *renderer) elementOf(e *element) {
	switch {
	case e.name == "":
		r.say(e.text)
	case len(e.name) == 2 && e.name[0] == 'h' && e.name[1] >= '1' && e.name[1] <= '6':
		r.heading(e)
	case e.name == "td", e.name == "th":
		r.cells++
		r.wrap(e.name, merged(e), e)
		r.cells--
	case kept(e.name):
		r.wrap(e.name, merged(e), e)
	case e.name == "a" && strings.TrimSpace(e.raw()) == "":
		r.say(e.attr["href"])
	case e.name == "time":
		r.say(e.attr["datetime"])
		r.inside(e)
	case e.name == "script", e.name == "style":
	case strings.HasPrefix(e.name, "ac:"), strings.HasPrefix(e.name, "ri:"):
		r.special(e)
	default:
		r.inside(e)
	}
}

// heading writes a heading, one level below the page's place. One in a cell is a text of the table.
func (r *renderer) heading(e *element) {
	if r.cells > 0 {
		r.block(e)
		return
	}
	r.wrap("h"+strconv.Itoa(min(int(e.name[1]-'0')+1, 6)), "", e)
}

// inside writes the content of an element.
func (r *renderer) inside(e *element) {
	for _, k := range e.kids {
		r.elementOf(k)
	}
}

// wrap writes an element under a name.
func (r *renderer) wrap(name, attributes string, e *element) {
	r.b.WriteString("<" + name + attributes + ">")
	if empty(name) {
		return
	}
	r.inside(e)
	r.b.WriteString("</" + name + ">")
}

// block writes the content of an element as a block of its own.
func (r *renderer) block(e *element) {
	if e != nil {
		r.wrap("div", "", e)
	}
}

// line writes a text as a paragraph.
func (r *renderer) line(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	r.b.WriteString("<p>")
	r.say(text)
	r.b.WriteString("</p>")
}

// say writes a text.
func (r *renderer) say(text string) {
	r.text = r.text || strings.TrimSpace(text) != ""
	r.b.WriteString(html.EscapeString(text))
}

// code writes a text whose lines matter. A line feed that follows the tag at once is no part of it.
func (r *renderer) code(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	r.b.WriteString("<pre>\n")
	r.say(strings.Trim(text, "\r\n"))
	r.b.WriteString("</pre>")
}

// merged returns the attributes of cells and lists that tell their place.
func merged(e *element) string {
	var b strings.Builder
	for _, name := range []string{"colspan", "rowspan", "start"} {
		if n, err := strconv.Atoi(e.attr[name]); err == nil && n > 0 {
			b.WriteString(" " + name + `="` + strconv.Itoa(n) + `"`)
		}
	}
	return b.String()
}
