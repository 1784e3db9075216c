// Package outline is what readers of files yield: blocks of a document in order. It must not know formats or passages.
package outline

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
