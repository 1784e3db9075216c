package load

import (
	"maru/rag/load/outline"
	"strings"
)

// officeTable reads a document's or slide's table cell by cell. Merged text is repeated in every covered cell.
type officeTable struct {
	outline.Table
	rows  int // before the open one
	row   outline.TableRow
	above []string // previous row

	cell  []string // paragraphs of the open cell
	wide  int      // columns spanned
	under bool     // continues the cell above
	left  bool     // continues the cell to its left
	held  int      // inner blocks before it
}

func (t *officeTable) startCell() {
	t.cell, t.wide, t.under, t.left, t.held = nil, 1, false, false, len(t.row.Inner)
}

func (t *officeTable) endCell() {
	text := strings.Join(t.cell, " ")
	n := len(t.row.Values)
	if len(t.row.Inner) > t.held {
		t.row.Boxed = append(t.row.Boxed, n)
	}
	switch {
	case t.under && n < len(t.above):
		text = t.above[n]
	case t.left && n > 0:
		text = t.row.Values[n-1]
	}
	t.put(text, t.wide, t.left && n > 0)
}

// put appends a cell that covers so many columns. more is whether it goes on from the column before.
func (t *officeTable) put(text string, wide int, more bool) {
	for i := range min(max(1, wide), maxColumns-len(t.row.Values)) {
		if more || i > 0 {
			t.row.Wide = append(t.row.Wide, len(t.row.Values))
		}
		t.row.Values = append(t.row.Values, text)
	}
}

// nameRow notes that the file marks the open row as names of columns.
func (t *officeTable) nameRow() {
	if t.Named == t.rows {
		t.Named++
	}
}

// endRow passes the row on, with the tables nested in it.
func (t *officeTable) endRow(out func(block) error) error {
	r := t.row
	t.above, t.row = r.Values, outline.TableRow{}
	if len(r.Values) == 0 {
		return nil
	}
	t.rows++
	return t.Row(r, out)
}

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
		outer.row.Inner = append(outer.row.Inner, b)
		return nil
	}
}

// within returns the destination of blocks inside a cell: after its row.
func (l officeTables) within(out *sink) func(block) error {
	t := l.last()
	if t == nil {
		return out.add
	}
	return func(b block) error {
		t.row.Inner = append(t.row.Inner, b)
		return nil
	}
}
