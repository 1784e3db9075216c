package hwp

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"maru/rag/load/outline"
)

// reader passes paragraphs, tables and notes of sections on.
type reader struct {
	add    outline.Add
	levels []int           // of headings, by paragraph shape
	notes  []outline.Block // of the section
	seen   map[string]bool // headers and footers
}

// Kinds of controls, as their letters are in the file.
const (
	tableControl   = "tbl "
	footnote       = "fn  "
	endnote        = "en  "
	pageHeader     = "head"
	pageFooter     = "foot"
	hiddenComment  = "tcmt"
	sectionControl = "secd"
	annotated      = "tdut" // a word with another above or below it
	overlaid       = "tcps" // letters on top of each other
	equation       = "eqed"
)

func (r *reader) paragraphs(list []*record) error {
	for _, p := range list {
		if p.tag == tagParagraph {
			if err := r.paragraph(p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) paragraph(p *record) error {
	b := outline.Block{Text: textOf(p)}
	if len(p.data) >= 10 {
		if shape := int(binary.LittleEndian.Uint16(p.data[8:])); shape < len(r.levels) && r.levels[shape] > 0 {
			b.Kind, b.Level = outline.Heading, r.levels[shape]
		}
	}
	if err := r.add(b); err != nil {
		return err
	}
	for _, c := range p.below {
		if c.tag != tagControl || len(c.data) < 4 {
			continue
		}
		if err := r.control(c); err != nil {
			return err
		}
	}
	return nil
}

// textOf returns the text of a paragraph alone, with that of controls which are within a line.
func textOf(p *record) string {
	var controls []*record
	for _, c := range p.below {
		if c.tag == tagControl && len(c.data) >= 4 {
			controls = append(controls, c)
		}
	}
	within := func() string {
		if len(controls) == 0 {
			return ""
		}
		c := controls[0]
		controls = controls[1:]
		return inLine(c)
	}
	var out strings.Builder
	for _, t := range p.below {
		if t.tag == tagText {
			out.WriteString(letters(t.data, within))
		}
	}
	return strings.TrimSpace(out.String())
}

// inLine returns the text of a control that is within a line, "" for all others.
func inLine(c *record) string {
	switch c.kind() {
	case annotated:
		word, rest := counted(c.data[4:])
		if beside, _ := counted(rest); beside != "" {
			word += " (" + beside + ")"
		}
		return word
	case overlaid:
		word, _ := counted(c.data[4:])
		return word
	case equation: // in the words in which people write one, such as {a} over {b}
		for _, b := range c.below {
			if b.tag == tagEquation && len(b.data) > 4 {
				word, _ := counted(b.data[4:])
				return " " + strings.Join(strings.Fields(word), " ") + " "
			}
		}
	}
	return ""
}

// counted reads a text after its number of letters, and returns what follows.
func counted(b []byte) (string, []byte) {
	if len(b) < 2 {
		return "", nil
	}
	n := 2 * int(binary.LittleEndian.Uint16(b))
	b = b[2:]
	if n > len(b) {
		return "", nil
	}
	units := make([]uint16, 0, n/2)
	for i := 0; i < n; i += 2 {
		units = append(units, max(' ', binary.LittleEndian.Uint16(b[i:]))) // breaks of lines as spaces
	}
	return strings.TrimSpace(string(utf16.Decode(units))), b[n:]
}

// letters decodes the text of a paragraph, in which codes below 32 stand for controls: of some, seven more units belong
// to them. For each control that has a record of its own, within returns what it says in the line.
func letters(b []byte, within func() string) string {
	var units []uint16
	for i := 0; i+1 < len(b); i += 2 {
		switch c := binary.LittleEndian.Uint16(b[i:]); {
		case c == 9:
			units, i = append(units, '\t'), i+14
		case c == 10:
			units = append(units, '\n')
		case c == 24:
			units = append(units, '-')
		case c == 30 || c == 31:
			units = append(units, ' ')
		case c == 0 || c == 13 || c >= 25 && c < 32:
		case c < 32:
			if c < 4 || c > 9 && c != 19 && c != 20 {
				units = append(units, utf16.Encode([]rune(within()))...)
			}
			i += 14
		default:
			units = append(units, c)
		}
	}
	return string(utf16.Decode(units))
}

func (r *reader) control(c *record) error {
	switch c.kind() {
	case tableControl:
		return r.table(c)
	case hiddenComment, sectionControl: // notes to oneself, and masters of pages
		return nil
	case footnote, endnote:
		inner := &reader{levels: r.levels, seen: r.seen, add: func(b outline.Block) error {
			r.notes = append(r.notes, b)
			return nil
		}}
		return inner.all(c)
	case pageHeader, pageFooter:
		inner := &reader{levels: r.levels, seen: r.seen, add: func(b outline.Block) error {
			if r.seen[b.Text] || b.Text == "" {
				return nil
			}
			r.seen[b.Text] = true
			return r.add(b)
		}}
		return inner.all(c)
	}
	return r.all(c)
}

// all reads every paragraph below a control, such as a text box.
func (r *reader) all(c *record) error {
	for _, b := range c.below {
		var err error
		switch b.tag {
		case tagParagraph:
			err = r.paragraph(b)
		case tagTextArt:
			word, _ := counted(b.data[min(len(b.data), artAt):])
			err = r.add(outline.Block{Text: word})
		default:
			err = r.all(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	artAt      = 32 // where the words of a text drawn as a picture stand, after its corners
	cellAt     = 8  // where a cell's place is in its list's record
	maxColumns = 1000
	maxRows    = 100_000
)

// table reads the caption and the rows of a table; its first row names the columns, and merged cells say the same in
// every place they cover. Tables within a cell follow its row.
func (r *reader) table(c *record) error {
	var rows [][]string
	var cell []string
	var within []outline.Block
	var list *record
	begun := false
	flush := func() {
		if list == nil || len(list.data) < cellAt+8 {
			cell = nil
			return
		}
		at := func(i int) int { return int(binary.LittleEndian.Uint16(list.data[cellAt+2*i:])) }
		col, row, wide, high := at(0), at(1), max(1, at(2)), max(1, at(3))
		text := strings.Join(cell, " ")
		for y := row; y < min(row+high, maxRows); y++ {
			for len(rows) <= y {
				rows = append(rows, nil)
			}
			for x := col; x < min(col+wide, maxColumns); x++ {
				for len(rows[y]) <= x {
					rows[y] = append(rows[y], "")
				}
				rows[y][x] = text
			}
		}
		cell, list = nil, nil
	}
	inner := &reader{levels: r.levels, seen: r.seen, add: func(b outline.Block) error {
		if b.Kind == outline.Row {
			within = append(within, b)
		} else if b.Text != "" {
			cell = append(cell, b.Text)
		}
		return nil
	}}
	for _, b := range c.below {
		switch {
		case b.tag == tagTable:
			begun = true
			if err := r.add(outline.Block{Text: strings.Join(cell, " ")}); err != nil { // the caption
				return err
			}
			cell = nil
		case b.tag == tagList && begun:
			flush()
			list = b
		case b.tag == tagParagraph:
			if err := inner.paragraph(b); err != nil {
				return err
			}
		}
	}
	flush()
	r.notes = append(r.notes, inner.notes...)
	for _, b := range append(outline.Rows(rows, 0), within...) {
		if err := r.add(b); err != nil {
			return err
		}
	}
	return nil
}
