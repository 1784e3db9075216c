package notion

import (
	"html"
	"maps"
	"slices"
	"strings"
)

// renderer writes a page as plain HTML, which the loader reads: headings, paragraphs, lists, tables and code.
type renderer struct {
	b    strings.Builder
	text bool // something was written
}

// properties writes the values that a page has in the columns of its database.
func (r *renderer) properties(all map[string]property) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := all[name]
		text := p.text()
		if p.Type == "title" || strings.TrimSpace(text) == "" {
			continue
		}
		if p.Type == "checkbox" || p.Type == "created_by" { // every page of the database has it
			r.b.WriteString("<p>" + html.EscapeString(name+": "+text) + "</p>")
			continue
		}
		r.line("p", name+": "+text)
	}
}

// blocks writes blocks. Items of lists that follow each other are one list.
func (r *renderer) blocks(list []block) {
	open := ""
	for _, b := range list {
		in := ""
		switch b.Type {
		case "numbered_list_item":
			in = "ol"
		case "bulleted_list_item", "to_do":
			in = "ul"
		}
		if in != open && open != "" {
			r.b.WriteString("</" + open + ">")
		}
		if in != open && in != "" {
			r.b.WriteString("<" + in + ">")
		}
		open = in
		r.block(b)
	}
	if open != "" {
		r.b.WriteString("</" + open + ">")
	}
}

// block writes a block with those in it.
func (r *renderer) block(b block) {
	c := b.content
	text := c.Text.plain()
	switch b.Type {
	case "heading_1":
		r.line("h2", text)
	case "heading_2":
		r.line("h3", text)
	case "heading_3", "heading_4":
		r.line("h4", text)
	case "numbered_list_item", "bulleted_list_item", "to_do":
		r.item(b, text)
		return
	case "code":
		r.line("p", c.Caption.plain())
		r.code(text)
	case "equation":
		r.line("p", c.Expression)
	case "callout":
		r.line("p", strings.TrimSpace(c.Icon.Emoji+" "+text))
	case "table":
		r.table(b)
		return
	case "child_page", "child_database":
		r.line("p", c.Title)
	case "bookmark", "embed", "link_preview":
		if r.line("p", c.Caption.plain()); c.Caption.plain() == "" {
			r.line("p", c.URL)
		}
	case "image", "file", "pdf", "video", "audio":
		r.line("p", strings.TrimSpace(c.Name+" "+c.Caption.plain()))
	default:
		r.line("p", text)
	}
	if len(b.inner) > 0 {
		r.b.WriteString("<div>")
		r.blocks(b.inner)
		r.b.WriteString("</div>")
	}
}

// item writes an item of a list, with its box if it is a task.
func (r *renderer) item(b block, text string) {
	if b.Type == "to_do" && strings.TrimSpace(text) != "" {
		box := "[ ] "
		if b.content.Checked {
			box = "[x] "
		}
		text = box + text
	}
	r.b.WriteString("<li>")
	r.line("", text)
	r.blocks(b.inner)
	r.b.WriteString("</li>")
}

// table writes a table with the names of its columns and rows.
func (r *renderer) table(b block) {
	r.b.WriteString("<table>")
	for n, row := range b.inner {
		if row.Type != "table_row" {
			continue
		}
		r.b.WriteString("<tr>")
		for m, cell := range row.content.Cells {
			name := "td"
			if n == 0 && b.content.ColumnHead || m == 0 && b.content.RowHead {
				name = "th"
			}
			r.b.WriteString("<" + name + ">")
			r.line("", cell.plain())
			r.b.WriteString("</" + name + ">")
		}
		r.b.WriteString("</tr>")
	}
	r.b.WriteString("</table>")
}

// line writes a text in an element, or alone for "". Its line feeds stay.
func (r *renderer) line(name, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	r.text = true
	text = strings.ReplaceAll(html.EscapeString(strings.TrimSpace(text)), "\n", "<br>")
	if name == "" {
		r.b.WriteString(text)
		return
	}
	r.b.WriteString("<" + name + ">" + text + "</" + name + ">")
}

// code writes a text whose lines matter. A line feed that follows the tag at once is no part of it.
func (r *renderer) code(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	r.text = true
	r.b.WriteString("<pre>\n" + html.EscapeString(strings.Trim(text, "\r\n")) + "</pre>")
}
