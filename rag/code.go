package rag

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// code is a span of code in Markdown, marks included, as byte offsets.
type code struct {
	from, to int
	block    bool // fenced: a block of whole lines
	open     bool // an unclosed span
}

var (
	fence = pattern.New("(?m)^[ \t]*(?:[-*>][ \t]+)*(`{3,}|~{3,})")
	ticks = pattern.New("`+")
)

// codeIn returns the code of a text in order: fenced blocks, and spans between equal runs of backticks, which end
// with their line if nothing in their paragraph closes them. It is linear in the text: a streaming answer is parsed
// repeatedly.
func codeIn(text string) []code {
	runs := ticks.FindAllStringIndex(text, -1)
	closes := map[int][]int{} // positions of backtick runs, by length
	for _, r := range runs {
		closes[r[1]-r[0]] = append(closes[r[1]-r[0]], r[0])
	}
	fences := fence.FindAllStringSubmatchIndex(text, -1)
	fences = slices.DeleteFunc(fences, func(f []int) bool { // ```x``` at the start of a line is a span
		return text[f[2]] == '`' && strings.IndexByte(lineFrom(text, f[3]), '`') >= 0
	})
	var out []code
	from, paragraph := 0, 0 // end of the span, and of its paragraph
	for {
		for len(runs) > 0 && runs[0][0] < from {
			runs = runs[1:]
		}
		for len(fences) > 0 && fences[0][0] < from {
			fences = fences[1:]
		}
		if len(fences) > 0 && (len(runs) == 0 || fences[0][2] <= runs[0][0]) {
			f := fences[0]
			from = f[3] + fenceEnd(text[f[3]:], text[f[2]:f[3]])
			out = append(out, code{from: f[2], to: from, block: true})
			continue
		}
		if len(runs) == 0 {
			return out
		}
		begin, end := runs[0][0], runs[0][1]
		if paragraph < end {
			paragraph = len(text)
			if n := strings.Index(text[end:], "\n\n"); n >= 0 {
				paragraph = end + n
			}
		}
		same := closes[end-begin]
		at, _ := slices.BinarySearch(same, end)
		closed := at < len(same) && same[at] < paragraph
		if closed {
			from = same[at] + end - begin
		} else {
			from = end + len(lineFrom(text, end))
		}
		out = append(out, code{from: begin, to: from, open: !closed})
	}
}

// lineFrom returns the rest of a line, without its end.
func lineFrom(text string, at int) string {
	line, _, _ := strings.Cut(text[at:], "\n")
	return line
}

// fenceEnd returns the length of a fenced block: to the closing line, or to the end.
func fenceEnd(text, open string) int {
	at := 0
	for line := range strings.Lines(text) {
		at += len(line)
		if at > len(line) && strings.HasPrefix(strings.TrimLeft(line, " \t>"), open) {
			return at
		}
	}
	return len(text)
}
