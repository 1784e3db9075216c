package autonomous

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/memory"
)

// Limits of one node's exchange with the model.
const (
	maxRounds = 5 // tool rounds
	maxCalls  = 4 // calls per round
)

// conversation describes one exchange of a node with the model.
type conversation struct {
	purpose  llm.Purpose
	messages []llm.Message
	passages []agent.Source
	stream   bool // show the reply as it is generated
	tools    bool
	read     flow.Context // see [kit.read]
}

// converse asks the model and runs the tools it calls, for at most maxRounds rounds. Replies and
// results are recorded, so a resumed run repeats none of them.
func (k kit) converse(ctx context.Context, x *workflow.Exec, c conversation) (host.Reply, error) {
	var switches []workflow.Switch
	made := map[string]bool{}
	req := llm.Request{Purpose: c.purpose, Messages: slices.Clone(c.messages), Passages: node.Passages(c.passages)}
	if c.tools {
		req.Tools = offered(x)
	}
	for round := 0; ; round++ {
		if round == maxRounds && len(req.Tools) > 0 {
			req.ToolChoice = "none"
		}
		reply, err := host.Insist(ctx, x, fmt.Sprintf("model/%d", round), req, c.stream)
		if workflow.Silent(ctx, err) && llm.ClassOf(err) == llm.Garbage && len(req.Tools) > 0 { // a small model may go on with calls that cannot be read
			req.Tools, req.ToolChoice = nil, ""
			reply, err = host.Insist(ctx, x, fmt.Sprintf("model/%d/words", round), req, c.stream)
		}
		if err != nil {
			return host.Reply{Switches: switches}, err
		}
		switches = append(switches, reply.Switches...)
		if len(reply.Calls) == 0 || round == maxRounds || len(req.Tools) == 0 {
			reply.Switches = switches
			return reply, nil
		}
		var results []llm.Message
		results, c.read.Label, err = k.callTools(ctx, x, round, reply.Calls, made, c.read)
		if err != nil {
			return host.Reply{Switches: switches}, err
		}
		if !slices.ContainsFunc(results, func(m llm.Message) bool { return m.Content != node.RepeatedCall }) {
			req.ToolChoice = "none"
		}
		req.Messages = append(req.Messages, reply.Message())
		req.Messages = append(req.Messages, results...)
	}
}

// wordless returns the error for an empty reply. It distinguishes a reply that still asked for
// tools at the limit.
func wordless(x *workflow.Exec, reply host.Reply) string {
	if len(reply.Calls) > 0 {
		return x.Phrase("agent.tools_used_up")
	}
	return x.Phrase("agent.empty_answer")
}

// read returns the labels of everything in a node's prompt. Text that the program wrote in this or
// an earlier turn may derive from any source and counts as outsiders' words.
func (k kit) read(s graph.State, x *workflow.Exec) flow.Context {
	messages := k.st.Messages.Get(s)
	theirs := func(m memory.Message) bool { return m.Outsiders || m.Role != string(llm.User) }
	done := func(t node.Todo) bool { return t.Result != "" }
	kept := len(k.st.Summaries.Get(s)) + len(k.st.MemoryRefs.Get(s)) + len(k.st.Passages.Get(s)) + len(k.st.Outside.Get(s))
	return flow.Context{
		Label: flow.Label{Outsiders: kept > 0 || k.st.Answer.Get(s) != "" ||
			slices.ContainsFunc(messages, theirs) || slices.ContainsFunc(k.st.Todos.Get(s), done)},
		Said: []string{x.Request.Text},
	}
}

// callTools runs the calls of one reply in parallel, each but those in made, to which it adds them. Results are in call
// order and carry the labels of the prompt.
func (k kit) callTools(ctx context.Context, x *workflow.Exec, round int, calls []llm.ToolCall, made map[string]bool, read flow.Context) ([]llm.Message, flow.Label, error) {
	out := make([]llm.Message, len(calls))
	labels := make([]flow.Label, len(calls))
	errs := make([]error, len(calls))
	var running sync.WaitGroup
	for i, c := range calls {
		key := c.Name + " " + host.OneForm(c.Arguments)
		repeated := made[key]
		made[key] = made[key] || i < maxCalls
		running.Go(func() {
			out[i] = llm.Message{Role: llm.ToolRole, Name: c.Name, ToolCallID: c.ID}
			switch {
			case repeated:
				out[i].Content = node.RepeatedCall
			case i >= maxCalls:
				out[i].Content = fmt.Sprintf("error (limit): at most %d calls at once; this one was not made.", maxCalls)
			case !allowed(x, c.Name), needsYes(x, c, read):
				out[i].Content = tool.ObserveIn(x.Request.Language, tool.Result{}, tool.NeedsYes(c.Name))
			default:
				done, err := node.CallTool(ctx, x, fmt.Sprintf("tool/%d/%d", round, i), c.Name, c.Arguments)
				out[i].Content, errs[i] = done.Observed(), err
				if spec, ok := x.Tool(c.Name); ok {
					labels[i] = flow.Result(spec.Policy, done.From, read.Label)
				}
			}
		})
	}
	running.Wait()
	label := read.Label
	for i, err := range errs {
		if err != nil {
			return nil, label, err
		}
		label = label.Join(labels[i])
	}
	return out, label, nil
}

// needsYes reports whether a call needs a person's approval after what the run has read.
func needsYes(x *workflow.Exec, c llm.ToolCall, read flow.Context) bool {
	spec, ok := x.Tool(c.Name)
	return ok && read.NeedsYes(spec, c.Arguments)
}

// offered returns the tools that the model may call without approval: those that only read.
func offered(x *workflow.Exec) []llm.Tool {
	if x.Tools == nil {
		return nil
	}
	var names []string
	for _, s := range x.Tools.Specs() {
		if allowed(x, s.Name) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return x.Tools.Offer(names...)
}

func allowed(x *workflow.Exec, name string) bool {
	if x.Tools == nil {
		return false
	}
	_, spec, err := x.Tools.Lookup(name)
	spec = spec.In(x.Request.Scopes)
	return err != nil || (spec.Policy.Unasked() && flow.ClassOf(spec.Policy) != flow.Executes) // an unknown tool reports its own error
}
