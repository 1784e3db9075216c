package load

import (
	"encoding/xml"
	"errors"
	"maru/rag/load/mail"
	"maru/rag/load/office"
	"maru/rag/load/pack"
	"maru/rag/load/remark"
	"strconv"
	"strings"
)

// docxReader reads the paragraphs and tables of a Word document as shown without tracked changes. Headings come from
// a paragraph's style or outline level, numbers from the lists; deleted and hidden text is left out. Lines of headers
// and footers come first, each once.
type docxReader struct {
	out    *sink
	styles wordStyles
	lists  *wordLists

	wordParagraph
	outer []wordParagraph // outer paragraphs around a text box

	inText  bool
	skipped int // open skipped elements
	math    office.Equation
	inRun   bool
	past    int  // open elements with a former format
	unread  bool // the run is hidden

	tables officeTables

	o      *pack.Package
	main   string            // its part
	parts  map[string]string // by relation id
	lim    limits
	inside bool     // of another document
	charts []string // of the open paragraph
	said   []block  // comments on it

	remarks map[string]remark.Remark
	edges   wordEdges
}

// wordParagraph is the paragraph being read.
type wordParagraph struct {
	words  []byte
	style  string
	level  int        // outline level, 0 for none
	list   *listPlace // its own; nil for the style's
	hidden bool       // the style
	within bool       // among its properties
	joins  bool       // its paragraph mark is deleted: the next one continues it
}

func parseDOCX(data []byte, lim limits, out *sink) error { return readDOCX(data, lim, out, false) }

func readDOCX(data []byte, lim limits, out *sink, within bool) error {
	o, err := pack.Open(data)
	if err != nil {
		return err
	}
	name, main, err := o.Main("document", "word/document.xml")
	if err != nil {
		return err
	}
	if main == nil {
		return fault(WrongType, "", nil)
	}
	r := &docxReader{out: out, o: o, main: name, lim: lim, inside: within}
	if r.parts, err = o.ByID(name); err != nil {
		return err
	}
	styles, err := o.One(name, "styles", "word/styles.xml")
	if err != nil {
		return err
	}
	if r.styles, err = readWordStyles(styles); err != nil {
		return err
	}
	lists, err := o.One(name, "numbering", "word/numbering.xml")
	if err != nil {
		return err
	}
	if r.lists, err = readWordLists(lists); err != nil {
		return err
	}
	if r.remarks, err = remark.Word(o, name); err != nil {
		return err
	}
	if err := readCoreTitle(o, out); err != nil {
		return err
	}
	if err := pack.Walk(main, r.start, r.end, r.text); err != nil {
		return err
	}
	if err := r.readEdges(); err != nil {
		return err
	}
	for _, kind := range []string{"footnotes", "endnotes"} {
		notes, err := o.One(name, kind, "word/"+kind+".xml")
		if err != nil {
			return err
		}
		if err := pack.Walk(notes, r.start, r.end, r.text); err != nil {
			return err
		}
	}
	return nil
}

// include reads a part in another format, which Word merges into the text. Some generators write nothing else. A broken part is
// left out, as comments are (package remark); limits stay errors.
func (r *docxReader) include(part string) error {
	if r.inside || r.skipped > 0 || r.inRun && r.unread {
		return nil
	}
	title, before := r.out.Title, len(r.out.Blocks)
	err := r.readPart(part)
	r.out.Title = title
	if e := new(Error); errors.As(coded(err), &e) && e.Code != TooComplex {
		r.out.Blocks = r.out.Blocks[:before]
		return nil
	}
	return err
}

// readPart reads a merged part of a format that Word merges, and no other.
func (r *docxReader) readPart(part string) error {
	b, err := r.o.Part(part)
	if err != nil || b == nil {
		return err
	}
	kind, err := detect(part, b)
	if ext := extension(part); ext == ".mht" || ext == ".mhtml" { // a page as a mail
		var pages []mail.Message
		if pages, _, err = mail.Box(b); err == nil {
			kind, b = htmlFile, pages[0].HTML
		}
	}
	if err != nil {
		return err
	}
	switch kind {
	case docx:
		return readDOCX(b, r.lim, r.out, true)
	case rtf:
		return office.RTF(b, r.out.add)
	case prose:
		return parseText(b, r.lim, r.out)
	case htmlFile:
		return parseHTML(b, r.lim, r.out)
	}
	return nil
}

func readCoreTitle(o *pack.Package, out *sink) error {
	core, err := o.One("", "core-properties", "docProps/core.xml")
	if err != nil || core == nil {
		return err
	}
	in := false
	return pack.Walk(core,
		func(e xml.StartElement) error { in = e.Name.Local == "title"; return nil },
		func(string) error { in = false; return nil },
		func(s string) {
			if in {
				out.Title += s
			}
		})
}

func (r *docxReader) start(e xml.StartElement) error {
	if in := office.InEquation(e); in || r.math.Open() {
		r.math.Start(e, r.skipped == 0 && !r.hidden)
		if in {
			r.inText = e.Name.Local == "t" && r.skipped == 0 && !r.hidden
			return nil
		}
	}
	t := r.tables.last()
	switch e.Name.Local {
	case "p":
		if e.Name.Space == pack.Word {
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
		r.inText = e.Name.Space == pack.Word && r.skipped == 0 && !r.unread
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
			t.wide, _ = strconv.Atoi(pack.Attr(e, "val")) // 1 if it is not a number
		}
	case "tblHeader":
		if t != nil && switched(e) {
			t.nameRow()
		}
	case "vMerge":
		if t != nil {
			t.under = pack.Attr(e, "val") != "restart"
		}
	case "chart":
		if r.skipped == 0 && !r.unread {
			r.charts = append(r.charts, r.parts[pack.Attr(e, "id")])
		}
	case "altChunk":
		return r.include(r.parts[pack.Attr(e, "id")])
	case "commentReference":
		if c, ok := r.remarks[pack.Attr(e, "id")]; ok {
			r.said = append(r.said, c.Block())
		}
	default:
		r.property(e)
		r.format(e)
		r.edges.readReference(e)
	}
	return nil
}

// begin starts a paragraph, or continues one with a deleted mark.
func (r *docxReader) begin() {
	if !r.joins {
		r.wordParagraph = wordParagraph{}
	}
	r.joins, r.within = false, false
}

// mark writes a character that is an element of its own.
func (r *docxReader) mark(sign string) {
	if r.inRun && r.skipped == 0 && !r.unread {
		r.words = append(r.words, sign...)
	}
}

// property reads the heading and list properties of a paragraph.
func (r *docxReader) property(e xml.StartElement) {
	if r.past > 0 {
		return
	}
	switch e.Name.Local {
	case "pPrChange":
		r.past++
	case "pStyle":
		r.style = pack.Attr(e, "val")
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

// format reads the hidden property of a run. A paragraph mark may be hidden without its text, and former formats are
// ignored.
func (r *docxReader) format(e xml.StartElement) {
	switch e.Name.Local {
	case "rPrChange":
		r.past++
	case "rStyle":
		if r.inRun && r.past == 0 {
			r.unread = r.unread || r.styles.of(pack.Attr(e, "val")).hidden()
		}
	case "vanish":
		if r.inRun && r.past == 0 {
			r.unread = switched(e)
		}
	}
}

// switched reports whether a boolean property is on: present, unless its value says otherwise.
func switched(e xml.StartElement) bool {
	v := pack.Attr(e, "val")
	return v == "" || pack.On(v)
}

func (r *docxReader) end(name string) error {
	if r.math.Open() {
		r.words = append(r.words, r.math.End()...)
	}
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
			r.inRun = true // a box is in a run
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
			err := t.End(r.tables.to(r.out))
			r.tables = r.tables[:len(r.tables)-1]
			return err
		}
	}
	return nil
}

// showCharts emits the comments on a paragraph and its charts.
func (r *docxReader) showCharts() error {
	names, said := r.charts, r.said
	r.charts, r.said = nil, nil
	return errors.Join(emitBlocks(said, r.tables.within(r.out)), readCharts(r.o, names, noSheet, r.tables.within(r.out)))
}

func (r *docxReader) text(s string) {
	switch {
	case r.inText && r.math.Open():
		r.math.Text(s)
	case r.inText:
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
		return nil // its number is consumed all the same
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
