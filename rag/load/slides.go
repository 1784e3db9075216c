package load

import (
	"encoding/xml"
	"fmt"
	"strings"

	"maru/phrase"
	"maru/rag/load/office"
	"maru/rag/load/pack"
	"maru/rag/load/remark"
)

// parsePPTX reads slides in display order, each a page: its title as heading, then paragraphs, table rows, charts,
// and the marked speaker notes. Hidden slides are skipped but keep their number.
func parsePPTX(data []byte, lim limits, out *sink) error {
	o, err := pack.Open(data)
	if err != nil {
		return err
	}
	main, show, err := o.Main("presentation", "ppt/presentation.xml")
	if err != nil {
		return err
	}
	if show == nil {
		return fault(WrongType, "", nil)
	}
	if err := readCoreTitle(o, out); err != nil {
		return err
	}
	slides, err := slideOrder(o, main, show)
	if err != nil {
		return err
	}
	for i, name := range slides {
		page := i + 1
		if page > lim.Pages {
			return fault(TooComplex, "", errPageLimit)
		}
		b, err := o.Part(name)
		if err != nil {
			return err
		}
		r := &slideReader{page: page, out: out}
		if err := pack.Walk(b, r.start, r.end, r.text); err != nil {
			return err
		}
		if r.hidden {
			continue
		}
		if err := r.pictures(o, name); err != nil {
			return err
		}
		charts, err := o.Related(name, "chart")
		if err != nil {
			return err
		}
		if err := readCharts(o, charts, noSheet, r.add); err != nil {
			return err
		}
		if err := notes(o, name, page, out); err != nil {
			return err
		}
		remarks, err := remark.Slide(o, main, name)
		if err != nil {
			return err
		}
		if err := emitBlocks(remark.Blocks(remarks), r.add); err != nil {
			return err
		}
	}
	return nil
}

// slideOrder returns the slide files in the presentation's order. The numbers in their names follow creation.
func slideOrder(o *pack.Package, main string, show []byte) ([]string, error) {
	paths, err := o.ByID(main)
	if err != nil {
		return nil, err
	}
	var names []string
	err = pack.Walk(show, func(e xml.StartElement) error {
		if e.Name.Local != "sldId" {
			return nil
		}
		for _, a := range e.Attr {
			if a.Name.Local == "id" && a.Name.Space != "" { // the relation's id, not the slide's own
				names = append(names, paths[a.Value])
			}
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
	if len(names) > 0 || err != nil {
		return names, err
	}
	for { // no list: any slides present
		name := fmt.Sprintf("ppt/slides/slide%d.xml", len(names)+1)
		if !o.Has(name) {
			return names, nil
		}
		names = append(names, name)
	}
}

// slideReader reads the texts and tables of one slide.
type slideReader struct {
	page   int
	out    *sink
	words  strings.Builder
	title  bool
	inText bool
	hidden bool
	math   office.Equation
	tables officeTables
}

func (r *slideReader) start(e xml.StartElement) error {
	if office.InEquation(e) || r.math.Open() {
		r.math.Start(e, true)
		r.inText = e.Name.Local == "t"
		return nil
	}
	t := r.tables.last()
	switch e.Name.Local {
	case "sld":
		show := pack.Attr(e, "show")
		r.hidden = show != "" && !pack.On(show)
	case "sp", "graphicFrame":
		r.title = false
	case "ph":
		kind := pack.Attr(e, "type")
		r.title = kind == "title" || kind == "ctrTitle"
	case "t":
		r.inText = true
	case "br":
		r.words.WriteByte('\n')
	case "tbl":
		r.tables = append(r.tables, officeTable{})
	case "tc":
		if t != nil {
			t.startCell()
			t.under, t.left = pack.On(pack.Attr(e, "vMerge")), pack.On(pack.Attr(e, "hMerge")) // the file contains covered cells
		}
	}
	return nil
}

func (r *slideReader) end(name string) error {
	if r.math.Open() {
		r.words.WriteString(r.math.End())
		r.inText = false
		return nil
	}
	t := r.tables.last()
	switch name {
	case "t":
		r.inText = false
	case "p":
		return r.paragraph()
	case "tc":
		if t != nil {
			t.endCell()
		}
	case "tr":
		if t != nil {
			return t.endRow(r.add)
		}
	case "tbl":
		if t != nil {
			err := t.End(r.add)
			r.tables = r.tables[:len(r.tables)-1]
			return err
		}
	}
	return nil
}

func (r *slideReader) text(s string) {
	switch {
	case r.inText && r.math.Open():
		r.math.Text(s)
	case r.inText:
		r.words.WriteString(s)
	}
}

func (r *slideReader) paragraph() error {
	s := r.words.String()
	r.words.Reset()
	if t := r.tables.last(); t != nil {
		if s = strings.TrimSpace(s); s != "" {
			t.cell = append(t.cell, s)
		}
		return nil
	}
	if r.title {
		return r.add(block{Kind: heading, Level: 1, Text: s})
	}
	return r.add(block{Kind: para, Text: s})
}

func (r *slideReader) add(b block) error {
	if r.hidden {
		return nil
	}
	b.Page = r.page
	return r.out.add(b)
}

// notes reads a slide's speaker notes, a separate file that also has a picture of the slide and its number.
func notes(o *pack.Package, slide string, page int, out *sink) error {
	b, err := notesOf(o, slide)
	if err != nil || b == nil {
		return err
	}
	var text strings.Builder
	body, in := false, false
	err = pack.Walk(b, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "sp":
			body = false
		case "ph":
			body = pack.Attr(e, "type") == "body"
		case "t":
			in = body
		case "br":
			if body {
				text.WriteByte('\n')
			}
		}
		return nil
	}, func(name string) error {
		switch name {
		case "t":
			in = false
		case "p":
			text.WriteByte('\n')
		}
		return nil
	}, func(s string) {
		if in {
			text.WriteString(s)
		}
	})
	said := strings.TrimSpace(text.String())
	if err != nil || said == "" {
		return err
	}
	return out.add(block{Kind: para, Page: page, Text: phrase.Say(remark.Language(said), "load.notes", said)})
}

func notesOf(o *pack.Package, slide string) ([]byte, error) {
	names, err := o.Related(slide, "notesSlide")
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return o.Part(names[0])
}

// pictures reads the words of SmartArt diagrams, each in a file of its own.
func (r *slideReader) pictures(o *pack.Package, slide string) error {
	names, err := o.Related(slide, "diagramData")
	if err != nil {
		return err
	}
	r.title = false
	for _, name := range names {
		b, err := o.Part(name)
		if err != nil {
			return err
		}
		if err := pack.Walk(b, r.start, r.end, r.text); err != nil {
			return err
		}
	}
	return nil
}
