package when

import (
	"errors"
	"time"

	"maru/phrase/pattern"
)

// weekEnd matches two days, of which [Read] takes the first.
var weekEnd = pattern.New(`주말|(?i)\bweekend`)

// limitWords are the words of a deadline or a range after a time, which [Read] does not take for a moment.
var limitWords = pattern.New(`까지|부터|이내|안에`)

// Named returns the moments that a sentence names, and the rules of those that come again. A deadline is read as its moment.
func Named(sentence string, now time.Time) (at []time.Time, rules []Rule) {
	texts := []string{sentence}
	if cut := limitWords.FindAllStringIndex(sentence, -1); len(cut) > 0 {
		from := 0
		for _, c := range cut {
			texts, from = append(texts, sentence[from:c[0]]), c[1]
		}
		texts = append(texts, sentence[from:])
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	for _, text := range texts {
		r := Read(text, now)
		if errors.Is(r.Err, ErrPast) { // it is of today, or its day begins before now
			r = Read(text, today)
		}
		switch {
		case !r.Found || r.Rule.IsZero():
		case r.Rule.Repeats():
			rules = append(rules, r.Rule)
		default:
			at = append(at, r.Rule.At.In(now.Location()))
			if weekEnd.MatchString(text) {
				at = append(at, r.Rule.At.In(now.Location()).AddDate(0, 0, 1))
			}
		}
	}
	return at, rules
}
