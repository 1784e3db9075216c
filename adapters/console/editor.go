package console

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// editor is the line being typed. A cell is a grapheme cluster, so that erasing removes a
// whole syllable or emoji.
type editor struct {
	prompt string
	width  func() int
	past   []string

	cells []string
	at    int // the cell after the cursor
	back  int // position in the history, 0 for the new line
	fresh string
	row   int // of the cursor on the screen, relative to the first row
}

func (e *editor) text() string { return strings.Join(e.cells, "") }

func (e *editor) set(text string) {
	e.cells = split(text)
	e.at = len(e.cells)
}

// split cuts text into grapheme clusters.
func split(text string) []string {
	var cells []string
	for state := -1; text != ""; {
		var c string
		c, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		cells = append(cells, c)
	}
	return cells
}

// press applies a key to the line.
func (e *editor) press(k key) {
	switch k.name {
	case 0:
		e.insert(k.text)
	case '\t':
		e.insert("    ")
	case 0x7f:
		e.erasePart(e.at-1, e.at)
	case keyDelete, 'd' & 0x1f:
		e.erasePart(e.at, e.at+1)
	case 'k' & 0x1f:
		e.erasePart(e.at, len(e.cells))
	case 'u' & 0x1f:
		e.erasePart(0, e.at)
	case 'w' & 0x1f:
		e.erasePart(e.wordLeft(), e.at)
	case keyLeft, 'b' & 0x1f:
		e.at = max(e.at-1, 0)
	case keyRight, 'f' & 0x1f:
		e.at = min(e.at+1, len(e.cells))
	case keyWordLeft:
		e.at = e.wordLeft()
	case keyWordRight:
		e.at = e.wordRight()
	case keyHome, 'a' & 0x1f:
		e.at = 0
	case keyEnd, 'e' & 0x1f:
		e.at = len(e.cells)
	case keyUp, 'p' & 0x1f:
		e.recall(e.back + 1)
	case keyDown, 'n' & 0x1f:
		e.recall(e.back - 1)
	}
}

// insert puts text before the cursor and splits the line again, since a combining mark joins
// the character before it.
func (e *editor) insert(text string) {
	if len(e.text())+len(text) > maxText {
		return
	}
	before := split(strings.Join(e.cells[:e.at], "") + text)
	e.cells = append(before, e.cells[e.at:]...)
	e.at = len(before)
}

func (e *editor) erasePart(from, to int) {
	from, to = max(from, 0), min(to, len(e.cells))
	if from >= to {
		return
	}
	e.cells = append(e.cells[:from:from], e.cells[to:]...)
	e.at = from
}

func (e *editor) wordLeft() int {
	i := e.at
	for i > 0 && blank(e.cells[i-1]) {
		i--
	}
	for i > 0 && !blank(e.cells[i-1]) {
		i--
	}
	return i
}

func (e *editor) wordRight() int {
	i := e.at
	for i < len(e.cells) && blank(e.cells[i]) {
		i++
	}
	for i < len(e.cells) && !blank(e.cells[i]) {
		i++
	}
	return i
}

func blank(cell string) bool { return strings.TrimFunc(cell, unicode.IsSpace) == "" }

// recall shows the message n entries back in the history.
func (e *editor) recall(n int) {
	if n < 0 || n > len(e.past) || n == e.back {
		return
	}
	if e.back == 0 {
		e.fresh = e.text()
	}
	e.back = n
	if n == 0 {
		e.set(e.fresh)
		return
	}
	e.set(e.past[len(e.past)-n])
}

// draw returns the output that shows the line and the cursor. It wraps rows itself rather
// than leaving it to the terminal, so that each cell's position is known; the last column
// stays free.
func (e *editor) draw() string {
	var b strings.Builder
	columns := max(e.width()-1, 10)
	b.WriteString(e.prompt)
	row, col := 0, width(e.prompt)
	indent := min(col, columns/2)
	curRow, curCol := row, col
	down := func() {
		b.WriteString("\n" + strings.Repeat(" ", indent))
		row, col = row+1, indent
	}
	for i, c := range e.cells {
		w := width(c)
		if c != "\n" && col+w > columns {
			down()
		}
		if i == e.at {
			curRow, curCol = row, col
		}
		if c == "\n" {
			down()
			continue
		}
		b.WriteString(c)
		col += w
	}
	if e.at == len(e.cells) {
		curRow, curCol = row, col
	}
	if up := row - curRow; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	fmt.Fprintf(&b, "\r\x1b[%dC", curCol)
	e.row = curRow
	return b.String()
}

// erase returns the output that clears the line and moves the cursor to its start.
func (e *editor) erase() string {
	s := "\r\x1b[J"
	if e.row > 0 {
		s = fmt.Sprintf("\x1b[%dA", e.row) + s
	}
	e.row = 0
	return s
}

// leave returns the output that moves the cursor below the line.
func (e *editor) leave() string {
	e.at = len(e.cells)
	return e.erase() + e.draw()
}
