package autonomous

import (
	"context"
	"encoding/json"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/rag"
)

type memoryInjectConfig struct {
	Memories *int `json:"memories"`
	Passages *int `json:"passages"`
}

func (k kit) memoryInject() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "memory_inject", Summary: "Brings in what memory and the documents know about the input.",
		Doc:   "What is remembered stands in `memory_refs`, one entry a file name, passages numbered in `passages`. A memory that cannot be reached is no fault of the run: it goes on without.",
		Reads: []string{"input"}, Writes: []string{"memory_refs", "passages", "current_step"},
		Config: json.RawMessage(`{"type":"object","properties":{
			"memories": {"type":"integer","minimum":0,"maximum":20,"description":"default 5"},
			"passages": {"type":"integer","minimum":0,"maximum":20,"description":"default 5"}},
			"additionalProperties":false}`),
	}, k.inject, nil)
}

func orDefault(n *int, d int) int {
	if n == nil {
		return d
	}
	return *n
}

func (k kit) inject(ctx context.Context, s graph.State, x *workflow.Exec, c memoryInjectConfig) ([]graph.Write, error) {
	writes := k.step("memory_inject", nil)
	r := x.Request
	if n := orDefault(c.Memories, 5); n > 0 && x.Memory != nil {
		refs, err := x.Memory.Recall(ctx, workflow.Recall{
			Text: k.st.Input.Get(s), Thread: r.Thread, User: r.User.ID, Scopes: r.Scopes, Limit: n,
		})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			k.log.WarnContext(ctx, "recall failed, answering without memory", "run", r.Run, "err", err)
		case len(refs) > 0:
			writes = append(writes, k.st.MemoryRefs.Add(refs[:min(n, len(refs))]...))
		}
	}
	if n := orDefault(c.Passages, 5); n > 0 && x.Documents != nil {
		hits, err := x.Documents.Search(ctx, k.query(s, x, n))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			k.log.WarnContext(ctx, "document search failed, answering without passages", "run", r.Run, "err", err)
		case len(hits) > 0:
			found := node.Sources(hits)
			x.Emit(agent.Event{Kind: agent.EventSources, Sources: found})
			writes = append(writes, k.st.Passages.Set(found))
		}
	}
	return writes, nil
}

// query builds a search for the input. Files of this message rank first.
func (k kit) query(s graph.State, x *workflow.Exec, limit int) rag.Query {
	q := rag.Query{Text: k.st.Input.Get(s), Scopes: x.Request.Scopes, Tags: x.Request.Tags, Limit: limit}
	for _, f := range x.Request.Files {
		q.Documents = append(q.Documents, f.Document)
		q.Threshold = -1 // the person chose the document
	}
	return q
}
