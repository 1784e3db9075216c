package rag

import "unicode/utf8"

const (
	compoundFrom = 4  // syllables of a word that may be two words written as one
	compoundTo   = 7  // a longer word is a name of many parts (소방시설공사업법시행규칙), which its syllable pairs find better
	maxCompounds = 24 // words of a question that may be split
)

// Compounds handles optional spaces in Korean compounds: it sets Split if the index lacks a word but holds its
// components (육아휴직: 육아, 휴직), and Joined if it holds two neighbours as one (육아 휴직: 육아휴직). known reports whether a
// readable passage holds a term.
func Compounds(words []Word, known func(term string) bool) {
	budget := maxCompounds
	for i := range words {
		w := &words[i]
		if budget <= 0 {
			return
		}
		if w.Weight == 0 || !isHangulWord(*w) {
			continue
		}
		if n := syllables(w.Terms[0]); n >= compoundFrom && n <= compoundTo {
			budget--
			if !known(w.Terms[0]) {
				w.Split = split(w.Text, known)
			}
		}
		if i+1 == len(words) {
			continue
		}
		// A particle ends a word: 휴직은 급여를 is no compound.
		next := words[i+1]
		if w.Text == w.Terms[0] && next.Weight > 0 && next.Sentence == w.Sentence && isHangulWord(next) {
			budget--
			if both := w.Terms[0] + next.Terms[0]; syllables(both) <= compoundTo && known(both) && !(known(w.Terms[0]) && known(next.Terms[0])) {
				w.Joined = both
			}
		}
	}
}

func isHangulWord(w Word) bool {
	if len(w.Terms) == 0 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(w.Terms[0])
	return isHangul(r)
}

func syllables(stem string) int { return len(stem) / syllable }

const syllable = 3 // bytes of a Hangul syllable in UTF-8

// split cuts a word into the fewest known words of at least two syllables, the longer first, and returns their stems;
// nil if it cannot be cut. It takes the unstemmed word: the 가 of 출산휴가 is not a particle, and stem treats the 휴가 of a
// document alike.
func split(word string, known func(string) bool) []string {
	n := syllables(word)
	if n > len(cuts{})-1 {
		return nil
	}
	var best cuts
	best[n] = []string{}
	for at := n - 2; at >= 0; at-- {
		for end := n; end >= at+2; end-- {
			if best[end] == nil || end-at == n || best[at] != nil && len(best[end])+1 >= len(best[at]) {
				continue
			}
			if part := stem(word[at*syllable : end*syllable]); known(part) {
				best[at] = append([]string{part}, best[end]...)
			}
		}
	}
	return best[0]
}

// cuts caches the splits of a word's suffixes by offset; a particle may follow the compound.
type cuts [compoundTo + 4][]string
