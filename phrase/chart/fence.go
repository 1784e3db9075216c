package chart

import "strings"

// Language is the language of a chart's block.
const Language = "chart"

// Span is a chart's block within a Markdown text, as byte offsets of whole lines.
type Span struct {
	From, To int
	Source   string // its content
	Open     bool   // the text ends before the block does
}

// find returns the blocks of charts at the top level of a Markdown text.
func find(md string) []Span {
	if !strings.Contains(md, "```") && !strings.Contains(md, "~~~") {
		return nil
	}
	var out []Span
	fence, at, body := "", 0, 0
	var open *Span
	for l := range strings.Lines(md) {
		line := strings.TrimRight(l, " \t\r\n")
		bare := strings.TrimLeft(line, " ")
		mark := run(bare)
		switch {
		case len(line)-len(bare) > 3: // indented code
		case fence == "" && mark != "":
			fence = mark
			if strings.EqualFold(firstWord(bare[len(mark):]), Language) {
				open, body = &Span{From: at, Open: true}, at+len(l)
			}
		case fence != "" && strings.HasPrefix(mark, fence) && strings.Trim(bare, mark[:1]) == "":
			if open != nil {
				open.To, open.Source, open.Open = at+len(l), md[body:at], false
				out = append(out, *open)
			}
			fence, open = "", nil
		}
		at += len(l)
	}
	if open != nil {
		open.To, open.Source = len(md), md[min(body, len(md)):]
		out = append(out, *open)
	}
	return out
}

// run returns the three or more backticks or tildes with which a line begins.
func run(s string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(s) - len(strings.TrimLeft(s, c)); n >= 3 {
			return s[:n]
		}
	}
	return ""
}

func firstWord(s string) string {
	w, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return w
}

// Replace puts what write returns in the place of each chart that can be read. An empty text leaves the block.
func Replace(md string, write func(Chart) string) string {
	var b strings.Builder
	at := 0
	for _, s := range find(md) {
		c, err := Parse(s.Source)
		if err != nil || s.Open {
			continue
		}
		text := write(c)
		if text == "" {
			continue
		}
		b.WriteString(md[at:s.From] + text)
		if strings.HasSuffix(md[:s.To], "\n") {
			b.WriteString("\n")
		}
		at = s.To
	}
	return b.String() + md[at:]
}

// Settled returns a text that grows without a block of a chart that has begun: half of one cannot be drawn.
func Settled(md string) string {
	if spans := find(md); len(spans) > 0 && spans[len(spans)-1].Open {
		return md[:spans[len(spans)-1].From]
	}
	return md
}
