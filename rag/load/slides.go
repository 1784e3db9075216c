package load

import (
	"encoding/xml"
	"fmt"
	"path"
	"strings"
	"unicode"

	"maru/phrase"
)

// parsePPTX reads slides in order, each a page: its title as heading, then paragraphs and
// the rows of tables, then what the speaker notes say, marked as that.
func parsePPTX(data []byte, lim limits, out *sink) error {
	o, err := openOffice(data)
	if err != nil {
		return err
	}
	if o.files["ppt/presentation.xml"] == nil {
		return fault(WrongType, "", nil)
	}
	if err := readCoreTitle(o, out); err != nil {
		return err
	}
	for page := 1; ; page++ {
		b, err := o.part(fmt.Sprintf("ppt/slides/slide%d.xml", page))
		if err != nil {
			return err
		}
		if b == nil {
			return nil
		}
		if page > lim.Pages {
			return fault(TooComplex, "", errPageLimit)
		}
		r := &slideReader{page: page, out: out}
		if err := walkXML(b, r.start, r.end, r.text); err != nil {
			return err
		}
		if err := notes(o, page, out); err != nil {
			return err
		}
	}
}

// slideReader reads the texts and tables of one slide.
type slideReader struct {
	page   int
	out    *sink
	words  strings.Builder
	title  bool
	inText bool
	tables officeTables
}

func (r *slideReader) start(e xml.StartElement) error {
	t := r.tables.last()
	switch e.Name.Local {
	case "sp", "graphicFrame":
		r.title = false
	case "ph":
		kind := attr(e, "type")
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
			t.under, t.left = on(attr(e, "vMerge")), on(attr(e, "hMerge")) // each covered cell stands in the file
		}
	}
	return nil
}

func (r *slideReader) end(name string) error {
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
			err := t.end(r.add)
			r.tables = r.tables[:len(r.tables)-1]
			return err
		}
	}
	return nil
}

func (r *slideReader) text(s string) {
	if r.inText {
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
	b.Page = r.page
	return r.out.add(b)
}

// notes reads what the speaker notes of a slide say. They are in a file of their
// own, beside a picture of the slide and its number.
func notes(o *office, page int, out *sink) error {
	b, err := notesOf(o, page)
	if err != nil || b == nil {
		return err
	}
	var text strings.Builder
	body, in := false, false
	err = walkXML(b, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "sp":
			body = false
		case "ph":
			body = attr(e, "type") == "body"
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
	return out.add(block{Kind: para, Page: page, Text: phrase.Say(languageOf(said), "load.notes", said)})
}

func notesOf(o *office, page int) ([]byte, error) {
	b, err := o.part(fmt.Sprintf("ppt/slides/_rels/slide%d.xml.rels", page))
	if err != nil || b == nil {
		return nil, err
	}
	target := ""
	err = walkXML(b, func(e xml.StartElement) error {
		if e.Name.Local == "Relationship" && path.Base(attr(e, "Type")) == "notesSlide" {
			target = attr(e, "Target")
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
	if err != nil || target == "" {
		return nil, err
	}
	if !path.IsAbs(target) {
		target = path.Join("/ppt/slides", target)
	}
	return o.part(strings.TrimPrefix(path.Clean(target), "/"))
}

// languageOf is the language in which something is called that stands in a text.
func languageOf(text string) string {
	if strings.ContainsFunc(text, func(c rune) bool { return unicode.Is(unicode.Hangul, c) }) {
		return "ko"
	}
	return phrase.Fallback
}
