package node

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/phrase/fit"
	"maru/rag"
)

// SearchTool is the tool with which a model searches the team's documents by itself.
const SearchTool = "search_documents"

// SearchSpec describes [SearchTool].
func SearchSpec() llm.Tool {
	return llm.Tool{
		Name:        SearchTool,
		Description: "Searches the documents of the team: rules, benefits, contracts, guides. Returns numbered passages; cite those you use, like [1].",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"what to look for, in the words of the documents"}},"required":["query"],"additionalProperties":false}`),
	}
}

// Bounds of what a model finds by itself in a turn.
const (
	maxSought  = 20   // passages
	maxPassage = 2000 // letters of one
)

// Search makes a call of [SearchTool] within the bounds of q. The text of q is the person's question, if it is one: what it finds
// comes in turns with what the model's query finds, as weak models search in another language or for a single word. known are the
// passages that the model has: it returns the new ones, numbered behind them, and what the model
// reads, which names a passage that it has by its number alone.
func Search(ctx context.Context, docs workflow.Documents, q rag.Query, arguments string, known []agent.Source) (fresh []agent.Source, text string, err error) {
	var args struct {
		Query string `json:"query"`
	}
	if json.Unmarshal([]byte(arguments), &args) != nil || strings.TrimSpace(args.Query) == "" {
		return nil, "error (bad_argument): " + SearchTool + " wants a query, in a few words.", nil
	}
	question := q.Text
	q.Text = fit.Clip(args.Query, 500)
	hits, err := docs.Search(ctx, q)
	if err == nil && question != "" && question != q.Text {
		q.Text = question
		var own []rag.Hit
		own, err = docs.Search(ctx, q)
		hits = InTurns(q.Limit, hits, own)
	}
	if err != nil {
		return nil, "", fmt.Errorf("search documents: %w", err)
	}
	var b, again strings.Builder
	for _, one := range Sources(hits) {
		i := slices.IndexFunc(known, func(k agent.Source) bool { return k.Chunk == one.Chunk })
		switch {
		case i >= 0:
			fmt.Fprintf(&again, " [%d]", known[i].N)
			continue
		case len(known) >= maxSought:
			continue
		}
		one.N = len(known) + 1
		known, fresh = append(known[:len(known):len(known)], one), append(fresh, one)
		h := Hits([]agent.Source{one})[0]
		fmt.Fprintf(&b, "[%d] %s\n%s\n\n", one.N, rag.Place(h), fit.Clip(one.Quote, maxPassage))
	}
	switch {
	case b.Len() == 0 && again.Len() == 0:
		return nil, "The team's documents have nothing about this.", nil
	case b.Len() == 0:
		return nil, "Nothing new: the documents have only what stands above as" + again.String() + ". Answer from it.", nil
	case again.Len() > 0:
		fmt.Fprintf(&b, "Found again, see above:%s", again.String())
	}
	return fresh, strings.TrimSpace(b.String()), nil
}

// InTurns merges rankings, one of each after the other, each passage once and at most the given number; 0 means no limit.
func InTurns(most int, rankings ...[]rag.Hit) []rag.Hit {
	var out []rag.Hit
	longest := 0
	for _, list := range rankings {
		longest = max(longest, len(list))
	}
	for i := range longest {
		for _, list := range rankings {
			if i < len(list) && (most <= 0 || len(out) < most) && !slices.ContainsFunc(out, func(h rag.Hit) bool { return h.Chunk.ID == list[i].Chunk.ID }) {
				out = append(out, list[i])
			}
		}
	}
	return out
}
