package guide

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/phrase"
	"maru/rag"
)

// Tool names.
const (
	toolDocs   = "retrieve_docs"
	toolWeb    = "google_search"
	toolSum    = "calculator"
	toolClock  = "get_time"
	toolRecall = "read_memory"
	toolNote   = "write_memory"
)

// bench is the workspace of one call's tools and their results.
type bench struct {
	x     *workflow.Exec
	words []string // the person's words

	docs []RetrievedDoc
}

// named is a tool of the program under this agent's name for it.
type named struct {
	tool.Tool

	name string
}

// Spec implements tool.Tool.
func (n named) Spec() tool.Spec {
	s := n.Tool.Spec()
	// Channel policies use the program's name for the tool. This agent cannot ask for approval.
	s.Policy.Forbidden = append(slices.Clip(s.Policy.Forbidden), agent.Without(s.Name), agent.AskFirst(s.Name))
	s.Name = n.name
	return s
}

// newTools returns the agent's own tools and the available ones of the program.
func (k kit) newTools(program *tool.Registry) (*tool.Registry, error) {
	all := []tool.Tool{
		tool.Own(tool.Reader(toolDocs, "guide.doing.search", "Finds services for a kind of work, with what they are for and cost, and passages of the documents about trends.",
			`{"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":400,"description":"the kind of work in a few words"}},"required":["query"],"additionalProperties":false}`),
			k.retrieve),
	}
	for name, inner := range map[string]string{
		toolWeb: "web_search", toolSum: "calculator", toolClock: "current_time", toolRecall: toolRecall, toolNote: toolNote,
	} {
		if program == nil {
			break
		}
		if t, _, err := program.Lookup(inner); err == nil {
			all = append(all, named{t, name})
		}
	}
	return tool.NewRegistry(all...)
}

type queryArgs struct {
	Query string `json:"query"`
}

// Limits of one retrieval.
const (
	maxServices = 5
	maxPassages = 3
)

// retrieve searches the catalogue and the documents readable by the person. Services named in the
// question come first.
func (k kit) retrieve(ctx context.Context, b *bench, a queryArgs) (string, error) {
	var matches []Match
	for _, s := range k.catalog.Mentioned(a.Query) {
		matches = append(matches, Match{Service: s, Score: 1, Meant: true})
	}
	for _, m := range k.catalog.Search(a.Query, maxServices, k.threshold) {
		if !slices.ContainsFunc(matches, func(o Match) bool { return o.Service.ID == m.Service.ID }) {
			matches = append(matches, m)
		}
	}
	for _, m := range matches {
		b.docs = append(b.docs, serviceDoc(m, b.x.Request.Language))
	}
	if k.documents != nil {
		hits, err := k.documents.Search(ctx, rag.Query{
			Text: a.Query, Scopes: b.x.Request.Scopes, Tags: b.x.Request.Tags, Limit: maxPassages, Threshold: max(k.threshold, rag.DefaultThreshold),
		})
		if err != nil {
			return "", fmt.Errorf("search: %w", err)
		}
		for _, s := range node.Sources(hits) {
			b.docs = append(b.docs, RetrievedDoc{Source: s})
		}
	}
	if len(b.docs) == 0 {
		return "nothing that fits is known. Try other words.", nil
	}
	return describe(b.docs), nil
}

// serviceDoc presents a service as a source.
func serviceDoc(m Match, language string) RetrievedDoc {
	s := m.Service
	quote := s.About(language)
	if cost := s.Cost(language); cost != "" {
		quote += " " + phrase.Say(language, "guide.price", cost)
	}
	return RetrievedDoc{Service: s.ID, Source: agent.Source{
		Document: "guide/services", Chunk: "guide/services#" + s.ID, Title: s.Name, Heading: s.URL, Score: m.Score, Quote: quote,
	}}
}

// describe returns the results as text for a model.
func describe(docs []RetrievedDoc) string {
	var b strings.Builder
	for _, d := range docs {
		kind := "document"
		if d.Service != "" {
			kind = "service"
		}
		fmt.Fprintf(&b, "(%s) %s, %s\n%s\n\n", kind, d.Source.Title, d.Source.Heading, d.Source.Quote)
	}
	return strings.TrimSpace(b.String())
}
