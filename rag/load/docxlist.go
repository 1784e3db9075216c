package load

import (
	"encoding/xml"
	"strconv"
	"strings"

	"maru/rag/load/numfmt"
	"maru/rag/load/pack"
)

// listLevels is the number of levels in a Word list.
const listLevels = 9

// listLevel is the numbering of one list level.
type listLevel struct {
	start   int
	format  string // "decimal", "ganada", "bullet", …
	text    string // "제%1조", "%1.%2"
	style   string // paragraph style linked to this level
	decimal bool   // all its numbers are decimal
	goesOn  bool   // does not restart after a number of a higher level
}

// wordList is a list: its numbering, and its overridden starts.
type wordList struct {
	of     string
	starts map[int]int
	begun  bool
}

// wordLists computes automatic numbers as Word displays them, since 제5조 of a contract may not be in the text.
// Lists with the same numbering share counters.
type wordLists struct {
	kinds map[string]*[listLevels]listLevel
	lists map[string]*wordList
	count map[string]*[listLevels]int // counters of each numbering's levels; 0: not started
}

func readWordLists(b []byte) (*wordLists, error) {
	w := &wordLists{kinds: map[string]*[listLevels]listLevel{}, lists: map[string]*wordList{}, count: map[string]*[listLevels]int{}}
	kind, list := &[listLevels]listLevel{}, &wordList{}
	level, scratch := &listLevel{}, &listLevel{} // a list's level overrides are read into scratch
	at, own := 0, false
	return w, pack.Walk(b, func(e xml.StartElement) error {
		val := pack.Attr(e, "val")
		switch e.Name.Local {
		case "abstractNum":
			kind, own = &[listLevels]listLevel{}, true
			w.kinds[pack.Attr(e, "abstractNumId")], w.count[pack.Attr(e, "abstractNumId")] = kind, &[listLevels]int{}
		case "num":
			list, own = &wordList{starts: map[int]int{}}, false
			w.lists[pack.Attr(e, "numId")] = list
		case "abstractNumId":
			list.of = val
		case "lvlOverride":
			at, _ = strconv.Atoi(pack.Attr(e, "ilvl")) // 0 if it is not a number
		case "startOverride":
			if n, err := strconv.Atoi(val); err == nil && n >= 0 && list.starts != nil {
				list.starts[at] = n
			}
		case "lvl":
			n, err := strconv.Atoi(pack.Attr(e, "ilvl"))
			if level = scratch; own && err == nil && n >= 0 && n < listLevels {
				level = &kind[n]
			}
			*level = listLevel{start: 1, format: "decimal"}
		default:
			level.read(e.Name.Local, val)
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
}

func (l *listLevel) read(name, val string) {
	switch name {
	case "start":
		if n, err := strconv.Atoi(val); err == nil && n >= 0 {
			l.start = n
		}
	case "numFmt":
		l.format = val
	case "lvlText":
		l.text = val
	case "pStyle":
		l.style = val
	case "isLgl":
		l.decimal = val == "" || pack.On(val)
	case "lvlRestart":
		l.goesOn = val == "0"
	}
}

// next returns a paragraph's list number as displayed: "제5조", "1.2". listed reports whether it is in a list at all;
// bullets have no number.
func (w *wordLists) next(p *listPlace, style string) (number string, listed bool) {
	if w == nil || p == nil || w.lists[p.list] == nil {
		return "", p != nil && p.list != "0" && p.list != ""
	}
	list := w.lists[p.list]
	kind, count := w.kinds[list.of], w.count[list.of]
	if kind == nil {
		return "", true
	}
	at := max(0, p.level)
	for i := range kind {
		if p.level < 0 && style != "" && kind[i].style == style {
			at = i
		}
	}
	if !list.begun {
		list.begun = true
		for i, n := range list.starts {
			if i >= 0 && i < listLevels {
				kind[i].start, count[i] = n, 0
			}
		}
	}
	if count[at]++; count[at] == 1 {
		count[at] += max(0, kind[at].start-1)
	}
	for i := at + 1; i < listLevels; i++ {
		if !kind[i].goesOn {
			count[i] = 0
		}
	}
	return written(kind, at, count), true
}

// written formats a level's text with the numbers of the levels.
func written(kind *[listLevels]listLevel, at int, count *[listLevels]int) string {
	if kind[at].format == "bullet" || kind[at].format == "none" {
		return ""
	}
	var b strings.Builder
	for rest := kind[at].text; rest != ""; {
		before, after, ok := strings.Cut(rest, "%")
		b.WriteString(before)
		if rest = after; !ok || after == "" || after[0] < '1' || after[0] > '9' {
			continue
		}
		i := int(after[0] - '1')
		format, n := kind[i].format, count[i]
		if kind[at].decimal {
			format = "decimal"
		}
		if n == 0 {
			n = kind[i].start
		}
		b.WriteString(numfmt.ListNumber(format, n))
		rest = after[1:]
	}
	return strings.TrimSpace(b.String())
}
