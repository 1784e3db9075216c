// Package edition tells editions of one document apart: 취업규칙 2023 and 취업규칙 2024, "Policy v2", 여비규정(2024. 3. 1.
// 개정), and the same document in two formats. It reads names and compares texts; it must not know indexes. Package
// library decides with it which passages answer.
package edition

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"maru/phrase/pattern"
)

// Mark is what a name says of an edition. Its zero value says nothing.
type Mark struct {
	Date    int    // yyyymmdd; an unknown month or day is 00; 0 for none
	Version []int  // 2.1 is [2 1]; nil for none
	Text    string // as written: "2024", "v2"
}

// IsZero reports whether the mark says nothing.
func (m Mark) IsZero() bool { return m.Date == 0 && len(m.Version) == 0 }

// String returns the mark for people: "2024-03", or the version as written.
func (m Mark) String() string {
	if m.Date == 0 || len(m.Version) > 0 {
		return m.Text
	}
	s := strconv.Itoa(m.Date)
	switch {
	case m.Date%10000 == 0:
		return s[:4]
	case m.Date%100 == 0:
		return s[:4] + "-" + s[4:6]
	}
	return s[:4] + "-" + s[4:6] + "-" + s[6:]
}

// Compare orders editions of one document: a version first, then the date. ok is false where one of them says nothing
// that the other says. A document without a version is older than one with a second version: Policy, Policy v2.
func (m Mark) Compare(o Mark) (order int, ok bool) {
	switch {
	case m.IsZero() && o.IsZero():
		return 0, true
	case len(m.Version) > 0 && len(o.Version) > 0:
		return cmp.Or(slices.Compare(m.Version, o.Version), cmp.Compare(m.Date, o.Date)), true
	case m.Date > 0 && o.Date > 0:
		return cmp.Compare(m.Date, o.Date), true
	case m.IsZero() || o.IsZero():
		return slices.Compare(m.first(), o.first()), len(m.Version)+len(o.Version) > 0
	}
	return 0, false
}

// first returns the version of a document whose name says none.
func (m Mark) first() []int {
	if len(m.Version) == 0 {
		return []int{1}
	}
	return m.Version
}

// Is reports whether a mark in a question means this edition: the same version, or a date that is as exact or less.
func (m Mark) Is(asked Mark) bool {
	if len(asked.Version) > 0 {
		return slices.Equal(asked.Version, m.Version)
	}
	switch {
	case asked.Date == 0 || m.Date == 0:
		return false
	case asked.Date%10000 == 0:
		return asked.Date/10000 == m.Date/10000
	case asked.Date%100 == 0:
		return asked.Date/100 == m.Date/100
	}
	return asked.Date == m.Date
}

// place is a mark in a text.
type place struct {
	Mark

	from, to int
}

var (
	day       = `(?:0?[1-9]|[12]\d|3[01])`
	month     = `(?:1[0-2]|0?[1-9])`
	names     = `(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`
	dated     = pattern.New(`((?:19|20)\d\d)(?:\s?[.\-_/년]\s?(` + month + `)(?:\s?[.\-_/월]\s?(` + day + `)\s?일?|\s?월)?|년도|년|학년도)?`)
	compact   = pattern.New(`((?:19|20)\d\d|[1-3]\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])`)
	inEnglish = pattern.New(`(?:(` + day + `)\s)?(` + names + `)\s?(?:(` + day + `)(?:st|nd|rd|th)?,?\s)?((?:19|20)\d\d)`)
	versioned = pattern.New(`(?:version|ver|rev|revision|release|edition|버전|v|r)[.\s_]{0,2}(\d{1,3}(?:\.\d{1,3}){0,3})|제?\s?(\d{1,3})\s?(?:판|차\s?개정)|(\d{1,2})(?:st|nd|rd|th)\s(?:edition|revision|version)|rev(?:ision)?[.\s]{1,2}([a-z])`)
)

// marks finds the marks of a folded text, in order.
func marks(text string) (out []place) {
	if !strings.ContainsAny(text, "0123456789") && !strings.Contains(text, "rev") {
		return nil // most names
	}
	add := func(p place) {
		if p.Date != 0 || len(p.Version) > 0 {
			if !slices.ContainsFunc(out, func(o place) bool { return p.from < o.to && o.from < p.to }) {
				p.Text = strings.TrimSpace(text[p.from:p.to])
				out = append(out, p)
			}
		}
	}
	group := func(m []int, i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return text[m[2*i]:m[2*i+1]]
	}
	each := func(re *pattern.Pattern, f func(m []int) place) {
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			if whole(text, m[0], m[1]) {
				p := f(m)
				p.from, p.to = m[0], m[1]
				add(p)
			}
		}
	}
	each(versioned, func(m []int) place {
		if letter := group(m, 4); letter != "" {
			return place{Mark: Mark{Version: []int{int(letter[0]-'a') + 1}}}
		}
		var v []int
		for n := range strings.SplitSeq(group(m, 1)+group(m, 2)+group(m, 3), ".") {
			i, _ := strconv.Atoi(n) // digits, by the expression
			v = append(v, i)
		}
		return place{Mark: Mark{Version: v}}
	})
	each(compact, func(m []int) place {
		year := group(m, 1)
		if len(year) == 2 {
			year = "20" + year
		}
		return place{Mark: Mark{Date: date(year, group(m, 2), group(m, 3))}}
	})
	each(inEnglish, func(m []int) place {
		at := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", group(m, 2)[:3])
		return place{Mark: Mark{Date: date(group(m, 4), strconv.Itoa(at/3+1), cmp.Or(group(m, 1), group(m, 3)))}}
	})
	each(dated, func(m []int) place { return place{Mark: Mark{Date: date(group(m, 1), group(m, 2), group(m, 3))}} })
	slices.SortFunc(out, func(a, b place) int { return cmp.Compare(a.from, b.from) })
	return out
}

// whole reports whether a match cuts no number and no Latin word.
func whole(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	first, _ := utf8.DecodeRuneInString(text[from:])
	last, _ := utf8.DecodeLastRuneInString(text[:to])
	latin := func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }
	cuts := func(a, b rune) bool { return unicode.IsDigit(a) && unicode.IsDigit(b) || latin(a) && latin(b) }
	return !cuts(before, first) && !cuts(last, after)
}

func date(year, month, day string) int {
	y, _ := strconv.Atoi(year) // digits or nothing, by the expressions
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	return y*10000 + m*100 + d
}

// fold normalises a name.
func fold(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// beside stands with a mark and belongs to it: 2024년 개정판, edition of 2024, effective 2024-03-01.
var beside = []string{"전부개정", "일부개정", "개정판", "개정본", "개정", "제정", "시행", "기준", "년판", "판", "본", "자", "edition", "effective", "revised", "updated", "version", "dated", "as of", "from", "of", "for", "the", "since"}

// Of splits a name into what all editions of the document have, letters and digits alone, and the mark. The family is ""
// where the name says nothing but the mark: minutes that are called by their day.
func Of(name string) (family string, m Mark) {
	text := fold(name)
	found := marks(text)
	if len(found) == 0 {
		return plain(text), Mark{}
	}
	m = merge(found)
	var b strings.Builder
	at := 0
	for _, p := range found {
		b.WriteString(text[at:p.from])
		b.WriteByte('\n')
		at = p.to
	}
	b.WriteString(text[at:])
	parts := strings.Split(b.String(), "\n")
	for i := range parts {
		if i > 0 {
			parts[i] = trim(parts[i], strings.CutPrefix, strings.TrimLeftFunc)
		}
		if i < len(parts)-1 {
			parts[i] = trim(parts[i], strings.CutSuffix, strings.TrimRightFunc)
		}
	}
	return plain(strings.Join(parts, " ")), m
}

// trim removes the words of [beside] from the end of a part at which a mark stood.
func trim(part string, cut func(s, word string) (string, bool), space func(string, func(rune) bool) string) string {
	for again := true; again; {
		again = false
		part = space(part, func(r rune) bool { return !inName(r) })
		for _, w := range beside {
			rest, ok := cut(part, w)
			if r, _ := utf8.DecodeRuneInString(w); ok && (r >= utf8.RuneSelf || boundary(part, w)) {
				part, again = rest, true
				break
			}
		}
	}
	return part
}

// boundary reports whether a Latin word at either end of a part is a whole word.
func boundary(part, word string) bool {
	if part == word {
		return true
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(part, word))
	before, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(part, word))
	return strings.HasPrefix(part, word) && !inName(next) || strings.HasSuffix(part, word) && !inName(before)
}

// merge joins the marks of one name: its version and the latest of its dates.
func merge(found []place) (m Mark) {
	for _, p := range found {
		if len(m.Version) == 0 && len(p.Version) > 0 {
			m.Version = p.Version
			m.Text = p.Text
		}
		if p.Date > m.Date {
			m.Date = p.Date
			if len(m.Version) == 0 {
				m.Text = p.Text
			}
		}
	}
	return m
}

func inName(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// plain keeps letters and digits.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if inName(r) {
			return r
		}
		return -1
	}, s)
}

// maxOpening bounds the bytes of a document's beginning that may date it.
const maxOpening = 400

// inForce is what is beside the date from which a document holds.
var inForce = pattern.New(`시행|개정|제정|기준일|발효|버전|effective|revised|revision|version|updated|in force|edition|as of|rev\b`)

// In returns the mark in the first lines of a document: "시행 2024. 1. 1.", "Version 2.1", "Last updated: March 2024".
func In(opening string) Mark {
	opening = opening[:min(len(opening), maxOpening)]
	var found []place
	for line := range strings.Lines(fold(strings.ToValidUTF8(opening, ""))) {
		if inForce.MatchString(line) && utf8.RuneCountInString(line) <= maxLine {
			found = append(found, marks(line)...)
		}
	}
	return merge(found)
}

// maxLine is the length of a line that dates a document; a longer one is a sentence about something.
const maxLine = 80

// Asked returns the editions that a question names: marks beside a word of the documents' name (취업규칙 2023), or such as
// only editions have (v1, 2023년 개정). bare are other dates, which may be those of what it asks about.
func Asked(question string, name func(word string) bool) (named, bare []Mark) {
	text := fold(question)
	for _, p := range marks(text) {
		if len(p.Version) > 0 || near(text, p, name) {
			named = append(named, p.Mark)
		} else {
			bare = append(bare, p.Mark)
		}
	}
	return named, bare
}

// Any reports whether a question holds a mark.
func Any(question string) bool { return len(marks(fold(question))) > 0 }

// Says reports whether a question says a family's name, whatever spaces it has.
func Says(question, family string) bool {
	return utf8.RuneCountInString(family) > 1 && strings.Contains(plain(fold(question)), family)
}

// near reports whether the word before or after a mark, or one more after it, is of a name or of an edition.
func near(text string, p place, name func(string) bool) bool {
	words := func(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return !inName(r) }) }
	before, after := words(text[:p.from]), words(text[p.to:])
	around := after[:min(len(after), 2)]
	if n := len(before); n > 0 {
		around = append(slices.Clone(around), before[n-1])
	}
	return slices.ContainsFunc(around, func(w string) bool {
		return name(w) || slices.ContainsFunc(beside[:11], func(b string) bool { return strings.HasPrefix(w, b) && len(b) > len("판") }) || w == "edition" || w == "version"
	})
}

// Names reports whether a word of a question, with whatever particle, is one of a document's title.
func Names(title, word string) bool {
	const shortest = 2
	return slices.ContainsFunc(strings.FieldsFunc(fold(title), func(r rune) bool { return !inName(r) }), func(w string) bool {
		return utf8.RuneCountInString(w) >= shortest && !unicode.IsDigit(rune(w[0])) && strings.HasPrefix(word, w)
	})
}
