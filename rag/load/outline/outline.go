// Package outline is what readers of files yield: blocks of a document in order. It must not know formats or passages.
package outline

import (
	"maru/phrase/fit"
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

// Rows makes rows of a table whose first one names the columns. One row alone is text, and one column a list.
func Rows(rows [][]string) []Block {
	var out []Block
	for i, r := range rows {
		switch {
		case len(rows) == 1:
			out = append(out, Block{Text: RowText(nil, r)})
		case i > 0:
			out = append(out, Block{Kind: Row, Text: RowText(rows[0], r)})
		}
	}
	return out
}

// RowText writes a row with the names of its columns.
func RowText(header, values []string) string {
	var parts []string
	for i, v := range values {
		v = fit.OneLine(v)
		if v == "" {
			continue
		}
		if i < len(header) && header[i] != "" && header[i] != v {
			v = fit.OneLine(header[i]) + ": " + v
		}
		parts = append(parts, v)
	}
	return strings.Join(parts, " | ")
}
