package extractive

import (
	"fmt"
	"slices"
	"strings"

	"maru/phrase/chart"
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

// fromPassages draws the table of the first document that has one. Its rows may stand in several passages.
func fromPassages(a *ask) string {
	var titles []string
	texts, cited := map[string]string{}, map[string][]int{}
	for _, p := range a.req.Passages {
		if !slices.Contains(titles, p.Title) {
			titles = append(titles, p.Title)
		}
		texts[p.Title] += clean(p.Text) + "\n"
		if chart.Of(a.words, p.Text) != nil {
			cited[p.Title] = append(cited[p.Title], p.N)
		}
	}
	for _, t := range titles {
		c := chart.Of(a.words, texts[t])
		if c == nil {
			continue
		}
		var marks strings.Builder
		for _, n := range cited[t][:min(len(cited[t]), maxCited)] {
			fmt.Fprintf(&marks, "[%d]", n)
		}
		return strings.TrimSpace(a.say("extractive.charted")+" "+marks.String()) + "\n\n" + c.Fence()
	}
	return ""
}
