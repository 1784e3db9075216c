package load

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// docxReader reads the paragraphs and tables of a Word document as its last page proof would
// show them. Headings come from the style of a paragraph or its outline level, numbers from the
// lists; what is deleted or hidden is left out. What headers and footers say comes first, each line once.
type docxReader struct {
	out    *sink
	styles wordStyles
	lists  *wordLists

	wordParagraph
	outer []wordParagraph // those that a text box stands in

	inText  bool
	skipped int // open elements whose text is not read
	inRun   bool
	past    int  // open elements that tell of a format that was
	unread  bool // the run is hidden

	tables officeTables

	o      *office
	parts  map[string]string // by the id of their relation
	charts []string          // of the open paragraph
	edges  wordEdges
}

// wordParagraph is a paragraph that is being read.
type wordParagraph struct {
	words  []byte
	style  string
	level  int        // outline level, 0 for none
	list   *listPlace // of its own; nil for that of the style
	hidden bool       // the style
	within bool       // among its properties
	joins  bool       // its end is deleted: the next one goes on in it
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
	r := &docxReader{out: out, o: o}
	if r.parts, err = relations(o, "word/_rels/document.xml.rels"); err != nil {
		return err
	}
	styles, err := o.part("word/styles.xml")
	if err != nil {
		return err
	}
	if r.styles, err = readWordStyles(styles); err != nil {
		return err
	}
	lists, err := o.part("word/numbering.xml")
	if err != nil {
		return err
	}
	if r.lists, err = readWordLists(lists); err != nil {
		return err
	}
	if err := readCoreTitle(o, out); err != nil {
		return err
	}
	if err := walkXML(main, r.start, r.end, r.text); err != nil {
		return err
	}
	if err := r.readEdges(); err != nil {
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

func (r *docxReader) start(e xml.StartElement) error {
	t := r.tables.last()
	switch e.Name.Local {
	case "p":
		if e.Name.Space == "w" {
			r.begin()
		}
	case "pPr":
		r.within = true
	case "txbxContent":
		r.outer = append(r.outer, r.wordParagraph)
		r.wordParagraph = wordParagraph{}
	case "r":
		r.inRun, r.unread = true, r.hidden
	case "t":
		r.inText = e.Name.Space == "w" && r.skipped == 0 && !r.unread
	case "tab":
		r.mark("\t")
	case "br", "cr":
		r.mark("\n")
	case "noBreakHyphen":
		r.mark("-")
	case "del", "moveFrom":
		r.joins = r.joins || r.within && r.past == 0
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
	case "chart":
		if r.skipped == 0 && !r.unread {
			r.charts = append(r.charts, partOf("word", r.parts[attr(e, "id")]))
		}
	default:
		r.property(e)
		r.format(e)
		r.edges.see(e)
	}
	return nil
}

// begin begins a paragraph, or goes on with the one before.
func (r *docxReader) begin() {
	if !r.joins {
		r.wordParagraph = wordParagraph{}
	}
	r.joins, r.within = false, false
}

// mark writes a sign that is an element of its own.
func (r *docxReader) mark(sign string) {
	if r.inRun && r.skipped == 0 && !r.unread {
		r.words = append(r.words, sign...)
	}
}

// property follows what makes a paragraph a heading or a part of a list.
func (r *docxReader) property(e xml.StartElement) {
	if r.past > 0 {
		return
	}
	switch e.Name.Local {
	case "pPrChange":
		r.past++
	case "pStyle":
		r.style = attr(e, "val")
		s := r.styles.of(r.style)
		r.level, r.hidden = s.level, s.hidden()
	case "outlineLvl":
		r.level = outlineLevel(e)
	case "numPr":
		r.list = &listPlace{level: -1}
	case "numId", "ilvl":
		r.list = r.list.with(e)
	}
}

// format follows what makes a run hidden. The mark at a paragraph's end may be so
// without its text, and a format of the past says nothing.
func (r *docxReader) format(e xml.StartElement) {
	switch e.Name.Local {
	case "rPrChange":
		r.past++
	case "rStyle":
		if r.inRun && r.past == 0 {
			r.unread = r.unread || r.styles.of(attr(e, "val")).hidden()
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
	case "pPr":
		r.within = r.past > 0
	case "rPrChange", "pPrChange":
		r.past = max(0, r.past-1)
	case "txbxContent":
		if n := len(r.outer); n > 0 {
			r.wordParagraph, r.outer = r.outer[n-1], r.outer[:n-1]
			r.inRun = true // a box stands in a run
		}
	case "del", "moveFrom":
		r.skipped = max(0, r.skipped-1)
	case "p":
		if err := r.paragraph(); err != nil {
			return err
		}
		return r.showCharts()
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

// showCharts gives out the charts that stood in a paragraph.
func (r *docxReader) showCharts() error {
	names := r.charts
	r.charts = nil
	return readCharts(r.o, names, noSheet, r.tables.within(r.out))
}

func (r *docxReader) text(s string) {
	if r.inText {
		r.words = append(r.words, s...)
	}
}

func (r *docxReader) paragraph() error {
	if r.joins {
		return nil
	}
	text := strings.TrimSpace(string(r.words))
	r.words = nil
	list := r.list
	if list == nil {
		list = r.styles.of(r.style).list
	} else if style := r.styles.of(r.style).list; list.list == "" && style != nil {
		list.list = style.list // a level alone
	}
	number, listed := r.lists.next(list, r.style)
	if text == "" {
		return nil // its number is taken all the same
	}
	if number != "" {
		text = number + " " + text
	}
	if t := r.tables.last(); t != nil {
		t.cell = append(t.cell, text)
		return nil
	}
	kind := para
	switch {
	case r.level > 0:
		kind = heading
	case listed && number == "":
		kind = item
	}
	return r.out.add(block{Kind: kind, Level: r.level, Text: text})
}
