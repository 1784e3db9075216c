package load

import (
	"encoding/xml"
	"maru/rag/load/pack"
	"strconv"
	"strings"
)

// hwpxLook is the outline and list property of a paragraph format.
type hwpxLook struct {
	list   string // its numbering, outlineList for the outline's
	level  int    // from 0
	bullet bool
}

// hwpxLooks maps ids to formats.
type hwpxLooks map[string]hwpxLook

// outlineList stands for the outline's numbering, which each section names.
const outlineList = "outline"

// hwpxFormats maps number formats to those of [written].
var hwpxFormats = map[string]string{
	"DIGIT": "decimal", "CIRCLED_DIGIT": "decimalEnclosedCircle", "HANGUL_SYLLABLE": "ganada", "HANGUL_JAMO": "chosung",
	"ROMAN_CAPITAL": "upperRoman", "ROMAN_SMALL": "lowerRoman", "LATIN_CAPITAL": "upperLetter", "LATIN_SMALL": "lowerLetter",
}

// readHWPXHeader reads paragraph formats and numberings.
func readHWPXHeader(b []byte) (hwpxLooks, *wordLists, error) {
	looks := hwpxLooks{}
	lists := &wordLists{kinds: map[string]*[listLevels]listLevel{}, lists: map[string]*wordList{}, count: map[string]*[listLevels]int{}}
	look, kind, level := "", (*[listLevels]listLevel)(nil), -1
	err := pack.Walk(b, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "paraPr":
			look = pack.Attr(e, "id")
		case "heading":
			n, err := strconv.Atoi(pack.Attr(e, "level"))
			if err != nil || n < 0 || n >= listLevels {
				n = 0
			}
			switch pack.Attr(e, "type") {
			case "OUTLINE":
				looks[look] = hwpxLook{list: outlineList, level: n}
			case "NUMBER":
				looks[look] = hwpxLook{list: pack.Attr(e, "idRef"), level: n}
			case "BULLET":
				looks[look] = hwpxLook{bullet: true}
			}
		case "numbering":
			id := pack.Attr(e, "id")
			kind = &[listLevels]listLevel{}
			lists.kinds[id], lists.count[id], lists.lists[id] = kind, &[listLevels]int{}, &wordList{of: id}
		case "paraHead":
			level = -1
			if n, err := strconv.Atoi(pack.Attr(e, "level")); err == nil && kind != nil && n >= 1 && n <= listLevels {
				level = n - 1
				start, err := strconv.Atoi(pack.Attr(e, "start"))
				if err != nil || start < 0 {
					start = 1
				}
				kind[level] = listLevel{start: start, format: hwpxFormats[pack.Attr(e, "numFormat")]}
			}
		}
		return nil
	}, func(name string) error {
		switch name {
		case "paraHead":
			level = -1
		case "numbering":
			kind = nil
		}
		return nil
	}, func(s string) {
		if level >= 0 && kind != nil { // "제^1조": levels are named by ^ there, by % in [written]
			kind[level].text += strings.ReplaceAll(strings.ReplaceAll(s, "%", ""), "^", "%")
		}
	})
	return looks, lists, err
}

// hwpxGrid assigns a table's cells to columns: a cell spanning rows is written in its first row only.
type hwpxGrid struct {
	at, wide, tall int       // of the open cell; at is -1 without a position
	above          []covered // by column
	unmarked       bool      // a cell of the open row is not marked as a name
}

// covered is a cell that spans further rows.
type covered struct {
	text string
	rows int
	more bool // it goes on from the column before
}

// put closes the open cell.
func (g *hwpxGrid) put(t *officeTable) {
	if g.at < 0 {
		for len(t.row.Values) < len(g.above) && g.above[len(t.row.Values)].rows > 0 {
			g.fill(t, len(t.row.Values)+1)
		}
	}
	g.fill(t, min(g.at, maxColumns))
	text := strings.Join(t.cell, " ")
	from := len(t.row.Values)
	t.put(text, g.wide, false)
	for len(g.above) < len(t.row.Values) {
		g.above = append(g.above, covered{})
	}
	for n := from; n < len(t.row.Values); n++ {
		g.above[n] = covered{text, g.tall - 1, n > from}
	}
}

// fill advances to a column, repeating cells that span from above.
func (g *hwpxGrid) fill(t *officeTable, to int) {
	for len(t.row.Values) < to {
		var c covered
		if n := len(t.row.Values); n < len(g.above) && g.above[n].rows > 0 {
			c = g.above[n]
			g.above[n].rows--
		}
		t.put(c.text, 1, c.more)
	}
}

// endRow repeats spanning cells after the row's last cell. A row has names of columns if all its cells are marked: forms
// mark the labels of their left column.
func (g *hwpxGrid) endRow(t *officeTable) {
	if !g.unmarked {
		t.nameRow()
	}
	g.unmarked = false
	last := len(g.above)
	for last > 0 && g.above[last-1].rows == 0 {
		last--
	}
	g.fill(t, last)
}
