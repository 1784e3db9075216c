package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/phrase/pattern"
	"maru/rag"
)

// Limits of the search for a channel's contracts.
const (
	maxPassages   = 1000 // passages read per document
	maxLookedInto = 12   // documents examined per channel
	maxContracts  = 8    // per thread or channel
	minArticles   = 3    // minimum for a document to count as a contract
)

// shelf finds and reads contracts.
type shelf struct {
	docs rag.Index
	look rag.Lookup
}

func newShelf(docs rag.Index) shelf { return shelf{docs: docs, look: rag.Lookup{Index: docs}} }

// named matches document names that indicate a contract.
var named = pattern.New(`(?i)계약|약관|협약|각서|합의서|contract|agreement|terms|\bnda\b|\bmsa\b|\bsow\b`)

// place returns a channel's contracts, newest first: the documents of its home scope with articles
// or a contract's name; if there are none, other readable documents with a contract's name.
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
	slices.SortStableFunc(mine, func(a, b rag.Document) int { // contracts by name come first
		return boolOrder(looksNamed(a), looksNamed(b))
	})
	found, err := h.contracts(ctx, r.Scopes, mine, true)
	if err != nil || len(found) > 0 {
		return found, err
	}
	return h.contracts(ctx, r.Scopes, others, false)
}

// named returns further contracts that the question names: from the home scope, and other readable
// documents with a contract's name.
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

// boolOrder sorts true before false.
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
			continue // deleted in the meantime
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

// standard returns the bundled contract in a language, or in the other language if there is none;
// ok is false without any.
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

// source converts a passage into a citable source. Its number is set later.
func source(d rag.Document, c rag.Chunk, score float64) agent.Source {
	path := c.Heading
	if len(path) > 0 && path[0] == d.Title {
		path = path[1:]
	}
	out := agent.Source{
		Document: d.ID, Chunk: c.ID, Title: nameOf(d), Heading: strings.Join(path, " › "), Page: c.Page, Score: score, Quote: c.Text,
	}
	if d.Scope != StandardScope && !d.At.IsZero() { // differing from the standard contract does not contradict it
		out.Dated = d.At.Format(time.DateOnly)
	}
	return out
}
