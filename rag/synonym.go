package rag

import (
	"slices"
	"strings"
	"sync"

	"maru/rag/lexicon"
)

// synonymWeight is the search weight of a synonym relative to the original word.
const synonymWeight = 0.8

// Synonym is an alternative for a question word: all of its words together.
type Synonym struct {
	Words []Word
	Match float64 // share of the word, from 0 to 1, in a passage that holds them
}

// known reports whether the index holds every word of the synonym, whole or in all its parts. It queries all terms at
// once, because a query may be a round trip.
func (s Synonym) known(known func(term string) bool) bool {
	all := true
	for _, w := range s.Words {
		whole, parts := known(w.Terms[0]), w.Parts()
		inParts := len(parts) > 1
		for _, p := range parts {
			inParts = known(p) && inParts
		}
		all = all && (whole || inParts)
	}
	return all
}

// sense is a group of the lexicon in analysed form.
type sense struct {
	group   lexicon.Group
	key     []string  // stems of the phrase to match in questions
	last    string    // last word of the phrase verbatim, to match as a prefix
	self    []Synonym // the phrase itself, for a word that only begins with it
	meaning []Synonym
}

// Thesaurus is a list of synonyms, such as a team's own. nil is an empty one. It is analysed as far as questions use it: as a
// whole it takes sixty times its text.
type Thesaurus struct {
	groups []lexicon.Group
	across bool                  // synonyms of the other script alone
	by     map[string][]spelling // by their first stem
	senses *sync.Map             // those of stems that were asked for, []sense by stem
}

// spelling is a key of a group's word.
type spelling struct{ group, word, key int32 }

// Read parses a list in the form of [lexicon.Read]. It keeps the previous list if the new one has errors.
func (t *Thesaurus) Read(text string) error {
	groups, err := lexicon.Read(text)
	if err == nil {
		*t = *newThesaurus(groups, false)
	}
	return err
}

// newThesaurus returns groups of synonyms by their first stems; across keeps those of the other script alone: a list of
// translations changes nothing where question and documents are of one language.
func newThesaurus(groups []lexicon.Group, across bool) *Thesaurus {
	t := &Thesaurus{groups: groups, across: across, by: map[string][]spelling{}, senses: new(sync.Map)}
	for n, g := range groups {
		for i := range g.Same {
			for k, key := range g.Keys(i) {
				if p := phrase(key); len(p) > 0 {
					stem := strings.Clone(p[0].Terms[0]) // not with the analysis that it is a part of
					t.by[stem] = append(t.by[stem], spelling{int32(n), int32(i), int32(k)})
				}
			}
		}
	}
	return t
}

// phrase returns the words of a phrase that are searched.
func phrase(text string) []Word {
	var a Analyzer
	return slices.DeleteFunc(a.Query(text), func(w Word) bool { return len(w.Terms) == 0 })
}

// sensesBy returns the senses that start with a stem, longest first.
func (t *Thesaurus) sensesBy(stem string) []sense {
	spellings, ok := t.by[stem]
	if !ok {
		return nil
	}
	if list, ok := t.senses.Load(stem); ok {
		return list.([]sense)
	}
	var list []sense
	for _, at := range spellings {
		list = append(list, t.sense(at))
	}
	slices.SortStableFunc(list, func(x, y sense) int { return len(y.key) - len(x.key) })
	t.senses.Store(strings.Clone(stem), list)
	return list
}

// sense analyses a spelling and what it means.
func (t *Thesaurus) sense(at spelling) sense {
	g := t.groups[at.group]
	own, p := phrase(g.Same[at.word]), phrase(g.Keys(int(at.word))[at.key])
	s := sense{group: g, last: p[len(p)-1].Text}
	for _, other := range g.Others(int(at.word)) {
		if o := phrase(other.Text); len(own) > 0 && len(o) > 0 && (!t.across || isHangulWord(o[0]) != isHangulWord(own[0])) {
			s.meaning = append(s.meaning, Synonym{o, other.Match})
		}
	}
	if !t.across {
		s.self = []Synonym{{p, lexicon.SameMatch}}
	}
	for _, w := range p {
		s.key = append(s.key, w.Terms[0])
	}
	return s
}

// general is the word list of [lexicon].
var general = sync.OnceValue(func() *Thesaurus { return newThesaurus(lexicon.Groups(), false) })

// between is the list of translations.
var between = sync.OnceValue(func() *Thesaurus { return newThesaurus(lexicon.Translations(), true) })

// In returns the groups with a word of the question, which explain to readers of its passages why these were
// found.
func (t *Thesaurus) In(question string) (out [][]string) {
	if t == nil {
		return nil
	}
	var a Analyzer
	words := a.Query(question)
	for i := range words {
		if len(words[i].Terms) == 0 {
			continue
		}
		for _, s := range t.sensesOf(words[i]) {
			if _, ok := s.matchesAt(words, i); ok {
				out = append(out, slices.Concat(s.group.Same, s.group.Wider))
			}
		}
	}
	return out
}

// Synonyms sets Same for words of a question, or phrases, that the readable index lacks, to synonyms that it
// contains; those of the other language are used only if there are none in this one. So questions in the
// documents' vocabulary stay unchanged.
func Synonyms(words []Word, known func(term string) bool) {
	lacks := func(at []int) bool { return missing(words, at, known) }
	general().add(words, known, lacks)
	between().add(words, known, lacks)
}

// Synonyms sets Same to the thesaurus's synonyms, also for words that the index contains, then to general synonyms
// for words that it lacks, and at last what addSpoken finds. related adds general synonyms and translations for all words, for a question without
// other results.
func (t *Thesaurus) Synonyms(words []Word, known func(term string) bool, related bool) {
	all := func([]int) bool { return true }
	if t != nil {
		t.add(words, known, all)
	}
	if related {
		general().add(words, known, all)
		between().add(words, known, all)
	} else {
		general().add(words, known, func(at []int) bool { return missing(words, at, known) })
	}
	addSpoken(words, known)
}

// add sets Same for words without synonyms that wants selects. Words without a known synonym are left to the next
// list.
func (t *Thesaurus) add(words []Word, known func(term string) bool, wants func(at []int) bool) {
	for i := range words {
		if len(words[i].Terms) == 0 || len(words[i].Same) > 0 {
			continue
		}
		for _, s := range t.sensesOf(words[i]) {
			at, ok := s.matchesAt(words, i)
			if !ok || !wants(at) {
				continue
			}
			meaning := s.meaning
			if last := at[len(at)-1]; words[last].Terms[0] != s.key[len(s.key)-1] {
				meaning = slices.Concat(s.self, meaning) // 고장났는데 is 고장 first
			}
			for _, m := range meaning {
				if m.known(known) {
					for _, k := range at {
						words[k].Same = append(words[k].Same, m)
					}
				}
			}
		}
	}
}

// sensesOf returns the senses starting with a word. A Korean word may have an unlisted ending (잃어버렸는데): then the
// longest prefix of two syllables and more decides, unless the noun is [lexicon.Another] thing.
func (t *Thesaurus) sensesOf(w Word) []sense {
	if s := t.sensesBy(w.Terms[0]); len(s) > 0 || !isHangulWord(w) || lexicon.Another(w.Terms[0]) {
		return s
	}
	for n := len(w.Text); n >= 2*syllable; n -= syllable {
		if s := t.sensesBy(w.Text[:n]); len(s) > 0 {
			return s
		}
	}
	return nil
}

// matchesAt reports whether the phrase matches at word i of a question, and the matched words.
func (s sense) matchesAt(words []Word, i int) (at []int, ok bool) {
	for _, key := range s.key {
		for i < len(words) && len(words[i].Terms) == 0 {
			i++ // to, of, a
		}
		if i == len(words) || len(at) > 0 && words[i].Sentence != words[at[0]].Sentence {
			return nil, false
		}
		last := len(at) == len(s.key)-1
		if words[i].Terms[0] != key && !(last && isHangulWord(words[i]) && strings.HasPrefix(words[i].Text, s.last)) {
			return nil, false
		}
		at = append(at, i)
		i++
	}
	return at, true
}

// missing reports whether the readable index lacks one of the words.
func missing(words []Word, at []int, known func(string) bool) bool {
	lacks := false
	for _, i := range at {
		w := words[i]
		lacks = !known(w.Terms[0]) && len(w.Split) == 0 && w.Joined == "" || lacks
	}
	return lacks
}
