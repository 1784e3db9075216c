package config

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"maru/phrase"
	"maru/phrase/pattern"
	"maru/phrase/slip"
)

// Settings and their values are stored and shown under one name each; people write
// them as they are called in any language that there is a catalogue of.

// said is the key prefix of comma-separated names of settings, values and units.
const said = "setting.said."

// catalogueNames lists the names in all languages' catalogues.
func catalogueNames(what string) []string {
	var out []string
	for _, lang := range phrase.Languages() {
		out = append(out, list(phrase.All(said + what)[lang])...)
	}
	return out
}

// folded normalises a name: lower case, without spaces and punctuation between words.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("_-.,'’!", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(name)) // also letters of the full width, as Korean and Japanese keyboards give them
}

// names returns k's names, its own first.
func (k Key) names() []string {
	out := append([]string{k.Name}, catalogueNames(k.Name)...)
	for _, lang := range phrase.Languages() { // as forms show it
		help, _, _ := strings.Cut(k.Help(lang), ":")
		out = append(out, help)
	}
	return out
}

// namesOf returns the names of one of k's values.
func (k Key) namesOf(value string) []string {
	what := k.Name + "." + value
	if k.Kind == "bool" {
		what = value
	}
	out := append([]string{value}, catalogueNames(what)...)
	for _, lang := range phrase.Languages() {
		label := k.Label(value, lang)
		out = append(out, label, strings.TrimPrefix(label, value+": "))
	}
	return out
}

// isCalled reports whether a word is one of these names.
func isCalled(word string, names []string) bool {
	word = folded(word)
	return word != "" && slices.ContainsFunc(names, func(n string) bool { return folded(n) == word })
}

// meant returns the value of k that a person's words name, in any language, or the
// words themselves.
func (k Key) meant(text string, values []string) string {
	if slices.Contains(values, text) {
		return text
	}
	for _, v := range values {
		if isCalled(text, k.namesOf(v)) {
			return v
		}
	}
	return text
}

// named returns the values of k that words may name.
func (k Key) named(o Offers) []string {
	switch k.Kind {
	case "bool":
		return []string{"on", "off"}
	case "hours":
		return []string{"off"}
	case "number", "decimal", "time":
		if phrase.Has("setting." + k.Name + ".0") {
			return []string{"0"}
		}
	case "choice", "list":
		return k.offered(o)
	}
	return nil
}

// IsCalled reports whether one of a value's names contains the typed text.
func (k Key) IsCalled(value, typed string) bool {
	typed = folded(typed)
	return slices.ContainsFunc(k.namesOf(value), func(n string) bool { return strings.Contains(folded(n), typed) })
}

// Meant returns the value of k that was probably meant by an unknown word, "" if it
// resembles none.
func (k Key) Meant(text string, o Offers) string {
	meant, least := "", tooFar
	for _, v := range k.named(o) {
		if d := distance(text, k.namesOf(v)); d < least {
			meant, least = v, d
		}
	}
	return meant
}

// tooFar is the distance of words that do not resemble each other.
const tooFar = 4

// distance returns how many slips a word is away from the closest of the names: up to
// three, and a third of the name's letters. Korean is compared letter by letter, not
// by syllables.
func distance(word string, names []string) int {
	least := tooFar
	if word = letters(word); word == "" {
		return least
	}
	for _, n := range names {
		n = letters(n)
		if limit := min(tooFar-1, len(n)/3); limit > 0 {
			if d := slip.Count([]byte(word), []byte(n), limit+1); d <= limit {
				least = min(least, d)
			}
		}
	}
	return least
}

// letters returns a word with one byte for each letter, also of a Korean syllable: the
// low bits of the letters' code points are all different.
func letters(word string) string {
	var out []byte
	for _, r := range norm.NFD.String(folded(word)) {
		if r >= 0x1100 && r <= 0x11ff {
			r = 0x80 | r&0x7f
		}
		out = append(out, byte(r)) //nolint:gosec // other scripts only have to differ mostly
	}
	return string(out)
}

// KeyAt finds the key that words begin with and returns how many of them name it,
// 0 if they begin with none.
func KeyAt(words []string) (Key, int) {
	for n := min(len(words), longestKey); n > 0; n-- {
		if k, _, ok := KeyNamed(strings.Join(words[:n], " ")); ok {
			return k, n
		}
	}
	return Key{}, 0
}

// longestKey is of how many words a setting's name consists at most.
const longestKey = 5

// scaled matches a number with the word or letter for its thousands or more: 10k, 1.5 million, 20만.
var scaled = pattern.New(`^([0-9]+(?:\.[0-9]+)?)\s*(\pL+)$`)

// inDigits writes a number without commas and words for powers of ten.
func inDigits(text string) string {
	text = strings.ReplaceAll(text, ",", "")
	m := scaled.FindStringSubmatch(norm.NFC.String(text))
	if m == nil {
		return text
	}
	for _, unit := range []int{1e3, 1e4, 1e6, 1e8} {
		if n, err := parseFloat(m[1]); err == nil && isCalled(m[2], catalogueNames("unit."+strconv.Itoa(unit))) {
			n *= float64(unit)
			if whole := math.Round(n); math.Abs(n-whole) < 1e-6 { // 16.1 times 1000 is a little more than 16100
				n = whole
			}
			return strconv.FormatFloat(n, 'f', -1, 64)
		}
	}
	return text
}

// spanned matches a time with its unit in words: 7일, 3 hours.
var spanned = pattern.New(`^([0-9]+)\s*(\pL+)$`)

// inUnits writes a time with one unit as [ParseSpan] reads it.
func inUnits(text string) string {
	m := spanned.FindStringSubmatch(norm.NFC.String(text))
	if m == nil {
		return text
	}
	for _, unit := range []string{"d", "h", "m"} {
		if isCalled(m[2], catalogueNames("unit."+unit)) {
			return m[1] + unit
		}
	}
	return text
}
