// Package naming finds the documents that a question names: by title or file name, abbreviated (근기법), with other spaces
// or a typing slip. Everything is derived from the names of the documents at hand; no name of a real statute or company
// stands here. It must not know indexes, passages or people; package library asks it before it searches.
package naming

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"maru/rag"
)

// Directory knows the documents of some scopes by name. It is immutable and safe for concurrent use.
type Directory struct {
	docs    []rag.Document
	names   []name
	exact   map[string]int         // by plain text
	tails   map[string]bool        // how names end: the last word, and two to four syllables of a Korean one
	lasts   map[rune]map[rune]bool // last syllables of names, with the syllables before them
	after   map[string]int         // names with this text from a word on to the end, as plain text
	words   map[string]bool
	pairs   map[string][]int // names with these neighbours
	parts   []namedWord      // sorted
	kinds   map[string][]int // documents whose names end so
	leading map[string]bool  // kinds that are before what tells the documents apart
	added   []string         // what makes a longer name of a name: 시행령

	atoms      map[string][]int     // documents with an atom in their names
	namesOf    [][]int              // of each document
	confusable [][]int              // documents of kinds in which a name contains another
	own        map[string][]ownName // their own parts, by the first atom
	initials   map[string]string    // words of names by their initials; "": of several
	sounds     map[string][]heard   // Latin words of names by their consonants
	begun      map[string][]int     // documents by the names without their last words
	genres     map[int][]int        // documents by the classes of genres in their names
	genreless  []int                // documents without a genre in their names
}

// name is one name of one or more documents.
type name struct {
	text   string // as a document writes it
	plain  []rune // letters and digits, folded
	starts []bool // rune begins a word
	docs   []int
}

// New returns a directory of documents.
func New(docs []rag.Document) *Directory {
	d := &Directory{docs: docs, exact: map[string]int{}, tails: map[string]bool{}, lasts: map[rune]map[rune]bool{}, after: map[string]int{}, words: map[string]bool{}, pairs: map[string][]int{}}
	bases := map[string]map[string]bool{} // titles by file name
	for _, doc := range docs {
		base := plain(fileName(doc))
		if bases[base] == nil {
			bases[base] = map[string]bool{}
		}
		bases[base][plain(doc.Title)] = true
	}
	for i, doc := range docs {
		d.add(i, withoutEnding(doc.Title))
		if base := fileName(doc); len(bases[plain(base)]) == 1 { // 법률.md in forty folders names none of them
			d.add(i, base)
		}
	}
	for i, n := range d.names {
		for _, p := range slices.Compact(slices.Sorted(slices.Values(pairs(n.plain)))) {
			d.pairs[p] = append(d.pairs[p], i)
		}
		for _, t := range tailsOf(n.text) {
			d.tails[t] = true
		}
		last := len(n.plain) - 1
		if d.lasts[n.plain[last]] == nil {
			d.lasts[n.plain[last]] = map[rune]bool{}
		}
		d.lasts[n.plain[last]][n.plain[last-1]] = true
		for _, w := range wordsOf(n.text) {
			d.words[w] = true
		}
		for at, begins := range n.starts {
			if begins {
				d.after[string(n.plain[at:])]++
			}
		}
	}
	d.extensions()
	d.index()
	d.confuse()
	noteInitials(d)
	noteSounds(d)
	noteBeginnings(d)
	noteGenres(d)
	return d
}

func fileName(doc rag.Document) string { return withoutEnding(path.Base(doc.Source)) }

// withoutEnding removes the ending of a file's name.
func withoutEnding(s string) string {
	if ext := path.Ext(s); len(ext) > 1 && len(ext) <= 6 && !strings.Contains(ext, " ") && strings.Trim(ext[1:], "0123456789") != "" {
		return strings.TrimSuffix(s, ext)
	}
	return s
}

// shortest is the length of the shortest name.
const shortest = 2

func (d *Directory) add(doc int, text string) {
	p := plain(text)
	if utf8.RuneCountInString(p) < shortest {
		return
	}
	at, ok := d.exact[p]
	if !ok {
		at = len(d.names)
		d.exact[p] = at
		d.names = append(d.names, name{text: strings.TrimSpace(text), plain: []rune(p), starts: starts(text)})
	}
	if n := &d.names[at]; !slices.Contains(n.docs, doc) {
		n.docs = append(n.docs, doc)
	}
}

// extensions notes what follows a name in longer names: the 시행령 of 상법 시행령.
func (d *Directory) extensions() {
	seen := map[string]bool{}
	for _, n := range d.names {
		for at := len(n.plain) - 1; at >= shortest; at-- {
			if _, ok := d.exact[string(n.plain[:at])]; ok && n.starts[at] {
				seen[string(n.plain[at:])] = true
			}
		}
	}
	for s := range seen {
		d.added = append(d.added, s)
	}
	slices.Sort(d.added)
}

// decrees are the forms of law in which extensions of an act are made, with the words that titles have for them.
var decrees = map[string]string{"대통령령": "시행령", "총리령": "시행규칙", "부령": "시행규칙"}

// extension returns what a word after a name stands for among the words that make longer names: 시행령 for 시행령 and
// 시헹령. other reports that it is another one of the kind: 시행규칙 where no name has it.
func (d *Directory) extension(word string) (known string, other bool) {
	if form, ok := decrees[word]; ok {
		word = form
	}
	r := []rune(plain(word))
	if len(r) < 2 {
		return "", false
	}
	for _, s := range d.added {
		if slices.Equal(r, []rune(s)) || slipped(r, []rune(s), 1) <= 1 {
			return s, false
		}
		other = other || strings.HasPrefix(s, string(r[:2]))
	}
	return "", other
}

// tailsOf returns the ends of a name that say what kind of document it is: its last word, and two to four syllables of a
// Korean one; the longest first.
func tailsOf(text string) (out []string) {
	words := wordsOf(text)
	if len(words) == 0 {
		return nil
	}
	r := []rune(words[len(words)-1])
	out = append(out, string(r))
	for n := min(4, len(r)-1); n > 1 && isHangul(r[len(r)-1]); n-- {
		out = append(out, string(r[len(r)-n:]))
	}
	return out
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(fold(text), func(r rune) bool { return !inName(r) })
}

// kind returns the end of a word that names a kind of document; "" if there is none. A last syllable does where different
// ones are before it: the 법 of 건축법 and 형법, not the 정 of 보안규정 and 여비규정.
func (d *Directory) kind(word string) string {
	for _, t := range tailsOf(word) {
		if d.tails[t] {
			return t
		}
	}
	if last, _ := utf8.DecodeLastRuneInString(word); isHangul(last) && len(d.lasts[last]) > 1 {
		return string(last)
	}
	return ""
}

// fold normalises text, one rune for one as far as Korean and English go.
func fold(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// inName reports whether a rune is a letter or digit. The middle dot of Korean lists is a letter to Unicode (ㆍ, ᆞ).
func inName(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && r != 'ㆍ' && r != 'ᆞ'
}

func isHangul(r rune) bool { return r >= '가' && r <= '힣' }

// plain keeps the letters and digits of a text, folded.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if inName(r) {
			return r
		}
		return -1
	}, fold(s))
}

// starts tells for each rune of [plain] whether it begins a word.
func starts(s string) (out []bool) {
	inside := false
	for _, r := range fold(s) {
		if !inName(r) {
			inside = false
			continue
		}
		out = append(out, !inside)
		inside = true
	}
	return out
}
