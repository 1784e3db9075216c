// Package office reads the documents of other office programs: OpenDocument texts, tables and slides, RTF, and the order
// of an EPUB's chapters. It writes the equations of Office as text. It must not know passages.
package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"maru/rag/load/outline"
	"maru/rag/load/pack"
	"maru/rag/load/remark"
)

const (
	maxColumns = 1000
	maxRepeat  = 100 // equal cells and spaces in a row
)

// ODF passes the blocks of an OpenDocument file on and returns its title.
func ODF(data []byte, add outline.Add) (title string, err error) {
	p, err := pack.Open(data)
	if err != nil {
		return "", err
	}
	if err := locked(p); err != nil {
		return "", err
	}
	if title, err = titleIn(p, "meta.xml"); err != nil {
		return "", err
	}
	b, err := p.Part("content.xml")
	if err != nil {
		return "", err
	}
	if b == nil {
		return "", pack.ErrBroken
	}
	r := &odf{add: add}
	return title, pack.Walk(b, r.start, r.end, r.text)
}

// locked fails if the manifest declares encryption.
func locked(p *pack.Package) error {
	b, err := p.Part("META-INF/manifest.xml")
	if err != nil {
		return err
	}
	return pack.Walk(b, func(e xml.StartElement) error {
		if e.Name.Local == "encryption-data" {
			return pack.ErrEncrypted
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
}

// titleIn returns the text of the first title element of a part.
func titleIn(p *pack.Package, part string) (string, error) {
	b, err := p.Part(part)
	if err != nil {
		return "", err
	}
	var title strings.Builder
	in, done := false, false
	err = pack.Walk(b, func(e xml.StartElement) error {
		in = e.Name.Local == "title" && !done
		return nil
	}, func(string) error {
		in, done = false, done || in
		return nil
	}, func(s string) {
		if in {
			title.WriteString(s)
		}
	})
	return strings.TrimSpace(title.String()), err
}

// odf reads the body of an OpenDocument file.
type odf struct {
	add    outline.Add
	words  strings.Builder
	depth  int // open paragraphs: one may be in a note or box of another
	kind   outline.Kind
	level  int
	page   int
	items  int // open list items
	left   int // open elements that are left out
	tables []*odfTable

	remark *note  // the open one
	in     string // the element of it
	said   []remark.Remark
}

// note is a remark that is not complete.
type note struct{ author, text strings.Builder }

type odfTable struct {
	rows [][]string
	row  []string
	cell []string
	wide int

	named  int  // rows marked as names of columns
	naming bool // the open rows are
}

func (r *odf) start(e xml.StartElement) error {
	r.in = e.Name.Local
	switch name := e.Name.Local; name {
	case "annotation":
		if r.left == 0 {
			r.remark = &note{}
		}
		r.left++
	case "tracked-changes", "forms", "sequence-decls", "automatic-styles", "font-face-decls", "scripts":
		r.left++
	case "h", "p":
		if r.left > 0 {
			break
		}
		if r.depth++; r.depth > 1 {
			r.words.WriteByte(' ')
			break
		}
		r.words.Reset()
		r.kind, r.level = outline.Para, 0
		if name == "h" {
			r.kind, r.level = outline.Heading, max(1, number(e, "outline-level", 1))
		} else if r.items > 0 {
			r.kind = outline.Item
		}
	case "list-item":
		r.items++
	case "s":
		r.write(strings.Repeat(" ", min(maxRepeat, number(e, "c", 1))))
	case "tab":
		r.write("\t")
	case "line-break":
		r.write("\n")
	case "page":
		if name := pack.Attr(e, "name"); e.Name.Space != "" && strings.Contains(e.Name.Space, "drawing") {
			r.page++
			return r.add(outline.Block{Kind: outline.Heading, Level: 1, Page: r.page, Text: name})
		}
	case "table":
		if name := pack.Attr(e, "name"); name != "" && len(r.tables) == 0 && r.left == 0 {
			if err := r.add(outline.Block{Page: r.page, Text: name}); err != nil {
				return err
			}
		}
		r.tables = append(r.tables, &odfTable{})
	case "table-header-rows":
		if t := r.table(); t != nil {
			t.naming = true
		}
	case "table-cell", "covered-table-cell":
		if t := r.table(); t != nil {
			t.cell, t.wide = nil, min(maxRepeat, max(number(e, "number-columns-repeated", 1), number(e, "number-columns-spanned", 1)))
		}
	}
	return nil
}

func (r *odf) table() *odfTable {
	if n := len(r.tables); n > 0 {
		return r.tables[n-1]
	}
	return nil
}

func (r *odf) write(s string) {
	if r.depth > 0 && r.left == 0 {
		r.words.WriteString(s)
	}
}

func (r *odf) text(s string) {
	r.write(s)
	if r.remark == nil {
		return
	}
	switch r.in {
	case "creator":
		r.remark.author.WriteString(s)
	case "date", "date-string", "creator-initials":
	default:
		r.remark.text.WriteString(s)
	}
}

// remarks passes the comments on what was read on.
func (r *odf) remarks() error {
	said := r.said
	r.said = nil
	for _, c := range said {
		b := c.Block()
		b.Page = r.page
		if err := r.add(b); err != nil {
			return err
		}
	}
	return nil
}

func (r *odf) end(name string) error {
	t := r.table()
	r.in = ""
	switch name {
	case "annotation":
		if r.left--; r.left == 0 && r.remark != nil {
			if text := strings.Join(strings.Fields(r.remark.text.String()), " "); text != "" {
				r.said = append(r.said, remark.Remark{Author: r.remark.author.String(), Text: text})
			}
			r.remark = nil
		}
	case "tracked-changes", "forms", "sequence-decls", "automatic-styles", "font-face-decls", "scripts":
		r.left--
	case "h", "p":
		if r.remark != nil {
			r.remark.text.WriteByte(' ')
		}
		if r.left > 0 {
			break
		}
		if r.depth--; r.depth > 0 {
			break
		}
		text := strings.TrimSpace(r.words.String())
		r.words.Reset()
		if t != nil {
			if text != "" {
				t.cell = append(t.cell, text)
			}
			break
		}
		if err := r.add(outline.Block{Kind: r.kind, Level: r.level, Page: r.page, Text: text}); err != nil {
			return err
		}
		return r.remarks()
	case "list-item":
		r.items--
	case "table-cell":
		if t != nil {
			for range min(t.wide, maxColumns-len(t.row)) {
				t.row = append(t.row, strings.Join(t.cell, " "))
			}
		}
	case "table-header-rows":
		if t != nil {
			t.naming = false
		}
	case "table-row":
		if t != nil {
			if strings.Join(t.row, "") != "" {
				if t.naming && t.named == len(t.rows) {
					t.named++
				}
				t.rows = append(t.rows, t.row)
			}
			t.row = nil
		}
	case "table":
		if t == nil {
			break
		}
		r.tables = r.tables[:len(r.tables)-1]
		for _, b := range outline.Rows(t.rows, t.named) {
			b.Page = r.page
			if err := r.add(b); err != nil {
				return err
			}
		}
		if len(r.tables) == 0 {
			return r.remarks()
		}
	}
	return nil
}

func number(e xml.StartElement, name string, other int) int {
	if n, err := strconv.Atoi(pack.Attr(e, name)); err == nil {
		return n
	}
	return other
}
