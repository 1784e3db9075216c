package chart

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// item is a line of a list with a number: "- Seoul: 120", "1. 서울 — 120명".
var item = pattern.New(`^\s*(?:[-*•·]|\d{1,3}[.)])\s+(.{1,60}?)\s*(?::|：|—|–|→|=)\s*(.{1,30})$`)

// records returns tables that are not written as such: rows as passages of documents have them ("지점: 서울 | 매출: 100"),
// and lists of names with numbers.
func records(md string) []table {
	var out []table
	var open *table
	listed := false
	end := func() {
		if open != nil && len(open.rows) > 1 {
			out = append(out, *open)
		}
		open = nil
	}
	above := ""
	for l := range strings.SplitSeq(md, "\n") {
		l = strings.TrimSpace(marks.ReplaceAllString(l, ""))
		names, values := pairs(l)
		m := item.FindStringSubmatch(l)
		switch {
		case len(names) > 1:
			if open == nil || listed || !alike(open.head, names) {
				end()
				open, listed = &table{title: above, head: names}, false
			}
			open.add(names, values)
		case m != nil && isNumber(m[2]):
			if open == nil || !listed {
				end()
				open, listed = &table{title: above, head: []string{"", ""}}, true
			}
			open.rows = append(open.rows, []string{m[1], m[2]})
		case l != "":
			end()
			if above = ""; len([]rune(l)) <= 40 && !strings.HasSuffix(l, ".") {
				above = strings.Trim(l, " #*:>")
			}
		}
	}
	end()
	return out
}

func isNumber(s string) bool {
	_, _, ok := value(strings.TrimSpace(s))
	return ok
}

// pairs reads a row with the names of its columns.
func pairs(line string) (names, values []string) {
	for cell := range strings.SplitSeq(line, " | ") {
		name, value, ok := strings.Cut(cell, ": ")
		if !ok || name == "" {
			return nil, nil
		}
		names, values = append(names, strings.TrimSpace(name)), append(values, strings.TrimSpace(value))
	}
	return names, values
}

// alike reports whether rows are of one table: an empty cell is left out of a row, so that names may be missing.
func alike(head, names []string) bool {
	n := 0
	for _, name := range names {
		if slices.Contains(head, name) {
			n++
		}
	}
	return n > 0 && 2*n >= min(len(head), len(names))
}

// add adds a row, and columns that rows before left out.
func (t *table) add(names, values []string) {
	row := make([]string, len(t.head), len(t.head)+len(names))
	for i, name := range names {
		at := slices.Index(t.head, name)
		if at < 0 {
			t.head, row = append(t.head, name), append(row, "")
			at = len(t.head) - 1
		}
		row[at] = values[i]
	}
	t.rows = append(t.rows, row)
}
