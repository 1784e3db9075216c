package phrase

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// forms is a place in a sentence where the argument before it decides on a form:
// a Korean particle, "%s{이/가} 없어요", the one after a consonant first, or a word
// that counts, "%d {file/files}", the one for 1 first.
var forms = regexp.MustCompile(`\{([\pL ]+)/([\pL ]+)\}`)

// mark stands for such a place while the arguments are put in, so that the like of
// it in what people wrote stays as it is. It is of Unicode's private use.
const mark = '\uE000'

// filled puts args into a sentence's verbs and chooses its forms.
func filled(text string, args []any) string {
	var places [][]string
	if strings.Contains(text, "{") {
		places = forms.FindAllStringSubmatch(text, -1)
		text = forms.ReplaceAllLiteralString(text, string(mark))
	}
	if len(args) > 0 {
		text = fmt.Sprintf(text, args...)
	}
	if len(places) == 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if r != mark || len(places) == 0 {
			out.WriteRune(r)
			continue
		}
		first, second := places[0][1], places[0][2]
		places = places[1:]
		if unicode.Is(unicode.Hangul, []rune(first)[0]) {
			out.WriteString(particle(out.String(), first, second))
		} else {
			out.WriteString(counted(out.String(), first, second))
		}
	}
	return out.String()
}

// counted chooses by the last number in text.
func counted(text, one, many string) string {
	isDigit := func(r rune) bool { return unicode.IsDigit(r) || r == ',' || r == '.' }
	end := strings.LastIndexFunc(text, unicode.IsDigit) + 1
	begin := strings.LastIndexFunc(text[:end], func(r rune) bool { return !isDigit(r) }) + 1
	if text[begin:end] == "1" {
		return one
	}
	return many
}
