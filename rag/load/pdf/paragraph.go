package pdf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/article"
)

// paragraphs joins the lines of a page's text. A line shorter than its neighbours ends a paragraph, as does an empty
// one.
func paragraphs(text string) []string {
	var out []string
	text = unhyphenate(text)
	whole := wordsWithin(text)
	for part := range strings.SplitSeq(text, "\n\n") {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		widest := 0
		for _, l := range lines {
			widest = max(widest, fit.Width(l))
		}
		var cur []string
		for _, l := range lines {
			if l = cleanTabs(l); l == "" {
				continue
			}
			if _, begins := article.Heading(l); begins && len(cur) > 0 {
				out, cur = append(out, whole.join(cur)), nil
			}
			cur = append(cur, l)
			if fit.Width(l)*10 < widest*7 || strings.Contains(l, " | ") {
				out, cur = append(out, whole.join(cur)), nil
			}
		}
		if len(cur) > 0 {
			out = append(out, whole.join(cur))
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// cleanTabs turns the wide gaps of a table row into bars.
func cleanTabs(line string) string {
	var parts []string
	for p := range strings.SplitSeq(line, "\t") {
		if p = fit.OneLine(p); p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " | ")
}

// wholeWords are the words of a page that no line break can have cut.
type wholeWords map[string]bool

// wordsWithin lists the words inside the lines of a page's text.
func wordsWithin(text string) wholeWords {
	w := wholeWords{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		for _, s := range words[min(1, len(words)):max(len(words)-1, min(1, len(words)))] {
			w[bare(s)] = true
		}
	}
	return w
}

// join joins lines. Korean breaks between any two syllables and a PDF does not mark it: the next line continues a
// word if it starts with a mere particle, or if the page has the joined word elsewhere.
func (w wholeWords) join(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 && !w.cut(lines[i-1], l) {
			b.WriteByte(' ')
		}
		b.WriteString(l)
	}
	return b.String()
}

func (w wholeWords) cut(above, below string) bool {
	first, _ := utf8.DecodeRuneInString(below)
	last, _ := utf8.DecodeLastRuneInString(above)
	if !unicode.Is(unicode.Hangul, first) || !unicode.IsLetter(last) && !unicode.IsDigit(last) {
		return false
	}
	head, tail := above[strings.LastIndexByte(above, ' ')+1:], below
	if i := strings.IndexByte(below, ' '); i >= 0 {
		tail = below[:i]
	}
	return rag.IsParticle(bare(tail)) && !alone[bare(tail)] || w[bare(head+tail)]
}

// alone are particles that are also words.
var alone = map[string]bool{
	"이": true, "가": true, "만": true, "도": true, "나": true, "인": true, "야": true, "들": true, "란": true,
	"과": true, "의": true, "보다": true, "하고": true, "이나": true, "이야": true, "이란": true, "인가": true, "인지": true,
}

// bare strips punctuation around a word.
func bare(word string) string {
	return strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// unhyphenate joins words hyphenated at a line end. It keeps a word's own hyphen: where the page has the hyphenated
// form elsewhere, and between non-Latin letters.
func unhyphenate(text string) string {
	const mark = string(softHyphen)
	if !strings.Contains(text, mark) {
		return text
	}
	parts := strings.Split(text, mark)
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			head, tail := lastWord(parts[i-1]), firstWord(part)
			if head == "" || tail == "" || strings.Contains(text, head+"-"+tail) {
				b.WriteByte('-')
			}
		}
		b.WriteString(part)
	}
	return b.String()
}

func lastWord(s string) string { return s[len(strings.TrimRightFunc(s, latin)):] }

// firstWord returns the leading lower-case Latin letters of s.
func firstWord(s string) string {
	return s[:len(s)-len(strings.TrimLeftFunc(s, func(r rune) bool { return latin(r) && unicode.IsLower(r) }))]
}

func latin(r rune) bool { return unicode.Is(unicode.Latin, r) }
