package rag

import (
	"strings"
	"unicode/utf8"
)

// articleAt reads an article number at s[i]: "제51조의2", "제 51 조의 2",
// "51조의2", "Article 51-2", "Section 3.2". It returns its one form ("§51-2")
// and how many bytes it took, 0 if there is none.
func articleAt(s string, i int) (string, int) {
	if i > 0 && continuesWord(s, i) {
		return "", 0
	}
	switch c := s[i]; {
	case strings.HasPrefix(s[i:], "제"):
		return koreanArticle(s, i, i+len("제"))
	case isDigit(c):
		return koreanArticle(s, i, i)
	case c == 'a' || c == 'A' || c == 's' || c == 'S':
		return englishArticle(s, i)
	}
	return "", 0
}

// continuesWord reports that s[i] stands inside a word, where no article number begins.
func continuesWord(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	first, _ := utf8.DecodeRuneInString(s[i:])
	if isDigit(s[i]) {
		return r < utf8.RuneSelf && (isAlnum(byte(r)) || r == '.' || r == ',')
	}
	if isHangul(first) {
		return false // 병역법제51조 is written without a space as often as with one
	}
	return r < utf8.RuneSelf && isAlnum(byte(r))
}

func koreanArticle(s string, start, at int) (string, int) {
	at = skipSpace(s, at)
	n := digits(s[at:])
	if n == 0 || n > 5 {
		return "", 0
	}
	number := s[at : at+n]
	end := skipSpace(s, at+n)
	if !strings.HasPrefix(s[end:], "조") {
		return "", 0
	}
	end += len("조")
	// 5조 원 is money and 2조각 is pieces: without 제 only 조, 조의N and 조 + particle count.
	if s[start] != "제"[0] && !articleEnds(s[end:]) {
		return "", 0
	}
	form := "§" + number
	if rest := skipSpace(s, end); strings.HasPrefix(s[rest:], "의") {
		sub := skipSpace(s, rest+len("의"))
		if m := digits(s[sub:]); m > 0 && m <= 3 {
			return form + "-" + s[sub:sub+m], sub + m - start
		}
	}
	return form, end - start
}

func articleEnds(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	if !isHangul(r) {
		return !strings.HasPrefix(strings.TrimLeft(rest, " "), "원")
	}
	for _, p := range []string{"의", "에", "는", "를", "가", "와", "도", "로"} {
		if strings.HasPrefix(rest, p) {
			return true
		}
	}
	return false
}

func englishArticle(s string, i int) (string, int) {
	for _, name := range []string{"article", "section"} {
		end := i + len(name)
		if len(s) <= end || !strings.EqualFold(s[i:end], name) {
			continue
		}
		at := skipSpace(s, end)
		n := digits(s[at:])
		if at == end || n == 0 {
			return "", 0
		}
		form := "§" + s[at:at+n]
		at += n
		for at+1 < len(s) && (s[at] == '.' || s[at] == '-') && isDigit(s[at+1]) {
			m := digits(s[at+1:])
			form += "-" + s[at+1:at+1+m]
			at += 1 + m
		}
		return form, at - i
	}
	return "", 0
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
