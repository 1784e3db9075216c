// Package outline is what readers of files yield: blocks of a document in order. It must not know formats or passages.
package outline

import (
	"maru/phrase/fit"
	"slices"
	"strings"
)

// Block is a piece of a document's structure.
type Block struct {
	Kind  Kind
	Level int // of a heading, 1 is outermost
	Page  int // 1-based
	Text  string
}

// Kind is what a block is.
type Kind uint8

// The kinds of blocks.
const (
	Para Kind = iota
	Heading
	Item
	Row // of a table, with the names of its columns
	Code
)

// Add takes the next block; its error ends the reading.
type Add func(Block) error

// Rows makes rows of a whole table, of which the file marks the first as names of columns. One row alone is text.
func Rows(rows [][]string, named int) []Block {
	list := make([]TableRow, len(rows))
	for i, r := range rows {
		list[i].Values = r
	}
	return Whole(list, named)
}

// Whole is [Rows] of rows with what stands within their cells.
func Whole(rows []TableRow, named int) []Block {
	var out []Block
	add := func(b Block) error {
		out = append(out, b)
		return nil
	}
	t := Table{Named: named}
	for _, r := range rows {
		_ = t.Row(r, add) // add does not fail
	}
	_ = t.End(add)
	if len(rows) == 1 && len(out) == 1 {
		out[0].Kind = Para
	}
	return out
}

// Columns notes which columns of a table have values, so that the name of one without any is not lost.
type Columns struct{ filled []bool }

// See notes the values of a row below the names.
func (c *Columns) See(values []string) {
	for i, v := range values {
		for len(c.filled) <= i {
			c.filled = append(c.filled, false)
		}
		c.filled[i] = c.filled[i] || strings.TrimSpace(v) != ""
	}
}

// Empty returns a row that names the columns without values; of a table without any value all names. "" if each named
// column has a value.
func (c *Columns) Empty(names []string) string {
	var empty []string
	some := false
	for i, name := range names {
		if i < len(c.filled) && c.filled[i] {
			some = true
		} else if name = fit.OneLine(name); name != "" {
			empty = append(empty, name)
		}
	}
	empty = slices.Compact(empty) // a merged name
	if !some {
		return strings.Join(empty, " | ")
	}
	for i := range empty {
		empty[i] += ": –"
	}
	return strings.Join(empty, " | ")
}

// RowText writes a row with the names of its columns.
func RowText(header, values []string) string { return rowText(header, values, nil) }

// rowText writes a row, and a cell that covers several columns once for each of their names.
func rowText(header, values []string, wide []int) string {
	var parts []string
	for i, v := range values {
		v = fit.OneLine(v)
		if v == "" {
			continue
		}
		if i < len(header) && header[i] != "" && header[i] != v {
			v = fit.OneLine(header[i]) + ": " + v
		}
		if n := len(parts); n > 0 && parts[n-1] == v && slices.Contains(wide, i) {
			continue
		}
		parts = append(parts, v)
	}
	return strings.Join(parts, " | ")
}
