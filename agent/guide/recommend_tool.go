package guide

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/phrase/fit"
)

// Limits of one turn.
const (
	maxReplans = 5
	maxCalls   = 6 // per round
)

func (k kit) recommendTool() workflow.Type {
	t := workflow.Define(workflow.Type{
		Name: "guide_recommend_tool", Summary: "Asks whether the sub-tasks are right, then finds one best service for each with tools.",
		Doc: "The question comes before the node runs, where the run may ask its people about plans. Words lead back to planning a bounded number of times; a malformed answer is a no. " +
			"Where the model calls no tool at first, each sub-task is looked up once without it. Services are those that were found: a name that nothing returned is left out, and prices come from the knowledge alone.",
		Ports: []string{portReplan, portTools, portDone, portDropped}, Bounded: true,
		Reads:  []string{"sub_tasks", "approved", "tool_result", "retrieved_docs"},
		Writes: []string{"approved", "user_feedback", "replans", "next", "pending", "rounds", "tool_recommendations", "plain", "silent", "final_guide", "retrieved_docs"},
	}, k.find, func(s graph.State, _ none) string { return k.recommendRoute(s) })
	define := t.Make
	t.Make = func(p workflow.Place) (workflow.Bound, error) {
		b, err := define(p)
		b.Policy.Before = k.before
		return b, err
	}
	return t
}

func (k kit) find(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	if answer, asked := graph.Answered(ctx); asked {
		if writes := k.decided(s, x, answer); writes != nil {
			return writes, nil
		}
	}
	tasks := k.st.tasks.Get(s)
	k.show(x, tasks, func(int) agent.StepState { return agent.StepRunning }, nil)
	rounds := k.st.rounds.Get(s)
	agreed, silent := k.st.approved.Set(true), llm.Class("")
	if rounds < k.maxRounds {
		calls, failed, err := k.wish(ctx, s, x, rounds)
		switch {
		case err != nil && workflow.Silent(ctx, err): // the approved sub-tasks are kept: the catalogue works without a model
			k.log.WarnContext(ctx, "planning of look-ups failed, using the catalogue", "run", x.Request.Run, "err", err)
			silent = llm.ClassOf(err)
		case err != nil:
			return nil, err
		case len(calls) > 0:
			return []graph.Write{agreed, k.st.pending.Set(calls), k.st.rounds.Set(rounds + 1), k.st.next.Set(portTools)}, nil
		case rounds == 0 && !failed: // without a look-up the answer would be the model's general knowledge
			return []graph.Write{agreed, k.st.pending.Set(lookUps(tasks)), k.st.rounds.Set(k.maxRounds), k.st.next.Set(portTools)}, nil
		}
	}
	writes, err := k.conclude(ctx, s, x, tasks, silent)
	return append(writes, agreed, k.st.next.Set(portDone)), err
}

// decided returns the writes for a decision other than an approval; nil continues.
func (k kit) decided(s graph.State, x *workflow.Exec, a graph.Answer) []graph.Write {
	r := replyOf(a.Value)
	words := wordsOf(r)
	over := func(text string, more ...graph.Write) []graph.Write {
		x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
		return append(more, k.st.guide.Set(text), k.st.next.Set(portDropped))
	}
	switch {
	case a.Expired:
		return over(x.Phrase("guide.expired"))
	case r.Action != agent.VerbAccept && r.Action != agent.VerbEdit:
		return over(x.Phrase("guide.left"))
	case r.Action == agent.VerbAccept || words == "": // an edit without a change is an approval
		return nil
	case k.st.replans.Get(s) >= maxReplans:
		return over(x.Phrase("guide.undecided"), k.st.feedback.Add(words))
	}
	return []graph.Write{k.st.feedback.Add(words), k.st.replans.Set(k.st.replans.Get(s) + 1), k.st.next.Set(portReplan)}
}

// show emits the progress of the sub-tasks.
func (k kit) show(x *workflow.Exec, tasks []SubTask, state func(int) agent.StepState, found []Recommendation) {
	list := steps(tasks, state)
	for i := range found {
		if i < len(list) {
			list[i].Detail = cmp.Or(found[i].Service, found[i].Reason)
		}
	}
	raw, err := json.Marshal(agent.Plan{Title: x.Phrase("guide.plan_title"), Steps: list})
	if err == nil {
		x.Emit(agent.Event{Kind: agent.EventPlan, Data: raw})
	}
}

// lookUps returns one look-up per sub-task, for a model that calls no tool.
func lookUps(tasks []SubTask) []Call {
	out := make([]Call, len(tasks))
	for i, t := range tasks {
		query, err := json.Marshal(queryArgs{fit.Cut(fit.OneLine(t.Title), 400)})
		if err != nil { // cannot fail for strings
			query = []byte(`{"query":""}`)
		}
		out[i] = Call{ID: fmt.Sprintf("call_0_%d", i), Tool: toolDocs, Arguments: host.OneForm(query)}
	}
	return out
}

// wish asks the model for the next calls and drops repeated ones. failed is true if the model
// cannot plan.
func (k kit) wish(ctx context.Context, s graph.State, x *workflow.Exec, rounds int) (calls []Call, failed bool, err error) {
	x.Doing("guide.looking")
	_, _, noWeb := k.tools.Lookup(toolWeb)
	system, err := k.prompt("recommend", s, x, map[string]any{"Web": noWeb == nil})
	if err != nil {
		return nil, false, err
	}
	results := k.st.results.Get(s)
	messages := []llm.Message{{Role: llm.System, Content: system}, {Role: llm.User, Content: k.st.question.Get(s)}}
	messages = append(messages, transcript(results)...)
	reply, err := host.Choose(ctx, x, "react", llm.Request{Purpose: llm.ForPlan, Messages: messages, Tools: k.tools.Offer()})
	if err != nil || reply.Failed != "" {
		return nil, true, err
	}
	seen := map[string]bool{}
	for _, r := range results {
		seen[r.Tool+" "+host.OneForm(json.RawMessage(r.Arguments))] = true
	}
	for i, c := range reply.Calls {
		call := Call{ID: fmt.Sprintf("call_%d_%d", rounds, i), Tool: c.Name, Arguments: host.OneForm(c.Arguments)}
		if key := call.Tool + " " + call.Arguments; !seen[key] && len(calls) < maxCalls {
			seen[key] = true
			calls = append(calls, call)
		}
	}
	return calls, false, nil
}

// transcript returns the calls so far as chat messages: per round one message with the calls and
// one per result.
func transcript(results []ToolResult) []llm.Message {
	var out []llm.Message
	round := ""
	at := -1
	for _, r := range results {
		if this := r.ID[:strings.LastIndex(r.ID, "_")]; this != round {
			round = this
			out = append(out, llm.Message{Role: llm.Assistant})
			at = len(out) - 1
		}
		out[at].ToolCalls = append(out[at].ToolCalls, llm.ToolCall{ID: r.ID, Name: r.Tool, Arguments: json.RawMessage(r.Arguments)})
		out = append(out, llm.Message{Role: llm.ToolRole, Name: r.Tool, ToolCallID: r.ID, Content: r.Text})
	}
	return out
}
