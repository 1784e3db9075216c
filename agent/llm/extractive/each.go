package extractive

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// each.go answers who asks of several documents at once, "두 계약의 기간은?", "What is the term of each
// contract?": each of them by itself, for what one says best is not what the other says.

// ofEach are the words that say so, with what ties them to the rest.
var ofEach = expression(`(?i)(?:^|\s)(?:두|세|양쪽|모든|여러)\s*(?:(?:용역|임대차)\s*)?(?:계약서?|약관|문서)(?:들)?(?:이?랑|하고|와|과|은|는|이|가|의|에서는?|에는|에|별로|마다)?(?:\s|$)|` +
	`(?:계약서?|문서)(?:마다|별로?|들\p{Hangul}{0,3})(?:\s|$)|(?:^|\s)각각\p{Hangul}{0,2}(?:\s|$)|` +
	`(?:\b(?:in|of|for|by|under|between)\s+)?\b(?:the\s+)?(?:both|each|all|two|three)(?:\s+of)?(?:\s+the)?\s+(?:contracts?|agreements?|documents?)\b`)

// maxPapers bounds the documents of which each is asked.
const maxPapers = 3

// byPaper is what each of several documents says, if the question asks each of them; nothing if it does
// not, or none has an answer.
func (a *ask) byPaper() []candidate {
	papers := a.papers()
	question, named := withoutPapers(a.question, papers)
	if len(papers) < 2 || named < 2 && !ofEach.MatchString(a.question) {
		return nil
	}
	question = ofEach.ReplaceAllString(question, " ")
	var out []candidate
	for _, paper := range papers[:min(len(papers), maxPapers)] {
		one := a.of(paper)
		one.question = question
		if best, lacks := one.told(); lacks == nil {
			out = append(out, best...)
		}
	}
	return out
}

// withoutPapers takes the words that name documents out of a question, 가람이랑, "the Garam lease": those that
// only one of their titles has. It counts the documents that are named.
func withoutPapers(question string, papers []string) (rest string, named int) {
	var names []string
	for _, paper := range papers {
		there := false
		for _, w := range words(paper) {
			shared := slices.ContainsFunc(papers, func(o string) bool { return o != paper && strings.Contains(squash(o), squash(w)) })
			if utf8.RuneCountInString(w) < 2 || shared || kindOfPaper.MatchString(w) {
				continue
			}
			if slices.ContainsFunc(strings.Fields(question), func(said string) bool { return strings.HasPrefix(squash(said), squash(w)) }) {
				names, there = append(names, squash(w)), true
			}
		}
		if there {
			named++
		}
	}
	left := slices.DeleteFunc(strings.Fields(question), func(said string) bool {
		return slices.ContainsFunc(names, func(w string) bool { return strings.HasPrefix(squash(said), w) })
	})
	return strings.Join(left, " "), named
}

// kindOfPaper are words of a title that say what kind of document it is.
var kindOfPaper = expression(`(?i)계약|약관|문서|^(?:contract|agreement|document)s?$|^\d`)
