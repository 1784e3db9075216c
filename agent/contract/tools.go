package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maru/agent/tool"
	"maru/phrase/pattern"
	"maru/rag"
)

// Tool names.
const (
	toolSearch   = "hybrid_search"
	toolIndex    = "get_article_by_index"
	toolTitle    = "get_article_by_title"
	toolStandard = "lookup_standard_contract"
)

// bench is the workspace of one task's tools: the turn's contracts and the results.
type bench struct {
	shelf    shelf
	own      []Contract
	scopes   []string
	tags     []string // filter of the searched documents
	language string
	passages int
	shown    bool // the question came with a file

	found []Found
	miss  string // for people
}

func newTools() (*tool.Registry, error) {
	return tool.NewRegistry(
		tool.Own(tool.Reader(toolSearch, "contract.doing.search",
			"Searches the user's contract for passages about a topic. Use it when neither number nor title of the article is known.",
			`{"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":500,"description":"the topic in a few words"}},"required":["query"],"additionalProperties":false}`),
			search),
		tool.Own(tool.Reader(toolIndex, "contract.doing.number",
			"Returns an article of the user's contract by its number, or an annex.",
			`{"type":"object","properties":{"index":{"type":"string","minLength":1,"maxLength":100,"description":"as people write it: 제5조, 제10조의2 제3항, Article 5(2), Annex A, or the bare number 5"}},"required":["index"],"additionalProperties":false}`),
			byIndex),
		tool.Own(tool.Reader(toolTitle, "contract.doing.title",
			"Returns articles of the user's contract by their title, such as 비밀유지 or Termination.",
			`{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":200}},"required":["title"],"additionalProperties":false}`),
			byTitle),
		tool.Own(tool.Reader(toolStandard, "contract.doing.standard",
			"Looks something up in the standard contract, for comparison with the user's: by article number, by title or by topic.",
			`{"type":"object","properties":{"topic":{"type":"string","minLength":1,"maxLength":500,"description":"제5조, Article 5, a title or a topic"}},"required":["topic"],"additionalProperties":false}`),
			inStandard),
	)
}

type searchArgs struct {
	Query string `json:"query"`
}

func search(ctx context.Context, b *bench, a searchArgs) (string, error) {
	if len(b.own) == 0 {
		return b.without(ctx, a.Query)
	}
	groups := b.groups()
	hits, err := b.openings(ctx, a.Query)
	if err != nil {
		return "", err
	}
	for _, g := range groups {
		// The user chose the contract, so low-scoring passages help to judge it as well.
		q := rag.Query{Text: a.Query, Scopes: b.scopes, Tags: b.tags, Limit: max(b.passages/len(groups), 2), Threshold: -1}
		for _, c := range g {
			q.Documents = append(q.Documents, c.Document)
		}
		got, err := b.shelf.docs.Search(ctx, q)
		if err != nil {
			return "", fmt.Errorf("search: %w", err)
		}
		for _, h := range got {
			if !slices.ContainsFunc(hits, func(o rag.Hit) bool { return o.Chunk.ID == h.Chunk.ID }) {
				hits = append(hits, h)
			}
		}
	}
	if len(hits) == 0 && b.shown { // "Look at this" shares no word with the file
		if hits, err = b.beginnings(ctx, 3); err != nil {
			return "", err
		}
	}
	return b.take(ctx, hits, b.scopes, false)
}

// asksParties matches questions about the parties of a contract.
var asksParties = pattern.New(`(?i)당사자(?:는|가|들\p{Hangul}?|이)?\s*(?:누구|어디|알려|뭐|이름)|누구(?:와|랑|하고)\s*누구|누구누구|(?:^|\s)[갑을](?:은|이)\s*누구|` +
	`\bwho\b.{0,30}\bpart(?:y|ies)\b|\bparties\s+(?:to|of|in)\b|\bbetween\s+(?:whom|which)\b|\bwho\s+signed\b`)

// openings returns the first passages if the question asks for the parties, who are named before
// the first article and often not called parties.
func (b *bench) openings(ctx context.Context, query string) ([]rag.Hit, error) {
	if !asksParties.MatchString(query) {
		return nil, nil
	}
	return b.beginnings(ctx, 1)
}

// beginnings returns the first n passages of the contracts.
func (b *bench) beginnings(ctx context.Context, n int) ([]rag.Hit, error) {
	var out []rag.Hit
	for _, g := range b.groups() {
		chunks, doc, err := b.shelf.docs.Passages(ctx, b.scopes, g[0].Document, 0, n)
		if errors.Is(err, rag.ErrNotFound) {
			continue // deleted in the meantime
		}
		if err != nil {
			return nil, fmt.Errorf("read the beginning of %s: %w", g[0].Title, err)
		}
		for _, c := range chunks {
			out = append(out, rag.Hit{Chunk: c, Document: doc, Score: 1})
		}
	}
	return out, nil
}

// groups returns the user's contracts as look-ups search them: one by one if the question is about
// several, otherwise together, where the first match wins.
func (b *bench) groups() [][]Contract {
	if asked(b.own) < 2 {
		return [][]Contract{b.own}
	}
	var out [][]Contract
	for i, c := range b.own {
		if c.Asked {
			out = append(out, b.own[i:i+1])
		}
	}
	return out
}

// take stores hits and returns them as text for the model.
func (b *bench) take(ctx context.Context, hits []rag.Hit, scopes []string, standard bool) (string, error) {
	for _, h := range hits {
		f := Found{Source: source(h.Document, h.Chunk, h.Score), Standard: standard}
		if h.Dated != "" && f.Source.Dated != "" {
			f.Source.Dated = h.Dated
		}
		if around := rag.Outline(h.Document, []rag.Chunk{h.Chunk}); len(around) > 0 {
			f.Article, f.Label = around[0].Ref.String(), called(around[0])
		}
		b.found = append(b.found, f)
	}
	if len(hits) > 0 {
		return b.show(), nil
	}
	if standard || len(b.own) == 0 {
		return "nothing was found.", nil
	}
	all, err := b.shelf.look.Outline(ctx, scopes, b.own[0].Document)
	if err != nil {
		return "", err
	}
	return "nothing was found. The contract's articles: " + contents(all), nil
}

// show returns the results as text for the model.
func (b *bench) show() string {
	var s strings.Builder
	for _, f := range b.found {
		whose := "user's contract"
		if f.Standard {
			whose = "standard contract"
		}
		fmt.Fprintf(&s, "(%s) %s, %s\n%s\n\n", whose, f.Source.Title, f.Source.Heading, f.Source.Quote)
	}
	return strings.TrimSpace(s.String())
}
