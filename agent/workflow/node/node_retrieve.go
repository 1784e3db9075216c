package node

import (
	"context"
	"errors"
	"fmt"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/rag"
)

func retrieve() workflow.Type {
	return workflow.Type{
		Name: "retrieve", Mappable: true, Summary: "Finds passages of the team's documents.",
		Doc:    "Only documents are searched that everybody who reads the answer may read. The passages stand numbered in `passages` and as text in the output.",
		Writes: []string{"passages", "last_output", "results"},
		Config: schemaOf(`
			"query": {"type": "string", "description": "a template; default {{input}}"},
			"limit": {"type": "integer", "minimum": 1, "maximum": 20, "description": "default 5"},
			` + outputSchema),
		Make: func(p workflow.Place) (workflow.Bound, error) {
			c, err := decode[struct {
				Query  string `json:"query"`
				Limit  int    `json:"limit"`
				Output string `json:"output"`
			}](p)
			if err != nil {
				return workflow.Bound{}, err
			}
			if c.Query == "" {
				c.Query = "{{input}}"
			}
			f := form{p: p}
			out, query := f.target("/output", c.Output), f.text("/query", c.Query)
			return f.bound(workflow.Bound{
				Writes: out.writes("passages", words),
				Run: func(ctx context.Context, s graph.State) ([]graph.Write, error) {
					x := workflow.ExecOf(s)
					text, err := query.render(scopeOf(s, x))
					if err != nil {
						return nil, err
					}
					return find(ctx, s, out, rag.Query{Text: text, Scopes: x.Request.Scopes, Tags: x.Request.Tags, Limit: c.Limit})
				},
			})
		},
	}
}

var errNoDocuments = errors.New("workflow: the run has no documents")

func find(ctx context.Context, s graph.State, out output, q rag.Query) ([]graph.Write, error) {
	x := workflow.ExecOf(s)
	if x.Documents == nil {
		return nil, errNoDocuments
	}
	x.Doing("agent.reading_documents")
	hits, err := x.Documents.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	found := Sources(hits)
	text := rag.Number(Hits(found))
	writes, err := out.write(s, text)
	if err == nil {
		writes, err = noted(out.schema, writes, Words{Gave: Gave{Text: text}}) // another search replaces the passages
	}
	if err != nil || s.Arg() != nil {
		return writes, err
	}
	x.Emit(agent.Event{Kind: agent.EventSources, Sources: found})
	w, err := out.schema.Set("passages", found)
	return append(writes, w), err
}
