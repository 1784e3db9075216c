package extractive

import (
	"slices"
	"strings"

	"maru/rag/article"
)

// topics.go answers how two things of one document differ, "연차랑 병가는 뭐가 달라?", with what is said of
// each. Half of a comparison is none.

var (
	topicsKo = expression(`^\s*(\P{Zs}[^?]{0,28}?)(?:하고|이랑|랑|와|과)\s+([^?]{1,30}?)(?:은|는|이|가|을|를|의)?\s*(?:서로\s*|각각\s*)?(?:어떻게|뭐가|무엇이|뭐\s|무슨\s*차이|차이|다른|달라|다르|비교)`)
	topicsEn = expression(`(?i)(?:difference|differences)\s+between\s+(.+?)\s+and\s+(.+?)\W*$|` +
		`^\W*how\s+(?:do|does|are|is)\s+(.+?)\s+(?:and|(?:differ|different)\s+from|compare\s+(?:to|with))\s+(.+?)(?:\s+(?:differ|different|compare|compared))?\W*$|` +
		`\bcompare\s+(.+?)\s+(?:and|with|to)\s+(.+?)\W*$`)
)

// topics are the two things of one document that a question compares.
func (a *ask) topics() []string {
	if !compares.MatchString(a.question) || len(article.Find(a.question)) > 0 {
		return nil
	}
	m := topicsKo.FindStringSubmatch(a.question)
	if m == nil {
		m = topicsEn.FindStringSubmatch(a.question)
	}
	var out []string
	for _, t := range m[min(len(m), 1):] {
		if t != "" && !paperName.MatchString(t) && len(content(t)) > 0 {
			out = append(out, t)
		}
	}
	if len(out) != 2 {
		return nil
	}
	return out
}

// eachOf is a sentence or two about each of the topics; none if there is none about one of them.
func (a *ask) eachOf(topics []string) []candidate {
	var out []candidate
	for _, topic := range topics {
		side := a.about(topic)
		if len(side) == 0 {
			return nil
		}
		for _, c := range side {
			if !repeats(out, c) {
				out = append(out, c)
			}
		}
	}
	if len(out) < len(topics) { // one sentence is about both
		return nil
	}
	return out
}

// about are the sentences that say something of a topic: all its words stand in them or in the headings
// above them, and those whose headings have it come first.
func (a *ask) about(topic string) []candidate {
	one := *a
	one.question, one.leant = topic, ""
	want := subject(topic)
	all := slices.DeleteFunc(one.rank(topic), func(c candidate) bool {
		return c.lacks || !c.isAbout(want) || strings.HasSuffix(c.text, "?")
	})
	slices.SortStableFunc(all, func(x, y candidate) int { return titled(y, want) - titled(x, want) })
	out := all[:min(len(all), 1)]
	if len(all) > 1 && all[1].n == all[0].n && titled(all[0], want) > 0 {
		out = all[:2]
		if out[0].order > out[1].order {
			out = []candidate{out[1], out[0]}
		}
	}
	return out
}

// titled is 1 if the title of a sentence's passage has a topic's words.
func titled(c candidate, want []wanted) int {
	for _, w := range want {
		if w.heldBy(stems(c.from)) < present {
			return 0
		}
	}
	return 1
}
