package extractive

import (
	"strings"

	"maru/phrase/fit"
)

// object.go finds what a yes-or-no question asks to be there or to be given: the
// gift of "생일 선물 줘?", the company car of "Can I get a company car?". A sentence
// about birthdays or about cars alone does not answer it.

var (
	hasKo = expression(`^(.+?)\s+(?:있어|있나|있니|있음|있습니까|있을까|줘|주나|주니|주냐|줌|줍니까|나와|나오나|나옴|나옵니까|받을\s*수\s*있(?:어|나|니|음|습니까|을까))(?:요)?$`)
	hasEn = expression(`(?i)\b(?:(?:is|are)\s+there|(?:do|does)\s+(?:[a-z]+\s+){1,3}?(?:have|get|offer|provide|receive|pay\s+for|cover)|can\s+(?:i|we|you)\s+(?:get|have|bring|borrow)|(?:what|who|where)(?:'s|\s+is|\s+are)\s+the|how\s+much\s+(?:is|are))\s+(.+)$`)
	// whatEn asks what a thing is; givenEn says before it that it was promised, which its own sentence need not.
	whatEn  = expression(`(?i)\bwhat(?:'s|\s+is|\s+are)\s+the\s`)
	givenEn = expression(`(?i)^(?:[a-z]*nteed|agreed|promised|required|stated|expected|usual|normal|exact)\s+`)
	// opensKo are words with which a question asks for more than yes or no.
	opensKo = expression(`언제|어디|누구|누가|뭐|뭘|무엇|무슨|얼마|몇|며칠|어떻|어떤|왜|어느`)
	// endsEn begin what follows the thing itself.
	endsEn  = expression(`(?i)\s(?:in|on|at|when|if|while|during|after|before|to|with|and|or|from|because|that|who|which|per|each|every|this|next|here|left|available|as|than|now|today|currently|already|still|yet|exactly)\b.*$`)
	lightKo = set(`더 다 좀 꼭 또 잘 혹시 따로 별도로 추가로 무료로 공짜로 전부 모두 많이 바로 그냥 아직 지금 오늘`)
	lightEn = set(`any some more extra other special own new a an the my our your free kind sort type day time lot way one limit budget name number date maximum minimum`)
)

// objects returns the stems of what the question asks to be there, all of which
// an answer must hold; none if it asks something else.
func objects(question string) map[string]bool {
	q := strings.TrimRight(fit.OneLine(question), " ?!.~ㅋㅎ")
	if m := hasEn.FindStringSubmatch(q); m != nil {
		if whatEn.MatchString(q) {
			return objectsEn(givenEn.ReplaceAllString(m[1], ""))
		}
		return objectsEn(m[1])
	}
	if m := hasKo.FindStringSubmatch(q); m != nil && !opensKo.MatchString(q) {
		return objectsKo(m[1])
	}
	return nil
}

func objectsEn(thing string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words(endsEn.ReplaceAllString(" "+thing, "")) {
		if st := stem(w); !empty[w] && !empty[st] && !lightEn[w] && !weak[w] && !aspects[st] {
			out[st] = true
		}
	}
	return out
}

// objectsKo takes the last noun and the nouns that stand before it without a
// particle: 실업 급여, but not the 주차장 of "주차장에 충전기".
func objectsKo(clause string) map[string]bool {
	all := words(clause)
	for len(all) > 0 && lightKo[all[len(all)-1]] {
		all = all[:len(all)-1]
	}
	out := map[string]bool{}
	for i := len(all) - 1; i >= 0; i-- {
		w := all[i]
		st := stem(w)
		if i < len(all)-1 && (st != w || closes(w) || opensClause(w)) {
			break
		}
		if doings(w)[st] { // "가입돼 있어": it is said in any form of the verb
			continue
		}
		if !empty[w] && !empty[st] && !aspects[st] {
			out[st] = true
		}
	}
	return out
}

// present is how much of a word a sentence and its headings must hold.
const present = 0.6

// lacks reports that a passage, of which these are the stems, lacks one of the things.
func lacks(passage []string, want []wanted, things map[string]bool) bool {
	for _, w := range want {
		if things[w.stem] && w.heldBy(passage) < present {
			return true
		}
	}
	return false
}
