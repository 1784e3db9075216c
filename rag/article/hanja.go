package article

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Old contracts and statutes use Chinese numerals: 第三條, 제七조, 第十二條의二 第一項.

// hanja is the set of Chinese numerals.
const hanja = "一二三四五六七八九十百千零〇"

// figures parses the number at the start of a text, in figures or, if allowed, in Chinese numerals; size is 0 if
// there is none.
func figures(text string, both bool) (number string, size int) {
	if n := digits(text); n > 0 {
		return trimZeros(text[:n]), n
	}
	if !both {
		return "", 0
	}
	for size < len(text) {
		r, n := utf8.DecodeRuneInString(text[size:])
		if !strings.ContainsRune(hanja, r) {
			break
		}
		size += n
	}
	n := hanjaNumber(text[:size])
	if n == 0 {
		return "", 0
	}
	return strconv.Itoa(n), size
}

// inFigure formats either kind of number in figures.
func inFigure(number string) string {
	s, _ := figures(number, true)
	return s
}

// hanjaNumber returns the value of 十二, 一百三 and 一〇; 0 if it is not a number below ten thousand.
func hanjaNumber(s string) int {
	total, open, places := 0, 0, 0
	for _, r := range s {
		switch at := strings.IndexRune(hanja, r) / len("一"); {
		case at >= 12: // zero
			open, places = open*10, places+1
		case at >= 9:
			unit := [...]int{10, 100, 1000}[at-9]
			total, open, places = total+max(1, open)*unit, 0, 0
		default:
			open, places = open*10+at+1, places+1
		}
		if places > 4 {
			return 0
		}
	}
	if total += open; total >= 10_000 {
		return 0
	}
	return total
}

// hanjaName formats the number after i as old lists do: 一, 十, 十一, 二十一.
func hanjaName(i int) []string {
	digit := func(n int) string { return string([]rune(hanja)[n-1]) }
	n := i + 1
	if n >= 100 {
		return nil
	}
	var s string
	if tens := n / 10; tens > 0 {
		if tens > 1 {
			s = digit(tens)
		}
		s += "十"
	}
	if n%10 > 0 {
		s += digit(n % 10)
	}
	return []string{s}
}

// ordinal returns the length of the leading 제 or 第.
func ordinal(text string) int {
	if hasAny(text, "제", "第") {
		return len("제")
	}
	return 0
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }
