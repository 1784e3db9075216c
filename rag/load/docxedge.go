package load

import (
	"encoding/xml"
	"path"
	"regexp"
	"slices"
	"strings"

	"maru/phrase"
)

// wordEdges are the headers and footers that a document's sections name. Word repeats them on every page;
// here each different line is said once, before everything else, where it belongs to no article. A
// contract's number often stands nowhere else.
type wordEdges struct {
	named     []wordEdge
	titlePage bool // a section has a first page of its own
}

// wordEdge is one header or footer.
type wordEdge struct {
	id   string // of its relation
	kind string // of the pages: default, first or even
	foot bool
}

// maxEdgeLines bounds how many different lines of headers and of footers are said: a book has one a chapter.
const maxEdgeLines = 24

// see takes what a section says of its headers.
func (w *wordEdges) see(e xml.StartElement) {
	switch e.Name.Local {
	case "headerReference", "footerReference":
		w.named = append(w.named, wordEdge{id: attr(e, "id"), kind: attr(e, "type"), foot: e.Name.Local == "footerReference"})
	case "titlePg":
		w.titlePage = w.titlePage || switched(e)
	}
}

// shown is the headers and then the footers that some page shows, without their text.
func (w *wordEdges) shown(o *office) ([]wordEdge, error) {
	settings, err := o.part("word/settings.xml")
	if err != nil {
		return nil, err
	}
	even := false
	err = walkXML(settings, func(e xml.StartElement) error {
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

// readEdges puts the lines of headers and footers before what out has.
func (r *docxReader) readEdges() error {
	edges, err := r.edges.shown(r.o)
	if err != nil {
		return err
	}
	body := r.out.Blocks
	r.out.Blocks = nil
	var said []string
	for _, e := range edges {
		lines, err := r.linesOf(partOf("word", r.parts[e.id]))
		if err != nil {
			return err
		}
		key := "load.header"
		if e.foot {
			key = "load.footer"
		}
		for _, line := range lines {
			if slices.Contains(said, line) || len(said) == maxEdgeLines || saidIn(body, line) {
				continue
			}
			said = append(said, line)
			if err := r.out.add(block{Kind: para, Text: phrase.Say(languageOf(line), key, line)}); err != nil {
				return err
			}
		}
	}
	r.out.Blocks = append(r.out.Blocks, body...)
	return nil
}

// opening is how many blocks of a document may hold the words of its header in words of their own.
const opening = 5

// saidIn reports that the document says a line itself: as a paragraph, or among the words it opens with.
func saidIn(body []block, line string) bool {
	for i, b := range body {
		if b.Text == line || i < opening && strings.Contains(b.Text, line) {
			return true
		}
	}
	return false
}

// linesOf reads a header or footer, without the numbers of pages.
func (r *docxReader) linesOf(name string) ([]string, error) {
	b, err := r.o.part(name)
	if err != nil || b == nil {
		return nil, err
	}
	parts, err := relations(r.o, "word/_rels/"+path.Base(name)+".rels")
	if err != nil {
		return nil, err
	}
	own := &edgeReader{docxReader: docxReader{out: &sink{left: r.out.left}, styles: r.styles, o: r.o, parts: parts}}
	if err := walkXML(b, own.start, own.end, own.text); err != nil {
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

// pageMark stands where a header counts pages. No XML can hold it.
const pageMark = "\x00"

// pageCount is a page's number with the words around it: "- 3 -", "Page 3 of 9", "3 / 9 쪽".
var pageCount = regexp.MustCompile(`(?i)(?:[-–—|(\[]\s*)?(?:\b(?:page|p\.)\s*|제\s*)?\x00(?:\s*(?:of|/|중|-)?\s*\x00)?(?:\s*(?:페이지|쪽|면))?(?:\s*[-–—|)\]])?`)

// edgeReader reads a header or footer and marks the fields that count pages.
type edgeReader struct {
	docxReader
	fields []edgeField // that are open
	coded  bool        // the open text is a field's code
}

// edgeField is a field of Word: its code, and whether what it shows is left out.
type edgeField struct {
	code string
	left bool
}

// counts is the code of a field that counts pages.
var counts = regexp.MustCompile(`(?i)^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b`)

func (r *edgeReader) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "fldSimple":
		r.fields = append(r.fields, edgeField{code: attr(e, "instr")})
		r.show()
	case "fldChar":
		switch attr(e, "fldCharType") {
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

// show begins what the innermost field shows.
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
