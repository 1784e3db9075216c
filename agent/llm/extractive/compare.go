package extractive

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"maru/phrase/fit"
)

// compare.go answers who asks how two documents differ: with what each of them says, side by side.

// nearSide is what of the best sentence's worth a second one of its side must reach.
const nearSide = 0.8

// maxSides bounds the quotations of a comparison of everything.
const maxSides = 6

var (
	// compares is a question that sets two things side by side.
	compares = expression(`(?i)비교|차이|다른\s*점|다른\s*게|다른가|달라|다르|비해|대비|표준\p{Hangul}*보다|\bcompar|\bdiffer|\bversus\b|\bvs\b|\bthan\b|\bstandard\b.*\bours\b|\bours\b.*\bstandard\b`)
	// sidesOf are the words for the two sides of a comparison, and for the comparison; what is left is what is compared.
	sidesOf = expression(`(?i)(?:표준|우리|저희|이|내|제)?\s*(?:용역\s*)?(?:계약서?|약관|문서)(?:이?랑|하고|와|과|은|는|이|가|의|에서?|보다|에\s*비해|대비)?(?:\s|$)|(?:^|\s)(?:표준|우리|저희)\p{Hangul}*|(?:비교|차이)\p{Hangul}*|다른\s*(?:점|게)?\p{Hangul}*|달라\p{Hangul}*|다르\p{Hangul}*|비해|대비|(?:길|짧|높|낮|크|적|많)(?:어|아|은|나)\p{Hangul}*|` +
		`(?:'s\b)|\b(?:the|our|ours|my|mine|this|that|standard|one|clauses?|article|contracts?|agreements?|compar\w*|differ\w*|differences?|versus|vs|than|with|from|between|longer|shorter|higher|lower|more|less|bigger|smaller|stricter)\b`)
)

// paperOf is the document in the title of a passage.
func paperOf(title string) string {
	if i := strings.IndexAny(title, ",›>"); i > 0 {
		return strings.TrimSpace(title[:i])
	}
	return title
}

// papers are the documents that the passages are of, in their order.
func (a *ask) papers() []string {
	var out []string
	for _, p := range a.req.Passages {
		if paper := paperOf(clean(p.Title)); !slices.Contains(out, paper) {
			out = append(out, paper)
		}
	}
	return out
}

// sideBySide is what two documents say about what a question compares, a sentence each; of a
// comparison of everything a sentence of each passage. Nothing if the question compares nothing,
// or one of them does not say it.
func (a *ask) sideBySide() []candidate {
	papers := a.papers()
	if len(papers) < 2 || !compares.MatchString(a.question) {
		return nil
	}
	topic := a.question
	if rest, named := withoutPapers(topic, papers); named > 1 {
		topic = rest
	}
	topic = sidesOf.ReplaceAllString(ofEach.ReplaceAllString(topic, " "), " ")
	if len(content(topic)) == 0 {
		return a.everySide()
	}
	var out []candidate
	for _, paper := range papers[:2] {
		side := a.of(paper).side(topic)
		if len(side) == 0 {
			return nil
		}
		out = append(out, side...)
	}
	return out
}

// quoteSides writes what each document says under its name.
func quoteSides(b *strings.Builder, question string, sides []candidate) {
	paper := ""
	for i, c := range sides {
		if of := paperOf(clean(c.from)); of != paper {
			paper = of
			fmt.Fprintf(b, "\n**%s:**\n", fit.OneLine(of))
		}
		quoteEach(b, question, sides[i:i+1])
	}
}

// of is the same question to one document: what is said in the other one's words is searched
// for in this one's.
func (a *ask) of(paper string) *ask {
	one := *a
	one.req.Passages = nil
	for _, p := range a.req.Passages {
		if paperOf(clean(p.Title)) == paper {
			one.req.Passages = append(one.req.Passages, p)
		}
	}
	return &one
}

// side are the sentences that say what is compared, two if they say it about as well.
func (a *ask) side(topic string) []candidate {
	all := slices.DeleteFunc(a.rank(topic), func(c candidate) bool { return c.lacks || c.covers < enough })
	sort.SliceStable(all, func(i, j int) bool { return all[i].worth(topic) > all[j].worth(topic) })
	if len(all) == 0 {
		return nil
	}
	if out := a.article(topic, all); len(out) > 0 {
		return out
	}
	out := all[:1]
	if len(all) > 1 && all[1].n == all[0].n && all[1].worth(topic) >= nearSide*all[0].worth(topic) {
		out = all[:2]
		sort.SliceStable(out, func(i, j int) bool { return out[i].order < out[j].order })
	}
	return out
}

// article are the sentences of the passage whose title is the topic, in their order: who compares a
// clause wants to read it. What is owed by who pays late is another topic than the payment. None where a figure is compared, or no title has the topic.
func (a *ask) article(topic string, all []candidate) []candidate {
	want := slices.DeleteFunc(subject(topic), func(w wanted) bool { return w.weight < 1 })
	if measured.MatchString(topic) || len(want) == 0 {
		return nil
	}
	every := a.candidates()
	sayOtherwise(want, every, true)
	on := func(c candidate) bool {
		return titled(c, want) > 0 && (late.MatchString(topic) || !late.MatchString(c.from))
	}
	at := slices.IndexFunc(all, on)
	if at < 0 { // its title may say the topic in words that its sentences do not
		all = every
		at = slices.IndexFunc(all, on)
	}
	if at < 0 {
		return nil
	}
	n := all[at].n
	var out []candidate
	for _, c := range every {
		if c.n == n && len(out) < maxQuotes && !repeats(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// measured are aspects that are told in figures.
var measured = expression(`(?i)기간|기한|한도|상한|금액|비율|이자|이율|일수|며칠|얼마|언제|몇|\b(?:period|time|limit\w*|cap|amount|rate|interest|percentage|notice|deadline|how\s+(?:long|much|many|soon))\b`)

// worth is how well a sentence stands for its side: one with a figure where figures are compared.
func (c candidate) worth(topic string) float64 {
	if measured.MatchString(topic) && figured.MatchString(withoutNumber.ReplaceAllString(c.text, "")) {
		return c.score + 0.5
	}
	return c.score
}

var (
	figured = expression(`(?i)` + figures)
	// withoutNumber are the numbers of paragraphs and articles, and third parties.
	withoutNumber = expression(`(?i)^\s*\(?\d+(?:\.\d+)*[.)]?\s|제\s*\d+\s*(?:조|항|호|자)|\b(?:articles?|sections?|clauses?)\s+\d[\d.-]*`)
)

// everySide is one sentence of each passage, that with a figure before others.
func (a *ask) everySide() []candidate {
	var out []candidate
	for _, c := range a.candidates() {
		at := slices.IndexFunc(out, func(o candidate) bool { return o.n == c.n })
		has := figured.MatchString(withoutNumber.ReplaceAllString(c.text, ""))
		switch {
		case at < 0 && len(out) < maxSides:
			c.lacks = !has
			out = append(out, c)
		case at >= 0 && out[at].lacks && has:
			c.lacks = false
			out[at] = c
		}
	}
	return out
}
