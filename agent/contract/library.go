package contract

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"maru/agent"
	"maru/rag"
)

// Bounds of what is read to find the contract of a place.
const (
	maxPassages   = 1000 // of a document that is looked into
	maxLookedInto = 12   // documents of a place that are looked into
	maxContracts  = 8    // of a thread or a place
	minArticles   = 3    // that make a document a contract
)

// shelf finds and reads contracts.
type shelf struct {
	docs rag.Index
	look rag.Lookup
}

func newShelf(docs rag.Index) shelf { return shelf{docs: docs, look: rag.Lookup{Index: docs}} }

// named are documents whose name says that they are contracts.
var named = regexp.MustCompile(`(?i)계약|약관|협약|각서|합의서|contract|agreement|terms|\bnda\b|\bmsa\b|\bsow\b`)

// place finds the contracts of a place: of the documents of home those that have
// articles or are named like contracts, the newest first, else of the others that may be read those that are named like
// contracts.
func (h shelf) place(ctx context.Context, r agent.Request) ([]Contract, error) {
	docs, err := h.docs.Documents(ctx, r.Scopes)
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	var mine, others []rag.Document
	for _, d := range docs {
		switch {
		case d.Scope == r.Home && d.Scope != "":
			mine = append(mine, d)
		case looksNamed(d):
			others = append(others, d)
		}
	}
	slices.SortStableFunc(mine, func(a, b rag.Document) int { // what is named so comes first
		return boolOrder(looksNamed(a), looksNamed(b))
	})
	found, err := h.contracts(ctx, r.Scopes, mine, true)
	if err != nil || len(found) > 0 {
		return found, err
	}
	return h.contracts(ctx, r.Scopes, others, false)
}

// named finds more contracts of a place, which the question names: home's, and
// others that are named like contracts.
func (h shelf) named(ctx context.Context, r agent.Request, question string, have []Contract) ([]Contract, error) {
	docs, err := h.docs.Documents(ctx, r.Scopes)
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	all := slices.Clone(have)
	docs = slices.DeleteFunc(slices.Clone(docs), func(d rag.Document) bool {
		return d.Scope != r.Home && !looksNamed(d) || slices.ContainsFunc(have, func(c Contract) bool { return c.Document == d.ID })
	})
	for _, d := range docs {
		all = append(all, Contract{Document: d.ID, Title: nameOf(d)})
	}
	var said []rag.Document
	for i, d := range docs {
		if saidIn(question, all, len(have)+i) {
			said = append(said, d)
		}
	}
	return h.contracts(ctx, r.Scopes, said, true)
}

func looksNamed(d rag.Document) bool { return named.MatchString(d.Title + " " + d.Source) }

// boolOrder puts true before false.
func boolOrder(a, b bool) int {
	switch {
	case a && !b:
		return -1
	case b && !a:
		return 1
	}
	return 0
}

func (h shelf) contracts(ctx context.Context, scopes []string, docs []rag.Document, own bool) ([]Contract, error) {
	var out []Contract
	for _, d := range docs[:min(len(docs), maxLookedInto)] {
		if d.Chunks > maxPassages || len(out) == maxContracts {
			continue
		}
		all, err := h.look.Outline(ctx, scopes, d.ID)
		if errors.Is(err, rag.ErrNotFound) {
			continue // deleted since
		}
		if err != nil {
			return nil, err
		}
		if len(all) >= minArticles || (own && looksNamed(d)) {
			out = append(out, Contract{Document: d.ID, Title: nameOf(d)})
		}
	}
	return out, nil
}

// standard returns the standard contract in a language, the other one if there
// is none; ok is false without any.
func (h shelf) standard(ctx context.Context, language string) (c Contract, ok bool, err error) {
	docs, err := h.docs.Documents(ctx, []string{StandardScope})
	if err != nil || len(docs) == 0 {
		return Contract{}, false, err
	}
	want := ""
	for _, b := range Standards() {
		if b.Language == language {
			want = b.Name
		}
	}
	doc := docs[0]
	for _, d := range docs {
		if d.Source == want {
			doc = d
		}
	}
	return Contract{Document: doc.ID, Title: nameOf(doc)}, true, nil
}

func nameOf(d rag.Document) string {
	if d.Title != "" {
		return d.Title
	}
	return d.Source
}

// source shows a passage to people. Its number is set later.
func source(d rag.Document, c rag.Chunk, score float64) agent.Source {
	path := c.Heading
	if len(path) > 0 && path[0] == d.Title {
		path = path[1:]
	}
	return agent.Source{
		Document: d.ID, Chunk: c.ID, Title: nameOf(d), Heading: strings.Join(path, " › "), Page: c.Page, Score: score, Quote: c.Text,
	}
}
