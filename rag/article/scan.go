package article

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// At parses the ref at text[i], without paragraph and item, and returns its length in bytes; 0 if there is none. It
// accepts a lone 조 without 제 only where it cannot be money or pieces (5조 원, 2조각). It is fast: an index calls it at
// every word.
func At(text string, i int) (Ref, int) {
	c := text[i]
	switch {
	case (c == "제"[0] || c == "第"[0]) && ordinal(text[i:]) > 0:
		if r, n := koreanAt(text, i, i+len("제"), true); n > 0 {
			return r, n
		}
	case isDigit(c):
		if !wordBefore(text, i) {
			return koreanAt(text, i, i, false)
		}
	case c == "별"[0] && strings.HasPrefix(text[i:], "별"):
		return koreanAnnex(text, i)
	case c == 0xC2 && strings.HasPrefix(text[i:], "§"):
		if number, n := dotted(text, skipSpace(text, i+2)); n > 0 {
			return Ref{Kind: Section, Number: number}, skipSpace(text, i+2) - i + n
		}
	case ('a' <= c|0x20 && c|0x20 <= 't') && !wordBefore(text, i):
		return englishAt(text, i)
	}
	return Ref{}, 0
}

// wordBefore reports whether text[i] is inside a word or a number.
func wordBefore(text string, i int) bool {
	if i == 0 {
		return false
	}
	b := text[i-1]
	if isDigit(text[i]) && (b == '.' || b == ',') {
		return i > 1 && isDigit(text[i-2])
	}
	return b < utf8.RuneSelf && isAlnum(b)
}

// koreanAt parses number and unit: 51조의2, 2장, 七條. marked means that 제 or 第 precedes.
func koreanAt(text string, start, at int, marked bool) (Ref, int) {
	at = skipSpace(text, at)
	number, n := figures(text[at:], marked)
	if n == 0 || len(number) > 5 {
		return Ref{}, 0
	}
	end := skipSpace(text, at+n)
	kind := unit(text[end:])
	if kind == 0 || (!marked && kind != Article) {
		return Ref{}, 0
	}
	end += len("조")
	if !marked && !articleEnds(text[end:]) {
		return Ref{}, 0
	}
	r := Ref{Kind: kind, Number: number, Korean: true}
	if sub, n := branchAt(text, end); n > 0 {
		r.Number += "-" + sub
		end += n
	}
	return r, end - start
}

func unit(s string) Kind {
	switch {
	case hasAny(s, "조", "條", "条"):
		return Article
	case hasAny(s, "장", "章"):
		return Chapter
	case hasAny(s, "절", "節", "节"):
		return Division
	case hasAny(s, "편", "編", "篇"):
		return Part
	}
	return 0
}

// branchAt parses the 의2 of 제10조의2, and the 之二 of old ones.
func branchAt(text string, at int) (string, int) {
	rest := skipSpace(text, at)
	if !hasAny(text[rest:], "의", "之") {
		return "", 0
	}
	sub := skipSpace(text, rest+len("의"))
	number, m := figures(text[sub:], true)
	if m == 0 || len(number) > 3 {
		return "", 0
	}
	// 제10조의 2항 is the second paragraph of Article 10.
	if u := skipSpace(text, sub+m); hasAny(text[u:], "항", "호", "년", "개", "명", "일", "가지") {
		return "", 0
	}
	if next, _ := utf8.DecodeRuneInString(text[sub+m:]); !isDigit(text[sub]) && isHan(next) && next != '第' {
		return "", 0 // 第三條의 一般原則
	}
	return number, sub + m - at
}

func hasAny(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// articleEnds reports whether the text after a 조 without 제 allows an article: no currency, no measure (10조 규모), and
// no continued sum (2조 5천억).
func articleEnds(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	if !isHangul(r) {
		next := strings.TrimLeft(rest, " ")
		n := 0
		for n < len(next) && (isDigit(next[n]) || n > 0 && (next[n] == ',' || next[n] == '.')) {
			n++
		}
		if n > 0 {
			return !hasAny(strings.TrimLeft(next[n:], " "), "십", "백", "천", "만", "억")
		}
		return !hasAny(next, "원", "달러", "엔", "위안", "유로", "규모", "안팎", "가량", "내외")
	}
	return hasAny(rest, "의", "에", "는", "를", "가 ", "가?", "와", "도", "로", "랑", "만", "부터", "까지", "제")
}

// koreanAnnex parses 별표 1, 별표1의2, 별지 제3호.
func koreanAnnex(text string, i int) (Ref, int) {
	at := i + len("별표")
	if !hasAny(text[i:], "별표", "별지") {
		return Ref{}, 0
	}
	at = skipSpace(text, at)
	if strings.HasPrefix(text[at:], "제") {
		at = skipSpace(text, at+len("제"))
	}
	n := digits(text[at:])
	if n == 0 || n > 3 {
		return Ref{}, 0
	}
	r := Ref{Kind: Annex, Number: trimZeros(text[at : at+n]), Korean: true}
	at += n
	at += len(text[at:]) - len(strings.TrimPrefix(text[at:], "호"))
	if sub, n := branchAt(text, at); n > 0 {
		r.Number += "-" + sub
		at += n
	}
	return r, at - i
}

// englishWords begin a ref; the order matters only for readers.
var englishWords = []struct {
	word string
	kind Kind
}{
	{"article", Article}, {"section", Section}, {"clause", Section}, {"chapter", Chapter}, {"part", Part}, {"title", Part},
	{"annex", Annex}, {"appendix", Annex}, {"schedule", Annex}, {"exhibit", Annex}, {"art.", Article}, {"sec.", Section},
}

func englishAt(text string, i int) (Ref, int) {
	for _, w := range englishWords {
		end := i + len(w.word)
		if len(text) <= end || text[i]|0x20 != w.word[0] || !strings.EqualFold(text[i:end], w.word) {
			continue
		}
		at := skipSpace(text, end)
		if at == end && w.word[len(w.word)-1] != '.' {
			return Ref{}, 0
		}
		number, n := dotted(text, at)
		if n == 0 && w.kind == Annex {
			number, n = letter(text, at)
		}
		if n == 0 {
			number, n = roman(text, at, isUpper(text[i]) || w.kind == Annex)
		}
		if n == 0 {
			return Ref{}, 0
		}
		return Ref{Kind: w.kind, Number: number}, at + n - i
	}
	return Ref{}, 0
}

// dotted parses 5, 3.2 and 51-2 as "5", "3-2" and "51-2".
func dotted(text string, at int) (string, int) {
	n := digits(text[at:])
	if n == 0 || n > 5 {
		return "", 0
	}
	end := at + n
	for end+1 < len(text) && (text[end] == '.' || text[end] == '-') && isDigit(text[end+1]) {
		end += 1 + digits(text[end+1:])
	}
	number := trimZeros(text[at:at+n]) + strings.ReplaceAll(text[at+n:end], ".", "-")
	if end < len(text) && text[end] < utf8.RuneSelf && isAlnum(text[end]) {
		return "", 0 // "part 2nd", "section 8a" would be another's number
	}
	return number, end - at
}

// roman parses IV. It accepts a lone I or a lower-case word only where the context leaves no other reading.
func roman(text string, at int, sure bool) (string, int) {
	n := 0
	for at+n < len(text) && strings.IndexByte("IVXLC", text[at+n]) >= 0 {
		n++
	}
	if n == 0 || !sure || (at+n < len(text) && text[at+n] < utf8.RuneSelf && isAlnum(text[at+n])) {
		return "", 0
	}
	if next := skipSpace(text, at+n); n == 1 && next < len(text) && strings.IndexByte(".:,;)(-?!\n", text[next]) < 0 && text[next] < utf8.RuneSelf {
		return "", 0 // Article I read
	}
	v, ok := romanValue(text[at : at+n])
	if !ok {
		return "", 0
	}
	return strconv.Itoa(v), n
}

func romanValue(s string) (int, bool) {
	worth := map[byte]int{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100}
	total := 0
	for i := range len(s) {
		v := worth[s[i]]
		if i+1 < len(s) && v < worth[s[i+1]] {
			total -= v
		} else {
			total += v
		}
	}
	return total, total > 0 && total < 400
}

// letter parses the B of Annex B, and B-1. Annex I, V and X are numbers: lettered annexes seldom reach them without a
// dash.
func letter(text string, at int) (string, int) {
	if at >= len(text) || !isUpper(text[at]) {
		return "", 0
	}
	end := at + 1
	if end+1 < len(text) && text[end] == '-' && isDigit(text[end+1]) {
		end += 1 + digits(text[end+1:])
	} else if strings.IndexByte("IVX", text[at]) >= 0 {
		return "", 0
	}
	if end < len(text) && text[end] < utf8.RuneSelf && isAlnum(text[end]) {
		return "", 0
	}
	return text[at:end], end - at
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isAlnum(c byte) bool  { return isDigit(c) || isUpper(c) || 'a' <= c && c <= 'z' }
func isHangul(r rune) bool { return unicode.Is(unicode.Hangul, r) }
