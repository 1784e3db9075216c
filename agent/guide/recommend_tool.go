package guide

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
)

// Bounds of one turn.
const (
	maxReplans = 5
	maxCalls   = 6 // of one round
)

func (k kit) recommendTool() workflow.Type {
	t := workflow.Define(workflow.Type{
		Name: "guide_recommend_tool", Summary: "Asks whether the sub-tasks are right, then finds one best service for each with tools.",
		Doc: "The question comes before the node runs, where the run may ask its people about plans. Words lead back to planning a bounded number of times; a malformed answer is a no. " +
			"Services are those that were found: a name that nothing returned is left out, and prices come from the knowledge alone.",
		Ports: []string{portReplan, portTools, portDone, portDropped}, Bounded: true,
		Reads:  []string{"sub_tasks", "approved", "tool_result", "retrieved_docs"},
		Writes: []string{"approved", "user_feedback", "replans", "next", "pending", "rounds", "tool_recommendations", "plain", "final_guide", "retrieved_docs"}, Config: noConfig,
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
	agreed := k.st.approved.Set(true)
	if rounds < k.maxRounds {
		calls, err := k.wish(ctx, s, x, rounds)
		if err != nil {
			return nil, err
		}
		if len(calls) > 0 {
			return []graph.Write{agreed, k.st.pending.Set(calls), k.st.rounds.Set(rounds + 1), k.st.next.Set(portTools)}, nil
		}
	}
	writes, err := k.conclude(ctx, s, x, tasks)
	return append(writes, agreed, k.st.next.Set(portDone)), err
}

// decided turns a decision that is no agreement into what follows; nil means go
// on.
func (k kit) decided(s graph.State, x *workflow.Exec, a graph.Answer) []graph.Write {
	r := replyOf(a.Value)
	words := wordsOf(r)
	over := func(ko, en string, more ...graph.Write) []graph.Write {
		text := x.Say(ko, en)
		x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
		return append(more, k.st.guide.Set(text), k.st.next.Set(portDropped))
	}
	switch {
	case a.Expired:
		return over("정해진 시간 안에 답이 없어서 여기서 멈췄어요. 다시 말씀해 주시면 이어서 도와드릴게요.", "Nobody answered in time, so I stopped here. Tell me again and I will help.")
	case r.Action != agent.VerbAccept && r.Action != agent.VerbEdit:
		return over("알겠어요, 여기서 멈출게요. 다른 목표가 있으면 말씀해 주세요.", "All right, I leave it here. Tell me when you have another goal.")
	case r.Action == agent.VerbAccept || words == "": // an edit that changes nothing agrees
		return nil
	case k.st.replans.Get(s) >= maxReplans:
		return over("여러 번 고쳤지만 아직 맞지 않네요. 목표를 새 메시지로 다시 적어 주시면 처음부터 나눠 볼게요.",
			"We have changed it several times and it still does not fit. Please write the goal anew and I will begin afresh.",
			k.st.feedback.Add(words))
	}
	return []graph.Write{k.st.feedback.Add(words), k.st.replans.Set(k.st.replans.Get(s) + 1), k.st.next.Set(portReplan)}
}

// show tells people how far the sub-tasks are.
func (k kit) show(x *workflow.Exec, tasks []SubTask, state func(int) agent.StepState, found []Recommendation) {
	list := steps(tasks, state)
	for i := range found {
		if i < len(list) {
			list[i].Detail = found[i].Service
		}
	}
	raw, err := json.Marshal(agent.Plan{Title: x.Say("서비스 찾기", "Finding services"), Steps: list})
	if err == nil {
		x.Emit(agent.Event{Kind: agent.EventPlan, Data: raw})
	}
}

// wish asks the model which tools to call next; the same call is never made
// twice.
func (k kit) wish(ctx context.Context, s graph.State, x *workflow.Exec, rounds int) ([]Call, error) {
	x.Status("맞는 서비스를 찾고 있어요…", "Looking for services that fit…")
	_, _, noWeb := k.tools.Lookup(toolWeb)
	system, err := k.prompt("recommend", s, x, map[string]any{"Web": noWeb == nil})
	if err != nil {
		return nil, err
	}
	results := k.st.results.Get(s)
	messages := []llm.Message{{Role: llm.System, Content: system}, {Role: llm.User, Content: k.st.question.Get(s)}}
	messages = append(messages, transcript(results)...)
	reply, err := host.Talk(ctx, x, "react", llm.Request{Purpose: llm.ForPlan, Messages: messages, Tools: k.tools.Offer()}, false)
	if err != nil || reply.Failed != "" {
		return nil, err
	}
	seen := map[string]bool{}
	for _, r := range results {
		seen[r.Tool+" "+r.Arguments] = true
	}
	var out []Call
	for i, c := range reply.Calls {
		call := Call{ID: fmt.Sprintf("call_%d_%d", rounds, i), Tool: c.Name, Arguments: string(c.Arguments)}
		if key := call.Tool + " " + call.Arguments; !seen[key] && len(out) < maxCalls {
			seen[key] = true
			out = append(out, call)
		}
	}
	return out, nil
}

// transcript is the calls so far in the words of the chat protocol: each round
// is one message of calls and one for each result.
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
