package contract

import (
	"context"
	"fmt"
	"slices"

	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/rag"
)

// mostElsewhere limits the passages of other contracts that are compared with an answer.
const mostElsewhere = 3

// elsewhere searches the channel's other contracts for a question that names none of them. The answer cites a
// passage found there if it contradicts the answer.
func (k kit) elsewhere(ctx context.Context, s graph.State, x *workflow.Exec, found []Found) ([]Found, error) {
	if len(k.st.others.Get(s)) == 0 || len(found) == 0 {
		return nil, nil
	}
	all, err := k.shelf.place(ctx, x.Request)
	if err != nil {
		return nil, err
	}
	q := rag.Query{Text: k.st.query.Get(s), Scopes: x.Request.Scopes, Tags: x.Request.Tags, Limit: mostElsewhere}
	for _, c := range all {
		if !slices.ContainsFunc(k.st.own.Get(s), func(o Contract) bool { return o.Document == c.Document }) {
			q.Documents = append(q.Documents, c.Document)
		}
	}
	if len(q.Documents) == 0 {
		return nil, nil
	}
	hits, err := k.shelf.docs.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search the other contracts: %w", err)
	}
	var out []Found
	for i, h := range hits {
		f := Found{Source: source(h.Document, h.Chunk, h.Score)}
		f.Source.N = len(found) + i + 1
		out = append(out, f)
	}
	return out, nil
}
