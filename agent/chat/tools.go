package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory"
	"maru/phrase"
	"maru/phrase/fit"
)

// maxCalls bounds the tool calls of one round; a model that wants more is told.
const maxCalls = 8

// offered returns the tools for a run's prompt: those that may run without
// anybody's yes, because this agent does not ask, and of many those that fit.
func (a *Agent) offered(ctx context.Context, x *workflow.Exec) []llm.Tool {
	if a.cfg.Tools == nil {
		return nil
	}
	could := a.cfg.Tools.OfferIf(func(s tool.Spec) bool {
		return s.In(x.Request.Scopes).Policy.Unasked() && s.Policy.Allows(x.Request.Scopes)
	})
	return a.cfg.Finder.Narrow(ctx, x.Request.Text, could)
}

// callMessage is the assistant's wish to call tools, as the window keeps it.
func callMessage(x *workflow.Exec, round int, m llm.Message) memory.Message {
	out := memory.Message{
		ID: fmt.Sprintf("%s/%d", x.Request.Run, round), Role: string(llm.Assistant), Text: m.Content, At: x.Request.Now.UTC(),
	}
	for _, c := range m.ToolCalls {
		args := string(c.Arguments)
		if args == "" {
			args = "{}"
		}
		out.Calls = append(out.Calls, memory.Call{ID: c.ID, Name: c.Name, Arguments: args})
	}
	return out
}

// tools runs the calls of the last message side by side and adds their results
// in the order of the calls. A tool's failure is a result too: the model reads
// it and goes on.
func (a *Agent) tools(ctx context.Context, s graph.State) ([]graph.Write, error) {
	x := workflow.ExecOf(s)
	messages := a.ch.messages.Get(s)
	wanted := calls(messages)
	results := make([]memory.Message, len(wanted))
	errs := make([]error, len(wanted))
	seen := earlier(messages[:len(messages)-1], x.Request.Run)
	var running sync.WaitGroup
	for i, c := range wanted {
		running.Go(func() {
			var text string
			text, errs[i] = a.call(ctx, x, i, c, seen)
			results[i] = memory.Message{
				ID: fmt.Sprintf("%s/%d/%d", x.Request.Run, a.ch.rounds.Get(s), i), Role: string(llm.ToolRole),
				Name: c.Name, CallID: c.ID, Text: text, At: x.Request.Now.UTC(),
			}
		})
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return []graph.Write{a.ch.messages.Add(results...), a.ch.rounds.Set(a.ch.rounds.Get(s) + 1)}, nil
}

// call runs one tool call and returns what the model reads of it. Only the end
// of the run is an error.
func (a *Agent) call(ctx context.Context, x *workflow.Exec, i int, c memory.Call, seen map[string]int) (string, error) {
	if i >= maxCalls {
		return fmt.Sprintf("error (limit): at most %d calls at once; this one was not made.", maxCalls), nil
	}
	if seen[c.Name+" "+c.Arguments] >= 1 {
		return repeatedCall + ": this call was made before in this turn; use its result.", nil
	}
	x.Doing("agent.doing", a.toolTitle(c.Name))
	x.Emit(agent.Event{Kind: agent.EventToolCall, Name: c.Name, Data: validJSON(c.Arguments)})
	start := time.Now()
	result, err := a.invoke(ctx, x, c)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	text := tool.ObserveIn(x.Request.Language, result, err)
	e := agent.Event{Kind: agent.EventToolResult, Name: c.Name, Text: x.Knew(text, result.Known), Took: time.Since(start)}
	if err != nil {
		e.Err = tool.Sentence(err, x.Request.Language)
		a.cfg.Log.InfoContext(ctx, "tool failed", "run", x.Request.Run, "tool", c.Name, "err", err)
	}
	x.Emit(e)
	return text, nil
}

// invoke calls the tool, unless only a person could allow it. One that may run
// unasked changes nothing, so it may run again after a crash.
func (a *Agent) invoke(ctx context.Context, x *workflow.Exec, c memory.Call) (tool.Result, error) {
	if _, spec, err := a.cfg.Tools.Lookup(c.Name); err == nil && !spec.In(x.Request.Scopes).Policy.Unasked() {
		return tool.Result{}, tool.NeedsYes(c.Name)
	}
	return a.cfg.Tools.Invoke(ctx, c.Name, tool.Call{
		ID: x.Request.Run + "/" + c.ID, Arguments: json.RawMessage(c.Arguments), Thread: x.Request.Thread,
		Scopes: x.Request.Scopes, User: x.Request.User.ID,
		Said: x.Request.Text, Message: x.Request.Message, Learn: x.Request.LearnScope(), NoMemory: x.Request.NoMemory,
		TimeZone: x.Request.User.TimeZone, Language: x.Request.Language, Now: x.Request.Now, Until: x.Request.Until,
	})
}

// toolTitle is what people see while a tool runs.
func (a *Agent) toolTitle(name string) phrase.Sentence {
	if _, spec, err := a.cfg.Tools.Lookup(name); err == nil && !spec.Title.Empty() {
		return spec.Title
	}
	return phrase.Raw(name)
}

// earlier counts the calls of this run's former rounds by name and arguments.
func earlier(messages []memory.Message, run string) map[string]int {
	seen := map[string]int{}
	for _, m := range messages {
		if len(m.Calls) == 0 || len(m.ID) <= len(run) || m.ID[:len(run)+1] != run+"/" {
			continue
		}
		for _, c := range m.Calls {
			seen[c.Name+" "+c.Arguments]++
		}
	}
	return seen
}

// What the model reads instead of a result begins so.
const (
	failedCall   = "error ("
	repeatedCall = failedCall + "repeated)"
)

// maxRepeats is how many rounds of nothing but repeated calls a turn has.
const maxRepeats = 2

// stuck reports whether the last rounds of a run were nothing but calls that had been
// made before.
func stuck(messages []memory.Message, run string) bool {
	rounds := 0
	for i := len(messages) - 1; i >= 0 && rounds < maxRepeats && strings.HasPrefix(messages[i].ID, run+"/"); i-- {
		m := messages[i]
		switch {
		case len(m.Calls) > 0:
			rounds++
		case m.CallID == "" || !strings.HasPrefix(m.Text, repeatedCall):
			return false
		}
	}
	return rounds == maxRepeats
}

// withoutModel is the answer when the model fails after tools have given something, "" if none
// has or the model declines: "please ask again" would have done twice what they did.
func (a *Agent) withoutModel(ctx context.Context, x *workflow.Exec, s graph.State, why error) string {
	class := llm.ClassOf(why)
	gave := a.gave(x, s)
	if !workflow.Silent(ctx, why) || class == llm.Refused || class == llm.ContentFilter || len(gave) == 0 {
		return ""
	}
	a.cfg.Log.WarnContext(ctx, "what tools gave is told without a model", "run", x.Request.Run, "err", why)
	return x.Phrase("chat.model_failed", host.Why(x, class)) + "\n\n" + strings.Join(gave, "\n\n")
}

// withoutWords is the answer of a model that has none: what the tools gave in this
// turn, if they gave anything. more says that it wanted yet another round of them.
func (a *Agent) withoutWords(x *workflow.Exec, s graph.State, more bool) string {
	gave := a.gave(x, s)
	switch {
	case len(gave) == 0 && more:
		return x.Phrase("agent.tools_used_up")
	case len(gave) == 0:
		return x.Phrase("agent.empty_answer")
	}
	return x.Phrase("chat.only_results") + "\n\n" + strings.Join(gave, "\n\n")
}

// gave is what the last tools of this turn have given, as people read it.
func (a *Agent) gave(x *workflow.Exec, s graph.State) []string {
	var gave []string
	for _, m := range a.ch.messages.Get(s) {
		if m.CallID == "" || !strings.HasPrefix(m.ID, x.Request.Run+"/") || strings.HasPrefix(m.Text, failedCall) {
			continue
		}
		gave = append(gave, x.Phrase("chat.tool_said", a.toolTitle(m.Name).In(x.Request.Language), fit.Clip(strings.TrimSpace(m.Text), maxGiven)))
	}
	return gave[max(0, len(gave)-maxShown):]
}

// Bounds of results that stand for an answer.
const (
	maxGiven = 1500 // letters of one
	maxShown = 4
)

// validJSON returns arguments for the trace; what a model wrote may be no JSON.
func validJSON(s string) json.RawMessage {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	quoted, _ := json.Marshal(s) // a string always encodes
	return quoted
}
