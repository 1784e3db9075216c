package naming

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/rag"
)

// A question may name a document that is missing by words that others have in their names: Larkhill Foods beside Larkspur Foods, an
// R9 beside an R7, 바다은행 beside 바다여행. Where texts do not say the other word, there is no such document.

// strangers notes the first proper name of no document beside words of names.
func strangers(d *Directory, r *Reading, text, typed string) {
	if r.Name != "" || r.Stranger != "" || len(d.docs) > mostKin {
		return
	}
	before, after := around(text)
	words := append(before, after...)
	if label(d, r, words, text, typed) {
		return
	}
	for i := range words {
		if cousin(d, r, words, i, text, typed) {
			return
		}
	}
	if len(r.Documents) > 0 || len(words) == 0 {
		return
	}
	if sibling(d, r, words[0], text, typed); r.Entity == "" && r.Stranger == "" {
		kin(d, r, words, text)
	}
}

// kin notes the documents that share words of their names with those which a question names by words that no other name has.
func kin(d *Directory, r *Reading, words []word, text string) {
	var own, kind []int
	for _, w := range words {
		s := bare(d, text[w.from:w.to])
		docs := d.having(s)
		if len(docs) != 1 || !content(s) || numbered(s) || !d.words[s] || utf8.RuneCountInString(s) <= sharedEnd {
			continue
		}
		for _, n := range d.namesOf[docs[0]] {
			for _, o := range wordsOf(d.names[n].text) {
				if of := d.having(o); o != s && content(o) && !numbered(o) && len(of) <= mostFigured {
					own, kind = append(own, docs[0]), append(kind, of...)
				}
			}
		}
	}
	for _, doc := range kind {
		if id := d.docs[doc].ID; slices.Contains(own, doc) {
			r.own = append(r.own, id)
		} else {
			r.others = append(r.others, id)
		}
	}
}

// WithoutKin drops the passages of documents with names like that of the first passage's, where the question has a word of
// its name alone.
func (r Reading) WithoutKin(hits []rag.Hit) []rag.Hit {
	if len(hits) == 0 || !slices.Contains(r.own, hits[0].Document.ID) {
		return hits
	}
	return slices.DeleteFunc(hits, func(h rag.Hit) bool { return slices.Contains(r.others, h.Document.ID) })
}

// label reads what precedes a colon at the beginning as a name: that of the documents which have all of its words, or of none
// if one has a capital and stands where names have another word: Globex Travel Policy, not Travel Policy Question.
func label(d *Directory, r *Reading, words []word, text, typed string) bool {
	colon := strings.IndexByte(text, ':')
	var docs []int
	said, other := 0, -1
	for i, w := range words {
		if w.from > colon {
			break
		}
		has := d.having(text[w.from:w.to])
		switch {
		case w.to > colon || !content(text[w.from:w.to]):
			return false
		case len(has) > 0 && said > 0:
			docs = within(has, docs)
		case len(has) > 0:
			docs = has
		case other < 0 && capital(typed[w.from:]):
			other = i
			continue
		default:
			return false
		}
		said++
	}
	switch {
	case len(docs) == 0 || said < leading || len(r.Documents) > 0:
		return false
	case other >= 0:
		w := words[other]
		if other > 0 {
			if _, differ := besides(d, docs, text[words[other-1].from:words[other-1].to], 1); !differ {
				return false
			}
		} else if slices.ContainsFunc(docs, func(doc int) bool { return len(wordsOf(withoutEnding(d.docs[doc].Title))) == said }) {
			return false // New Travel Policy
		}
		r.Stranger, r.stranger, r.Label = typed[w.from:w.to], strings.TrimSpace(typed[:colon]), true
		for _, doc := range docs {
			r.kind = append(r.kind, d.docs[doc].ID)
		}
		return true
	}
	r.Entity = strings.TrimSpace(typed[:colon])
	d.bind(r, docs, typed[colon+1:])
	return true
}

// mostKin bounds the documents among whose names kin is looked for.
const mostKin = 2000

// cousin notes the stranger beside a word of names where each of their documents has another word. One with a slip binds.
func cousin(d *Directory, r *Reading, words []word, i int, text, typed string) bool {
	w := words[i]
	said := bare(d, text[w.from:w.to])
	docs := d.having(said)
	if len(docs) == 0 || len(docs) > mostFigured || !content(said) || slices.Contains(forms, said) {
		return false
	}
	for _, j := range []int{i - 1, i + 1} {
		if j < 0 || j >= len(words) || words[j].clause != w.clause || typed[words[min(i, j)].to:words[max(i, j)].from] != " " {
			continue
		}
		o := bare(d, text[words[j].from:words[j].to])
		if !content(o) || numbered(o) || slices.Contains(forms, o) || len(d.kindAt(o)) > 0 || inside(d, o) {
			continue
		}
		from, to := min(w.from, words[j].from), max(w.from+len(said), words[j].from+len(o))
		own, differ := besides(d, docs, said, j-i)
		flanked := 2*j - i
		switch {
		case len(own) == 0 || !differ && len(d.kindAt(said)) > 0:
			continue
		case isKorean(o) && j < i && len(o) == words[j].to-words[j].from && slices.ContainsFunc(own, func(n string) bool { return common(o, n) != "" }):
		case !isKorean(o) && capital(typed[w.from:]) && capital(typed[words[j].from:]):
		case !isKorean(o) && between(d, docs, said, words, flanked, j-i, text):
			to = max(to, words[flanked].to)
		default:
			continue
		}
		r.Others = fewest(own)
		var like []int
		for k, n := range own {
			if isSlip(o, n) {
				like = append(like, docs[k])
			}
		}
		if len(like) == 1 {
			r.Documents, r.Entity, r.slip = nil, typed[from:to], true
			d.bind(r, like, without(typed, [][2]int{{from, to}}))
		}
		if r.Stranger, r.stranger = typed[words[j].from:words[j].from+len(o)], typed[from:to]; !isKorean(o) {
			r.Stranger = r.stranger
		}
		return true
	}
	return false
}

// fewest returns at most [fewOthers] words, each once.
func fewest(words []string) []string {
	words = slices.Compact(slices.Sorted(slices.Values(words)))
	return words[:min(len(words), fewOthers)]
}

// inside reports whether a word is part of a word of names: 실손의료보험 of 든든실손의료보험.
func inside(d *Directory, w string) bool {
	return slices.ContainsFunc(d.parts, func(p namedWord) bool { return strings.Contains(p.word, w) })
}

// slipOf returns the documents with a word in their names. Where there are none, it returns the only one of a kind whose names
// have one that it is a slip of, and slip is true.
func slipOf(d *Directory, w string, kind []int) (docs []int, slip bool) {
	if docs = d.having(w); len(docs) > 0 {
		return docs, false
	}
	for _, p := range d.parts {
		if _, of := slices.BinarySearch(kind, p.doc); of && isSlip(w, p.word) {
			docs = append(docs, p.doc)
		}
	}
	slices.Sort(docs)
	if docs = slices.Compact(docs); len(docs) != 1 {
		return nil, false
	}
	return docs, true
}

// isSlip reports whether a word is a word of names with a slip: a letter doubled, left out, or swapped with the next, or one doubled in
// place of another (Mozzila). In Korean it is a syllable, or a vowel for one that sounds the same (기게 for 기계). Another letter makes
// another name (한길전자 beside 한결전자), and so does a digit (RTX4080) or a letter left out of a short word (Cater beside Carter).
func isSlip(w, name string) bool {
	a, b, long := []rune(w), []rune(name), longWord
	if isKorean(name) {
		long = 2 * sharedEnd
	}
	if a[0] != b[0] || len(b) <= sharedEnd || len(name) <= len("four") || strings.ContainsAny(w+name, "0123456789") {
		return false
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	switch len(a) - len(b) {
	case 0:
		return sounds(w) == sounds(name) || !isKorean(name) && slices.Equal(slices.Compact(slices.Clone(a)), slices.Compact(slices.Clone(b))) || at+1 < len(a) && a[at] == b[at+1] && a[at+1] == b[at] && slices.Equal(a[at+2:], b[at+2:])
	case 1:
		return a[at] == a[at-1] && slices.Equal(a[at+1:], b[at:])
	case -1:
		return (b[at] == b[at-1] || len(a) >= long) && slices.Equal(a[at:], b[at+1:])
	default:
		return false
	}
}

// sounds writes the vowels of a Korean word that sound alike as one.
func sounds(w string) string {
	return strings.Map(func(r rune) rune {
		if !isHangul(r) {
			return r
		}
		vowel := (r - '가') / 28 % 21
		switch vowel {
		case 3, 5, 7: // of the order ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ
			return r + (1-vowel)*28
		case 11, 15:
			return r + (10-vowel)*28
		}
		return r
	}, w)
}

// longWord is how many letters a Latin word has that may lack one and still be the same.
const longWord = 6

// isNear reports whether a word is one letter away from a word of names; a short one is another word, and so is one that begins
// with another letter: 가온카드 beside 라온카드.
func isNear(w, name string) bool {
	return letters([]rune(w))[0] == letters([]rune(name))[0] && utf8.RuneCountInString(name) > sharedEnd && len(name) > len("four") && slipped([]rune(w), []rune(name), 1) <= 1
}

// between reports whether a word of the question and the next but one are around another word in names: floor in Lumo floor
// lamp, where there is a Lumo desk lamp.
func between(d *Directory, docs []int, said string, words []word, flanked, side int, text string) bool {
	if flanked < 0 || flanked >= len(words) {
		return false
	}
	end := text[words[flanked].from:words[flanked].to]
	return !slices.ContainsFunc(docs, func(doc int) bool {
		return !slices.ContainsFunc(d.namesOf[doc], func(n int) bool {
			own := wordsOf(d.names[n].text)
			at := slices.Index(own, said) + 2*side
			return at-2*side >= 0 && at >= 0 && at < len(own) && own[at] == end
		})
	})
}

func capital(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(first)
}

// besides returns the word on one side of another in the name of each document: -1 before it, 1 after it. differ reports whether
// they tell the documents apart. None is returned where a name has none, or that of a kind.
func besides(d *Directory, docs []int, w string, side int) (out []string, differ bool) {
	for _, doc := range docs {
		beside := ""
		for _, n := range d.namesOf[doc] {
			own := wordsOf(d.names[n].text)
			at := slices.Index(own, w)
			if beside != "" || at < 0 || at+side < 0 || at+side >= len(own) {
				continue
			}
			if o := own[at+side]; content(o) && !numbered(o) && len(d.kindAt(o)) == 0 && d.kindWithin(o) == 0 {
				beside = o
			}
		}
		if beside == "" {
			return nil, false
		}
		out = append(out, beside)
	}
	return out, slices.ContainsFunc(out, func(o string) bool { return o != out[0] })
}

// sibling notes a Korean word at the beginning of a question that begins or ends as the name of a document of several of a kind.
func sibling(d *Directory, r *Reading, w word, text, typed string) {
	s := bare(d, text[w.from:w.to])
	if !isKorean(s) || utf8.RuneCountInString(s) < 2*sharedEnd || !content(s) || len(d.kindAt(s)) > 0 || d.kindWithin(s) > 0 || inside(d, s) {
		return
	}
	for _, p := range d.parts {
		both := common(s, p.word)
		if both == "" || len(d.kinds[both]) >= series || d.words[both] {
			continue
		}
		for _, n := range d.namesOf[p.doc] {
			own := wordsOf(d.names[n].text)
			kind := d.kindAt(own[len(own)-1])
			if own[len(own)-1] == p.word || len(kind) < series || len(within(d.having(p.word), kind))*2 > len(kind) {
				continue
			}
			r.Stranger, r.Shared = typed[w.from:w.from+len(s)], both
			r.stranger, r.Others = r.Stranger, []string{p.word}
			for _, doc := range kind {
				r.kind = append(r.kind, d.docs[doc].ID)
			}
			return
		}
	}
}

// common returns what two Korean words both begin or end with, if it is half of the first and not all of the second.
func common(a, b string) string {
	x, y := []rune(a), []rune(b)
	if !isKorean(a) || !isKorean(b) || len(y) <= sharedEnd {
		return ""
	}
	ahead, behind := 0, 0
	for most := min(len(x), len(y)); ahead < most && x[ahead] == y[ahead]; ahead++ {
	}
	for most := min(len(x), len(y)); behind < most && x[len(x)-1-behind] == y[len(y)-1-behind]; behind++ {
	}
	switch n := max(ahead, behind); {
	case n < sharedEnd || 2*n < len(x) || n == len(y):
		return ""
	case ahead == n:
		return string(x[:n])
	default:
		return string(x[len(x)-n:])
	}
}

// otherMark notes a mark beside a word of names that have another mark of the same letters: R9 로봇청소기, where there is an R7. One
// that stands alone is a stranger where several documents have such marks. Beside a mark that names have (R7 and R9) it is none.
func otherMark(d *Directory, r *Reading, text, typed string) {
	before, after := around(text)
	words := append(before, after...)
	for i, w := range words {
		mark := stem(text[w.from:w.to])
		letters := markOf(mark)
		if letters == "" || letters == mark || isKorean(letters) || len(letters) > fewLetters || len(d.having(mark)) > 0 ||
			slices.ContainsFunc(words, func(o word) bool {
				s := stem(text[o.from:o.to])
				return s != letters && markOf(s) == letters && d.words[s]
			}) {
			continue
		}
		for _, j := range []int{i - 1, i + 1} {
			if j < 0 || j >= len(words) || !marked(d, stem(text[words[j].from:words[j].to]), letters) {
				continue
			}
			r.Documents, r.Entity, r.Name, r.Others, r.Rest, r.slip = nil, "", "", nil, typed, false
			r.Stranger = typed[w.from : w.from+len(mark)]
			r.stranger = typed[min(w.from, words[j].from):max(w.from+len(mark), words[j].from+len(stem(text[words[j].from:words[j].to])))]
			return
		}
		var like []string
		for _, p := range d.parts {
			if p.word != letters && markOf(p.word) == letters {
				like = append(like, p.word)
			}
		}
		if like = fewest(like); len(like) >= series {
			r.Stranger, r.Others = typed[w.from:w.from+len(mark)], like
			r.stranger = r.Stranger
			return
		}
	}
}

// markOf returns the letters of a mark: the R of R9.
func markOf(w string) string { return strings.TrimRight(w, "0123456789") }

// marked reports whether names with a word have a mark of these letters.
func marked(d *Directory, w, letters string) bool {
	return content(w) && slices.ContainsFunc(d.having(w), func(doc int) bool {
		return slices.ContainsFunc(d.namesOf[doc], func(n int) bool {
			return slices.ContainsFunc(wordsOf(d.names[n].text), func(o string) bool {
				return o != letters && markOf(o) == letters
			})
		})
	})
}
