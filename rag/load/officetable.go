package load

import (
	"slices"
	"strings"
)

// officeTable reads a table of a document or slide cell by cell. Its first row is
// the names of the columns; what is merged stands in every cell that it covers.
type officeTable struct {
	header []string
	rows   int // given out
	row    []string
	above  []string // the row before

	cell  []string // paragraphs of the open cell
	wide  int      // columns that it covers
	under bool     // it belongs to the cell above
	left  bool     // it belongs to the cell to its left

	inner, waiting []block // tables within this row, and within the names of the columns
}

func (t *officeTable) startCell() { t.cell, t.wide, t.under, t.left = nil, 1, false, false }

func (t *officeTable) endCell() {
	text := strings.Join(t.cell, " ")
	n := len(t.row)
	switch {
	case t.under && n < len(t.above):
		text = t.above[n]
	case t.left && n > 0:
		text = t.row[n-1]
	}
	for range min(max(1, t.wide), maxColumns-n) {
		t.row = append(t.row, text)
	}
}

// endRow gives the row to out, and behind it the tables that stand in it.
func (t *officeTable) endRow(out func(block) error) error {
	values := t.row
	t.above, t.row = values, nil
	if len(values) == 0 {
		return nil
	}
	if t.header == nil {
		t.header, t.waiting, t.inner = values, t.inner, nil
		return nil
	}
	t.rows++
	list := append(t.waiting, block{Kind: row, Text: rowText(t.header, values)})
	list = append(list, t.inner...)
	t.waiting, t.inner = nil, nil
	return give(list, out)
}

// end gives out a table of one row.
func (t *officeTable) end(out func(block) error) error {
	if t.rows > 0 || t.header == nil {
		return nil
	}
	return give(append([]block{{Kind: row, Text: rowText(nil, once(t.header))}}, t.waiting...), out)
}

// once is a row in which each merged cell stands once.
func once(values []string) []string { return slices.Compact(slices.Clone(values)) }

func give(list []block, out func(block) error) error {
	for _, b := range list {
		if err := out(b); err != nil {
			return err
		}
	}
	return nil
}

// officeTables are the open tables, the innermost last.
type officeTables []officeTable

func (l officeTables) last() *officeTable {
	if len(l) == 0 {
		return nil
	}
	return &l[len(l)-1]
}

// to is where the rows of the innermost table go: what is within another table
// waits for the row that it stands in.
func (l officeTables) to(out *sink) func(block) error {
	if len(l) < 2 {
		return out.add
	}
	outer := &l[len(l)-2]
	return func(b block) error {
		outer.inner = append(outer.inner, b)
		return nil
	}
}

// within is where goes what stands in a cell of the innermost table: behind its row.
func (l officeTables) within(out *sink) func(block) error {
	t := l.last()
	if t == nil {
		return out.add
	}
	return func(b block) error {
		t.inner = append(t.inner, b)
		return nil
	}
}
