package operate

import (
	"fmt"
	"io"
	"maru/phrase/fit"
	"strings"
)

// OneLine sanitises a text with a file name for a terminal: names may contain line breaks, escape sequences and
// bidirectional controls.
func OneLine(text string) string { return fit.OneLine(fit.Clean(text)) }

// Bar is a status line at the bottom of a terminal; elsewhere only complete lines are written.
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
	_, _ = fmt.Fprintf(b.Out, "\r\x1b[K[%s%s] %d/%d %s", strings.Repeat("█", filled), strings.Repeat("·", barWidth-filled), done, b.Total, name) // a closed terminal does not end the work
}

// Line writes a finished line.
func (b *Bar) Line(text string) {
	text = OneLine(text)
	if b.Live {
		text = "\r\x1b[K" + text
	}
	_, _ = fmt.Fprintln(b.Out, text) // a closed terminal does not end the work
}
