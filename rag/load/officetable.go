package load

import (
	"maru/rag/load/outline"
	"slices"
	"strings"
)

// officeTable reads a document's or slide's table cell by cell. Its first row is the column names; merged text is
// repeated in every covered cell.
type officeTable struct {
	header []string
	filled outline.Columns
	row    []string
	above  []string // previous row

	cell  []string // paragraphs of the open cell
	wide  int      // columns spanned
	under bool     // continues the cell above
	left  bool     // continues the cell to its left
	held  int      // inner blocks before it

	inner, waiting []block // nested tables of this row, and of the header
}

func (t *officeTable) startCell() {
	t.cell, t.wide, t.under, t.left, t.held = nil, 1, false, false, len(t.inner)
}

func (t *officeTable) endCell() {
	text := strings.Join(t.cell, " ")
	n := len(t.row)
	if len(t.inner) > t.held && t.header != nil { // a chart or a table stands in it
		t.filled.See(append(make([]string, n), "+"))
	}
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

// endRow emits the row, then its nested tables.
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
	t.filled.See(values)
	list := append(t.waiting, block{Kind: row, Text: outline.RowText(t.header, values)})
	list = append(list, t.inner...)
	t.waiting, t.inner = nil, nil
	return emitBlocks(list, out)
}

// end emits the names of columns without values: all, of a table of one row.
func (t *officeTable) end(out func(block) error) error {
	return emitBlocks(append([]block{{Kind: row, Text: t.filled.Empty(t.header)}}, t.waiting...), out)
}

// once returns a row with each merged cell once.
func once(values []string) []string { return slices.Compact(slices.Clone(values)) }

func emitBlocks(list []block, out func(block) error) error {
	for _, b := range list {
		if err := out(b); err != nil {
			return err
		}
	}
	return nil
}

// officeTables is the stack of open tables.
type officeTables []officeTable

func (l officeTables) last() *officeTable {
	if len(l) == 0 {
		return nil
	}
	return &l[len(l)-1]
}

// to returns the destination of the innermost table's rows: a nested table waits for its outer row.
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

// within returns the destination of blocks inside a cell: behind its row.
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
