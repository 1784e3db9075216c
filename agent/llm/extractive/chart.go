package extractive

import (
	"fmt"
	"slices"
	"strings"

	"maru/phrase/chart"
	"maru/rag/answer"
)

// maxCited bounds the passages that a chart names.
const maxCited = 3

// drawn answers a wish for a chart: of the table that came with it, of what was said before, or of the best passage's
// document. Without numbers it says so, and quotes.
func drawn(a *ask) string {
	if c := chart.Of(a.words, a.words); c != nil {
		return a.say("extractive.charted_own") + "\n\n" + c.Fence()
	}
	ways := []func(*ask) string{fromPassages, fromTalk}
	if chart.Bare(a.words) {
		slices.Reverse(ways)
	}
	for _, way := range ways {
		if text := way(a); text != "" {
			return text
		}
	}
	text := a.say("extractive.no_chart")
	if len(a.req.Passages) > 0 {
		text += "\n\n" + quote(a)
	}
	return text
}

// fromTalk draws the newest numbers of the conversation.
func fromTalk(a *ask) string {
	for _, m := range slices.Backward(a.before) {
		if c := chart.Of(a.words, m.Content); c != nil {
			return a.say("extractive.charted_own") + "\n\n" + c.Fence()
		}
	}
	return ""
}

// fromPassages draws the table of the first document that has one. Its rows may be in several passages.
func fromPassages(a *ask) string {
	type place struct{ document, title string }
	var places []place
	texts, tables, all := map[place]string{}, map[place][]int{}, map[place][]int{}
	for _, p := range a.req.Passages {
		at := place{p.Document, p.Title}
		if !slices.Contains(places, at) {
			places = append(places, at)
		}
		texts[at] += answer.Clean(p.Text) + "\n"
		all[at] = append(all[at], p.N)
		if chart.Of(a.words, p.Text) != nil {
			tables[at] = append(tables[at], p.N)
		}
	}
	for _, at := range places {
		c := chart.Of(a.words, texts[at])
		if c == nil {
			continue
		}
		cited := tables[at]
		if len(cited) == 0 { // the rows make a table only together
			cited = all[at]
		}
		var marks strings.Builder
		for _, n := range cited[:min(len(cited), maxCited)] {
			fmt.Fprintf(&marks, "[%d]", n)
		}
		return a.say("extractive.charted") + " " + marks.String() + "\n\n" + c.Fence()
	}
	return ""
}
