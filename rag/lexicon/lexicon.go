// Package lexicon is a hand-written list of everyday synonyms at work, in Korean and in English: a question about the
// 월급날 finds the 급여일. The lists are ko.txt and en.txt, not learned from documents. It must not know analysis,
// documents or questions; [maru/rag] and the built-in model each do their own lookups.
package lexicon

import (
	_ "embed" // the lists
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
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

//go:embed en.txt
var en string

// Groups returns all groups, Korean and English. The caller must not change them.
var Groups = sync.OnceValue(func() []Group {
	groups, err := read(ko + "\n" + en)
	if err != nil {
		panic(err) // embedded lists, checked by a test
	}
	return groups
})

// read parses groups, one a line: "word, word > wider, wider". A line starting with # is a comment.
func read(text string) ([]Group, error) {
	var out []Group
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		same, wider, _ := strings.Cut(line, ">")
		g := Group{Same: words(same), Wider: words(wider)}
		if len(g.Same) == 0 || len(g.Same)+len(g.Wider) < 2 {
			return nil, fmt.Errorf("lexicon: line %d: %q is no group: want \"word, word\" or \"word > wider\"", n+1, line)
		}
		out = append(out, g)
	}
	return out, nil
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
