package phrase

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// forms matches a place in a sentence whose form depends on the argument before it: a Korean
// particle, "%s{이/가} 없어요", the form after a consonant first, or a counted noun, "%d
// {file/files}", the singular first.
var forms = regexp.MustCompile(`\{([\pL ]+)/([\pL ]+)\}`)

// mark replaces such a place while the arguments are inserted, so that similar text in an
// argument stays unchanged. It is a private-use character.
const mark = '\uE000'

// filled inserts args into a sentence and chooses its forms.
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

// counted chooses a form by the last number in text.
func counted(text, one, many string) string {
	isDigit := func(r rune) bool { return unicode.IsDigit(r) || r == ',' || r == '.' }
	end := strings.LastIndexFunc(text, unicode.IsDigit) + 1
	begin := strings.LastIndexFunc(text[:end], func(r rune) bool { return !isDigit(r) }) + 1
	if text[begin:end] == "1" {
		return one
	}
	return many
}
