package naming

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
	"maru/rag"
	"maru/rag/article"
)

// Reading is what a question says about where to look.
type Reading struct {
	Documents []rag.Document // that the question names; none: it names none
	Articles  []article.Ref  // parts that it names by number
	Rest      string         // the question without the names of documents
	Missing   string         // a name that no document has, as typed
	Entity    string         // what tells the named documents from others of their kind; if no name has it, texts may
	Name      string         // the entity with the kind, as typed, if no name has it
	Proper    bool           // the entity is written as a name: with a capital, or in the names of other documents
	Others    []string       // words of names that tell documents of the kind apart
	Which     bool           // it asks which article it is (몇 조) and names documents
	Stranger  string         // a proper name beside words of names; if no text says it, what is named is missing
	Label     bool           // Stranger is in a label before a colon, the rest of which names documents
	Shared    string         // the part of Stranger that a name of a document has too
	Bracketed bool           // Documents are named in brackets before the question
	Titles    []Title        // names with a noun for the kind of document
	Heard     []Heard        // words that sound like words of names in the other script
	Spelled   string         // the question with these as names write them, where it is read as typed

	kind     []string // IDs of the documents of the kind
	stranger string   // Stranger with the words of names beside it, as typed
	own      []string // IDs of documents that a word of their own names
	others   []string // IDs of documents with names like theirs
	slip     bool     // Stranger is a slip of a word in the names of Documents, unless texts say it
}

// Absent is a document or an article that a question names and that does not exist.
type Absent struct {
	Name    string   // of the document
	Article string   // that the document of this name lacks; "" if there is no such document
	Nearest []string // names of documents, or headings of articles
}

// Asks reports whether a question says more than names.
func (r Reading) Asks() bool {
	var a rag.Analyzer
	return slices.ContainsFunc(a.Query(r.Rest), func(w rag.Word) bool { return w.Weight > 0 })
}

// IDs returns the IDs of the named documents.
func (r Reading) IDs() (ids []string) {
	for _, d := range r.Documents {
		ids = append(ids, d.ID)
	}
	return ids
}

// maxRead bounds the bytes of a question that are read for names.
const maxRead = 4 << 10

// Read finds the documents that a question names: by the side of an article's number (근로기준법 제60조, 근기법 60조), or by their
// kind and what tells them from others of it (하늘철강 계약, the privacy policy of Acme, [Acme]).
func (d *Directory) Read(question string) Reading {
	if text := fold(question); len(text) == len(question) && len(text) <= maxRead {
		if changes := foreign(d, text); len(changes) > 0 {
			r := readAs(d, question, changes)
			titled := r.Missing == "" && !slices.ContainsFunc(changes, func(c change) bool { return !r.HasTitle(c.with) })
			if !titled {
				r = d.ReadTyped(question)
				r.Spelled = spelled(d, question, changes)
			}
			for _, c := range changes {
				r.Heard = append(r.Heard, Heard{question[c.from:c.to], c.with})
			}
			return r
		}
	}
	return d.ReadTyped(question)
}

// ReadTyped is [Directory.Read] without names for words that sound like them.
func (d *Directory) ReadTyped(question string) Reading { return readAs(d, question, nil) }

// readAs reads a question with changes.
func readAs(d *Directory, question string, changes []change) Reading {
	if len(question) > maxRead {
		question = strings.ToValidUTF8(question[:maxRead], "")
	}
	question = spelled(d, question, changes)
	text := article.InFigures(fold(circled.ReplaceAllStringFunc(question, paragraph)))
	typed := text // as people wrote it, where folding moved nothing
	if len(text) == len(question) {
		typed = question
	}
	refs, _ := article.Named(text)
	r := Reading{Articles: refs, Rest: question}
	if len(d.names) == 0 {
		return r
	}
	switch {
	case len(refs) > 0:
		d.statute(&r, text, typed)
	case whichArticle.MatchString(text):
		if d.statute(&r, text, typed); len(r.Documents) > 0 {
			r.Which = true
		}
	}
	if len(r.Documents) == 0 && r.Missing == "" {
		d.mentioned(&r, text, typed)
	}
	if len(refs) == 0 && r.Missing == "" {
		d.figures(&r, text, typed)
	}
	if len(refs) == 0 && r.Missing == "" {
		otherMark(d, &r, text, typed)
	}
	if len(refs) == 0 && r.Missing == "" && r.Stranger == "" && !r.Which {
		d.closest(&r, text, typed)
		strangers(d, &r, text, typed)
	}
	if r.Missing == "" {
		r.Titles = titles(d, text, typed, len(refs) == 0 && !r.Which)
		if len(r.Titles) > 0 && r.Titles[0].missing {
			r.Missing, r.Documents = r.Titles[0].Name, nil
		}
	}
	return r
}

// whichArticle matches what people ask for the number of an article with.
var whichArticle = pattern.New(`(?:몇|어느|무슨)\s*(?:번째?\s*)?조|조문|조항|어디(?:에|쯤)?\s*(?:있|나와|나오|써|적혀)|규정\p{Hangul}?\s*어디`)

// circled are the marks of paragraphs: 제11조②. Folded they would be figures of the article's number.
var circled = pattern.New(`\s?[①-⑳]`)

func paragraph(mark string) string {
	r, _ := utf8.DecodeLastRuneInString(mark)
	return " 제" + strconv.Itoa(int(r-'①')+1) + "항"
}

// statute reads the name at an article's number.
func (d *Directory) statute(r *Reading, text, typed string) {
	before, after := around(text)
	for _, find := range []func(*Reading, []word, string, string) bool{d.exactly, d.loosely} {
		for _, words := range [][]word{before, after} { // 건축법 제5조; 제5조 알려줘, 건축법이야
			if find(r, words, text, typed) {
				d.extend(r, append(before, after...), text)
				return
			}
		}
	}
	if from, to := d.unknown(before, text); to > from {
		r.Missing = typed[from:to]
	}
}

// word is a run of letters and digits: text[from:to].
type word struct {
	from, to int
	clause   int  // how much punctuation, and how many articles, are before it
	calls    bool // an article follows it
	within   bool // it ends a longer word
}

// around returns the words before the articles of a text and those after the last.
func around(text string) (before, after []word) {
	inside, start, clause := false, 0, 0
	after = make([]word, 0, 1+strings.Count(text, " "))
	end := func(at int) {
		if inside {
			after = append(after, word{from: start, to: at, clause: clause})
		}
		inside = false
	}
	for i := 0; i < len(text); {
		if _, n := article.At(text, i); n > 0 {
			end(i)
			i += n
			if n := len(after); n > 0 {
				after[n-1].calls = true
			}
			before, after = append(before, after...), nil
			clause++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case inName(r) && !inside:
			inside, start = true, i
		case !inName(r):
			end(i)
			attached := (r == '(' || r == ')') && i > 0 && text[i-1] != ' ' // 계약서(하늘철강)
			if strings.ContainsRune(".,?!:;\n()[]「」『』\"“”", r) && !attached {
				clause++
			}
		}
		i += size
	}
	end(len(text))
	return before, after
}

// exactly finds names as documents write them, but for spaces and punctuation; the longest at a place wins.
func (d *Directory) exactly(r *Reading, words []word, text, typed string) bool {
	var cut [][2]int
	for i := 0; i < len(words); i++ {
		at, n, to := d.longest(words[i:], text)
		if n == 0 {
			continue
		}
		if next := i + n; next < len(words) && words[next].clause == words[i].clause && to == words[next-1].to {
			known, other := d.extension(text[words[next].from:words[next].to])
			longer, ok := d.exact[string(d.names[at].plain)+known]
			if other || known != "" && !ok {
				continue // 건축법 시행규칙, where there is only a 시행령
			}
			if known != "" {
				at, to, n = longer, words[next].to, n+1
			}
		}
		d.found(r, at)
		cut = append(cut, [2]int{words[i].from, to})
		i += n - 1
	}
	if len(cut) == 0 {
		return false
	}
	r.Rest = without(typed, cut)
	return true
}

// longest returns the longest name that begins with the first of words: its number, its words, and where it ends.
func (d *Directory) longest(words []word, text string) (at, n, to int) {
	var b strings.Builder
	for i, w := range words {
		if b.Len() > maxName {
			break
		}
		piece := text[w.from:w.to]
		for end := range piece {
			if end == 0 {
				continue
			}
			if hit, ok := d.exact[b.String()+piece[:end]]; ok && endsWord(piece[:end], piece[end:], d) {
				at, n, to = hit, i+1, w.from+end
			}
		}
		b.WriteString(piece)
		if hit, ok := d.exact[b.String()]; ok {
			at, n, to = hit, i+1, w.to
		}
	}
	return at, n, to
}

const maxName = 240 // bytes

// endsWord reports whether a Korean name may end inside a word: what follows is a particle or so, and no other name's end
// (의료법인법 is no 의료법).
func endsWord(name, rest string, d *Directory) bool {
	last, _ := utf8.DecodeLastRuneInString(name)
	next, _ := utf8.DecodeRuneInString(rest)
	if !isHangul(last) || !isHangul(next) {
		return false
	}
	return rag.IsParticle(rest) || utf8.RuneCountInString(rest) <= 2 && d.kind(rest) == ""
}

// found notes the documents of a name.
func (d *Directory) found(r *Reading, at int) {
	for _, i := range d.names[at].docs {
		if !slices.ContainsFunc(r.Documents, func(x rag.Document) bool { return x.ID == d.docs[i].ID }) {
			r.Documents = append(r.Documents, d.docs[i])
		}
	}
}

// most bounds the words of a name as people type it.
const most = 8

// loosely finds abbreviated and mistyped names that end with the last of words, or with one that names a kind.
func (d *Directory) loosely(r *Reading, words []word, text, typed string) bool {
	for last := len(words) - 1; last >= 0; last-- {
		if last < len(words)-1 && !words[last].calls {
			next, other := d.extension(text[words[last+1].from:words[last+1].to])
			if next != "" || other || d.kind(stem(text[words[last].from:words[last].to])) == "" {
				continue
			}
		}
		for _, alike := range []func(string) []int{d.mistyped, d.abbreviated} {
			for n := min(most, last+1); n > 0; n-- {
				run := words[last+1-n : last+1]
				if run[0].clause != run[n-1].clause || !content(text[run[0].from:run[0].to]) {
					continue
				}
				name := d.joined(run, text)
				hits := alike(name)
				for _, at := range hits {
					d.found(r, at)
				}
				if len(hits) > 0 {
					r.Rest = without(typed, [][2]int{{run[0].from, run[n-1].to}})
					return true
				}
			}
		}
	}
	return false
}

// unknown returns the first name before an article that no document has: it ends as names of documents do and says more
// than their kind. Nothing if there is none.
func (d *Directory) unknown(words []word, text string) (from, to int) {
	for i, w := range words {
		if !w.calls {
			continue
		}
		if from, to = d.unknownAt(words[:i+1], text); to > from {
			return from, to
		}
	}
	return 0, 0
}

func (d *Directory) unknownAt(words []word, text string) (from, to int) {
	last := words[len(words)-1]
	typed := stem(text[last.from:last.to])
	kind := d.kind(typed)
	if kind == "" || !content(text[last.from:last.to]) {
		if _, other := d.extension(typed); other && len(words) > 1 { // 건축법 시행규칙
			return words[len(words)-2].from, last.from + len(typed)
		}
		return 0, 0
	}
	says := typed != kind
	from = last.from
	for i := len(words) - 2; i >= max(0, len(words)-4) && words[i].clause == last.clause; i-- {
		w := text[words[i].from:words[i].to]
		named := content(w)
		if !named && !d.words[w] || typed != kind && stem(w) != w { // 혹시 우주법; 회사에서 우주법
			break
		}
		if from = words[i].from; named {
			says = true
		}
	}
	if !says {
		return 0, 0 // 법 제3조, 이 법 제3조
	}
	return from, last.from + len(typed)
}

// content reports whether a word may be part of a name: it is no function word of a question.
func content(w string) bool {
	var a rag.Analyzer
	words := a.Query(w)
	return utf8.RuneCountInString(w) > 1 && len(words) > 0 && words[0].Weight > 0
}

// stem returns a Korean word without its particle; after a number it is a unit: 1번에.
func stem(w string) string {
	number := len(w) - len(strings.TrimLeft(w, "0123456789"))
	if !isKorean(w[number:]) {
		return w
	}
	if base, ok := strings.CutSuffix(w, "이랑"); ok && utf8.RuneCountInString(base) > 1 {
		if last, _ := utf8.DecodeLastRuneInString(base); isHangul(last) && (last-'가')%28 != 0 {
			return base
		}
	}
	out := ""
	var a rag.Analyzer
	a.Document(w[number:], func(term []byte) {
		if out == "" {
			out = string(term)
		}
	})
	if number > 0 && len(out) == len(w)-number && rag.IsParticle(out[len("번"):]) {
		out = out[:len("번")]
	}
	if out == "" || !strings.HasPrefix(w[number:], out) {
		return w
	}
	return w[:number+len(out)]
}
