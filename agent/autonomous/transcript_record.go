package autonomous

import (
	"context"
	"encoding/json"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/memory"
)

// TypeRecord is the node type that stores a turn.
const TypeRecord = "transcript_record"

func (k kit) transcriptRecord() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: TypeRecord, Summary: "Adds the answer to the conversation, the session log and memory.",
		Doc:   "A log or a memory that cannot be written does not take the answer away: `error` says so.",
		Reads: []string{"input", "final_answer", "answer", "last_output", "difficulty"}, Writes: []string{"messages", "error", "current_step"},
		Config: json.RawMessage(`{"type":"object","maxProperties":0}`),
	}, k.record, nil)
}

func (k kit) record(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	text, _ := result(x, k.st, s)
	r := x.Request
	writes := k.step(TypeRecord, nil)
	if text != "" {
		writes = append(writes, k.st.Messages.Add(memory.Message{ID: r.Run, Role: string(llm.Assistant), Text: text, At: r.Now.UTC()}))
	}
	t := workflow.Transcript{
		Run: r.Run, Thread: r.Thread, Scope: r.Home, User: r.User.ID, Input: k.st.Input.Get(s), Answer: text,
		Difficulty: k.st.Difficulty.Get(s), At: r.Now.UTC(),
	}
	for _, keep := range []struct {
		name string
		do   func(context.Context, workflow.Transcript) error
	}{{"session log", logger(x)}, {"memory", recorder(x)}} {
		if keep.do == nil {
			continue
		}
		_, err := graph.Repeatable(ctx, keep.name, func(ctx context.Context, _ string) (bool, error) { return true, keep.do(ctx, t) })
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			k.log.WarnContext(ctx, "record turn", "run", r.Run, "where", keep.name, "err", err)
			writes = append(writes, k.st.Error.Set("the turn is not in the "+keep.name))
		}
	}
	return writes, nil
}

func logger(x *workflow.Exec) func(context.Context, workflow.Transcript) error {
	if x.Log == nil {
		return nil
	}
	return x.Log.Append
}

func recorder(x *workflow.Exec) func(context.Context, workflow.Transcript) error {
	if x.Memory == nil {
		return nil
	}
	return x.Memory.Record
}
