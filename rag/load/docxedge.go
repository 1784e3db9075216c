package load

import (
	"encoding/xml"
	"slices"
	"strings"

	"maru/phrase"
	"maru/phrase/pattern"
	"maru/rag/load/pack"
	"maru/rag/load/remark"
)

// wordEdges are the headers and footers of a document's sections. Word repeats them on every page; here each
// distinct line appears once, at the beginning and outside of any article. They may be the only place of a
// contract's number.
type wordEdges struct {
	named     []wordEdge
	titlePage bool // a section has its own first page
}

// wordEdge is one header or footer.
type wordEdge struct {
	id   string // of its relation
	kind string // of the pages: default, first or even
	foot bool
}

// maxEdgeLines limits the distinct lines of headers and of footers: a book has one per chapter.
const maxEdgeLines = 24

// readReference reads a section's header references.
func (w *wordEdges) readReference(e xml.StartElement) {
	switch e.Name.Local {
	case "headerReference", "footerReference":
		w.named = append(w.named, wordEdge{id: pack.Attr(e, "id"), kind: pack.Attr(e, "type"), foot: e.Name.Local == "footerReference"})
	case "titlePg":
		w.titlePage = w.titlePage || switched(e)
	}
}

// shown returns the visible headers and then footers, without their text.
func (w *wordEdges) shown(o *pack.Package, main string) ([]wordEdge, error) {
	settings, err := o.One(main, "settings", "word/settings.xml")
	if err != nil {
		return nil, err
	}
	even := false
	err = pack.Walk(settings, func(e xml.StartElement) error {
		if e.Name.Local == "evenAndOddHeaders" {
			even = switched(e)
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
	var out []wordEdge
	for _, foot := range []bool{false, true} {
		for _, e := range w.named {
			if e.foot == foot && (e.kind != "first" || w.titlePage) && (e.kind != "even" || even) {
				out = append(out, e)
			}
		}
	}
	return out, err
}

// readEdges prepends the lines of headers and footers to out.
func (r *docxReader) readEdges() error {
	edges, err := r.edges.shown(r.o, r.main)
	if err != nil {
		return err
	}
	body := r.out.Blocks
	r.out.Blocks = nil
	var said []string
	for _, e := range edges {
		lines, err := r.linesOf(r.parts[e.id])
		if err != nil {
			return err
		}
		key := "load.header"
		if e.foot {
			key = "load.footer"
		}
		for _, line := range lines {
			if slices.Contains(said, line) || len(said) == maxEdgeLines || repeatedIn(body, line) {
				continue
			}
			said = append(said, line)
			if err := r.out.add(block{Kind: para, Text: phrase.Say(remark.Language(line), key, line)}); err != nil {
				return err
			}
		}
	}
	r.out.Blocks = append(r.out.Blocks, body...)
	return nil
}

// opening is the number of first blocks in which a document may repeat its header in other words.
const opening = 5

// repeatedIn reports whether the document repeats a line: as a paragraph, or within its opening.
func repeatedIn(body []block, line string) bool {
	for i, b := range body {
		if b.Text == line || i < opening && strings.Contains(b.Text, line) {
			return true
		}
	}
	return false
}

// linesOf reads a header or footer, without page numbers.
func (r *docxReader) linesOf(name string) ([]string, error) {
	b, err := r.o.Part(name)
	if err != nil || b == nil {
		return nil, err
	}
	parts, err := r.o.ByID(name)
	if err != nil {
		return nil, err
	}
	own := &edgeReader{docxReader: docxReader{out: &sink{left: r.out.left}, styles: r.styles, o: r.o, parts: parts}}
	if err := pack.Walk(b, own.start, own.end, own.text); err != nil {
		return nil, err
	}
	var lines []string
	for _, b := range own.out.Blocks {
		line := strings.Join(strings.Fields(pageCount.ReplaceAllString(b.Text, " ")), " ")
		if strings.ContainsFunc(line, func(c rune) bool { return !strings.ContainsRune(" -–—|/·:", c) }) {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// pageMark replaces a page number: a noncharacter, which no text holds.
const pageMark = "\uFDD0"

// pageCount matches a page number with its words: "- 3 -", "Page 3 of 9", "3 / 9 쪽".
var pageCount = pattern.New(`(?i)(?:[-–—|(\[]\s*)?(?:\b(?:page|p\.)\s*|제\s*)?\x{FDD0}(?:\s*(?:of|/|중|-)?\s*\x{FDD0})?(?:\s*(?:페이지|쪽|면))?(?:\s*[-–—|)\]])?`)

// edgeReader reads a header or footer and marks page number fields.
type edgeReader struct {
	docxReader
	fields []edgeField // open fields
	coded  bool        // the open text is a field's code
}

// edgeField is a Word field: its code, and whether its result is omitted.
type edgeField struct {
	code string
	left bool
}

// counts matches the code of a page number field.
var counts = pattern.New(`(?i)^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b`)

func (r *edgeReader) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "fldSimple":
		r.fields = append(r.fields, edgeField{code: pack.Attr(e, "instr")})
		r.show()
	case "fldChar":
		switch pack.Attr(e, "fldCharType") {
		case "begin":
			r.fields = append(r.fields, edgeField{})
		case "separate":
			r.show()
		case "end":
			r.close()
		}
	case "instrText":
		r.coded = true
	}
	return r.docxReader.start(e)
}

func (r *edgeReader) end(name string) error {
	switch name {
	case "instrText":
		r.coded = false
	case "fldSimple":
		r.close()
	}
	return r.docxReader.end(name)
}

func (r *edgeReader) text(s string) {
	if n := len(r.fields); r.coded && n > 0 {
		r.fields[n-1].code += s
		return
	}
	r.docxReader.text(s)
}

// show starts the result of the innermost field.
func (r *edgeReader) show() {
	if n := len(r.fields); n > 0 && !r.fields[n-1].left && counts.MatchString(r.fields[n-1].code) {
		r.fields[n-1].left = true
		r.words = append(r.words, pageMark...)
		r.skipped++
	}
}

func (r *edgeReader) close() {
	n := len(r.fields)
	if n == 0 {
		return
	}
	if r.fields[n-1].left {
		r.skipped = max(0, r.skipped-1)
	}
	r.fields = r.fields[:n-1]
}
