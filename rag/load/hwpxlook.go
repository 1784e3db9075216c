package load

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// hwpxLook is what the looks of a paragraph say of it.
type hwpxLook struct {
	list   string // the numbering that it follows, outlineList for that of the outline
	level  int    // from 0
	bullet bool
}

// hwpxLooks are they by their ids.
type hwpxLooks map[string]hwpxLook

// outlineList stands for the numbering of the outline, which each section names.
const outlineList = "outline"

// hwpxFormats are how numbers are written, in the words that [written] knows.
var hwpxFormats = map[string]string{
	"DIGIT": "decimal", "CIRCLED_DIGIT": "decimalEnclosedCircle", "HANGUL_SYLLABLE": "ganada", "HANGUL_JAMO": "chosung",
	"ROMAN_CAPITAL": "upperRoman", "ROMAN_SMALL": "lowerRoman", "LATIN_CAPITAL": "upperLetter", "LATIN_SMALL": "lowerLetter",
}

// readHWPXHeader reads which paragraphs are headings and parts of lists, and how lists are numbered.
func readHWPXHeader(b []byte) (hwpxLooks, *wordLists, error) {
	looks := hwpxLooks{}
	lists := &wordLists{kinds: map[string]*[listLevels]listLevel{}, lists: map[string]*wordList{}, count: map[string]*[listLevels]int{}}
	look, kind, level := "", (*[listLevels]listLevel)(nil), -1
	err := walkXML(b, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "paraPr":
			look = attr(e, "id")
		case "heading":
			n, err := strconv.Atoi(attr(e, "level"))
			if err != nil || n < 0 || n >= listLevels {
				n = 0
			}
			switch attr(e, "type") {
			case "OUTLINE":
				looks[look] = hwpxLook{list: outlineList, level: n}
			case "NUMBER":
				looks[look] = hwpxLook{list: attr(e, "idRef"), level: n}
			case "BULLET":
				looks[look] = hwpxLook{bullet: true}
			}
		case "numbering":
			id := attr(e, "id")
			kind = &[listLevels]listLevel{}
			lists.kinds[id], lists.count[id], lists.lists[id] = kind, &[listLevels]int{}, &wordList{of: id}
		case "paraHead":
			level = -1
			if n, err := strconv.Atoi(attr(e, "level")); err == nil && kind != nil && n >= 1 && n <= listLevels {
				level = n - 1
				start, err := strconv.Atoi(attr(e, "start"))
				if err != nil || start < 0 {
					start = 1
				}
				kind[level] = listLevel{start: start, format: hwpxFormats[attr(e, "numFormat")]}
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

// hwpxGrid puts the cells of a table's rows into their columns: a cell that reaches down into the next
// rows is written in the first of them alone.
type hwpxGrid struct {
	at, wide, tall int       // of the open cell; at is -1 if it does not say where it stands
	above          []covered // by column
}

// covered is a cell that reaches down so many rows more.
type covered struct {
	text string
	rows int
}

// put ends the open cell.
func (g *hwpxGrid) put(t *officeTable) {
	if g.at < 0 {
		for len(t.row) < len(g.above) && g.above[len(t.row)].rows > 0 {
			g.fill(t, len(t.row)+1)
		}
	}
	g.fill(t, min(g.at, maxColumns))
	text := strings.Join(t.cell, " ")
	for range min(g.wide, maxColumns-len(t.row)) {
		for len(g.above) <= len(t.row) {
			g.above = append(g.above, covered{})
		}
		g.above[len(t.row)] = covered{text, g.tall - 1}
		t.row = append(t.row, text)
	}
}

// fill goes on to a column with what reaches down from above.
func (g *hwpxGrid) fill(t *officeTable, to int) {
	for len(t.row) < to {
		text := ""
		if n := len(t.row); n < len(g.above) && g.above[n].rows > 0 {
			text = g.above[n].text
			g.above[n].rows--
		}
		t.row = append(t.row, text)
	}
}

// endRow fills the row with what reaches down behind its last cell.
func (g *hwpxGrid) endRow(t *officeTable) {
	last := len(g.above)
	for last > 0 && g.above[last-1].rows == 0 {
		last--
	}
	g.fill(t, last)
}
