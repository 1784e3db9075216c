package outline

import (
	"slices"
	"strings"
)

// sample is how many rows of a table are held until it is known what its first row is.
const sample = 40

// Table writes the rows of a table: below the names of their columns, as labels with their values, or alone. The zero
// value is a table whose file does not say which rows are names.
type Table struct {
	Named int // first rows that the file marks as names of columns; 0 or all: none
	Deep  int // first rows that share names of columns unless the table is a form; 0: one

	kind   layout
	held   []TableRow // until the kind is known
	head   []string
	wait   *TableRow // of a form, until the next row shows whether they share a label
	shared bool      // it shares one with the row before
	inner  []Block   // of the rows of names
	filled Columns
	begun  bool
}

// TableRow is a row of a table. Merged text is repeated in every covered cell.
type TableRow struct {
	Values []string
	Wide   []int   // columns whose cell goes on from the column before
	Alone  bool    // it stands without the names of columns, such as a heading between rows
	Boxed  []int   // columns in whose cells something else stands
	Inner  []Block // what follows the row: tables and charts within its cells
}

// Row takes the next row and passes on those that need not wait.
func (t *Table) Row(r TableRow, out Add) error {
	if t.begun {
		return t.write(r, out)
	}
	t.held = append(t.held, r)
	if len(t.held) < sample {
		return nil
	}
	return t.begin(out)
}

// End passes on what is held and the names of columns without values.
func (t *Table) End(out Add) error {
	if err := t.begin(out); err != nil {
		return err
	}
	if err := t.pair(nil, out); err != nil {
		return err
	}
	var list []Block
	if t.kind == headed {
		list = append(list, Block{Kind: Row, Text: t.filled.Empty(t.head)})
	}
	return each(append(list, t.inner...), out)
}

// Break ends a form at an empty row, so that another table may follow it. Other tables go on.
func (t *Table) Break(out Add) (ended bool, err error) {
	if t.begun || len(t.held) == 0 || t.Named > 0 || layoutOf(t.values()) != form {
		return false, nil
	}
	err = t.End(out)
	*t = Table{}
	return true, err
}

func (t *Table) values() [][]string {
	var rows [][]string
	for _, r := range t.held {
		if !r.Alone {
			rows = append(rows, r.Values)
		}
	}
	return rows
}

// begin decides what the table is, and passes the held rows on.
func (t *Table) begin(out Add) error {
	if t.begun {
		return nil
	}
	t.begun = true
	held := t.held
	t.held = nil
	if len(held) > 1 && t.Named >= len(held) { // names above no row
		t.Named = 0
	}
	for len(held) > 0 && t.Named == 0 && (held[0].Alone || len(held) > 1 && spans(held[0].Values)) { // a title
		held[0].Alone = true
		if err := t.write(held[0], out); err != nil {
			return err
		}
		held, t.Deep = held[1:], t.Deep-1
	}
	t.held = held
	if t.Named == 0 {
		t.kind = layoutOf(t.values())
	}
	t.held = nil
	names := 0
	if t.kind == headed {
		names = min(max(t.Named, t.Deep, 1), len(held))
	}
	for _, r := range held[:names] {
		t.head, t.inner = Below(t.head, r.Values), append(t.inner, r.Inner...)
	}
	for _, r := range held[names:] {
		if err := t.write(r, out); err != nil {
			return err
		}
	}
	return nil
}

// write passes one row on that is not of the names.
func (t *Table) write(r TableRow, out Add) error {
	if t.kind == form {
		return t.pair(&r, out)
	}
	switch {
	case r.Alone:
		return t.pass(r, RowText(nil, Once(r.Values)), out)
	case t.kind == bare:
		return t.pass(r, rowText(nil, r.Values, r.Wide), out)
	}
	t.filled.See(r.Values)
	for _, n := range r.Boxed {
		t.filled.See(append(make([]string, n), "+"))
	}
	return t.pass(r, rowText(t.head, r.Values, r.Wide), out)
}

// pair passes the waiting row of a form on, and has the next one wait.
func (t *Table) pair(next *TableRow, out Add) error {
	r, shared := t.wait, t.shared
	t.wait, t.shared = next, r != nil && next != nil && shares(r.Values, next.Values)
	if r == nil {
		return nil
	}
	if r.Alone {
		return t.pass(*r, RowText(nil, Once(r.Values)), out)
	}
	return t.pass(*r, readFormRow(r.Values, shared || t.shared).text(), out)
}

// pass passes the text of a row on, and what follows the row.
func (t *Table) pass(r TableRow, text string, out Add) error {
	list := append([]Block{{Kind: Row, Text: text}}, t.inner...)
	t.inner = nil
	return each(append(list, r.Inner...), out)
}

// spans reports whether one text covers several columns alone.
func spans(values []string) bool {
	return len(values) > 1 && values[0] != "" && len(Once(values)) == 1
}

// Once returns a row with each merged cell once.
func Once(values []string) []string { return slices.Compact(slices.Clone(values)) }

// Below appends the next row's names to the names of columns.
func Below(names, more []string) []string {
	out := slices.Clone(names)
	for len(out) < len(more) {
		out = append(out, "")
	}
	for i, v := range more {
		if v != "" && v != out[i] {
			out[i] = strings.TrimSpace(out[i] + " " + v)
		}
	}
	return out
}

func each(list []Block, out Add) error {
	for _, b := range list {
		if b.Text == "" {
			continue
		}
		if err := out(b); err != nil {
			return err
		}
	}
	return nil
}
