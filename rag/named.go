package rag

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/rag/article"
)

// Word ranking cannot find an article by its number: every law has an Article 5, and a law's name occurs in a
// thousand others that refer to it. So each article is indexed under name keys: the document's name with the
// article's number, and with its title. Questions are scanned for such names.
//
// KeyMark prefixes these terms; eight bytes of hash follow, so that a name costs an index as much as a short word.
// Two of a million names collide by chance once in thirty million collections.
const KeyMark = "\x03"

const (
	nameShortest = 2       // runes of a name, squeezed
	nameLongest  = 60      // longer titles need not be given in full
	longestHead  = 1 << 10 // bytes of a line that may be a name with a heading
)

// IsKey reports whether a term of [Analyzer.Title] is a name key rather than a word: it does not count for a
// passage's length.
func IsKey(term []byte) bool { return len(term) > 0 && term[0] == KeyMark[0] }

// key returns the name key of a squeezed document name and a part of it; an empty part means the document itself.
func key(document, kind, inner string) string {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a, as hash/fnv, without its allocations
	h := uint64(offset)
	for _, s := range [...]string{document, "\x00", kind, "\x00", inner} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * prime
		}
	}
	var term [len(KeyMark) + 8]byte
	copy(term[:], KeyMark)
	binary.BigEndian.PutUint64(term[len(KeyMark):], h)
	return string(term[:])
}

const (
	byNumber = "number"
	byTitle  = "title"
)

// keysOf emits the name keys of a passage from its head line: "근로기준법 > 제4장 > 제60조(연차 유급휴가)", or without a path
// "근로기준법 제60조(연차 유급휴가)". Keys of articles in addenda and annexes include these, since their numbering restarts.
func keysOf(head string, emit func(term string)) {
	path := strings.Split(head, " > ")
	name := path[0]
	var own article.Head
	ok, outer := false, ""
	for i := len(path) - 1; i > 0; i-- {
		if !ok {
			own, ok = article.Heading(path[i])
		} else if h, numbered := article.Heading(path[i]); numbered && own.Ref.Kind < article.Annex && h.Ref.Kind >= article.Annex {
			outer = h.Ref.Key() + " "
		}
	}
	if !ok {
		name, own, ok = cutName(path[0])
	}
	document := squeeze(name)
	if !ok || utf8.RuneCountInString(document) < nameShortest {
		return
	}
	emit(key(document, "", ""))
	emit(key(document, byNumber, outer+own.Ref.Key()))
	if outer != "" {
		return
	}
	if t := squeeze(own.Title); utf8.RuneCountInString(t) >= nameShortest && utf8.RuneCountInString(t) <= nameLongest {
		emit(key(document, byTitle, t))
	}
}

// cutName splits "근로기준법 제60조(연차 유급휴가)" into the name and the heading.
func cutName(line string) (string, article.Head, bool) {
	if len(line) > longestHead {
		return "", article.Head{}, false
	}
	for i := range line {
		if i == 0 || line[i-1] != ' ' {
			continue
		}
		if h, ok := article.Heading(line[i:]); ok && h.Rest == "" {
			return line[:i], h, true
		}
	}
	return "", article.Head{}, false
}

// Named returns the keys of the articles named in a question: by document and number (근로기준법 제60조), or by document
// and title (근로기준법의 연차 유급휴가 조항). known reports whether a readable passage contains a term. If the query does not
// name the documents, Named looks for their names in the text, and the longest at a place wins: 근로기준법 시행령 is not
// 근로기준법.
func Named(q Query, known func(term string) bool) []string {
	text := fold(q.Text[:min(len(q.Text), maxQuestion)], false)
	refs := article.Find(text)
	places := wordStarts(text)
	var names []namePlace
	for _, t := range q.Titles {
		names = append(names, namePlace{text: squeeze(t)})
	}
	if len(names) == 0 {
		names = find(text, places, func(s string) bool { return known(key(s, "", "")) })
	}
	outer := ""
	if strings.Contains(text, lone) {
		outer = article.Ref{Kind: article.Addenda}.Key() + " "
	}
	var keys []string
	for _, n := range names {
		found := false
		for _, r := range refs {
			if k := key(n.text, byNumber, outer+r.Key()); known(k) {
				keys, found = append(keys, k), true
			}
		}
		if found || len(refs) > 0 {
			continue
		}
		outside := slices.DeleteFunc(slices.Clone(places), func(p int) bool { return p >= n.from && p < n.to })
		for _, t := range find(text, outside, func(s string) bool { return known(key(n.text, byTitle, s)) }) {
			keys = append(keys, key(n.text, byTitle, t.text))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// lone is the heading of a Korean document's addenda.
const lone = "부칙"

// maxPlaces bounds the words of a question at which a name may start.
const maxPlaces = 40

func wordStarts(text string) []int {
	var out []int
	inside := false
	for i, r := range text {
		letter := inName(r)
		if letter && !inside && len(out) < maxPlaces {
			out = append(out, i)
		}
		inside = letter
	}
	return out
}

type namePlace struct {
	from, to int
	text     string // squeezed
}

// find returns the known names starting at one of the places, the longest of each, without nested ones. A Korean name
// may end inside a word, because particles follow it; others end with a word.
func find(text string, places []int, known func(squeezed string) bool) []namePlace {
	var out []namePlace
	end := 0
	for _, from := range places {
		if from < end {
			continue
		}
		var s []byte
		best, n := namePlace{}, 0
		for i, r := range text[from:] {
			if !inName(r) {
				if r == '\n' || r == '?' {
					break
				}
				continue
			}
			s = utf8.AppendRune(s, r)
			if n++; n > nameLongest {
				break
			}
			at := from + i + utf8.RuneLen(r)
			next, _ := utf8.DecodeRuneInString(text[at:])
			ends := isHangul(r) || at == len(text) || isHangul(next) || !inName(next)
			if n >= nameShortest && ends && known(string(s)) {
				best = namePlace{from, at, string(s)}
			}
		}
		if best.text != "" {
			out = append(out, best)
			end = best.to
		}
	}
	return out
}
