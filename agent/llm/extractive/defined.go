package extractive

import (
	"slices"

	"maru/rag/lexicon"
)

// defined.go knows what a contract calls a thing: where one lets "a milling machine (the "Equipment")", who asks
// about the machine is answered by what is said of the Equipment.

var (
	// calls are a thing in its own words, then what it is called from there on; means the other way round.
	calls = expression(`([^.;()]+)\((?:[^()"“]*\s)?(?:이하\s*|(?:together|each|collectively|hereinafter|hereafter|referred\s+to\s+as|the|an?|,|\s)*)["“]((?:the\s+|The\s+)?[\pL ]+)["”]\)`)
	means = expression(`["“]([\pL ]+)["”]\s*(?:means|shall\s+mean|refers\s+to|이?란|(?:이?라)?\s*함은)\s+([^.;]+)`)
)

// definedToo lets a word that stands only where a thing is defined stand as what the thing is called.
func definedToo(want []wanted, all []candidate) {
	for _, c := range all {
		for _, d := range definitions(c.text) {
			for i, w := range want {
				if slices.Contains(d.words, w.stem) && !has(d.name, w.stem) && !elsewhereSaid(w.stem, all) {
					want[i].same = append(want[i].same, other{d.name, lexicon.WiderMatch})
				}
			}
		}
	}
}

// definition is what a thing is called, and the words that it is described in.
type definition struct{ name, words []string }

func definitions(text string) []definition {
	var out []definition
	for _, m := range calls.FindAllStringSubmatch(text, -1) {
		out = append(out, definition{content(m[2]), described(m[1])})
	}
	for _, m := range means.FindAllStringSubmatch(text, -1) {
		out = append(out, definition{content(m[1]), described(m[2])})
	}
	return slices.DeleteFunc(out, func(d definition) bool { return len(d.name) == 0 })
}

// described are the words that describe a thing, without who has to do with it.
func described(text string) []string {
	light := predicates(words(text))
	return slices.DeleteFunc(content(text), func(s string) bool { return light[s] || partyWord.MatchString(s) })
}

// elsewhereSaid reports whether a word stands in a sentence that defines nothing.
func elsewhereSaid(stem string, all []candidate) bool {
	return slices.ContainsFunc(all, func(c candidate) bool { return slices.Contains(c.stems, stem) && len(definitions(c.text)) == 0 })
}
