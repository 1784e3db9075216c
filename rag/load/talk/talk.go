// Package talk reads exports of chat platforms as conversations: who said what when, threads in one piece, names instead
// of identifiers. It must not know files or passages.
package talk

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"maru/phrase/fit"
	"maru/rag/load/outline"
)

// line is something that was said.
type line struct {
	id     string
	under  string // the message whose thread it is in, "" for none
	at     time.Time
	author string
	text   string
}

// conversation passes a channel's lines on, below its name and its days. A thread stays together, on the day it began.
func conversation(name string, lines []line, add outline.Add) error {
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	replies := map[string][]line{}
	begun := map[string]bool{}
	for _, l := range lines {
		begun[l.id] = true
	}
	var roots []line
	for _, l := range lines {
		if l.under != "" && l.under != l.id && begun[l.under] {
			replies[l.under] = append(replies[l.under], l)
		} else {
			roots = append(roots, l)
		}
	}
	if len(roots) == 0 {
		return nil
	}
	if err := add(outline.Block{Kind: outline.Heading, Level: 1, Text: name}); err != nil {
		return err
	}
	day := ""
	for _, root := range roots {
		if d := root.at.Format(time.DateOnly); d != day {
			day = d
			if err := add(outline.Block{Kind: outline.Heading, Level: 2, Text: day}); err != nil {
				return err
			}
		}
		said := []string{root.String()}
		for _, r := range replies[root.id] {
			said = append(said, r.String())
		}
		if err := add(outline.Block{Text: strings.Join(said, "\n")}); err != nil {
			return err
		}
	}
	return nil
}

// String returns the line as it is read: "09:12 Ada Park: text".
func (l line) String() string {
	return l.at.Format("15:04") + " " + cmp.Or(fit.OneLine(l.author), "?") + ": " + l.text
}
