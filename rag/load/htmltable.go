package load

import (
	"slices"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"maru/phrase/fit"
	"maru/rag/load/outline"
)

// htmlRow is a table row; merged text is repeated in every covered cell.
type htmlRow struct {
	values []string
	names  []bool // header cells (th)
	head   bool   // in the table's head
}

func (r htmlRow) allNames() bool { return !slices.Contains(r.names, false) }

// table emits each row with its column names, or with row names (th, td) if the rows carry them. A layout table is
// read as its parts.
func (w *htmlWalker) table(n *html.Node, depth int) {
	if laysOut(n, depth) {
		for r := range rowsOf(n) {
			for c := r.FirstChild; c != nil; c = c.NextSibling {
				for k := c.FirstChild; k != nil; k = k.NextSibling {
					w.walk(k, depth+1)
				}
				w.flush(para, 0)
			}
		}
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Caption {
			w.put(block{Kind: para, Text: fit.OneLine(textOf(c, depth+1))})
		}
	}
	rows, err := expandCells(n, depth)
	if err != nil {
		w.err = err
		return
	}
	t := outline.Table{Named: headRows(rows)}
	paired := t.Named == 0 && slices.ContainsFunc(rows, func(r htmlRow) bool { return slices.Contains(r.names, true) })
	for i, r := range rows {
		next := outline.TableRow{Values: r.values}
		switch {
		case i < t.Named:
		case r.allNames(), len(r.values) > 1 && len(outline.Once(r.values)) == 1: // it spans all columns
			next.Alone = true
		case paired:
			next.Values, next.Alone = r.paired(), true
		case t.Named == 0 && len(r.values) == 1:
			next.Alone = true
		}
		if w.err == nil {
			w.err = t.Row(next, w.out.add)
		}
	}
	if w.err == nil {
		w.err = t.End(w.out.add)
	}
}

func (w *htmlWalker) put(b block) {
	if w.err == nil {
		w.err = w.out.add(b)
	}
}

// laysOut reports a layout table: its cells are parts of the page.
func laysOut(n *html.Node, depth int) bool {
	if role := attribute(n, "role"); role == "presentation" || role == "none" {
		return true
	}
	var has func(*html.Node, int) bool
	has = func(n *html.Node, depth int) bool {
		if depth > 4*maxHTMLDepth {
			return false
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom == atom.Table || isHeading(c) || has(c, depth+1) {
				return true
			}
		}
		return false
	}
	return has(n, depth)
}

// maxCells bounds a table's cells, including those covered by merged ones.
const maxCells = 1 << 20

// expandCells expands merged cells into every place they cover.
func expandCells(n *html.Node, depth int) (rows []htmlRow, err error) {
	cells := 0
	type open struct {
		text string
		name bool
		left int // remaining rows
	}
	reach := map[int]open{} // by column
	for tr := range rowsOf(n) {
		r := htmlRow{head: tr.Parent.DataAtom == atom.Thead}
		put := func(o open) {
			if o.left--; o.left > 0 {
				reach[len(r.values)] = o
			} else {
				delete(reach, len(r.values))
			}
			r.values, r.names = append(r.values, o.text), append(r.names, o.name)
		}
		fromAbove := func() {
			for o, ok := reach[len(r.values)]; ok && len(r.values) < maxColumns; o, ok = reach[len(r.values)] {
				put(o)
			}
		}
		for c := tr.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom != atom.Td && c.DataAtom != atom.Th || hidden(c) {
				continue
			}
			fromAbove()
			o := open{fit.OneLine(textOf(c, depth+1)), c.DataAtom == atom.Th, max(1, number(c, "rowspan"))}
			for range min(max(1, number(c, "colspan")), maxColumns-len(r.values)) {
				put(o)
			}
		}
		fromAbove()
		if cells += len(r.values); cells > maxCells {
			return nil, fault(TooComplex, "", errTextLimit)
		}
		if len(r.values) > 0 {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func number(n *html.Node, key string) int {
	v, _ := strconv.Atoi(attribute(n, key)) // 0 if it is not a number
	return v
}

// rowsOf yields the rows of a table, without those of nested tables.
func rowsOf(n *html.Node) func(func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		var visit func(*html.Node) bool
		visit = func(n *html.Node) bool {
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				switch c.DataAtom {
				case atom.Tr:
					if !hidden(c) && !yield(c) {
						return false
					}
				case atom.Thead, atom.Tbody, atom.Tfoot:
					if !visit(c) {
						return false
					}
				}
			}
			return true
		}
		visit(n)
	}
}

// headRows returns the number of rows that the file marks as names: the thead's, else the leading rows of header cells
// alone.
func headRows(rows []htmlRow) (n int) {
	most := min(len(rows), maxHeaderRows)
	for n < most && rows[n].head {
		n++
	}
	for n < most && rows[n].allNames() && (n == 0 || !rows[n-1].head) {
		n++
	}
	return n
}

// paired returns a row's values, each with the header cell before it.
func (r htmlRow) paired() (out []string) {
	name := ""
	for i, v := range r.values {
		switch {
		case r.names[i]:
			name = v
			continue
		case i > 0 && !r.names[i-1] && v == r.values[i-1]:
			continue // one merged cell
		case name != "":
			v, name = name+": "+v, ""
		}
		out = append(out, v)
	}
	return out
}
