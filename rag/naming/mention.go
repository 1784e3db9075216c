package naming

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// A document of a kind that several have (계약서, privacy policy) is named by what tells it from the others: a party, a
// product, a year. Both parts may be anywhere in a clause: "하늘철강과 맺은 계약은", "the privacy policy of Acme".

// named is a word of a name with the document that has it.
type namedWord struct {
	word string
	doc  int
}

// index notes the words of documents' names, and the kinds that these end with.
func (d *Directory) index() {
	d.kinds, d.leading = map[string][]int{}, map[string]bool{}
	for _, n := range d.names {
		for _, doc := range n.docs {
			for _, w := range wordsOf(n.text) {
				d.parts = append(d.parts, namedWord{w, doc})
			}
		}
		for _, segment := range segments.Split(n.text, -1) { // 공급계약서(하늘철강), Privacy Policy - Acme
			words := slices.DeleteFunc(wordsOf(segment), numbered)
			if len(words) == 0 {
				continue
			}
			last := []rune(words[len(words)-1])
			d.note(string(last), n.docs)
			for at := 0; at+1 < len(last) && isHangul(last[len(last)-1]); at++ {
				d.note(string(last[at:]), n.docs)
				if at+2 < len(last) { // people say 계약 for 계약서
					d.note(string(last[at:len(last)-1]), n.docs)
				}
			}
		}
	}
	d.ahead()
	noteLeading(d)
	slices.SortFunc(d.parts, func(a, b namedWord) int { return cmp.Or(strings.Compare(a.word, b.word), cmp.Compare(a.doc, b.doc)) })
	d.parts = slices.Compact(d.parts)
	for kind, docs := range d.kinds {
		slices.Sort(docs)
		d.kinds[kind] = slices.Compact(docs)
	}
}

// ofSeveral returns the kinds that more than one document is of.
func ofSeveral(d *Directory) map[string]bool {
	out := map[string]bool{}
	for kind, docs := range d.kinds {
		out[kind] = len(slices.Compact(slices.Sorted(slices.Values(docs)))) >= series
	}
	return out
}

// ahead adds documents to the kinds that are right before another kind in their names: services of Services Agreement,
// 임대차 of 임대차계약서.
func (d *Directory) ahead() {
	several := ofSeveral(d)
	for _, n := range d.names {
		for _, segment := range segments.Split(n.text, -1) {
			words := slices.DeleteFunc(wordsOf(segment), numbered)
			for i := len(words) - 1; i > 0 && several[words[i]] && several[words[i-1]]; i-- {
				d.note(words[i-1], n.docs)
			}
			if len(words) == 0 {
				continue
			}
			last := words[len(words)-1]
			for at := range last {
				if at > 0 && isKorean(last) && several[last[:at]] && several[last[at:]] {
					d.note(last[:at], n.docs)
				}
			}
		}
	}
}

// segments splits a name at brackets, lines and the like.
var segments = pattern.New(`\s[-–—]\s|[()\[\]_|:,]`)

func (d *Directory) note(kind string, docs []int) {
	d.kinds[kind] = append(d.kinds[kind], docs...)
}

// having returns in order the documents with a word in their names: a Korean word also at the beginning of a longer one.
func (d *Directory) having(word string) (docs []int) {
	first, _ := utf8.DecodeRuneInString(word)
	at, _ := slices.BinarySearchFunc(d.parts, word, func(p namedWord, w string) int { return strings.Compare(p.word, w) })
	for ; at < len(d.parts) && strings.HasPrefix(d.parts[at].word, word); at++ {
		p := d.parts[at]
		if p.word == word || isHangul(first) && utf8.RuneCountInString(word) > 1 {
			docs = append(docs, p.doc)
		}
	}
	slices.Sort(docs)
	return slices.Compact(docs)
}

// within returns the documents that both lists have; both are in order.
func within(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(doc int) bool {
		_, ok := slices.BinarySearch(b, doc)
		return !ok
	})
}

// series is how many documents of one kind make it worth asking which of them is meant.
const series = 2

// mentioned finds the documents of a kind that a question names by what tells them apart. Where no name has what stands
// beside the kind, that is the entity; people may name a party of a contract that only its text has.
func (d *Directory) mentioned(r *Reading, text, typed string) {
	words, brackets := d.clauses(text)
	if brackets > 0 && d.inFront(r, words[:brackets], words[brackets:], text, typed) {
		return
	}
	whole := d.wholes(text)
	if d.bound(r, whole, typed) || byBeginning(d, r, text, typed) {
		return
	}
	for i, w := range words {
		kind := d.kindAt(text[w.from:w.to])
		if len(kind) == 0 || !isKorean(text[w.from:w.to]) && d.goesOn(words, i, text, typed) && kindBehind(d, kind, words, i, text) {
			continue
		}
		of := slices.ContainsFunc(whole, func(p place) bool { return p.from <= w.from && w.to <= p.to })
		if d.apart(r, kind, words, i, text, typed) || !of && !w.within && d.unnamed(r, kind, words, i, text, typed) {
			return
		}
	}
}

// place is where a whole name is in a text.
type place struct{ name, from, to int }

// wholes finds the names that are in a text as documents write them, unless other names end with them: Privacy Policy
// beside Acme Privacy Policy.
func (d *Directory) wholes(text string) (out []place) {
	before, after := around(text)
	words := append(before, after...)
	for i := 0; i < len(words); i++ {
		if at, n, to := d.longest(words[i:], text); n > 0 && d.after[string(d.names[at].plain)] == 1 {
			out = append(out, place{at, words[i].from, to})
			i += n - 1
		}
	}
	return out
}

// bound binds to documents whose whole names a question has, if there are others of their kind. A name that is alone of
// its kind may be a subject: the page 재택근무 and the word.
func (d *Directory) bound(r *Reading, whole []place, typed string) bool {
	var docs, kind []int
	var cut [][2]int
	for _, p := range whole {
		n := d.names[p.name]
		words := wordsOf(n.text)
		last := words[len(words)-1]
		of := d.kindAt(last[d.kindWithin(last):])
		if len(of) == 0 || len(words) < 2 && d.kindWithin(last) == 0 {
			continue
		}
		kind = of
		docs, cut, r.Entity = append(docs, n.docs...), append(cut, [2]int{p.from, p.to}), n.text
	}
	if len(docs) == 0 {
		return false
	}
	slices.Sort(docs)
	d.bind(r, slices.Compact(docs), without(typed, cut))
	d.of(r, kind)
	return true
}

// clauses returns the words of a text without articles, and how many of them are in brackets at its beginning. A Korean
// compound that ends with a kind is two words: 하늘철강계약.
func (d *Directory) clauses(text string) (words []word, brackets int) {
	before, after := around(text)
	for _, w := range append(before, after...) {
		at := d.kindWithin(text[w.from:w.to])
		if at == 0 || len(d.atoms[stem(text[w.from:w.to])]) >= series {
			words = append(words, w)
			continue
		}
		head, tail := w, w
		head.to, tail.from = w.from+at, w.from+at
		tail.within = len(d.having(text[head.from:head.to])) == 0
		words = append(words, head, tail)
	}
	for _, pair := range bracketPairs {
		shut := strings.Index(text, pair[1])
		for strings.HasPrefix(text, pair[0]) && brackets < len(words) && words[brackets].to <= shut {
			brackets++
		}
	}
	if brackets == 1 && slices.Contains(forms, text[words[0].from:words[0].to]) { // (주)하늘철강
		brackets = 0
	}
	return words, brackets
}

// bracketPairs are the brackets and quotation marks in which people put a name at the beginning.
var bracketPairs = [][2]string{{"[", "]"}, {"(", ")"}, {"「", "」"}, {"『", "』"}, {"“", "”"}, {"‘", "’"}, {"<", ">"}, {"《", "》"}}

// kindWithin returns where in a Korean word the longest kind begins that it ends with, 0 if nowhere. One syllable may
// follow that is no particle to the analyser: 처리방침상.
func (d *Directory) kindWithin(w string) int {
	if s := stem(w); !isKorean(w) || len(d.kinds[s]) >= series {
		return 0
	}
	_, last := utf8.DecodeLastRuneInString(w)
	for _, whole := range []string{stem(w), w[:len(w)-last]} {
		if len(d.kinds[whole]) >= series {
			return 0
		}
		n := 0
		for at := range whole {
			if n++; n > 2 && len(d.kinds[whole[at:]]) >= series {
				return at
			}
		}
	}
	return 0
}

// kindAt returns the documents of the kind that a word names.
func (d *Directory) kindAt(w string) []int {
	if slices.Contains(forms, w) {
		return nil
	}
	if docs := d.kinds[stem(w)]; len(docs) >= series {
		return docs
	}
	_, last := utf8.DecodeLastRuneInString(w)
	if docs := d.kinds[w[:len(w)-last]]; isKorean(w) && len(docs) >= series {
		return docs
	}
	return nil
}

// inFront reads [A] before a question.
func (d *Directory) inFront(r *Reading, words, rest []word, text, typed string) bool {
	var docs []int
	for i, w := range words {
		has := d.having(text[w.from:w.to])
		if i > 0 {
			has = within(has, docs)
		}
		docs = has
	}
	name := typed[words[0].from:words[len(words)-1].to]
	var kind []int
	for _, w := range rest {
		if kind = d.kindAt(text[w.from:w.to]); len(kind) > 0 {
			break
		}
	}
	several := d.largest()
	both := within(docs, kind)
	switch {
	case len(both) > 0:
		docs = both
	case len(docs) == 0 && (len(several) == 0 || !content(name)):
		return false
	}
	r.Entity = name
	d.of(r, kind)
	if len(kind) == 0 {
		d.tell(r, several)
	}
	if len(docs) == 0 {
		r.Name = name
		return true
	}
	r.Bracketed = true
	d.bind(r, docs, typed[:words[0].from]+" "+typed[words[len(words)-1].to:])
	return true
}

// of notes the documents of a kind.
func (d *Directory) of(r *Reading, kind []int) {
	for _, i := range kind {
		r.kind = append(r.kind, d.docs[i].ID)
	}
	d.tell(r, kind)
}

// tell notes what tells documents of a kind apart.
func (d *Directory) tell(r *Reading, kind []int) {
	for _, p := range d.parts {
		if len(r.Others) == fewOthers {
			return
		}
		_, ok := slices.BinarySearch(kind, p.doc)
		if ok && !slices.Contains(r.Others, p.word) && !slices.Contains(forms, p.word) && len(within(d.having(p.word), kind))*2 <= len(kind) && content(p.word) {
			r.Others = append(r.Others, p.word)
		}
	}
}

// fewOthers bounds the words that tell documents of a kind apart.
const fewOthers = 4

// largest returns the documents of the kind that most are of.
func (d *Directory) largest() (most []int) {
	for _, kind := range slices.Sorted(maps.Keys(d.kinds)) {
		if docs := d.kinds[kind]; len(docs) >= series && len(docs) > len(most) {
			most = docs
		}
	}
	return most
}

// bind notes documents.
func (d *Directory) bind(r *Reading, docs []int, rest string) {
	for _, i := range docs {
		r.Documents = append(r.Documents, d.docs[i])
	}
	r.Rest = strings.TrimSpace(rest)
}

// apart narrows the documents of a kind by the words around it that only some of them have. A number in a name must be
// the same.
func (d *Directory) apart(r *Reading, kind []int, words []word, at int, text, typed string) bool {
	if at > 0 && words[at-1].clause == words[at].clause && isSibling(d, text[words[at-1].from:words[at-1].to], kind) {
		return false
	}
	if d.leading[stem(text[words[at].from:words[at].to])] && d.goesOn(words, at, text, typed) {
		return false // Service Level Agreement Bronze
	}
	docs, entity := slices.Clone(kind), ""
	var cut [][2]int
	for i, w := range words {
		s := bare(d, text[w.from:w.to])
		if w.clause != words[at].clause || i == at || !content(s) || slices.Contains(forms, s) {
			continue
		}
		if !isKorean(s) && !d.beside(words, i, at, text) {
			continue
		}
		has := within(d.having(s), docs)
		if i > at && !d.words[s] && isKorean(s) {
			continue // 취업규칙의 수습 기간 is no 기간제근로자 취업규칙
		}
		if len(has) == 0 && len(docs) < len(kind) && oneName(d, words, i, kind, text, typed) {
			r.Missing = typed[words[i-1].from:max(w.from+len(s), words[at].from+len(stem(text[words[at].from:words[at].to])))]
			return true
		}
		if len(has) == 0 || len(has) == len(kind) {
			continue
		}
		if !isKorean(s) && d.goesOn(words, i, text, typed) {
			return false
		}
		if len(has) < len(docs) {
			entity = s
		}
		docs = has
		if isKorean(s) && i < at || d.beside(words, i, at, text) {
			cut = append(cut, [2]int{w.from, w.to})
		}
	}
	if entity == "" {
		return false
	}
	d.bind(r, docs, without(typed, cut))
	r.Entity = entity
	d.of(r, kind)
	if from, to := d.koreanBefore(docs, words, at, text); to > 0 && sorts(d, docs, text[to:words[at].from]) && !ruledOut(words, at, text) {
		r.Stranger = typed[from:to]
		r.stranger = typed[from : words[at].from+len(stem(text[words[at].from:words[at].to]))]
	}
	return true
}

// beside reports whether a word of a language with capitals belongs to the name at a kind: only words of names, and small
// ones, are between them.
func (d *Directory) beside(words []word, i, at int, text string) bool {
	for j := min(i, at) + 1; j < max(i, at); j++ {
		w := text[words[j].from:words[j].to]
		if !small(w) && len(d.having(w)) == 0 {
			return false
		}
	}
	return true
}
