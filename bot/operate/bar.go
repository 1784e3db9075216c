package operate

import (
	"fmt"
	"io"
	"maru/phrase/fit"
	"strings"
)

// OneLine is a text with a file's name in it as a terminal may show it: a name can hold
// line breaks, escape sequences and marks that turn letters round.
func OneLine(text string) string { return fit.OneLine(fit.Clean(text)) }

// Bar is one line at the bottom of a terminal; elsewhere only finished
// lines are written.
type Bar struct {
	Out   io.Writer
	Total int
	Live  bool // a terminal
}

const barWidth = 30

// Show draws how many are done and which is next.
func (b *Bar) Show(done int, name string) {
	if !b.Live {
		return
	}
	filled, name := barWidth*done/max(b.Total, 1), OneLine(name)
	if r := []rune(name); len(r) > 40 {
		name = "…" + string(r[len(r)-39:])
	}
	_, _ = fmt.Fprintf(b.Out, "\r\x1b[K[%s%s] %d/%d %s", strings.Repeat("█", filled), strings.Repeat("·", barWidth-filled), done, b.Total, name) // a closed terminal is no reason to stop
}

// Line writes a finished line.
func (b *Bar) Line(text string) {
	text = OneLine(text)
	if b.Live {
		text = "\r\x1b[K" + text
	}
	_, _ = fmt.Fprintln(b.Out, text) // a closed terminal is no reason to stop
}
