package rag

import (
	"strings"
	"unicode/utf8"

	"maru/rag/article"
)

// Word is one word of a question with its index terms.
type Word struct {
	Text  string   // the word as folded
	Terms []string // Terms[0] is the whole word's stem; the others are its parts
	// Weight is the word's share of a question's subject: 1 for a noun, less for a Korean predicate, 0 for a stop
	// word ("the", "무엇", "알려줘").
	Weight   float64
	Asked    bool      // names the requested property (수도는?); ranks below the subject
	Modifier bool      // modifies the next word: wifi password
	Sentence int       // of the question, from 0
	Aside    bool      // a remark: an answering passage need not contain it, see aside.go
	Split    []string  // the words of a compound if the index has them,
	Joined   string    // and the compound of this and the next word; see [Compounds]
	Same     []Synonym // synonyms in the index; see [Synonyms]
}

// Parts returns the terms of the stem's parts: the bigrams of 육아휴직 for 육아휴직은, or the humps of an identifier.
func (w Word) Parts() []string {
	parts := w.Terms[1:]
	if len(parts) > 0 && strings.HasPrefix(parts[0], partMark) {
		return parts[:min(len(parts), max(1, utf8.RuneCountInString(w.Terms[0])-1))]
	}
	return parts
}

// English reports whether the word is of English letters only.
func (w Word) English() bool {
	for i := range len(w.Text) {
		if !isLower(w.Text[i]) {
			return false
		}
	}
	return w.Text != ""
}

// partMark prefixes terms that are parts of a word, so that the bigram 연차 and the word 연차 are two terms.
const partMark = "\x01"

// AnalyzerVersion is the version of the terms that [Analyzer.Document] and [Analyzer.Title] emit. Increment it with
// every change of them: an index written with another version silently loses recall and must be rebuilt. A test pins
// it to the analyser's output.
const AnalyzerVersion = 5

// Analyzer converts text to index terms. Korean words give their stem without particles and their syllable
// bigrams, English words their Porter2 stem, numbers a form without separators, identifiers the whole and their
// humps, article numbers (제10조의2, Article 5) one term for all spellings. An Analyzer has buffers and is for one
// goroutine at a time.
type Analyzer struct {
	buf []byte
	tok []token
}

// Document calls emit for every term of text, repetitions included. The bytes are only valid during the call.
func (a *Analyzer) Document(text string, emit func(term []byte)) {
	a.tok = appendTokens(a.tok[:0], fold(text, true))
	for _, t := range a.tok {
		a.terms(t, emit)
	}
}

// Title is [Analyzer.Document] for a passage's head line: an article number there is the passage's own, not a
// reference, and gets its own term, which only questions by number look up. The name keys for [Named] follow; [IsKey]
// recognises them.
func (a *Analyzer) Title(text string, emit func(term []byte)) {
	a.Document(text, emit)
	for _, t := range a.tok {
		if t.kind == kindArticle {
			emit(append(append(a.buf[:0], ownMark...), t.text...))
		}
	}
	keysOf(text, func(term string) { emit(append(a.buf[:0], term...)) })
}

// ownMark prefixes the term of a passage's own article number.
const ownMark = "\x02"

// TermWeight returns the weight of term i in a search: parts count less than the whole word, the requested property
// less than the subject.
func (w Word) TermWeight(i int) float64 {
	weight := 1.0
	if w.Asked {
		weight = askedWeight
	}
	if i == 0 || strings.HasPrefix(w.Terms[i], ownMark) {
		return weight
	}
	return weight * partWeight
}

// LongTermWeight is [Word.TermWeight] in a long question: parts count more, because people who chat use other forms of
// words than documents do, and those that reach into a particle count nothing (교에, 에서 and 서는 of 학교에서는).
func (w Word) LongTermWeight(i int) float64 {
	switch {
	case i == 0 || strings.HasPrefix(w.Terms[i], ownMark):
		return w.TermWeight(i)
	case i > len(w.Parts()):
		return 0
	}
	return w.TermWeight(0) * longPartWeight
}

// SynonymTerms calls add with the terms of the word's synonyms and their weights.
func (w Word) SynonymTerms(add func(term string, weight float64)) {
	for _, s := range w.Same {
		for _, o := range s.Words {
			for i, t := range o.Terms {
				add(t, synonymWeight*s.Match*o.TermWeight(i))
			}
		}
	}
}

// maxQuestion bounds the analysed bytes of a question; a longer one is a pasted document.
const maxQuestion = 8 << 10

// Query returns the words of a question in order, each once per sentence.
func (a *Analyzer) Query(text string) []Word {
	if len(text) > maxQuestion {
		text = strings.ToValidUTF8(text[:maxQuestion], "")
	}
	var words []Word
	for i, s := range sentences(article.InFigures(Unchatty(fold(text, true)))) {
		first := len(words)
		for _, p := range pieces(s) {
			words = a.sentence(words, p.text, i, p.aside)
		}
		weighPredicates(words[first:])
		for i := first; i+1 < len(words); i++ {
			words[i].Modifier = modifies(words[i], words[i+1])
		}
	}
	return words
}

// sentence appends the words of one clause.
func (a *Analyzer) sentence(words []Word, text string, number int, aside bool) []Word {
	a.tok = appendTokens(a.tok[:0], text)
	seen := map[string]bool{}
	for i := len(words) - 1; i >= 0 && words[i].Sentence == number; i-- {
		seen[words[i].Text] = true
	}
	for _, t := range a.tok {
		w := Word{Text: lower(t.text), Sentence: number, Aside: aside}
		a.terms(t, func(term []byte) { w.Terms = append(w.Terms, string(term)) })
		if t.kind == kindArticle {
			w.Terms = append(w.Terms, ownMark+t.text)
		}
		if seen[w.Text] || w.Text == "" {
			continue
		}
		seen[w.Text] = true
		if len(w.Terms) > 0 {
			w.Weight = weigh(t, w)
		}
		words = append(words, w)
	}
	return words
}

// sentences splits a question at . ? ! before a space, and at line ends.
func sentences(text string) []string {
	var out []string
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		ends := (c == '.' || c == '?' || c == '!') && i+1 < len(text) && text[i+1] == ' '
		if ends || c == '\n' {
			out = append(out, text[start:i+1])
			start = i + 1
		}
	}
	return append(out, text[start:])
}

func (a *Analyzer) terms(t token, emit func([]byte)) {
	switch t.kind {
	case kindHangul:
		a.hangulTerms(t.text, emit)
	case kindLatin:
		a.latinTerms(t.text, emit)
	case kindHan:
		a.hanTerms(t.text, emit)
	case kindOther:
		emit(append(a.buf[:0], lower(t.text)...))
	case kindNumber:
		a.buf = a.buf[:0]
		for i := 0; i < len(t.text); i++ {
			if t.text[i] != ',' {
				a.buf = append(a.buf, t.text[i])
			}
		}
		emit(a.buf)
	case kindArticle:
		emit(append(a.buf[:0], t.text...))
	}
}

func (a *Analyzer) hangulTerms(word string, emit func([]byte)) {
	s := stem(word)
	a.buf = append(a.buf[:0], s...)
	emit(a.buf)
	for i := 0; i+2*syllable <= len(word); i += syllable {
		a.buf = append(append(a.buf[:0], partMark...), word[i:i+2*syllable]...)
		emit(a.buf)
	}
}

func (a *Analyzer) hanTerms(word string, emit func([]byte)) {
	prev := -1
	for i, r := range word {
		if prev >= 0 {
			a.buf = append(a.buf[:0], word[prev:i+utf8.RuneLen(r)]...)
			emit(a.buf)
		}
		prev = i
	}
	if prev == 0 {
		emit(append(a.buf[:0], word...))
	}
}

// latinTerms emits an English word's stem, or an identifier and its humps.
func (a *Analyzer) latinTerms(word string, emit func([]byte)) {
	parts := humps(word)
	if len(parts) == 1 {
		a.latinWord(parts[0], emit)
		return
	}
	a.buf = a.buf[:0]
	for i := 0; i < len(word); i++ {
		a.buf = append(a.buf, lowerByte(word[i]))
	}
	emit(a.buf)
	for _, p := range parts {
		a.latinWord(p, emit)
	}
}

func (a *Analyzer) latinWord(word string, emit func([]byte)) {
	a.buf = a.buf[:0]
	letters := true
	for i := 0; i < len(word); i++ {
		c := lowerByte(word[i])
		letters = letters && 'a' <= c && c <= 'z'
		a.buf = append(a.buf, c)
	}
	if !letters {
		emit(a.buf)
		return
	}
	if englishStop[string(a.buf)] {
		return
	}
	if cap(a.buf) < len(a.buf)+4 {
		a.buf = append(make([]byte, 0, 2*len(a.buf)+16), a.buf...)
	}
	emit(porter2(a.buf))
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// humps splits an identifier: getUserName, HTTP_PORT, v1.2, utf8.
func humps(word string) []string {
	var parts []string
	start := 0
	cut := func(end, next int) {
		if end > start {
			parts = append(parts, word[start:end])
		}
		start = next
	}
	for i := 0; i < len(word); i++ {
		c := word[i]
		switch {
		case !isAlnum(c):
			cut(i, i+1)
		case i > start && isUpper(c) && isLower(word[i-1]):
			cut(i, i)
		case i > start+1 && isLower(c) && isUpper(word[i-1]) && isUpper(word[i-2]) && i+1 < len(word) && isLower(word[i+1]):
			cut(i-1, i-1)
		case i > start && isDigit(c) != isDigit(word[i-1]):
			cut(i, i)
		}
	}
	cut(len(word), len(word))
	if len(parts) == 0 {
		return []string{word}
	}
	return parts
}
