package guide

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// called are the names of a service, its own first.
func (s Service) called() []string { return append([]string{s.Name}, s.Also...) }

// Named returns the service of a name, however it is spaced and capitalised.
func (c *Catalog) Named(name string) (Service, bool) {
	want := plain(name)
	for _, s := range c.services {
		is := func(n string) bool { return plain(n) == want }
		if want != "" && (s.ID == want || slices.ContainsFunc(s.called(), is)) {
			return s, true
		}
	}
	return Service{}, false
}

// Mentioned returns the services that a text names. A name that is a common word
// too counts where it is written as a name.
func (c *Catalog) Mentioned(text string) []Service {
	var out []Service
	for _, s := range c.services {
		if slices.ContainsFunc(s.called(), func(name string) bool { return names(text, name, s.Word && name == s.Name) }) {
			out = append(out, s)
		}
	}
	return out
}

// names reports whether a name stands in a text as a word of its own. In Korean a
// particle may follow it. word asks that it is capitalised, and does not begin a
// sentence, where every word is.
func names(text, name string, word bool) bool {
	low, want := strings.ToLower(text), strings.ToLower(name)
	if len(low) != len(text) { // a rare letter is longer in lower case: places differ
		return strings.Contains(low, want)
	}
	for from := 0; ; {
		i := strings.Index(low[from:], want)
		if i < 0 || want == "" {
			return false
		}
		at, end := from+i, from+i+len(want)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !inWord(before) && !continues(name, after) && (!word || asName(text, name, at)) {
			return true
		}
		from = end
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// continues reports whether a letter behind a name makes it another word. Behind
// it a particle stands in Korean.
func continues(name string, after rune) bool {
	last, _ := utf8.DecodeLastRuneInString(name)
	return inWord(after) && !unicode.Is(unicode.Hangul, after) && !unicode.Is(unicode.Hangul, last)
}

// asName reports whether a common word at a place of a text is written as a name:
// as it is, within a sentence, or among Korean.
func asName(text, name string, at int) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
		return true
	}
	before := strings.TrimRightFunc(text[:at], unicode.IsSpace)
	return strings.HasPrefix(text[at:], name) && before != "" && !strings.ContainsAny(before[len(before)-1:], ".!?:")
}

// plain takes spaces and marks out of a name.
func plain(s string) string {
	return strings.NewReplacer(" ", "", "-", "", ".", "", "_", "").Replace(strings.ToLower(strings.TrimSpace(s)))
}

// namedIn returns the service that a sub-task names, of several the last: "Jira에서 Linear로 옮기기"
// is done in Linear.
func (c *Catalog) namedIn(title string) (Service, bool) {
	var out Service
	last := -1
	for _, s := range c.Mentioned(title) {
		for _, name := range s.called() {
			if at := strings.LastIndex(strings.ToLower(title), strings.ToLower(name)); at > last {
				out, last = s, at
			}
		}
	}
	return out, last >= 0
}

// productName is a word that is written as a name: Salesforce, GitHub.
var productName = regexp.MustCompile(`\b[A-Z][a-z]+[A-Za-z]*\b`)

// namesOther reports whether a title names a product, of which the knowledge may not know: a word with
// a capital among Korean, or within an English title that has small words too.
func namesOther(title string) bool {
	korean := strings.ContainsFunc(title, func(r rune) bool { return unicode.Is(unicode.Hangul, r) })
	small := false
	for i, w := range strings.Fields(title) {
		small = small || i > 0 && unicode.IsLower([]rune(w)[0])
	}
	for _, at := range productName.FindAllStringIndex(title, -1) {
		if korean || small && at[0] > 0 {
			return true
		}
	}
	return false
}
