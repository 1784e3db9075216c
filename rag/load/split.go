package load

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/article"
	"maru/rag/load/cut"
)

const maxHeading = 160 // runes of a line that may be a heading

// structured finds the legal headings inside paragraphs and passes blocks on.
type structured struct {
	numbers cut.Numbering
	pass    func(block)
	last    block // not passed on yet: a heading may get its title from the next line
	has     bool
}

func (s *structured) emit(b block) {
	s.flush()
	s.last, s.has = b, true
}

func (s *structured) flush() {
	if s.has {
		s.pass(s.last)
	}
	s.has = false
}

func (s *structured) add(b block) {
	switch b.Kind {
	case heading:
		for _, part := range parted(b) {
			s.emit(part)
		}
		return
	case para, item:
	default:
		s.emit(b)
		return
	}
	rest, from, at := "", 0, 0 // text since the last heading: a remainder of its line, and b.Text[from:at]
	flush := func() {
		text := strings.TrimSuffix(b.Text[from:at], "\n")
		if rest != "" && text != "" {
			rest += "\n"
		}
		if rest += text; rest != "" {
			s.emit(block{Kind: b.Kind, Page: b.Page, Text: rest})
		}
		rest = ""
	}
	for line := range strings.Lines(b.Text) {
		begin := at
		at += len(line)
		line = strings.TrimSuffix(line, "\n")
		h, ok := article.Heading(norm.NFC.String(line)) // NFC, since files from a Mac may have 제5조 decomposed
		if !ok {
			h, ok = s.numbers.Heading(line)
		}
		if !ok && rest == "" && from == begin && s.titled(line) {
			from = at
			continue
		}
		if !ok {
			continue
		}
		end := at
		at = begin
		flush()
		at, from = end, end
		s.emit(block{Kind: heading, Level: h.Ref.Level(), Page: b.Page, Text: h.Text})
		rest = h.Rest
	}
	flush()
}

// titled completes a heading that is only a number with the title on the next line.
func (s *structured) titled(line string) bool {
	if !s.has || s.last.Kind != heading {
		return false
	}
	h, ok := article.Heading(s.last.Text)
	if ok {
		h, ok = h.Titled(line)
	}
	if ok {
		s.last.Text = h.Text
	}
	return ok
}

// parted splits a heading from text on its line: "제1조 (목적) 이 계약은 …", in heading style. An overlong line is not a
// heading.
func parted(b block) []block {
	if h, ok := article.Heading(b.Text); ok && h.Rest != "" && !strings.Contains(b.Text, "\n") {
		rest := block{Kind: para, Page: b.Page, Text: h.Rest}
		b.Text = h.Text
		return []block{b, rest}
	}
	if utf8.RuneCountInString(b.Text) > 2*maxHeading {
		b.Kind, b.Level = para, 0
	}
	return []block{b}
}

// splitter makes passages: first by structure, a section at a time; within a section blocks join up to the size; a
// larger block is cut at sentences, with an overlap. Beyond the limit of passages it only counts them.
type splitter struct {
	lim    limits
	emit   func(rag.Chunk)
	path   []block // headings above
	names  []string
	offset int // in the extracted text
	count  int // passages
	cur    rag.Chunk
	text   []byte // of cur
	size   int
}

// split passes the passages of blocks on, up to the limit, without their context, and returns their number. It empties
// blocks as it goes.
func split(blocks []block, lim limits, emit func(rag.Chunk)) int {
	s := &splitter{lim: lim, emit: emit}
	var last block
	has := false
	in := structured{numbers: cut.NewNumbering(blocks), pass: func(b block) {
		if has {
			s.add(last, &b)
		}
		last, has = b, true
	}}
	for i, b := range blocks {
		blocks[i].Text = ""
		in.add(b)
	}
	in.flush()
	if has {
		s.add(last, nil)
	}
	s.flush()
	return s.count
}

func (s *splitter) add(b block, next *block) {
	switch {
	case b.Kind == heading:
		s.heading(b)
		// A heading with nothing under it is still worth finding.
		if next == nil || next.Kind == heading && next.Level <= b.Level {
			s.piece(b, b.Text, s.offset)
		}
	case fit.Width(b.Text) > s.lim.Passage:
		s.flush()
		s.large(b)
	default:
		s.piece(b, b.Text, s.offset)
	}
	s.offset += len(b.Text) + 1
}

func (s *splitter) heading(b block) {
	s.flush()
	for len(s.path) > 0 && s.path[len(s.path)-1].Level >= b.Level {
		s.path = s.path[:len(s.path)-1]
	}
	s.path = append(s.path, block{Level: b.Level, Text: clip(fit.OneLine(b.Text))})
	s.names = make([]string, len(s.path)) // passages keep a reference
	for i, h := range s.path {
		s.names[i] = h.Text
	}
}

// clip truncates a heading between characters.
func clip(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxHeading {
			return s[:cut.Letter(s, i)] + "…"
		}
	}
	return s
}

// piece adds the text at offset, starting a new passage where it does not fit.
func (s *splitter) piece(b block, text string, offset int) {
	w := fit.Width(text)
	if s.size > 0 && (s.size+w > s.lim.Passage || s.cur.Page != b.Page) {
		s.flush()
	}
	if s.size == 0 {
		s.cur, s.text = rag.Chunk{Page: b.Page, Start: offset}, s.text[:0]
	} else {
		s.text = append(s.text, '\n')
	}
	s.text = append(s.text, text...)
	s.cur.End = offset + len(text)
	s.size += w
}

func (s *splitter) flush() {
	if s.size == 0 {
		return
	}
	if s.count++; s.count <= s.lim.Passages {
		c := s.cur
		c.Text = string(s.text)
		c.Ordinal, c.Heading = s.count-1, s.names
		s.emit(c)
	}
	s.cur, s.size = rag.Chunk{}, 0
}

// large cuts one long block into passages that end at sentences and share an overlap.
func (s *splitter) large(b block) {
	text, from := b.Text, 0
	for from < len(text) {
		end := from + cut.Passage(text[from:], s.lim.Passage)
		s.piece(b, text[from:end], s.offset+from)
		s.flush()
		if end >= len(text) {
			return
		}
		if shared := cut.Letter(text[from:], cut.Tail(text[from:end], s.lim.Overlap)); shared > 0 {
			from += shared
		} else {
			from = end
		}
	}
}
