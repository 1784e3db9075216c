package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/phrase/fit"
)

func (k kit) executor() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "contract_executor", Summary: "Makes one planned call; several run side by side, each as a task of its own.",
		Doc:   "A tool's failure is a result too. What was done is recorded: going on after a crash repeats no call.",
		Reads: []string{"calls", "own_contracts"}, Writes: []string{"done", "found"},
	}, k.execute, nil)
}

// outcome is the recorded result of a call.
type outcome struct {
	Done  Done    `json:"done"`
	Found []Found `json:"found"`
}

func (k kit) execute(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	item, err := graph.Arg[workflow.Item](s)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(item.Value)
	if err != nil {
		return nil, fmt.Errorf("planned call: %w", err)
	}
	var c Call
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("planned call: %w", err)
	}
	got, err := graph.Repeatable(ctx, "call", func(ctx context.Context, key string) (outcome, error) {
		return k.call(ctx, k.bench(s, x), x, key, c)
	})
	if err != nil {
		return nil, err
	}
	writes := []graph.Write{k.st.done.Add(got.Done)}
	if len(got.Found) > 0 {
		writes = append(writes, k.st.found.Add(got.Found...))
	}
	return writes, nil
}

// maxText limits the stored text of a tool result, in bytes. Passages are stored separately.
const maxText = 2000

func (k kit) call(ctx context.Context, b *bench, x *workflow.Exec, key string, c Call) (outcome, error) {
	r := x.Request
	arguments := json.RawMessage(c.Arguments)
	if !json.Valid(arguments) {
		arguments = json.RawMessage(quoted(c.Arguments))
	}
	if _, spec, err := k.tools.Lookup(c.Tool); err == nil {
		x.Doing("agent.doing", spec.Title)
	}
	x.Emit(agent.Event{Kind: agent.EventToolCall, Name: c.Tool, Data: arguments, Call: key})
	result, err := k.tools.Invoke(ctx, c.Tool, tool.Call{
		ID: key, Arguments: arguments, Thread: r.Thread, Scopes: r.Scopes, User: r.User.ID, TimeZone: r.User.TimeZone,
		Language: r.Language, Now: r.Now, Until: r.Until, Bench: b,
	})
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	if broken(err) {
		return outcome{}, fmt.Errorf("%s: %w", c.Tool, err)
	}
	e := agent.Event{Kind: agent.EventToolResult, Name: c.Tool, Text: tool.Observe(result, err), Call: key, Files: result.Files}
	if err != nil {
		e.Err = tool.Sentence(err, r.Language)
		b.found = nil
	}
	x.Emit(e)
	return outcome{Done: Done{Call: c, Text: fit.Cut(e.Text, maxText), Miss: b.miss, Hits: len(b.found)}, Found: b.found}, nil
}

// broken reports whether the document store failed. The run must fail then, not answer that the
// contract says nothing.
func broken(err error) bool {
	var known *tool.Error
	return errors.As(err, &known) && known.Code == "unavailable" && known.Err != nil
}
