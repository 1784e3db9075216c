package guide

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// called returns the names of a service, its main name first.
func (s Service) called() []string { return append([]string{s.Name}, s.Also...) }

// Named returns the service with a name, ignoring spaces and case.
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

// Mentioned returns the services named in a text. Names that are common words must be written as
// names.
func (c *Catalog) Mentioned(text string) []Service {
	var out []Service
	for _, s := range c.services {
		if slices.ContainsFunc(s.called(), func(name string) bool { return names(text, name, s.Word && name == s.Name) }) {
			out = append(out, s)
		}
	}
	return out
}

// names reports whether a text contains a name as a word of its own; a Korean particle may follow.
// With word set it must be capitalised and not start a sentence.
func names(text, name string, word bool) bool {
	low, want := strings.ToLower(text), strings.ToLower(name)
	if len(low) != len(text) { // lower case changes the length of some letters, and so the positions
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

// continues reports whether the letter after a name makes it a longer word. A Korean particle does
// not.
func continues(name string, after rune) bool {
	last, _ := utf8.DecodeLastRuneInString(name)
	return inWord(after) && !unicode.Is(unicode.Hangul, after) && !unicode.Is(unicode.Hangul, last)
}

// asName reports whether a common word is used as a name: in its own spelling, within a sentence
// or in Korean text.
func asName(text, name string, at int) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
		return true
	}
	before := strings.TrimRightFunc(text[:at], unicode.IsSpace)
	return strings.HasPrefix(text[at:], name) && before != "" && !strings.ContainsAny(before[len(before)-1:], ".!?:")
}

// plain removes spaces and punctuation from a name.
func plain(s string) string {
	return strings.NewReplacer(" ", "", "-", "", ".", "", "_", "").Replace(strings.ToLower(strings.TrimSpace(s)))
}

// namedIn returns the service named in a sub-task's title. Of several, the last is the one to use:
// "Jira에서 Linear로 옮기기" is done in Linear.
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

// productName matches a word spelled like a product: Salesforce, GitHub.
var productName = pattern.New(`\b[A-Z][a-z]+[A-Za-z]*\b`)

// namesOther reports whether a title names a product that may be missing in the catalogue: a
// capitalised word in Korean text or among lower-case English words.
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
