package naming

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// leading is how many words two names must begin with for these to say what kind of document both are.
const leading = 2

// noteLeading adds documents to the kind that is before what tells them apart: the agreement of Service Level Agreement Gold and
// Service Level Agreement Silver.
func noteLeading(d *Directory) {
	type begun struct {
		words []string
		docs  []int
	}
	var names []begun
	several := ofSeveral(d)
	for _, n := range d.names {
		if words := wordsOf(n.text); len(words) > leading && !several[words[len(words)-1]] { // no Meridian Health Agreement
			names = append(names, begun{words, n.docs})
		}
	}
	slices.SortFunc(names, func(a, b begun) int { return slices.Compare(a.words, b.words) })
	for i := 1; i < len(names); i++ {
		a, b, same := names[i-1], names[i], 0
		for same < min(len(a.words), len(b.words)) && a.words[same] == b.words[same] {
			same++
		}
		if same < leading || same == len(a.words) || same == len(b.words) || numbered(a.words[same-1]) || !content(a.words[same-1]) { // no "of"
			continue
		}
		d.leading[a.words[same-1]] = true
	}
	for _, p := range d.parts {
		if d.leading[p.word] {
			d.note(p.word, []int{p.doc})
		}
	}
}

// isSibling reports whether a Korean word that no name has ends as one in names of the kind: 감마타워, where there is a 베타타워.
func isSibling(d *Directory, w string, kind []int) bool {
	r := []rune(w)
	if len(r) < 2*sharedEnd || !isKorean(w) || stem(w) != w || len(d.having(w)) > 0 {
		return false
	}
	end := string(r[len(r)-sharedEnd:])
	return slices.ContainsFunc(d.parts, func(p namedWord) bool {
		_, of := slices.BinarySearch(kind, p.doc)
		return of && strings.HasSuffix(p.word, end) && utf8.RuneCountInString(p.word) >= 2*sharedEnd
	})
}

// sharedEnd is how many syllables siblings end with.
const sharedEnd = 2

// bare returns a word without its particle, unless a name of the same length has another syllable in its place: 하늘철도 is
// no 하늘철 beside 하늘철강.
func bare(d *Directory, w string) string {
	s := stem(w)
	if n := utf8.RuneCountInString(w); n < 2*sharedEnd || len(w)-len(s) != len("도") || !strings.Contains("도로만나", w[len(s):]) {
		return s
	}
	at, _ := slices.BinarySearchFunc(d.parts, s, func(p namedWord, w string) int { return strings.Compare(p.word, w) })
	sibling := false
	for ; at < len(d.parts) && strings.HasPrefix(d.parts[at].word, s); at++ {
		if len(d.parts[at].word) != len(w) {
			return s
		}
		sibling = true
	}
	if sibling {
		return w
	}
	return s
}

// kindBehind reports whether a later word of the clause names a kind of the same documents: a party's name may be one, Kim of
// Employment Agreement - Sarah Kim.
func kindBehind(d *Directory, kind []int, words []word, at int, text string) bool {
	for i := at + 1; i < len(words) && words[i].clause == words[at].clause; i++ {
		if len(within(d.kindAt(text[words[i].from:words[i].to]), kind)) > 0 {
			return true
		}
	}
	return false
}

// oneName reports whether two neighbouring words of names of a kind are one name that no document of it has: 한울전자 냉장고, Minho Kim.
func oneName(d *Directory, words []word, i int, kind []int, text, typed string) bool {
	if i == 0 || words[i-1].clause != words[i].clause || typed[words[i-1].to:words[i].from] != " " {
		return false
	}
	first, second := text[words[i-1].from:words[i-1].to], bare(d, text[words[i].from:words[i].to])
	if !isKorean(first) && (!capital(typed[words[i-1].from:]) || !capital(typed[words[i].from:])) {
		return false
	}
	of := within(d.having(first), kind)
	return len(of) > 0 && len(within(d.having(second), kind)) > 0 && len(within(d.having(second), of)) == 0
}

// sorts reports whether the words between a party and a kind are before the kind in the names of documents, so that they say
// which contracts these are, and not whose: the 유지보수 of 유지보수계약서.
func sorts(d *Directory, docs []int, between string) bool {
	words := wordsOf(between)
	for _, w := range words {
		for _, doc := range docs {
			if !slices.ContainsFunc(d.namesOf[doc], func(n int) bool { return sortOf(d, n, stem(w)) }) {
				return false
			}
		}
	}
	return len(words) > 0
}

// sortOf reports whether the last word of a name is a word and a kind.
func sortOf(d *Directory, name int, w string) bool {
	own := wordsOf(d.names[name].text)
	rest, ok := strings.CutPrefix(own[len(own)-1], w)
	return ok && rest != "" && len(d.kinds[rest]) >= series
}
