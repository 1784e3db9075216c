package guide

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
)

func (k kit) toolExecutor() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "guide_tool_executor", Summary: "Runs the tool calls of one round side by side.",
		Doc:   "A tool's failure is a result too. What was done is recorded: going on after a crash repeats no call.",
		Reads: []string{"pending"}, Writes: []string{"tool_result", "retrieved_docs", "pending"},
	}, k.execute, nil)
}

// outcome is the recorded result of a call.
type outcome struct {
	Result ToolResult     `json:"result"`
	Docs   []RetrievedDoc `json:"docs"`
}

func (k kit) execute(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	calls := k.st.pending.Get(s)
	words := k.said(s)
	done := make([]outcome, len(calls))
	errs := make([]error, len(calls))
	var running sync.WaitGroup
	for i, c := range calls {
		running.Go(func() {
			done[i], errs[i] = graph.Repeatable(ctx, fmt.Sprintf("%d/%s", i, c.ID), func(ctx context.Context, key string) (outcome, error) {
				return k.call(ctx, &bench{x: x, words: words}, key, c)
			})
		})
	}
	running.Wait()
	writes := []graph.Write{k.st.pending.Set(nil)}
	for i, o := range done {
		if errs[i] != nil {
			return nil, errs[i]
		}
		writes = append(writes, k.st.results.Add(o.Result), k.st.docs.Add(o.Docs...))
	}
	return writes, nil
}

func (k kit) call(ctx context.Context, b *bench, key string, c Call) (outcome, error) {
	x, r := b.x, b.x.Request
	arguments := json.RawMessage(c.Arguments)
	if !json.Valid(arguments) {
		return outcome{Result: ToolResult{Call: Call{c.ID, c.Tool, "{}"}, Text: "error (bad_argument): the arguments are no JSON.", Err: "bad_argument"}}, nil
	}
	if _, spec, err := k.tools.Lookup(c.Tool); err == nil {
		x.Doing("agent.doing", spec.Title)
	}
	x.Emit(agent.Event{Kind: agent.EventToolCall, Name: c.Tool, Data: arguments, Call: key})
	result, err := k.tools.Invoke(ctx, c.Tool, tool.Call{
		ID: key, Arguments: arguments, Thread: r.Thread, Scopes: r.Scopes, User: r.User.ID,
		Said: strings.Join(b.words, "\n"), Message: r.Message, Learn: r.LearnScope(), NoMemory: r.NoMemory,
		TimeZone: r.User.TimeZone, Language: r.Language, Now: r.Now, Until: r.Until, Bench: b,
	})
	if ctx.Err() != nil {
		return outcome{}, fmt.Errorf("%s: %w", c.Tool, ctx.Err())
	}
	done := ToolResult{Call: c, Text: tool.Observe(result, err)}
	e := agent.Event{Kind: agent.EventToolResult, Name: c.Tool, Text: x.Knew(done.Text, result.Known), Call: key, Files: result.Files}
	if err != nil {
		e.Err = tool.Sentence(err, r.Language)
		done.Err = e.Err
	}
	x.Emit(e)
	return outcome{done, b.docs}, nil
}
