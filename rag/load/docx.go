package load

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// docxReader reads the paragraphs and tables of a Word document. Headings come
// from the style of a paragraph or its outline level; deleted text is left out.
type docxReader struct {
	out    *sink
	styles map[string]int // heading level by style ID

	para    strings.Builder
	level   int // outline level of the paragraph, 0 for none
	listed  bool
	inText  bool
	deleted int

	tables []docxTable // open ones, the innermost last
}

type docxTable struct {
	header []string
	rows   int // given out
	row    []string
	cell   []string
}

func parseDOCX(data []byte, _ limits, out *sink) error {
	o, err := openOffice(data)
	if err != nil {
		return err
	}
	main, err := o.part("word/document.xml")
	if err != nil {
		return err
	}
	if main == nil {
		return fault(WrongType, "", nil)
	}
	r := &docxReader{out: out, styles: map[string]int{}}
	styles, err := o.part("word/styles.xml")
	if err != nil {
		return err
	}
	if err := r.readStyles(styles); err != nil {
		return err
	}
	if err := readCoreTitle(o, out); err != nil {
		return err
	}
	if err := walkXML(main, r.start, r.end, r.text); err != nil {
		return err
	}
	for _, name := range []string{"word/footnotes.xml", "word/endnotes.xml"} {
		notes, err := o.part(name)
		if err != nil {
			return err
		}
		if err := walkXML(notes, r.start, r.end, r.text); err != nil {
			return err
		}
	}
	return nil
}

func readCoreTitle(o *office, out *sink) error {
	core, err := o.part("docProps/core.xml")
	if err != nil || core == nil {
		return err
	}
	in := false
	return walkXML(core,
		func(e xml.StartElement) error { in = e.Name.Local == "title"; return nil },
		func(string) error { in = false; return nil },
		func(s string) {
			if in {
				out.Title += s
			}
		})
}

// readStyles learns which styles are headings: by outline level, or by the name
// that Word gives them in every language ("heading 1", "Title").
func (r *docxReader) readStyles(b []byte) error {
	id := ""
	return walkXML(b, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "style":
			id = attr(e, "styleId")
		case "name":
			name := strings.ToLower(attr(e, "val"))
			if n, ok := strings.CutPrefix(name, "heading "); ok {
				if level, err := strconv.Atoi(n); err == nil && level > 0 && level < 10 {
					r.styles[id] = level
				}
			} else if name == "title" {
				r.styles[id] = 1
			}
		case "outlineLvl":
			if level, err := strconv.Atoi(attr(e, "val")); err == nil && level >= 0 && level < 9 && r.styles[id] == 0 {
				r.styles[id] = level + 1
			}
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
}

func (r *docxReader) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "p":
		if e.Name.Space == "w" {
			r.para.Reset()
			r.level, r.listed = 0, false
		}
	case "pStyle":
		r.level = r.styles[attr(e, "val")]
	case "outlineLvl":
		if level, err := strconv.Atoi(attr(e, "val")); err == nil && level >= 0 && level < 9 {
			r.level = level + 1
		}
	case "numPr":
		r.listed = true
	case "t":
		r.inText = e.Name.Space == "w" && r.deleted == 0
	case "tab":
		r.para.WriteByte('\t')
	case "br", "cr":
		r.para.WriteByte('\n')
	case "del", "moveFrom":
		r.deleted++
	case "tbl":
		r.tables = append(r.tables, docxTable{})
	case "tc":
		if n := len(r.tables); n > 0 {
			r.tables[n-1].cell = nil
		}
	}
	return nil
}

func (r *docxReader) end(name string) error {
	n := len(r.tables)
	switch name {
	case "t":
		r.inText = false
	case "del", "moveFrom":
		r.deleted = max(0, r.deleted-1)
	case "p":
		return r.paragraph()
	case "tc":
		if n > 0 {
			t := &r.tables[n-1]
			t.row = append(t.row, strings.Join(t.cell, " "))
		}
	case "tr":
		if n > 0 {
			return r.endRow(&r.tables[n-1])
		}
	case "tbl":
		if n > 0 {
			t := r.tables[n-1]
			r.tables = r.tables[:n-1]
			if t.rows == 0 && t.header != nil { // a table of one row
				return r.out.add(block{Kind: row, Text: rowText(nil, t.header)})
			}
		}
	}
	return nil
}

func (r *docxReader) text(s string) {
	if r.inText {
		r.para.WriteString(s)
	}
}

func (r *docxReader) paragraph() error {
	text := strings.TrimSpace(r.para.String())
	r.para.Reset()
	if text == "" {
		return nil
	}
	if n := len(r.tables); n > 0 {
		r.tables[n-1].cell = append(r.tables[n-1].cell, text)
		return nil
	}
	kind := para
	switch {
	case r.level > 0:
		kind = heading
	case r.listed:
		kind = item
	}
	return r.out.add(block{Kind: kind, Level: r.level, Text: text})
}

// endRow keeps the first row as the names of the columns.
func (r *docxReader) endRow(t *docxTable) error {
	values := t.row
	t.row = nil
	if len(values) == 0 {
		return nil
	}
	if t.header == nil {
		t.header = values
		return nil
	}
	t.rows++
	return r.out.add(block{Kind: row, Text: rowText(t.header, values)})
}
