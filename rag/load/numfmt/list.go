package numfmt

import (
	"strconv"
	"strings"
)

// letters returns the alphabet of a number format; "" for other formats.
func letters(format string) string {
	switch format {
	case "ganada":
		return "가나다라마바사아자차카타파하"
	case "chosung":
		return "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
	case "lowerLetter":
		return "abcdefghijklmnopqrstuvwxyz"
	case "upperLetter":
		return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	case "decimalEnclosedCircle":
		return "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔㉕㉖㉗㉘㉙㉚㉛㉜㉝㉞㉟"
	}
	return ""
}

// ListNumber formats a number as Word does; rare formats become 1, 2, 3.
func ListNumber(format string, n int) string {
	if row := []rune(letters(format)); n > 0 && n <= len(row) {
		return string(row[n-1])
	}
	switch format {
	case "upperRoman":
		return romanNumber(n)
	case "lowerRoman":
		return strings.ToLower(romanNumber(n))
	case "decimalZero":
		if n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "decimalEnclosedParen":
		return "(" + strconv.Itoa(n) + ")"
	case "bullet", "none":
		return ""
	}
	return strconv.Itoa(n)
}

func romanNumber(n int) string {
	if n <= 0 || n >= 400 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, d := range []struct {
		n int
		s string
	}{{100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= d.n; n -= d.n {
			b.WriteString(d.s)
		}
	}
	return b.String()
}
