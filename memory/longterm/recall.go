package longterm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"maru/phrase"
)

// Memento is a memory in a prompt, with the reason for its selection.
type Memento struct {
	ID         string    `json:"id"` // of the record
	Kind       Kind      `json:"kind"`
	Text       string    `json:"text"`
	Since      time.Time `json:"since"` // when it was learned
	Relevance  float64   `json:"relevance"`
	Confidence float64   `json:"confidence"`
	Recency    float64   `json:"recency"`
	Score      float64   `json:"score"`
	Tokens     int       `json:"tokens"`
	Manner     bool      `json:"manner,omitempty"` // how the person wants to be answered
}

// Why explains in a few words why it was selected.
func (e Memento) Why() phrase.Sentence {
	return phrase.Of("longterm.why", e.Relevance, e.Confidence, e.Recency)
}

// Recollection is the memory content of a prompt.
type Recollection struct {
	Mementos []Memento `json:"mementos"`
	Tokens   int       `json:"tokens"`             // total
	Left     int       `json:"left_out,omitempty"` // number of relevant records beyond the budget
}

// DefaultTokens is the budget of a recollection when none is given.
const DefaultTokens = 300

// standing is the relevance of answer preferences to every query.
const standing = 0.25

// leastScore is the minimum score for a prompt.
const leastScore = 0.3

// Recall selects preferences for a query by relevance, confidence and recency, within a budget of tokens (0 means
// [DefaultTokens]). Likes and feedback apply to every query; facts and goals must be relevant to it.
func (m *Memory) Recall(ctx context.Context, o Owner, query string, budget int) (Recollection, error) {
	budget = cmp.Or(max(budget, 0), DefaultTokens)
	if o.absent() {
		return Recollection{}, nil
	}
	records, err := m.store.Find(ctx, Query{Person: o.Person, Kinds: []Kind{KindPreference}, Scopes: o.scopes()}, false)
	if err != nil {
		return Recollection{}, fmt.Errorf("recall: %w", err)
	}
	if len(records) == 0 { // as for most people: no word is weighed, no vector asked for
		return Recollection{}, nil
	}
	var vector []float32
	if slices.ContainsFunc(records, func(r Record) bool { return len(r.Vector) > 0 }) {
		vector = m.queryVector(ctx, query)
	}
	found, err := decodeHits[Preference](m.scoreRecords(records, questionTerms(query), vector))
	if err != nil {
		return Recollection{}, err
	}
	var list []Memento
	for _, h := range found {
		if h.Data.Value == "" {
			continue
		}
		e := Memento{
			ID: h.Record.ID, Kind: KindPreference, Text: h.Data.Sentence(), Since: h.Data.Since,
			Relevance: h.Relevance, Confidence: h.Confidence, Recency: Recency(h.Record.Last, m.now()), Manner: h.Data.Manner(),
		}
		if h.Data.Type == Like || h.Data.Type == Feedback {
			e.Relevance = max(e.Relevance, standing)
		}
		e.Score, e.Tokens = rank(e.Relevance, e.Confidence, e.Recency), Tokens(e.Text)
		if e.Relevance >= leastRelevance && e.Score >= leastScore {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b Memento) int {
		if a.Score != b.Score {
			if a.Score > b.Score {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	return within(list, budget), nil
}

// within returns the best records within the budget.
func within(list []Memento, budget int) Recollection {
	var r Recollection
	for _, e := range list {
		if r.Tokens+e.Tokens > budget {
			r.Left++
			continue
		}
		r.Mementos = append(r.Mementos, e)
		r.Tokens += e.Tokens
	}
	return r
}

// Prompt formats a recollection for a prompt: one line per record, as data, followed by the wishes about manner.
func (r Recollection) Prompt() string {
	var s strings.Builder
	for _, e := range r.Mementos {
		if !e.Manner {
			fmt.Fprintf(&s, "- %s (%s)\n", e.Text, e.Since.Format(time.DateOnly))
		}
	}
	s.WriteString(r.Manner())
	return strings.TrimSuffix(s.String(), "\n")
}

// Tokens estimates the tokens of a text: a quarter of its Latin letters and one for each letter of other scripts, the
// upper bound of common tokenisers for Korean.
func Tokens(text string) int {
	ascii := 0
	for i := range len(text) {
		if text[i] < utf8.RuneSelf {
			ascii++
		}
	}
	return (ascii+3)/4 + utf8.RuneCountInString(text) - ascii
}
