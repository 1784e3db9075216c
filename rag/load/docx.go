package load

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// docxReader reads the paragraphs and tables of a Word document. Headings come
// from the style of a paragraph or its outline level; what is deleted or hidden is left out.
type docxReader struct {
	out    *sink
	styles map[string]int  // heading level by style ID
	unseen map[string]bool // styles of hidden text, by ID

	para    strings.Builder
	level   int // outline level of the paragraph, 0 for none
	listed  bool
	inText  bool
	skipped int // open elements whose text is not read
	inRun   bool
	past    int  // open elements that tell of a format that was
	hidden  bool // the paragraph's style
	unread  bool // the run is hidden

	tables officeTables
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
	r := &docxReader{out: out, styles: map[string]int{}, unseen: map[string]bool{}}
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
		case "vanish":
			r.unseen[id] = id != "" && switched(e)
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
}

func (r *docxReader) start(e xml.StartElement) error {
	t := r.tables.last()
	switch e.Name.Local {
	case "p":
		if e.Name.Space == "w" {
			r.para.Reset()
			r.level, r.listed, r.hidden = 0, false, false
		}
	case "pStyle":
		r.level, r.hidden = r.styles[attr(e, "val")], r.unseen[attr(e, "val")]
	case "outlineLvl":
		if level, err := strconv.Atoi(attr(e, "val")); err == nil && level >= 0 && level < 9 {
			r.level = level + 1
		}
	case "numPr":
		r.listed = true
	case "r":
		r.inRun, r.unread = true, r.hidden
	case "t":
		r.inText = e.Name.Space == "w" && r.skipped == 0 && !r.unread
	case "tab":
		r.para.WriteByte('\t')
	case "br", "cr":
		r.para.WriteByte('\n')
	case "del", "moveFrom":
		r.skipped++
	case "tbl":
		r.tables = append(r.tables, officeTable{})
	case "tc":
		if t != nil {
			t.startCell()
		}
	case "gridSpan":
		if t != nil {
			t.wide, _ = strconv.Atoi(attr(e, "val")) // one column, where that is no number
		}
	case "vMerge":
		if t != nil {
			t.under = attr(e, "val") != "restart"
		}
	default:
		r.format(e)
	}
	return nil
}

// format follows what makes a run hidden. The mark at a paragraph's end may be so
// without its text, and a format of the past says nothing.
func (r *docxReader) format(e xml.StartElement) {
	switch e.Name.Local {
	case "rPrChange":
		r.past++
	case "rStyle":
		if r.inRun && r.past == 0 {
			r.unread = r.unread || r.unseen[attr(e, "val")]
		}
	case "vanish":
		if r.inRun && r.past == 0 {
			r.unread = switched(e)
		}
	}
}

// switched reports whether a property is on: it is where it stands, unless it says
// otherwise.
func switched(e xml.StartElement) bool {
	v := attr(e, "val")
	return v == "" || on(v)
}

func (r *docxReader) end(name string) error {
	t := r.tables.last()
	switch name {
	case "t":
		r.inText = false
	case "r":
		r.inRun = false
	case "rPrChange":
		r.past = max(0, r.past-1)
	case "del", "moveFrom":
		r.skipped = max(0, r.skipped-1)
	case "p":
		return r.paragraph()
	case "tc":
		if t != nil {
			t.endCell()
		}
	case "tr":
		if t != nil {
			return t.endRow(r.tables.to(r.out))
		}
	case "tbl":
		if t != nil {
			err := t.end(r.tables.to(r.out))
			r.tables = r.tables[:len(r.tables)-1]
			return err
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
	if t := r.tables.last(); t != nil {
		t.cell = append(t.cell, text)
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
