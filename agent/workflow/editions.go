package workflow

import (
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/phrase/prose"
	"maru/rag"
	"maru/rag/edition"
)

const (
	maxEditions  = 2   // notes on editions below an answer
	maxDisagree  = 3   // documents that are shown to disagree
	asRelevant   = 0.8 // of a cited passage's score, what one needs that may contradict it
	sameSentence = 0.5 // share of their words that two sentences have in common that say the same but for a number
)

// editions says below an answer which edition of a document it cites and what the one before says; "" if there is only one.
func (x *Exec) editions(cited []agent.Source) string {
	var notes []string
	for _, p := range cited {
		note := ""
		switch {
		case p.Newer != "":
			note = x.Phrase("agent.edition_old", p.Edition, p.Newer)
		case p.Older == nil:
			continue
		default:
			now, before := x.closest(p.Quote), x.closest(p.Older.Quote)
			if before == "" || sentence(now) == sentence(before) {
				note = x.Phrase("agent.edition_same", p.Edition, p.Older.Edition)
			} else {
				note = x.Phrase("agent.edition", p.Edition, p.Older.Edition, fit.Clip(before, maxClosest))
			}
		}
		if !slices.Contains(notes, note) && len(notes) < maxEditions {
			notes = append(notes, note)
		}
	}
	return strings.Join(notes, "\n")
}

// closest returns the sentence of a passage that is nearest to the question; "" if none is.
func (x *Exec) closest(passage string) string {
	ss := prose.Sentences(passage)
	if at, _ := rag.Closest(x.Request.Text, ss); at >= 0 {
		return strings.TrimSpace(ss[at])
	}
	return ""
}

// sentence returns a sentence without what formats differ in.
func sentence(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

// disagreement shows documents of which one gives another number than a cited passage in a sentence that says the same
// otherwise, with their dates; "" if there are none.
func (x *Exec) disagreement(cited []int, passages []agent.Source) string {
	for _, n := range cited {
		c := passages[n-1]
		says := x.closest(c.Quote)
		against := []agent.Source{}
		for _, p := range passages {
			other := p.Document != c.Document && p.Sample == c.Sample && p.Dated != "" && c.Dated != "" && p.Score >= asRelevant*c.Score &&
				!slices.ContainsFunc(against, func(a agent.Source) bool { return a.Document == p.Document })
			if other && len(against) < maxDisagree-1 && contradicts(x.Request.Text, says, x.closest(p.Quote)) {
				against = append(against, p)
			}
		}
		if len(against) == 0 {
			continue
		}
		lines := []string{x.Phrase("agent.disagree")}
		for _, p := range append([]agent.Source{c}, against...) {
			lines = append(lines, fmt.Sprintf("- %s (%s): “%s” [%d]", placeOf(p), p.Dated, fit.Clip(x.closest(p.Quote), maxClosest), p.N))
		}
		return strings.Join(lines, "\n")
	}
	return ""
}

// amount is a number with what it counts.
var amount = pattern.New(`(\d[\d,]*(?:\.\d+)?)\s?([\p{Hangul}]{1,2}|[A-Za-z]{2,}|[%€$₩])?`)

// contradicts reports whether two sentences hold the same words of a question and say the same but for an amount of the
// same unit.
func contradicts(question, a, b string) bool {
	if a == "" || b == "" || !sameOf(question, a, b) || edition.WordsOf(a).Like(edition.WordsOf(b)) < sameSentence {
		return false
	}
	one, two := amounts(a), amounts(b)
	for unit, values := range one {
		others := two[unit]
		if len(others) > 0 && lacks(values, others) && lacks(others, values) {
			return true
		}
	}
	return false
}

// sameOf reports whether two sentences hold the same words of a question, one at least.
func sameOf(question, a, b string) bool {
	var words rag.Analyzer
	one, two, some := rag.HoldingOf(a), rag.HoldingOf(b), false
	for _, w := range words.Query(question) {
		if w.Weight < 1 {
			continue
		}
		in, too := one.Match(w) > 0, two.Match(w) > 0
		if in != too {
			return false
		}
		some = some || in
	}
	return some
}

// amounts returns the numbers of a sentence by their unit.
func amounts(s string) map[string][]string {
	out := map[string][]string{}
	for _, m := range amount.FindAllStringSubmatch(s, -1) {
		unit := strings.TrimSuffix(strings.ToLower(m[2]), "s")
		out[unit] = append(out[unit], strings.ReplaceAll(m[1], ",", ""))
	}
	return out
}

func lacks(values, others []string) bool {
	return slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(others, v) })
}
