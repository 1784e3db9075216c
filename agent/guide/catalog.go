package guide

import (
	_ "embed" // the knowledge
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase"
	"maru/rag"
)

//go:embed knowledge/services.json
var knowledge []byte

// Service is an entry of the knowledge: a service that does one kind of work
// well.
type Service struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Also     []string `json:"also,omitempty"` // how people write it otherwise: 노션
	Word     bool     `json:"word,omitempty"` // the name is a common word too: Make
	Category string   `json:"category"`
	URL      string   `json:"url"`
	Tags     []string `json:"tags"`
	What     words    `json:"about"`
	Free     bool     `json:"free,omitempty"`  // it can be worked with for nothing, within bounds: who wants that gets it first
	Price    *Price   `json:"price,omitempty"` // nil: the vendor's page says
}

// Price is what a service costs, in words, with the page that says so and the day on which it was read. There is no
// price without both: prices change, and nobody can check one that comes from nowhere.
type Price struct {
	Words  words  `json:"words"`
	AsOf   string `json:"as_of"` // "2026-11-26"
	Source string `json:"source"`
}

// words are what the knowledge says, by language. It is data, and need not be in
// every language that Maru speaks.
type words map[string]string

// in is what the knowledge says in a language, else in [phrase.Fallback].
func (w words) in(language string) string {
	if text := w[language]; text != "" {
		return text
	}
	return w[phrase.Fallback]
}

// About says in a language what the service does.
func (s Service) About(language string) string {
	return s.What.in(language)
}

// Cost says in a language what the service costs, when that held and where it stands; "" if it is not known.
func (s Service) Cost(language string) string {
	if s.Price == nil {
		return ""
	}
	return phrase.Say(language, "guide.as_of", s.Price.Words.in(language), s.Price.AsOf, s.Price.Source)
}

// Match is a service that was found.
type Match struct {
	Service Service
	Score   float64 // 0 to 1: how much of the question it covers
	Meant   bool    // it is for something that the question says, and does not merely share a word with its description
}

// Catalog finds services by what they are for. It is immutable.
type Catalog struct {
	services []Service
	terms    []map[string]bool
	names    []map[string]bool // terms of name and tags: what it is for
	holds    map[string]int    // term to the number of services that have it
}

// NewCatalog reads the bundled knowledge and a team's own services as JSON, nil for none. One of its own with the id of
// a bundled one stands in its place.
func NewCatalog(own []byte) (*Catalog, error) {
	c := &Catalog{holds: map[string]int{}}
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
		tags := terms(s.Name + " " + strings.Join(s.Tags, " ") + " " + s.Category)
		all := terms(strings.Join(slices.Collect(maps.Values(s.What)), " "))
		for t := range tags {
			all[t] = true
		}
		for t := range all {
			c.holds[t]++
		}
		c.terms, c.names = append(c.terms, all), append(c.names, tags)
	}
	return c, nil
}

var day = regexp.MustCompile(`^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$`)

func terms(text string) map[string]bool {
	var an rag.Analyzer
	out := map[string]bool{}
	an.Document(text, func(term []byte) { out[string(term)] = true })
	return out
}

// Search returns at most limit services for a question, the best first, whose
// score is at least threshold.
func (c *Catalog) Search(question string, limit int, threshold float64) []Match {
	var an rag.Analyzer
	words := an.Query(question)
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
			weight := w.Weight * rag.IDF(len(c.services), max(1, c.holds[w.Terms[0]]))
			match := w.HeldBy(c.terms[i])
			evidence = append(evidence, rag.Evidence{Weight: weight, Match: match, Sentence: w.Sentence})
			purpose := w.HeldBy(c.names[i])
			rank += weight * (match + purpose) // what it is for counts twice
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
			break // it shares a word by chance
		}
		out = append(out, r.Match)
	}
	return out
}

// closeBehind is how much of the best one's rank another service needs.
const closeBehind = 0.5
