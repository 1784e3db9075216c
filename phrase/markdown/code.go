package markdown

import (
	"errors"
	"strings"

	"github.com/yuin/goldmark/ast"

	"maru/phrase/chart"
	"maru/phrase/pattern"
)

var language = pattern.New(`^[A-Za-z0-9_+#.-]{1,30}`)

// code writes a code block, fenced by more backticks than it contains where the
// dialect knows longer fences.
func (w *writer) code(n ast.Node, head, rest, lang string) {
	ls, ticks := n.Lines(), "```"
	var body []string
	for i := range ls.Len() {
		seg := ls.At(i)
		t := strings.TrimRight(strings.ReplaceAll(tighten(string(seg.Value(w.src))), "\t", "    "), "\n")
		body = append(body, t)
	}
	if drawn, err := chartOf(lang, body); err == nil {
		body, lang = drawn.Bars(), "" // its labels may have backticks that JSON escaped
	}
	for _, t := range body {
		if run := longestRun(t, '`'); w.d.inset && run >= len(ticks) {
			ticks = strings.Repeat("`", run+1)
		}
	}
	if len(body) == 0 {
		body = []string{w.d.empty}
	}
	if !w.d.inset {
		if mark := strings.TrimRight(head, " "); mark != strings.TrimRight(rest, " ") {
			w.add(mark, Line{}) // the number of its item
		}
		head, rest = "", ""
	}
	f := &Frame{Open: ticks + language.FindString(lang), Close: ticks}
	for _, t := range body {
		w.add(head, Line{Tokens: []Token{{Text: w.d.codeLine(t), Plain: t, Kind: Code}}, Frame: f})
		head = rest
	}
}

var errNoChart = errors.New("markdown: not a chart")

// chartOf reads the content of a chart's block.
func chartOf(lang string, body []string) (chart.Chart, error) {
	if !strings.EqualFold(lang, chart.Language) {
		return chart.Chart{}, errNoChart
	}
	return chart.Parse(strings.Join(body, "\n"))
}

func longestRun(s string, c byte) int {
	best, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		best = max(best, run)
	}
	return best
}
