package guide

import (
	_ "embed" // the knowledge
	"fmt"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/rag"
)

//go:embed knowledge/services.json
var knowledge []byte

// Service is an entry of the knowledge: a service that does one kind of work
// well.
type Service struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Category string   `json:"category"`
	URL      string   `json:"url"`
	Tags     []string `json:"tags"`
	Ko       string   `json:"ko"`
	En       string   `json:"en"`
	Price    *Price   `json:"price,omitempty"` // nil: not known
}

// Price is what a service costs, in words, with the month in which that was
// looked up.
type Price struct {
	Ko   string `json:"ko"`
	En   string `json:"en"`
	AsOf string `json:"as_of"` // "2025-06"
}

// About says in a language what the service does.
func (s Service) About(language string) string {
	if language == "ko" {
		return s.Ko
	}
	return s.En
}

// Cost says in a language what the service costs and when that held; "" if it is
// not known.
func (s Service) Cost(language string) string {
	switch {
	case s.Price == nil:
		return ""
	case language == "ko":
		return s.Price.Ko + " (" + s.Price.AsOf + " 기준)"
	}
	return s.Price.En + " (as of " + s.Price.AsOf + ")"
}

// Match is a service that was found.
type Match struct {
	Service Service
	Score   float64 // 0 to 1: how much of the question it covers
}

// Catalog finds services by what they are for. It is immutable.
type Catalog struct {
	services []Service
	terms    []map[string]bool
	names    []map[string]bool // terms of name and tags: what it is for
	holds    map[string]int    // term to the number of services that have it
}

// NewCatalog reads services from JSON; nil reads the bundled knowledge.
func NewCatalog(data []byte) (*Catalog, error) {
	if data == nil {
		data = knowledge
	}
	c := &Catalog{holds: map[string]int{}}
	if err := llm.StrictJSON(data, &c.services); err != nil {
		return nil, fmt.Errorf("guide: knowledge: %w", err)
	}
	for _, s := range c.services {
		if s.ID == "" || s.Name == "" || s.Ko == "" || s.En == "" {
			return nil, fmt.Errorf("guide: knowledge: service %q needs id, name, ko and en", s.ID)
		}
		tags := terms(s.Name + " " + strings.Join(s.Tags, " ") + " " + s.Category)
		all := terms(s.Ko + " " + s.En)
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
		rank := 0.0
		for _, w := range words {
			if w.Weight == 0 {
				continue
			}
			weight := w.Weight * rag.IDF(len(c.services), max(1, c.holds[w.Terms[0]]))
			match := held(w, c.terms[i])
			evidence = append(evidence, rag.Evidence{Weight: weight, Match: match, Sentence: w.Sentence})
			rank += weight * (match + held(w, c.names[i])) // what it is for counts twice
		}
		if score := rag.Confidence(evidence); score >= threshold && rank > 0 {
			all = append(all, ranked{Match{s, score}, rank})
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

// held says how much of a word a text has, from 0 to 1.
func held(w rag.Word, terms map[string]bool) float64 {
	if terms[w.Terms[0]] {
		return 1
	}
	parts := w.Parts()
	if len(parts) == 0 {
		return 0
	}
	n := 0
	for _, p := range parts {
		if terms[p] {
			n++
		}
	}
	return rag.PartialMatch(float64(n) / float64(len(parts)))
}

// Named returns the service of a name, however it is spaced and capitalised.
func (c *Catalog) Named(name string) (Service, bool) {
	want := plain(name)
	for _, s := range c.services {
		if want != "" && (plain(s.Name) == want || s.ID == want) {
			return s, true
		}
	}
	return Service{}, false
}

// Mentioned returns the services that a text names.
func (c *Catalog) Mentioned(text string) []Service {
	var out []Service
	low := strings.ToLower(text)
	for _, s := range c.services {
		if strings.Contains(low, strings.ToLower(s.Name)) {
			out = append(out, s)
		}
	}
	return out
}

// plain takes spaces and marks out of a name.
func plain(s string) string {
	return strings.NewReplacer(" ", "", "-", "", ".", "", "_", "").Replace(strings.ToLower(strings.TrimSpace(s)))
}
