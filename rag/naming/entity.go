package naming

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/rag"
)

// unnamed notes what is beside a kind where no name has it, as the entity to look for in texts.
func (d *Directory) unnamed(r *Reading, kind []int, words []word, at int, text, typed string) bool {
	if from, to := d.number(kind, words, at, text); to > 0 {
		w := words[at]
		r.Missing = typed[min(from, w.from):max(to, w.from+len(stem(text[w.from:w.to])))]
		return true
	}
	from, to := bracketed(words, at, text)
	if to == 0 {
		from, to = d.koreanBefore(kind, words, at, text)
	}
	if to == 0 {
		from, to = d.capitals(kind, words, at, text, typed)
	}
	if to == 0 {
		return false
	}
	w, docs := words[at], kind
	for _, part := range wordsOf(text[from:to]) {
		has, slip := slipOf(d, part, kind)
		docs, r.slip = within(docs, has), r.slip || slip
	}
	if len(docs) > 0 {
		d.bind(r, docs, without(typed, [][2]int{{from, to}}))
		r.Entity = typed[from:to]
		if d.of(r, kind); r.slip {
			r.Stranger, r.stranger = r.Entity, r.Entity
		}
		return true
	}
	r.slip = false
	r.Entity, r.Name = typed[from:to], typed[min(from, w.from):max(to, w.from+len(stem(text[w.from:w.to])))]
	r.Proper = !isKorean(text[from:]) || slices.ContainsFunc(wordsOf(text[from:to]), func(w string) bool { return len(d.having(w)) > 0 })
	d.of(r, kind)
	return true
}

// bracketed returns the name in brackets right after a kind: 계약서(구름상사).
func bracketed(words []word, at int, text string) (from, to int) {
	w := words[at]
	shut := strings.IndexByte(text[w.to:], ')')
	if !strings.HasPrefix(text[w.to:], "(") || shut < 0 {
		return 0, 0
	}
	for _, in := range words[at+1:] {
		if in.from > w.to+shut {
			break
		}
		if to = in.to; from == 0 {
			from = in.from
		}
	}
	return from, to
}

// koreanBefore returns the Korean noun before a kind (구름상사 계약), or before a verb there (구름상사와 맺은 계약).
func (d *Directory) koreanBefore(kind []int, words []word, at int, text string) (from, to int) {
	for i := at - 1; i >= max(0, at-3) && words[i].clause == words[at].clause; i-- {
		w := text[words[i].from:words[i].to]
		s := bare(d, w)
		switch {
		case len(within(kind, d.having(s))) > 0: // 개인정보 처리방침
			continue
		case !isKorean(w) || !content(w):
			return 0, 0
		case i == at-1 && describes(w, s):
			continue
		case utf8.RuneCountInString(s) < 2:
			return 0, 0
		}
		return words[i].from, words[i].from + len(s)
	}
	return 0, 0
}

// describes reports whether a Korean word with this stem is a verb before a noun: 맺은, 체결한. A noun with 은 or 는 has more
// than a syllable.
func describes(w, stem string) bool {
	if !maybeVerb(w) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(w)
	if rest := w[len(stem):]; rest != "" && utf8.RuneCountInString(stem) > 1 {
		return !rag.IsParticle(rest)
	}
	return utf8.RuneCountInString(w) < 3 && rag.IsParticle(string(last))
}

// maybeVerb reports whether a word ends as a verb does before a noun: 만든, 바뀐, 체결한. Nouns may, too. Of a longer word only the last
// syllables of the usual verbs count: 대한물산 is none.
func maybeVerb(w string) bool {
	last, _ := utf8.DecodeLastRuneInString(w)
	if utf8.RuneCountInString(w) > 2 {
		return strings.ContainsRune("는은운인한된던온준신진킨린친낸난든른간뀐둔본쓴", last)
	}
	return isHangul(last) && (last-'가')%28 == 4
}

// number returns the number beside a kind where documents of it have others in that place: 2011년 사업보고서, 안내 11번.
func (d *Directory) number(kind []int, words []word, at int, text string) (from, to int) {
	for _, i := range []int{at - 1, at + 1} {
		if i < 0 || i >= len(words) || words[i].clause != words[at].clause {
			continue
		}
		w, k := stem(text[words[i].from:words[i].to]), text[words[at].from:words[at].to]
		if !numbered(w) || lasts(d, words, words[i].from, words[i].to, text) || i > at && stem(k) != k || slices.ContainsFunc(figuresIn(w), func(f figure) bool { return f.short }) {
			continue
		}
		for _, n := range d.names {
			own := wordsOf(n.text)
			place := slices.IndexFunc(own, func(o string) bool { return numbered(o) && unit(o) == unit(w) })
			if place >= 0 && (place == len(own)-1) == (i > at) && len(within(n.docs, kind)) > 0 {
				return words[i].from, words[i].from + len(w)
			}
		}
	}
	return 0, 0
}

// LatinPart returns the beginning of a word in Latin letters that goes on in Korean ones, in which texts may write the rest, too:
// the Acme of Acme랩. It is "" if there is none.
func LatinPart(word string) string {
	latin := strings.TrimRightFunc(word, isHangul)
	if latin == word || len(latin) < fewestInitials || strings.ContainsFunc(latin, func(r rune) bool { return r >= utf8.RuneSelf || !unicode.IsLetter(r) }) {
		return ""
	}
	return latin
}

// Numbered reports whether a word is a number: a year, 안내 1번.
func Numbered(w string) bool { return numbered(w) }

func numbered(w string) bool { return w != "" && w[0] >= '0' && w[0] <= '9' }

func unit(w string) string { return strings.TrimLeft(w, "0123456789") }

// capitals returns the proper name at a kind: capitals or a possessive before it (Zeta's privacy policy), or capitals
// after a small word after it (the privacy policy of Zeta).
func (d *Directory) capitals(kind []int, words []word, at int, text, typed string) (from, to int) {
	ofKind := func(i int) bool { return len(within(kind, d.having(text[words[i].from:words[i].to]))) > 0 }
	proper := func(i int) bool {
		first, _ := utf8.DecodeRuneInString(typed[words[i].from:])
		label := strings.HasPrefix(text[words[at].to:], ":")
		return unicode.IsUpper(first) && (words[i].from > 0 || label || isKorean(text[words[at].from:])) || possessive(text, words[i].to) || len(d.having(text[words[i].from:words[i].to])) > 0
	}
	same := func(i int) bool { return i >= 0 && i < len(words) && words[i].clause == words[at].clause }
	for i := at - 1; same(i); i-- {
		w := text[words[i].from:words[i].to]
		if w == "s" || to == 0 && ofKind(i) {
			continue
		}
		if !content(w) || !proper(i) || isCircumstance(w) {
			break
		}
		from, to = words[i].from, max(to, words[i].to)
	}
	if to > 0 {
		return from, to
	}
	noun := text[words[at].from:words[at].to]
	joined := d.leading[noun] // Service Level Agreement Bronze
	if !joined && genres()[noun] == 0 {
		return 0, 0 // a list of restaurants, where there are price lists
	}
	for i := at + 1; same(i); i++ {
		w := text[words[i].from:words[i].to]
		switch {
		case to == 0 && small(w):
			joined = true
			continue
		case !joined || small(w) || !proper(i) || !capital(typed[words[i].from:]) && !d.leading[noun]:
			return from, to
		case to == 0:
			from = words[i].from
		}
		to = words[i].to
	}
	return from, to
}

// small reports whether a word joins a name to a kind: of, with, between us and.
func small(w string) bool { return !content(w) || w == "between" }

func possessive(text string, at int) bool {
	return strings.HasPrefix(text[at:], "'s") || strings.HasPrefix(text[at:], "’s")
}

func isKorean(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return isHangul(r)
}

// IsNamed reports whether a document has a word, or each of several, in its names.
func (d *Directory) IsNamed(id, word string) bool {
	is := func(doc int) bool { return d.docs[doc].ID == id }
	if slices.ContainsFunc(d.having(word), is) {
		return true
	}
	pieces := atomsOf(word)
	return len(pieces) > 1 && !slices.ContainsFunc(pieces, func(a atom) bool { return !slices.ContainsFunc(d.atoms[a.text], is) })
}

// MissStranger takes the stranger for a document that is missing, or, where it is a slip, for the one that is bound.
func (r *Reading) MissStranger() {
	if !r.slip {
		r.Missing, r.Documents = r.stranger, nil
	}
}

// MeetStranger takes the stranger for what texts say: docs, if any, are meant.
func (r *Reading) MeetStranger(docs []rag.Document, typed string) {
	switch {
	case len(docs) > 0:
		r.Documents = docs
	case r.slip:
		r.Documents, r.Entity, r.Rest = nil, "", typed
	}
}

// Kind returns the IDs of the documents of the kind that the question names.
func (r Reading) Kind() []string { return r.kind }

// Holds reports whether a passage says an entity, whole: 안내 1 is not in 안내 10.
func Holds(h rag.Hit, entity string) bool {
	e := plain(entity)
	for _, text := range []string{h.Document.Title, h.Document.Source, h.Chunk.Context, h.Chunk.Text} {
		p := plain(text)
		for at := 0; ; {
			i := strings.Index(p[at:], e)
			if i < 0 {
				break
			}
			from, to := at+i, at+i+len(e)
			if !digitAt(p, from-1, e[0]) && !digitAt(p, to, e[len(e)-1]) && endsLatinWord(text, p, to) && (from == 0 || endsLatinWord(text, p, from)) {
				return true
			}
			at = to
		}
	}
	return false
}

// endsLatinWord reports whether no Latin word goes on at an offset of a plain text: Orion Data is not in Orion Databank, W20 not
// in DW-20.
func endsLatinWord(text, p string, at int) bool {
	latin := func(r rune) bool { return unicode.Is(unicode.Latin, r) }
	last, _ := utf8.DecodeLastRuneInString(p[:at])
	next, _ := utf8.DecodeRuneInString(p[at:])
	if !latin(last) || !latin(next) {
		return true
	}
	begins := starts(text)
	i := utf8.RuneCountInString(p[:at])
	return i >= len(begins) || begins[i]
}

// digitAt reports whether a number goes on at an offset.
func digitAt(s string, at int, beside byte) bool {
	return at >= 0 && at < len(s) && digit(s[at]) && digit(beside)
}
