package load

import (
	"encoding/xml"
	"maru/rag/load/pack"
	"strconv"
	"strings"
)

// wordStyle is a paragraph or run style. Unset properties come from its base style.
type wordStyle struct {
	base   string
	level  int   // of a heading, 0 for none
	unseen *bool // hidden text; nil if unset
	list   *listPlace
}

// listPlace is a paragraph's list and level.
type listPlace struct {
	list  string // "" or "0" for none
	level int    // -1 for the level that names the style
}

// wordStyles maps IDs to styles.
type wordStyles map[string]*wordStyle

// maxBases bounds the chain of base styles.
const maxBases = 16

// readWordStyles finds heading styles: by outline level, or by Word's language-independent name ("heading 1",
// "Title").
func readWordStyles(b []byte) (wordStyles, error) {
	styles := wordStyles{}
	s := &wordStyle{}
	return styles, pack.Walk(b, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "style":
			s = &wordStyle{}
			styles[pack.Attr(e, "styleId")] = s
		case "basedOn":
			s.base = pack.Attr(e, "val")
		case "name":
			name := strings.ToLower(pack.Attr(e, "val"))
			if n, ok := strings.CutPrefix(name, "heading "); ok {
				if level, err := strconv.Atoi(n); err == nil && level > 0 && level < 10 {
					s.level = level
				}
			} else if name == "title" {
				s.level = 1
			}
		case "outlineLvl":
			if s.level == 0 {
				s.level = outlineLevel(e)
			}
		case "vanish":
			on := switched(e)
			s.unseen = &on
		case "numPr":
			s.list = &listPlace{level: -1}
		case "numId", "ilvl":
			s.list = s.list.with(e)
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
}

// with returns p updated by an element of numPr.
func (p *listPlace) with(e xml.StartElement) *listPlace {
	if p == nil {
		return nil
	}
	if e.Name.Local == "numId" {
		p.list = pack.Attr(e, "val")
	} else if n, err := strconv.Atoi(pack.Attr(e, "val")); err == nil && n >= 0 && n < listLevels {
		p.level = n
	}
	return p
}

// outlineLevel parses a heading level; 0 for none.
func outlineLevel(e xml.StartElement) int {
	if level, err := strconv.Atoi(pack.Attr(e, "val")); err == nil && level >= 0 && level < 9 {
		return level + 1
	}
	return 0
}

// of returns a style resolved over its base styles.
func (s wordStyles) of(id string) wordStyle {
	var out wordStyle
	for range maxBases {
		at := s[id]
		if at == nil {
			break
		}
		if out.level == 0 {
			out.level = at.level
		}
		if out.unseen == nil {
			out.unseen = at.unseen
		}
		if out.list == nil {
			out.list = at.list
		}
		id = at.base
	}
	return out
}

func (s wordStyle) hidden() bool { return s.unseen != nil && *s.unseen }
