package extractive

import (
	"strings"
	"unicode/utf8"
)

// happened.go knows what somebody tells before they ask: "노트북 고장났는데 어디다 말해?" A sentence that says what
// to do in that case ("장비가 고장 나면 …") is meant, whatever it calls the thing.

var (
	// happenedKo is what happened, as a verb, with what is asked behind it.
	happenedKo = expression(`(?:^|\s)(\p{Hangul}{2,}?)(?:(?:는데|은데)요?|다면|으면|면|거든요)\s+(?:\p{Hangul}+\s+)?(?:어떡|어떻|어쩌|어쩔|어디|누구|누가|뭐|뭘|무엇|언제|왜)`)
	// auxiliaryKo follows another verb and says how it came about: 눌러버렸다, 잃어버리다 is one word.
	auxiliaryKo = expression(`(?:버렸|버려|놨|뒀|봤|졌)$`)
	pastEndKo   = expression(`[\x{1161}-\x{1175}]\x{11bb}?$`)
)

// happening is a case as a question tells it.
type happening struct {
	word string // as it is written, without its ending
	root string // its first jamo, which every form has
}

// happenedIn returns what a Korean question says that happened; nil if it tells nothing.
func happenedIn(question string) *happening {
	m := happenedKo.FindStringSubmatch(question)
	if m == nil {
		return nil
	}
	word := m[1]
	if bare := auxiliaryKo.ReplaceAllString(word, ""); utf8.RuneCountInString(bare) > 1 {
		word = bare
	}
	return &happening{word: word, root: pastEndKo.ReplaceAllString(decomposed(word), "")}
}

// minHappened is how many jamo of a verb must be the same: fewer begin other words, too.
const minHappened = 4

// toldIn reports whether a sentence says in its condition that this happens.
func (h *happening) toldIn(text string) bool {
	for _, w := range words(conditionOf(text)) {
		noun := stem(w)
		if utf8.RuneCountInString(noun) >= 2 && strings.HasPrefix(h.word, noun) ||
			utf8.RuneCountInString(h.root) >= minHappened && strings.HasPrefix(decomposed(w), h.root) {
			return true
		}
	}
	return false
}

// inThatCase is what a sentence gains that says what to do in the case which a question tells.
const inThatCase = 1

// caseToo lets the sentences that say what to do in the case of a question count as about it; those for
// another case do not answer it.
func caseToo(question string, all []candidate) {
	h := happenedIn(question)
	if h == nil {
		return
	}
	most, in := 0.0, map[int]bool{}
	for i, c := range all {
		most = max(most, c.covers)
		if c.about > 0 && !c.lacks && h.toldIn(c.text) {
			in[i] = true
		}
	}
	for i := range all {
		c := &all[i]
		switch {
		case in[i]:
			c.covers, c.score = max(c.covers, most), c.score+inThatCase
		case len(in) > 0 && conditionOf(c.text) != "":
			c.lacks = true
		}
	}
}
