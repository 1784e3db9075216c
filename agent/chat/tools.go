package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/memory"
	"maru/phrase"
	"maru/phrase/fit"
)

// maxCalls limits the tool calls of one round. Calls beyond it are answered with an error.
const maxCalls = 8

// offered returns the tools for a run's prompt: those allowed in the channel and, if there are many, those that
// fit the question or were found with [findTools]. A call that needs approval asks for it, see [Agent.asked];
// where nobody can be asked it is refused, and the answer says so.
func (a *Agent) offered(ctx context.Context, x *workflow.Exec, s graph.State, room tool.Room) []llm.Tool {
	var search []llm.Tool
	if a.searches(ctx, x, s) {
		search = append(search, node.SearchSpec())
	}
	if x.Tools == nil {
		return search
	}
	all := allowed(x)
	wanted := append(soughtTools(a.ch.messages.Get(s), x.Request.Run), x.Request.Text)
	if a.asksPeople(s) {
		wanted = append(wanted, "search the messages that people wrote") // finds the search tools in any language of the question
	}
	out := a.cfg.Finder.Narrow(ctx, wanted, all, room)
	if len(out) < len(all) {
		out = append(slices.Clone(out), findToolsSpec)
	}
	if longResults(a.ch.messages.Get(s)) {
		out = append(slices.Clone(out), readResultSpec)
	}
	return append(slices.Clip(out), search...)
}

// allowed returns the tools that the channel allows.
func allowed(x *workflow.Exec) []llm.Tool {
	return x.Tools.OfferIf(func(s tool.Spec) bool { return s.Policy.Allows(x.Request.Scopes) })
}

// callMessage returns the model's tool calls as a message of the window.
func callMessage(x *workflow.Exec, round int, m llm.Message, l flow.Label) memory.Message {
	out := memory.Message{
		ID: fmt.Sprintf("%s/%d", x.Request.Run, round), Role: string(llm.Assistant), Text: m.Content, At: x.Request.Now.UTC(), Outsiders: l.Outsiders,
		Origin: m.Origin, Extra: string(m.Extra),
	}
	for _, c := range m.ToolCalls {
		args := string(c.Arguments)
		if args == "" {
			args = "{}"
		}
		out.Calls = append(out.Calls, memory.Call{ID: c.ID, Name: c.Name, Arguments: args, Extra: string(c.Extra)})
	}
	return out
}

// tools runs the calls of the last message and adds their results in call order. Calls without approval run in
// parallel; then each of the others asks for its own. A tool's failure is a result that the model reads. Each call
// is a durable step, so that nothing is repeated while a question waits.
func (a *Agent) tools(ctx context.Context, s graph.State) ([]graph.Write, error) {
	x := workflow.ExecOf(s)
	messages := a.ch.messages.Get(s)
	wanted := calls(messages)
	if late := slices.DeleteFunc(names(wanted), func(n string) bool { return n == findTools || n == readResult || n == node.SearchTool }); len(late) > 0 {
		x.Tools.Settle(ctx, lateTools, late...)
	}
	r := &round{Agent: a, x: x, n: a.ch.rounds.Get(s), task: a.offersTask(x, s), wanted: wanted, messages: messages, seen: earlier(messages[:len(messages)-1], x.Request.Run), read: a.read(x, s)}
	done := make([]called, len(wanted))
	errs := make([]error, len(wanted))
	found, err := r.search(ctx, s, done)
	if err != nil {
		return nil, err
	}
	var running sync.WaitGroup
	needsYes := make([]bool, len(wanted)) // once: a tool may come or go meanwhile
	for i, c := range wanted {
		needsYes[i] = done[i].text == "" && r.needsYes(i, c)
		if !needsYes[i] && done[i].text == "" {
			running.Go(func() { done[i], errs[i] = r.unasked(ctx, i, c) })
		}
	}
	running.Wait()
	for i, c := range wanted {
		switch {
		case errs[i] != nil || !needsYes[i]:
		case r.handed:
			done[i] = called{text: handedOver}
		default:
			done[i], errs[i] = r.asked(ctx, i, consent.Call{Tool: c.Name, Arguments: json.RawMessage(c.Arguments)})
		}
		if errs[i] != nil {
			return nil, errs[i]
		}
	}
	writes := found
	for i, c := range wanted {
		writes = append(writes, a.ch.messages.Add(memory.Message{
			ID: fmt.Sprintf("%s/%d/%d", x.Request.Run, r.n, i), Role: string(llm.ToolRole),
			Name: c.Name, CallID: c.ID, Text: done[i].text, At: x.Request.Now.UTC(), Outsiders: done[i].label.Outsiders,
		}))
		if done[i].deed != (deed{}) {
			writes = append(writes, a.ch.deeds.Add(done[i].deed))
		}
	}
	return append(writes, a.ch.rounds.Set(r.n+1), a.ch.handed.Set(r.handed)), nil
}

// toolsPort returns the output port of tools: continue, or hand over to the agent for tasks.
func (a *Agent) toolsPort(s graph.State) string {
	if a.ch.handed.Get(s) {
		return portHanded
	}
	return portAgain
}

// offersTask reports whether a question offers to do the message as a task: it wants several things, and an agent
// for tasks is available here.
func (a *Agent) offersTask(x *workflow.Exec, s graph.State) bool {
	return a.cfg.Tasks != "" && a.ch.wants.Get(s) == wantsTask && x.Request.MayAsk("")
}

// lateTools limits a call's wait for tools of servers that have not answered since the program started.
const lateTools = 5 * time.Second

// names returns the tool names of calls.
func names(wanted []memory.Call) []string {
	out := make([]string, len(wanted))
	for i, c := range wanted {
		out[i] = c.Name
	}
	return out
}

// round is one visit of the tools node.
type round struct {
	*Agent

	x        *workflow.Exec
	n        int
	wanted   []memory.Call
	messages []memory.Message // the window
	seen     map[string]int   // calls of earlier rounds of the turn, by [keyOf]
	read     flow.Context     // labels before these calls
	task     bool             // its questions offer to do the message as a task

	handed bool // the offer was accepted
}

// called is the result of a call.
type called struct {
	text  string // for the model
	label flow.Label
	deed  deed // for people; set if the call needed approval
}

// repeats reports whether this turn requested the same call before.
func (r *round) repeats(i int, c memory.Call) bool {
	return r.seen[keyOf(c)] > 0 || slices.ContainsFunc(r.wanted[:i], func(o memory.Call) bool { return keyOf(o) == keyOf(c) })
}

// needsYes reports whether a call needs a person's approval. A call that will be refused anyway needs none. One whose tool is
// absent may have been asked about while it was there; [round.asked] knows.
func (r *round) needsYes(i int, c memory.Call) bool {
	if i >= maxCalls || r.repeats(i, c) || c.Name == findTools || c.Name == readResult {
		return false
	}
	spec, ok := r.x.Tool(c.Name)
	if !ok {
		return r.x.Tools != nil && r.x.Request.MayAsk(c.Name)
	}
	return r.read.NeedsYes(spec, []byte(c.Arguments))
}

// unasked runs a call without approval. It returns an error only if the run ends.
func (r *round) unasked(ctx context.Context, i int, c memory.Call) (called, error) {
	switch {
	case i >= maxCalls:
		return called{text: fmt.Sprintf("error (limit): at most %d calls at once; this one was not made.", maxCalls)}, nil
	case r.repeats(i, c):
		return called{text: node.RepeatedCall}, nil
	case c.Name == findTools:
		return called{text: r.foundTools(ctx, c)}, nil
	case c.Name == readResult:
		return readOn(r.messages, c), nil
	}
	shown := ""
	if _, ok := r.x.Tool(c.Name); !ok { // one that comes in between may need a yes
		shown = workflow.AbsentTool
	}
	return r.call(ctx, i, consent.Call{Tool: c.Name, Arguments: json.RawMessage(c.Arguments)}, shown)
}

// call makes a call that nobody approved. shown is as in [node.CallShown].
func (r *round) call(ctx context.Context, i int, c consent.Call, shown string) (called, error) {
	done, err := r.callShown(ctx, fmt.Sprintf("call/%d", i), c, shown)
	return called{text: observed(done), label: r.labelled(c.Tool, done)}, err
}

// callShown makes one call of the tool with the digest shown, "" for any, and records its result under name, which must be
// unique within the visit of the node.
func (r *round) callShown(ctx context.Context, name string, c consent.Call, shown string) (node.Called, error) {
	done, err := node.CallShown(ctx, r.x, name, c.Tool, c.Arguments, shown)
	if err == nil && done.Err != "" {
		r.cfg.Log.InfoContext(ctx, "tool failed", "run", r.x.Request.Run, "tool", c.Tool)
	}
	return done, err
}

// observed formats a result for the model. A failure includes its message for people, so that the answer states
// the cause and the remedy in the same words.
func observed(done node.Called) string {
	if done.Err == "" {
		return done.Whole()
	}
	return done.Observed() + "\n" + llm.ForPerson + done.Err
}

// toolTitle returns a tool's name for people.
func (a *Agent) toolTitle(name string) phrase.Sentence {
	if a.cfg.Tools != nil {
		if _, spec, err := a.cfg.Tools.Lookup(name); err == nil && !spec.Title.Empty() {
			return spec.Title
		}
	}
	return phrase.Raw(name)
}

// keyOf is equal for calls of one tool with the same arguments.
func keyOf(c memory.Call) string { return c.Name + " " + host.OneForm(json.RawMessage(c.Arguments)) }

// earlier counts the calls of this run's earlier rounds by [keyOf].
func earlier(messages []memory.Message, run string) map[string]int {
	seen := map[string]int{}
	for _, m := range messages {
		if len(m.Calls) == 0 || len(m.ID) <= len(run) || m.ID[:len(run)+1] != run+"/" {
			continue
		}
		for _, c := range m.Calls {
			seen[keyOf(c)]++
		}
	}
	return seen
}

// failedCall begins the texts that replace a result for the model.
const failedCall = "error ("

// maxRepeats limits the consecutive rounds of repeated calls.
const maxRepeats = 2

// stuck reports whether the last rounds of a run consisted of repeated calls only.
func stuck(messages []memory.Message, run string) bool {
	rounds := 0
	for i := len(messages) - 1; i >= 0 && rounds < maxRepeats && strings.HasPrefix(messages[i].ID, run+"/"); i-- {
		m := messages[i]
		switch {
		case len(m.Calls) > 0:
			rounds++
		case m.CallID == "" || m.Text != node.RepeatedCall:
			return false
		}
	}
	return rounds == maxRepeats
}

// withoutModel returns the answer if the model fails after tools returned results, "" if none did or the model
// refuses. Asking people to try again would repeat the calls.
func (a *Agent) withoutModel(ctx context.Context, x *workflow.Exec, s graph.State, why error) string {
	class := llm.ClassOf(why)
	gave := a.gave(x, s)
	if !workflow.Silent(ctx, why) || class == llm.Refused || class == llm.ContentFilter || len(gave) == 0 {
		return ""
	}
	a.cfg.Log.WarnContext(ctx, "answer failed, listing the tool results", "run", x.Request.Run, "err", why)
	return x.Phrase("chat.model_failed", host.WhyOf(x, why)) + "\n\n" + strings.Join(gave, "\n\n")
}

// withoutWords returns the answer for an empty reply of the model: the tool results of this turn, if any. more is
// true if the model wanted another round.
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

// gave returns the results of the turn's last tools, for people.
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

// Limits of results that replace an answer.
const (
	maxGiven = 1500 // characters of one result
	maxShown = 4
)
