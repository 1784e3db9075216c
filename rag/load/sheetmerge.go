package load

import (
	"encoding/xml"
	"maru/rag/load/pack"
	"slices"
	"strconv"
	"strings"
)

// span is a rectangle of merged cells. The file has its text in the first cell alone; people see it in all of them.
type span struct {
	top, bottom int // rows, from 1
	left, right int // columns, from 0
	text        string
}

// mergedCells reads a sheet's merged ranges, which the file lists after its rows.
func mergedCells(b []byte) ([]span, error) {
	var out []span
	err := pack.Walk(b, func(e xml.StartElement) error {
		if e.Name.Local != "mergeCell" {
			return nil
		}
		from, to, ok := strings.Cut(pack.Attr(e, "ref"), ":")
		m := span{top: rowOf(from), bottom: rowOf(to), left: columnOf(from, maxColumns), right: min(columnOf(to, maxColumns), maxColumns-1)}
		if ok && m.top > 0 && m.bottom >= m.top && m.right >= m.left {
			out = append(out, m)
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
	slices.SortStableFunc(out, func(a, b span) int { return a.top - b.top })
	return out, err
}

// rowOf parses the row of a cell reference: 12 of "AB12"; 0 if there is none.
func rowOf(ref string) int {
	n, err := strconv.Atoi(strings.TrimLeft(ref, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	if err != nil {
		return 0
	}
	return n
}

// fill repeats the text of merged cells across the row. It returns the number of labels starting here that cover
// several columns, and the last row of any starting here.
func (r *sheetReader) fill() (wide, down int) {
	down = r.number
	keep := 0
	for i, m := range r.spans {
		if m.top > r.number {
			keep += copy(r.spans[keep:], r.spans[i:])
			break
		}
		if m.bottom < r.number {
			continue
		}
		if m.top == r.number && m.left < len(r.values) {
			m.text = r.values[m.left]
		}
		if m.text != "" {
			r.cover(m)
			if m.top == r.number {
				down = max(down, m.bottom)
				if m.right > m.left {
					wide++
				}
			}
		}
		r.spans[keep] = m
		keep++
	}
	r.spans = r.spans[:keep]
	return wide, down
}

// cover writes a label into its cells of the row, limited below the header to the named columns.
func (r *sheetReader) cover(m span) {
	if r.wide > 0 && r.number > r.deep {
		m.right = min(m.right, max(m.left+1, r.wide, len(r.values))-1)
	}
	for len(r.values) <= m.right {
		r.values = append(r.values, "")
	}
	for i := m.left; i <= m.right; i++ {
		if r.values[i] == "" {
			r.values[i] = m.text
		}
	}
}
