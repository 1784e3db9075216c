package guide

import (
	_ "embed" // the catalogue
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"maru/agent/llm"
	"maru/phrase"
	"maru/phrase/pattern"
	"maru/rag"
)

//go:embed knowledge/services.json
var knowledge []byte

// Service is a catalogue entry: a service that does one kind of work well.
type Service struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Also     []string `json:"also,omitempty"` // other spellings: 노션
	Word     bool     `json:"word,omitempty"` // the name is also a common word: Make
	Category string   `json:"category"`
	URL      string   `json:"url"`
	Tags     []string `json:"tags"`
	What     words    `json:"about"`
	Free     bool     `json:"free,omitempty"`  // has a usable free plan; ranks first for people who ask for one
	Price    *Price   `json:"price,omitempty"` // nil: see the vendor's page
}

// Price is the price of a service in words, with the address of the page that states it and the
// day it was read. A price without both cannot be checked and is rejected.
type Price struct {
	Words  words  `json:"words"`
	AsOf   string `json:"as_of"` // "2026-11-26"
	Source string `json:"source"`
}

// words holds a text by language. A text may lack some of Maru's languages.
type words map[string]string

// in returns the text in a language, or in [phrase.Fallback].
func (w words) in(language string) string {
	if text := w[language]; text != "" {
		return text
	}
	return w[phrase.Fallback]
}

// About describes the service in a language.
func (s Service) About(language string) string {
	return s.What.in(language)
}

// Cost returns the price with its date and source in a language, or "" if it is unknown.
func (s Service) Cost(language string) string {
	if s.Price == nil {
		return ""
	}
	return phrase.Say(language, "guide.as_of", s.Price.Words.in(language), s.Price.AsOf, s.Price.Source)
}

// Match is a search result.
type Match struct {
	Service Service
	Score   float64 // share of the question it covers, 0 to 1
	Meant   bool    // the question names its purpose, not just a word of its description
}

// Catalog searches services by purpose. It is immutable.
type Catalog struct {
	services []Service
	index    func() index // made at the first search
}

// index holds the terms of services.
type index struct {
	terms []map[string]bool
	names []map[string]bool // terms of name and tags, by service
	holds map[string]int    // number of services by term
}

func indexed(services []Service) index {
	x := index{holds: map[string]int{}}
	for _, s := range services {
		tags := terms(s.Name + " " + strings.Join(s.Tags, " ") + " " + s.Category)
		all := terms(strings.Join(slices.Collect(maps.Values(s.What)), " "))
		maps.Copy(all, tags)
		for t := range all {
			x.holds[t]++
		}
		x.terms, x.names = append(x.terms, all), append(x.names, tags)
	}
	return x
}

// NewCatalog parses the bundled services and a team's own as JSON (nil: none). An own service
// replaces a bundled one with the same id.
func NewCatalog(own []byte) (*Catalog, error) {
	c := &Catalog{}
	if err := llm.StrictJSON(knowledge, &c.services); err != nil {
		return nil, fmt.Errorf("guide: knowledge: %w", err)
	}
	if own != nil {
		var added []Service
		if err := llm.StrictJSON(own, &added); err != nil {
			return nil, fmt.Errorf("guide: own services (MARU_GUIDE_SERVICES): %w; docs/adding-a-service.md has the form", err)
		}
		for _, s := range added {
			c.services = slices.DeleteFunc(c.services, func(o Service) bool { return o.ID == s.ID })
		}
		c.services = append(c.services, added...)
	}
	for _, s := range c.services {
		if s.ID == "" || s.Name == "" || s.What[phrase.Fallback] == "" {
			return nil, fmt.Errorf("guide: knowledge: service %q needs id, name and what it is about in %s", s.ID, phrase.Fallback)
		}
		if p := s.Price; p != nil && (!day.MatchString(p.AsOf) || !strings.HasPrefix(p.Source, "https://") || p.Words[phrase.Fallback] == "") {
			return nil, fmt.Errorf("guide: knowledge: the price of %q needs words in %s, as_of (2026-11-26) and source (https://…)", s.ID, phrase.Fallback)
		}
		if !strings.HasPrefix(s.URL, "https://") {
			return nil, fmt.Errorf("guide: knowledge: service %q needs an address that begins with https://", s.ID)
		}
	}
	c.index = sync.OnceValue(func() index { return indexed(c.services) })
	return c, nil
}

var day = pattern.New(`^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$`)

func terms(text string) map[string]bool {
	var an rag.Analyzer
	out := map[string]bool{}
	an.Document(text, func(term []byte) { out[string(term)] = true })
	return out
}

// Search returns at most limit services with a score of at least threshold, best first.
func (c *Catalog) Search(question string, limit int, threshold float64) []Match {
	var an rag.Analyzer
	words, x := an.Query(question), c.index()
	type ranked struct {
		Match

		rank float64
	}
	var all []ranked
	for i, s := range c.services {
		var evidence []rag.Evidence
		rank, meant := 0.0, false
		for _, w := range words {
			if w.Weight == 0 {
				continue
			}
			weight := w.Weight * rag.IDF(len(c.services), max(1, x.holds[w.Terms[0]]))
			match := w.HeldBy(x.terms[i])
			evidence = append(evidence, rag.Evidence{Weight: weight, Match: match, Sentence: w.Sentence})
			purpose := w.HeldBy(x.names[i])
			rank += weight * (match + purpose) // purpose counts twice
			meant = meant || purpose > 0
		}
		if score := rag.Confidence(evidence); score >= threshold && rank > 0 {
			all = append(all, ranked{Match{s, score, meant}, rank})
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		switch {
		case a.rank > b.rank:
			return -1
		case a.rank < b.rank:
			return 1
		}
		return 0
	})
	var out []Match
	for _, r := range all[:min(len(all), limit)] {
		if r.rank < all[0].rank*closeBehind {
			break // shares a word by coincidence
		}
		out = append(out, r.Match)
	}
	return out
}

// closeBehind is the minimum score of another service relative to the best.
const closeBehind = 0.5
