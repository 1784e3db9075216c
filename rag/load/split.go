package load

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"

	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/article"
)

const maxHeading = 160 // runes of a line that may be a heading

// structured finds the legal headings inside paragraphs.
func structured(blocks []block) []block {
	var out []block
	numbers := newNumbering(blocks)
	for _, b := range blocks {
		if b.Kind == heading {
			out = append(out, parted(b)...)
			continue
		}
		if b.Kind != para && b.Kind != item {
			out = append(out, b)
			continue
		}
		var rest []string
		flush := func() {
			if len(rest) > 0 {
				out = append(out, block{Kind: b.Kind, Page: b.Page, Text: strings.Join(rest, "\n")})
				rest = nil
			}
		}
		for line := range strings.SplitSeq(b.Text, "\n") {
			h, ok := article.Heading(norm.NFC.String(line)) // a Mac takes 제5조 apart
			if !ok {
				h, ok = numbers.heading(line)
			}
			if !ok && len(rest) == 0 && titled(out, line) {
				continue
			}
			if !ok {
				rest = append(rest, line)
				continue
			}
			flush()
			out = append(out, block{Kind: heading, Level: h.Ref.Level(), Page: b.Page, Text: h.Text})
			if h.Rest != "" {
				rest = append(rest, h.Rest)
			}
		}
		flush()
	}
	return out
}

// titled gives a heading of a number alone the title from the next line.
func titled(out []block, line string) bool {
	if len(out) == 0 || out[len(out)-1].Kind != heading {
		return false
	}
	last := &out[len(out)-1]
	h, ok := article.Heading(last.Text)
	if ok {
		h, ok = h.Titled(line)
	}
	if ok {
		last.Text = h.Text
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
// larger block is cut at sentences, with an overlap.
type splitter struct {
	cfg    Config
	title  string
	path   []block // headings above
	offset int     // in the extracted text
	out    []rag.Chunk
	cur    rag.Chunk
	size   int
}

func split(title string, blocks []block, cfg Config) []rag.Chunk {
	s := &splitter{cfg: cfg, title: title}
	blocks = structured(blocks)
	for i, b := range blocks {
		switch {
		case b.Kind == heading:
			s.heading(b)
			// A heading with nothing under it is still worth finding.
			if i+1 == len(blocks) || (blocks[i+1].Kind == heading && blocks[i+1].Level <= b.Level) {
				s.piece(b, b.Text, s.offset)
			}
		case fit.Width(b.Text) > cfg.Passage:
			s.flush()
			s.large(b)
		default:
			s.piece(b, b.Text, s.offset)
		}
		s.offset += len(b.Text) + 1
	}
	s.flush()
	return s.out
}

func (s *splitter) heading(b block) {
	s.flush()
	for len(s.path) > 0 && s.path[len(s.path)-1].Level >= b.Level {
		s.path = s.path[:len(s.path)-1]
	}
	s.path = append(s.path[:len(s.path):len(s.path)], block{Level: b.Level, Text: clip(fit.OneLine(b.Text))})
}

// clip bounds a heading, at a whole letter.
func clip(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxHeading {
			return s[:grapheme(s, i)] + "…"
		}
	}
	return s
}

// piece adds the text at offset, starting a new passage where it does not fit.
func (s *splitter) piece(b block, text string, offset int) {
	w := fit.Width(text)
	if s.size > 0 && (s.size+w > s.cfg.Passage || s.cur.Page != b.Page) {
		s.flush()
	}
	if s.size == 0 {
		s.cur = rag.Chunk{Page: b.Page, Start: offset, Text: text}
	} else {
		s.cur.Text += "\n" + text
	}
	s.cur.End = offset + len(text)
	s.size += w
}

func (s *splitter) flush() {
	if s.size == 0 {
		return
	}
	c := s.cur
	c.Ordinal = len(s.out)
	names := []string{s.title}
	for _, h := range s.path {
		c.Heading = append(c.Heading, h.Text)
		if h.Text != names[len(names)-1] {
			names = append(names, h.Text)
		}
	}
	c.Context = strings.Join(names, " > ")
	s.out = append(s.out, c)
	s.cur, s.size = rag.Chunk{}, 0
}

// large cuts one long block into passages that end at sentences and share an overlap.
func (s *splitter) large(b block) {
	text, from := b.Text, 0
	for from < len(text) {
		end := from + cut(text[from:], s.cfg.Passage)
		s.piece(b, text[from:end], s.offset+from)
		s.flush()
		if end >= len(text) {
			return
		}
		if shared := grapheme(text[from:], overlapFrom(text[from:end], s.cfg.Overlap)); shared > 0 {
			from += shared
		} else {
			from = end
		}
	}
}

// cut returns the bytes of a passage of at most size: up to the last sentence, else the last space, else the last
// whole character.
func cut(text string, size int) int {
	used, sentence, space := 0, 0, 0
	prev := rune(0)
	for i, r := range text {
		if used >= size {
			switch {
			case sentence > i/2:
				i = sentence
			case space > i/2:
				i = space
			}
			if whole := grapheme(text, i); whole > 0 {
				return whole
			}
			return i // a letter larger than a passage
		}
		used++
		if r >= 0x1100 {
			used++
		}
		if r == '\n' || (unicode.IsSpace(r) && strings.ContainsRune(".!?。", prev)) {
			sentence = i + utf8.RuneLen(r)
		}
		if unicode.IsSpace(r) {
			space = i + utf8.RuneLen(r)
		}
		prev = r
	}
	return len(text)
}

// grapheme moves a cut at i back to a grapheme boundary: marks, jamo, parts of emoji and flags stay together. 0 means
// that i is in the first one. text starts with a whole one.
func grapheme(text string, i int) int {
	at := 0
	for rest, state := text, -1; rest != ""; {
		var letter string
		letter, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if at+len(letter) > i {
			break
		}
		at += len(letter)
	}
	return at
}

// overlapFrom returns the start of text's last size, moved forward to a sentence or a space.
func overlapFrom(text string, size int) int {
	used, at := 0, len(text)
	for at > 0 && used < size {
		r, n := utf8.DecodeLastRuneInString(text[:at])
		at -= n
		used++
		if r >= 0x1100 {
			used++
		}
	}
	tail := text[at:]
	for _, stop := range []string{". ", "? ", "! ", "\n", " "} {
		if i := strings.Index(tail, stop); i >= 0 && i+len(stop) < len(tail) {
			return at + i + len(stop)
		}
	}
	return at
}
