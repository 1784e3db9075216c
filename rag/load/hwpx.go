package load

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"path"
	"strconv"
	"strings"

	"maru/rag/load/pack"
)

// hwpxReader reads the paragraphs and tables of a Hangul document in its open format (OWPML, KS X 6101), a ZIP of
// XML. Headings are outline paragraphs, numbers come from the lists. Deleted text and comments are left out;
// footnotes follow their section, and a header or footer appears once.
type hwpxReader struct {
	out   *sink
	looks hwpxLooks
	lists *wordLists

	hwpxParagraph
	outer []hwpxParagraph // outer paragraphs around a table, box or note

	inText, deleted bool
	skipped         int // open skipped elements
	noted           int // open notes
	edge            int // open headers and footers
	notes           []block
	seen            map[string]bool // lines of headers and footers seen
	outline         string          // the numbering of the outline

	tables officeTables
	grids  []hwpxGrid // of the open tables
}

// hwpxParagraph is the paragraph being read.
type hwpxParagraph struct {
	words []byte
	look  string // of the paragraph, by its id
}

func parseHWPX(data []byte, _ limits, out *sink) error {
	o, err := pack.Open(data)
	if err != nil {
		return err
	}
	if err := hwpxLocked(o); err != nil {
		return err
	}
	sections, err := hwpxSections(o, out)
	if err != nil {
		return err
	}
	if len(sections) == 0 {
		return fault(WrongType, "", nil)
	}
	header, err := o.Part("Contents/header.xml")
	if err != nil {
		return err
	}
	r := &hwpxReader{out: out, seen: map[string]bool{}}
	if r.looks, r.lists, err = readHWPXHeader(header); err != nil {
		return err
	}
	for _, name := range sections {
		b, err := o.Part(name)
		if err != nil {
			return err
		}
		if err := pack.Walk(b, r.start, r.end, r.text); err != nil {
			return err
		}
		if err := emitBlocks(r.notes, out.add); err != nil {
			return err
		}
		r.notes = nil
	}
	return nil
}

// hwpxLocked fails if the manifest declares encryption.
func hwpxLocked(o *pack.Package) error {
	manifest, err := o.Part("META-INF/manifest.xml")
	if err != nil || manifest == nil {
		return err
	}
	return pack.Walk(manifest, func(e xml.StartElement) error {
		if e.Name.Local == "encryption-data" {
			return fault(Encrypted, "", nil)
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
}

// hwpxSections returns the text parts in order and sends the title to out.
func hwpxSections(o *pack.Package, out *sink) ([]string, error) {
	index, err := o.Part("Contents/content.hpf")
	if err != nil {
		return nil, err
	}
	parts, title := map[string]string{}, false
	var names []string
	err = pack.Walk(index, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "title":
			title = true
		case "item":
			parts[pack.Attr(e, "id")] = pack.Attr(e, "href")
		case "itemref":
			if name := parts[pack.Attr(e, "idref")]; strings.HasPrefix(path.Base(name), "section") {
				names = append(names, name)
			}
		}
		return nil
	}, func(string) error { title = false; return nil }, func(s string) {
		if title {
			out.Title += s
		}
	})
	if err != nil {
		return nil, err
	}
	var there []string
	for _, name := range names {
		if o.Has(name) {
			there = append(there, name)
		}
	}
	for i := 0; len(names) == 0 && i < pack.MaxFiles; i++ { // an index without sections
		name := fmt.Sprintf("Contents/section%d.xml", i)
		if !o.Has(name) {
			break
		}
		there = append(there, name)
	}
	return there, nil
}

func (r *hwpxReader) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "hiddenComment", "fieldBegin", "secPr": // private notes and non-text
		r.skipped++
		if id := pack.Attr(e, "outlineShapeIDRef"); id != "" {
			r.outline = id
		}
	case "p":
		r.outer = append(r.outer, r.hwpxParagraph)
		r.hwpxParagraph = hwpxParagraph{look: pack.Attr(e, "paraPrIDRef")}
	case "t", "script", "mainText", "subText": // also of equations, and of words with another above them
		r.inText = r.skipped == 0
		if e.Name.Local == "subText" { // as HWP has it
			r.text("(")
		}
	case "textart", "compose":
		if r.skipped == 0 && !r.deleted {
			r.words = append(r.words, strings.ReplaceAll(pack.Attr(e, "text")+pack.Attr(e, "composeText"), "␍␊", " ")...)
		}
	case "deleteBegin":
		r.deleted = true
	case "deleteEnd":
		r.deleted = false
	case "tab", "lineBreak", "nbSpace", "fwSpace", "hyphen":
		r.mark(map[string]string{"tab": "\t", "lineBreak": "\n", "hyphen": "-"}[e.Name.Local])
	case "footNote", "endNote":
		r.noted++
	case "header", "footer":
		r.edge++
	case "tbl":
		r.tables, r.grids = append(r.tables, officeTable{}), append(r.grids, hwpxGrid{})
	default:
		r.cell(e)
	}
	return nil
}

// cell reads a table cell's position and span.
func (r *hwpxReader) cell(e xml.StartElement) {
	t := r.tables.last()
	if t == nil {
		return
	}
	g := &r.grids[len(r.grids)-1]
	switch e.Name.Local {
	case "tc":
		t.startCell()
		g.unmarked = g.unmarked || !pack.On(pack.Attr(e, "header"))
		g.at, g.wide, g.tall = -1, 1, 1
	case "cellAddr":
		if n, err := strconv.Atoi(pack.Attr(e, "colAddr")); err == nil {
			g.at = n
		}
	case "cellSpan":
		g.wide, g.tall = spanned(e, "colSpan"), spanned(e, "rowSpan")
	}
}

// spanned returns a cell's column or row span, at least 1.
func spanned(e xml.StartElement, name string) int {
	n, err := strconv.Atoi(pack.Attr(e, name))
	if err != nil {
		return 1
	}
	return max(1, n)
}

// mark writes a character that is an element of its own within a text, a space if it is no other.
func (r *hwpxReader) mark(sign string) { r.text(cmp.Or(sign, " ")) }

func (r *hwpxReader) text(s string) {
	if r.inText && !r.deleted {
		r.words = append(r.words, s...)
	}
}

func (r *hwpxReader) end(name string) error {
	t := r.tables.last()
	switch name {
	case "hiddenComment", "fieldBegin", "secPr":
		r.skipped = max(0, r.skipped-1)
	case "t", "script", "mainText", "subText":
		if name != "t" { // a word of its own
			r.mark(map[string]string{"subText": ") "}[name])
		}
		r.inText = false
	case "footNote", "endNote":
		r.noted = max(0, r.noted-1)
	case "header", "footer":
		r.edge = max(0, r.edge-1)
	case "p":
		err := r.paragraph()
		if n := len(r.outer); n > 0 {
			r.hwpxParagraph, r.outer = r.outer[n-1], r.outer[:n-1]
		}
		return err
	case "tc":
		if t != nil {
			r.grids[len(r.grids)-1].put(t)
		}
	case "tr":
		if t != nil {
			r.grids[len(r.grids)-1].endRow(t)
			return t.endRow(r.tables.to(r.out))
		}
	case "tbl":
		if t != nil {
			err := t.End(r.tables.to(r.out))
			r.tables, r.grids = r.tables[:len(r.tables)-1], r.grids[:len(r.grids)-1]
			return err
		}
	}
	return nil
}

func (r *hwpxReader) paragraph() error {
	look := r.looks[r.look]
	number, text := "", strings.TrimSpace(string(r.words))
	if look.list != "" && r.skipped == 0 {
		place := &listPlace{list: look.list, level: look.level}
		if look.list == outlineList {
			place.list = r.outline
		}
		number, _ = r.lists.next(place, "")
	}
	if text == "" || r.skipped > 0 {
		return nil // its number is consumed all the same
	}
	if number != "" {
		text = number + " " + text
	}
	b := block{Kind: para, Text: text}
	switch {
	case look.list == outlineList:
		b.Kind, b.Level = heading, look.level+1
	case look.bullet:
		b.Kind = item
	}
	switch t := r.tables.last(); {
	case r.edge > 0:
		if r.seen[text] {
			return nil
		}
		r.seen[text] = true
		return r.out.add(block{Kind: para, Text: text})
	case r.noted > 0:
		r.notes = append(r.notes, block{Kind: para, Text: text})
	case t != nil:
		t.cell = append(t.cell, text)
	default:
		return r.out.add(b)
	}
	return nil
}
