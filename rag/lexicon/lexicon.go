// Package lexicon is a hand-written list of everyday synonyms at work, in Korean and in English: a question about the
// 월급날 finds the 급여일. The lists are ko.txt, en.txt and both.txt, which joins the languages; they are not learned from
// documents. A team's own list has the same form, see [Read]. It must not know analysis, documents or questions; [maru/rag]
// and the built-in model each do their own lookups.
package lexicon

import (
	_ "embed" // the lists
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Group is a set of words, or of phrases of a few words, in lower case.
type Group struct {
	Same  []string // each may stand for each other
	Wider []string // one-way synonyms of Same
}

// SameMatch and WiderMatch are the match weights of synonyms: a wider word may be about something else.
const (
	SameMatch  = 0.9
	WiderMatch = 0.6
)

// Others returns the synonyms of the group's word i with their weights.
func (g Group) Others(i int) []Other {
	var out []Other
	for k, w := range g.Same {
		if k != i {
			out = append(out, Other{w, SameMatch})
		}
	}
	for _, w := range g.Wider {
		out = append(out, Other{w, WiderMatch})
	}
	return out
}

// Keys returns the spellings of the group's word i in questions: verbatim, and a Korean phrase without its spaces
// too.
func (g Group) Keys(i int) []string {
	w := g.Same[i]
	if joined := strings.ReplaceAll(w, " ", ""); joined != w && !slices.Contains(g.Same, joined) && !strings.ContainsFunc(joined, func(r rune) bool { return !unicode.Is(unicode.Hangul, r) }) {
		return []string{w, joined}
	}
	return []string{w}
}

// Other is a weighted synonym.
type Other struct {
	Text  string
	Match float64
}

//go:embed ko.txt
var ko string

//go:embed both.txt
var both string

//go:embed en.txt
var en string

// Groups returns all groups, Korean and English. The caller must not change them.
var Groups = sync.OnceValue(func() []Group {
	groups, err := Read(ko + "\n" + en)
	if err != nil {
		panic(err) // embedded lists, checked by a test
	}
	return groups
})

// Translations returns the groups that join the two languages. The caller must not change them.
var Translations = sync.OnceValue(func() []Group {
	groups, err := Read(both)
	if err != nil {
		panic(err) // an embedded list, checked by a test
	}
	return groups
})

//go:embed another.txt
var another string

// Another reports whether a noun only begins like a word of the lists and names another thing: 등록금 is no 등록.
func Another(noun string) bool { return anothers()[noun] }

var anothers = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(another) {
		if !strings.HasPrefix(line, "#") {
			for _, w := range words(line) {
				out[w] = true
			}
		}
	}
	return out
})

// Bounds of a list.
const (
	MaxGroups = 5000 // lines
	maxWords  = 50   // of a line
	maxLetter = 80   // of a word
	maxFaults = 10   // that an error names
)

// Read parses groups, one a line: "word, word > wider, wider". A line starting with # is a comment. The error names every
// faulty line, ten at most.
func Read(text string) (out []Group, err error) {
	var faults []error
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		g, err := group(line)
		if err == nil && len(out) == MaxGroups {
			err = fmt.Errorf("more than %d groups", MaxGroups)
		}
		if err != nil {
			if faults = append(faults, fmt.Errorf("line %d: %w", n+1, err)); len(faults) == maxFaults {
				break
			}
			continue
		}
		out = append(out, g)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return out, nil
}

// group parses one line.
func group(line string) (Group, error) {
	same, wider, _ := strings.Cut(line, ">")
	g := Group{Same: words(same), Wider: words(wider)}
	all := slices.Concat(g.Same, g.Wider)
	switch {
	case strings.Contains(wider, ">"):
		return g, fmt.Errorf("%q has a second \">\"", line)
	case len(g.Same) == 0 || len(all) < 2:
		return g, fmt.Errorf("%q is no group: want \"word, word\" or \"word > wider\"", line)
	case len(all) > maxWords:
		return g, fmt.Errorf("%d words, and a group can have %d", len(all), maxWords)
	}
	for i, w := range all {
		switch {
		case !utf8.ValidString(w):
			return g, errors.New("is no text in UTF-8")
		case utf8.RuneCountInString(w) > maxLetter:
			return g, fmt.Errorf("%.30q… is longer than %d letters", w, maxLetter)
		case !strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
			return g, fmt.Errorf("%q has no letter", w)
		case slices.Contains(all[:i], w):
			return g, fmt.Errorf("%q stands twice", w)
		}
	}
	return g, nil
}

func words(list string) []string {
	var out []string
	for w := range strings.SplitSeq(list, ",") {
		if w = strings.ToLower(strings.TrimSpace(w)); w != "" {
			out = append(out, w)
		}
	}
	return out
}
