package chat

import (
	"context"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/memory"
	"maru/phrase/chart"
	"maru/phrase/intent"
	"maru/rag"
)

// agent writes an answer or decides which tools to call, with one model call per visit. The prompt consists of
// role, summaries, passages and the recent messages.
func (a *Agent) agent(ctx context.Context, s graph.State) ([]graph.Write, error) {
	x := workflow.ExecOf(s)
	if x.Request.Talk != nil {
		return tellTalk(ctx, a, x, s)
	}
	req, err := a.prompt(ctx, x, s)
	if err != nil {
		return nil, err
	}
	streamed := false
	working, cancel := agent.Working(ctx, x.Request.Until)
	defer cancel()
	tell := func(piece string) {
		streamed = true
		x.Emit(agent.Event{Kind: agent.EventToken, Text: piece})
	}
	resp, err := x.Bind(a.cfg.Model).Generate(working, req, tell)
	if llm.ClassOf(err) == llm.Garbage && len(req.Tools) > 0 { // a small model may fail at tool calls that it does not need
		if streamed {
			x.Emit(agent.Event{Kind: agent.EventReset})
		}
		req.Tools, req.ToolChoice, streamed = nil, "", false
		if again, failed := x.Bind(a.cfg.Model).Generate(working, req, tell); failed == nil {
			resp, err = again, nil
		}
	}
	if err != nil {
		return failed(ctx, a, x, s, err, streamed)
	}
	if len(resp.Message.ToolCalls) > 0 && req.ToolChoice != toolsNone && len(req.Tools) > 0 {
		if streamed { // text before a tool call is not the answer
			x.Emit(agent.Event{Kind: agent.EventReset})
		}
		return []graph.Write{a.ch.messages.Add(callMessage(x, a.ch.rounds.Get(s), resp.Message, a.label(s)))}, nil
	}
	answer := withoutRules(x, strings.TrimSpace(resp.Message.Content))
	if echoes(a.ch.question.Get(s), answer) {
		answer = ""
		x.Emit(agent.Event{Kind: agent.EventReset})
	}
	if answer == "" && searchedOnly(a, x, s) {
		return unworded(ctx, a, x, s, host.Why(x, ""))
	}
	if answer == "" {
		answer = a.withoutWords(x, s, len(resp.Message.ToolCalls) > 0)
	}
	answer = withResult(a, x, s, a.pointed(x, s, answer))
	if passages := a.ch.context.Get(s); len(passages) > 0 {
		return a.cite(ctx, x, s, answer, passages, resp.Message)
	}
	return a.fromAgent(x, s, answer, resp.Message), nil
}

// failed answers without the model after an error of it. streamed says that part of a reply was shown.
func failed(ctx context.Context, a *Agent, x *workflow.Exec, s graph.State, why error, streamed bool) ([]graph.Write, error) {
	quotes := workflow.Silent(ctx, why) && llm.ClassOf(why) == llm.Garbage && searchedOnly(a, x, s)
	answer := ""
	if !quotes {
		if answer = a.withoutModel(ctx, x, s, why); answer == "" {
			return nil, why
		}
	}
	if streamed {
		x.Emit(agent.Event{Kind: agent.EventReset})
	}
	if !quotes {
		return a.answered(x, s, answer, nil, llm.Message{}), nil
	}
	a.cfg.Log.WarnContext(ctx, "answer failed, quoting the documents", "run", x.Request.Run, "err", why)
	return unworded(ctx, a, x, s, host.WhyOf(x, why))
}

// agentPort returns the output port of agent: whether the model wants tools.
func (a *Agent) agentPort(s graph.State) string {
	if calls(a.ch.messages.Get(s)) != nil {
		return portTools
	}
	return portDone
}

// calls returns the pending tool calls: those of the newest message.
func calls(messages []memory.Message) []memory.Call {
	if len(messages) == 0 {
		return nil
	}
	return messages[len(messages)-1].Calls
}

// toolsNone forbids tool calls after the last round, so that the model answers from what it has.
const toolsNone = "none"

func (a *Agent) prompt(ctx context.Context, x *workflow.Exec, s graph.State) (llm.Request, error) {
	req := llm.Request{Purpose: llm.ForAnswer, Temperature: a.cfg.Temperature}
	room := tool.RoomAlone
	if len(a.ch.context.Get(s)) > 0 { // leave room for the passages
		room = tool.RoomBeside
	}
	req.Tools = a.offered(ctx, x, s, room)
	if (a.ch.rounds.Get(s) >= a.cfg.MaxRounds || stuck(a.ch.messages.Get(s), x.Request.Run)) && len(req.Tools) > 0 {
		req.ToolChoice = toolsNone
	}
	earlier := ""
	if len(a.ch.summaries.Get(s)) > 0 { // older messages are only available as summaries
		earlier = host.LongAgo(ctx, x, a.cfg.Log, a.ch.messages.Get(s))
	}
	passages, about := a.ch.context.Get(s), ""
	if a.ch.about.Get(s) == aboutWhole {
		about = fileNames(x.Request.Files)
	}
	_, charted := chart.Asked(x.Request.Text)
	system, err := host.Render(prompts(), promptAgent, map[string]any{
		"Today":    host.Today(x.Request),
		"Language": workflow.LanguageName(x.Request.Language), "User": x.Request.User.Name, "Persona": x.Request.Persona,
		"Known": a.known(ctx, x), "Earlier": earlier,
		"Summaries": memory.Numbered(a.ch.summaries.Get(s)), "Passages": rag.Number(node.Hits(passages)), "Notes": a.ch.notes.Get(s), "Whole": about, "Aside": rag.Number(node.Hits(a.ch.aside.Get(s))),
		"Closest": nearestLine(a.ch.question.Get(s), slices.Concat(passages, a.ch.aside.Get(s))),
		"Search":  slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == node.SearchTool }),
		"Chart":   charted,
		"Tools":   len(req.Tools) > 0, "Nothing": a.ch.route.Get(s) == routeRAG && len(passages) == 0 && a.ch.notes.Get(s) == "" && len(x.Request.Pictures) == 0,
	})
	if err != nil {
		return llm.Request{}, err
	}
	req.Messages = append([]llm.Message{{Role: llm.System, Content: system}}, toModel(a.revealed(ctx, x, a.ch.messages.Get(s)))...)
	req.Passages = node.Passages(passages)
	return req, nil
}

// cite checks the citations of an answer against its passages. It removes invented ones, corrects wrong and missing ones where
// the passages are clear, and returns the remaining ones as the answer's sources. A draft without any ground becomes a refusal
// where it speaks of the team, and is marked elsewhere.
func (a *Agent) cite(ctx context.Context, x *workflow.Exec, s graph.State, draft string, passages []agent.Source, from llm.Message) ([]graph.Write, error) {
	draft = completed(x, a.ch.question.Get(s), spelled(x, draft, passages), passages)
	baseless := groundless(a, x, s, draft, passages)
	if baseless && intent.OfTeam(draft) {
		x.Emit(agent.Event{Kind: agent.EventReset})
		return saysNotFound(ctx, a, s, passages, "")
	}
	answer, cited := x.Cite(draft, passages)
	if baseless && len(cited) == 0 {
		answer = withNote(x, answer)
	}
	return a.answered(x, s, answer, cited, from), nil
}

// answered writes the turn's answer to state and window, with the provider's extra members of the message that it
// comes from, which the endpoint expects back.
func (a *Agent) answered(x *workflow.Exec, s graph.State, answer string, cited []agent.Source, from llm.Message) []graph.Write {
	lately := a.ch.lately.Get(s)
	if len(cited) > 0 {
		lately = documentsOf(cited)
	}
	return []graph.Write{
		a.ch.answer.Set(answer),
		a.ch.cited.Set(cited),
		a.ch.lately.Set(lately),
		a.ch.messages.Add(memory.Message{
			ID: x.Request.Run, Role: string(llm.Assistant), Text: answer, At: x.Request.Now.UTC(), Outsiders: a.label(s).Outsiders,
			Origin: from.Origin, Extra: string(from.Extra),
		}),
	}
}
