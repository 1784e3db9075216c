package naming

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// leading is how many words two names must begin with for these to say what kind of document both are.
const leading = 2

// noteLeading adds documents to the kind that stands before what tells them apart: the agreement of Service Level Agreement Gold and
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
		if same < leading || same == len(a.words) || same == len(b.words) || numbered(a.words[same-1]) {
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
