package rehearsal

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/pattern"
	"maru/rag"
)

// Kind is a way in which two answers differ.
type Kind string

// The kinds of differences, the gravest first.
const (
	Broken    Kind = "failed"    // it has no answer now
	Declines  Kind = "declines"  // an answer became a refusal
	Answers   Kind = "answers"   // a refusal became an answer
	Numbers   Kind = "numbers"   // the numbers differ
	Uncited   Kind = "uncited"   // it lost a source
	Names     Kind = "names"     // the names differ
	Cites     Kind = "cites"     // it has a source more
	Routed    Kind = "routed"    // it took another route
	Worded    Kind = "worded"    // only the words differ
	Unchanged Kind = "unchanged" // no difference
	Open      Kind = "open"      // it cannot be compared: the replay stopped
)

// weights order answers by the gravity of their differences: weights of all kinds of a difference are added, plus
// a share of changed words.
var weights = map[Kind]float64{Broken: 100, Declines: 32, Answers: 24, Numbers: 16, Uncited: 12, Names: 6, Cites: 2, Routed: 1}

// reworded is the share of different words up to which answers count as equal.
const reworded = 0.02

// Difference describes how two answers differ.
type Difference struct {
	Score float64  // for sorting, 0 for none
	Kinds []Kind   // the gravest first
	Gone  []string // numbers, names and sources of the answer before alone
	New   []string // of the answer after alone
	Words float64  // share of words that only one of them has, 0 to 1
}

// Kind returns the gravest of the difference's kinds.
func (d Difference) Kind() Kind {
	if len(d.Kinds) == 0 {
		return Unchanged
	}
	return d.Kinds[0]
}

// Changed reports whether the answers differ in more than words.
func (d Difference) Changed() bool {
	return !slices.Contains([]Kind{Unchanged, Worded, Open}, d.Kind())
}

// Compare returns how an answer differs from the one before.
func Compare(before, after Answer) Difference {
	if after.End == Unrecorded || after.End == Asks || before.End != Answered {
		return Difference{Kinds: []Kind{Open}}
	}
	var d Difference
	add := func(k Kind, share float64) {
		d.Kinds = append(d.Kinds, k)
		d.Score += weights[k] + share
	}
	if after.End == Failed {
		add(Broken, 1)
		return d
	}
	switch was, is := rag.Declines(before.Text), rag.Declines(after.Text); {
	case is && !was:
		add(Declines, 0)
	case was && !is:
		add(Answers, 0)
	}
	set := func(a Answer, of func(string) []string) []string { return of(uncited(a.Text)) }
	gone, fresh, share := apart(set(before, numbers), set(after, numbers))
	if share > 0 {
		add(Numbers, 4*share)
	}
	d.Gone, d.New = append(d.Gone, gone...), append(d.New, fresh...)
	gone, fresh, share = apart(cited(before.Sources), cited(after.Sources))
	switch {
	case len(gone) > 0:
		add(Uncited, 4*share)
	case len(fresh) > 0:
		add(Cites, share)
	}
	d.Gone, d.New = append(d.Gone, gone...), append(d.New, fresh...)
	if len(d.Kinds) == 0 || d.Kinds[0] != Declines && d.Kinds[0] != Answers { // a refusal has other words anyway
		gone, fresh, share = apart(set(before, names), set(after, names))
		if share > 0 {
			add(Names, 2*share)
		}
		d.Gone, d.New = append(d.Gone, gone...), append(d.New, fresh...)
	}
	// A run that another process continued behind its router has no record of its route; that is not a difference.
	if before.Agent != after.Agent || before.Route != "" && before.Route != after.Route {
		add(Routed, 0)
	}
	_, _, d.Words = apart(set(before, words), set(after, words))
	d.Score += d.Words
	if len(d.Kinds) == 0 && d.Words > reworded {
		d.Kinds = []Kind{Worded}
	}
	slices.SortStableFunc(d.Kinds, func(a, b Kind) int { return cmp.Compare(weights[b], weights[a]) })
	return d
}

// apart returns the elements in only one of two sets, and their share of all.
func apart(before, after []string) (gone, fresh []string, share float64) {
	slices.Sort(before)
	slices.Sort(after)
	before, after = slices.Compact(before), slices.Compact(after)
	for _, s := range before {
		if !slices.Contains(after, s) {
			gone = append(gone, s)
		}
	}
	for _, s := range after {
		if !slices.Contains(before, s) {
			fresh = append(fresh, s)
		}
	}
	n := len(gone) + len(fresh)
	if n == 0 {
		return nil, nil, 0
	}
	return gone, fresh, float64(n) / float64(len(after)+len(gone))
}

var (
	marker = pattern.New(`\[\d{1,3}\]`)
	listed = pattern.New(`(?m)^\s*\d{1,3}[.)]\s`)
	number = pattern.New(`\d+(?:[.,:]\d+)*`)
	group  = pattern.New(`,(\d{3})`)
	latin  = pattern.New(`@?\p{Lu}[\p{L}\d]*(?:[-'.&]\p{L}+)*(?: \p{Lu}[\p{L}\d]*)*`)
	mail   = pattern.New(`[\w.+-]+@[\w-]+\.[\w.]+\w`)
)

// titled matches names followed by a title of the catalogues, as in Korean.
var titled = sync.OnceValue(func() *pattern.Pattern {
	var titles []string
	for _, list := range phrase.All("rehearse.titles") {
		for _, t := range strings.Fields(list) {
			titles = append(titles, regexp.QuoteMeta(t))
		}
	}
	slices.Sort(titles)
	return pattern.New(`(\p{L}{2,5})\s?(?:` + strings.Join(titles, "|") + `)`)
})

// uncited returns a text without citation marks and list numbers.
func uncited(text string) string {
	return listed.ReplaceAllString(marker.ReplaceAllString(text, ""), " ")
}

// numbers returns the numbers of a text in canonical form: "1,500" is "1500".
func numbers(text string) []string {
	var out []string
	for _, n := range number.FindAllString(text, -1) {
		for group.MatchString(n) {
			n = group.ReplaceAllString(n, "$1")
		}
		out = append(out, n)
	}
	return out
}

// names returns the names in a text: capitalised words within sentences, Korean names with a title, and e-mail
// addresses.
func names(text string) []string {
	out := mail.FindAllString(text, -1)
	for _, m := range titled().FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	for _, at := range latin.FindAllStringIndex(text, -1) {
		before := strings.TrimRight(text[:at[0]], " \t*_\"'“‘(>#-•")
		begins := before == "" || strings.ContainsRune(".!?:\n", rune(before[len(before)-1]))
		name := text[at[0]:at[1]]
		if begins { // its first word may be any
			_, name, _ = strings.Cut(name, " ")
		}
		if len([]rune(name)) > 1 {
			out = append(out, name)
		}
	}
	return out
}

// words returns the index terms of a text.
func words(text string) []string {
	var a rag.Analyzer
	var out []string
	a.Document(text, func(term []byte) { out = append(out, string(term)) })
	return out
}

// cited returns names of an answer's sources that survive re-indexing.
func cited(sources []bot.Source) []string {
	var out []string
	for _, s := range sources {
		out = append(out, sourceName(s))
	}
	return out
}

// sourceName returns a source's title and heading.
func sourceName(s bot.Source) string {
	return strings.TrimFunc(s.Title+" › "+s.Heading, func(r rune) bool { return unicode.IsSpace(r) || r == '›' })
}
