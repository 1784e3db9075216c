package orchestrator

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
	"maru/agent/workflow/node"
	"maru/memory"
)

// read returns what the run has read: the thread's messages and the results of its steps. The texts of an approved
// plan or step count as said by the approver. made are the calls of the current step.
func (c channels) read(s graph.State, x *workflow.Exec, made ...called) flow.Context {
	messages := c.messages.Get(s)
	if author := cmp.Or(c.prepared.Get(s).Heard, c.plan.Get(s).Heard); author != nil {
		x.Hear(*author) // before the process started again
	}
	from := node.OriginsOf(x, messages)
	label := flow.Label{Outsiders: outsiders(messages) || x.Heard() != nil}
	for _, o := range c.outcomes.Get(s) {
		label = label.Join(results(x, from, o.Calls))
	}
	label = label.Join(results(x, from, made))
	said := node.SaidBy(x.Request, messages)
	for _, a := range c.clarity.Get(s).Answers {
		if a.Own {
			said = append(said, a.Answer)
		}
	}
	if p := c.plan.Get(s); c.granted(s) {
		said = append(said, p.Title)
		for _, st := range p.Steps {
			said = append(said, st.words()...)
		}
	}
	if d := c.decided.Get(s); d.Action == agent.VerbAccept && !d.Auto {
		st, _ := c.stepAt(s)
		said = append(append(said, st.words()...), string(c.prepared.Get(s).Arguments))
	}
	return flow.Context{Label: label, Said: said, From: from.List()}
}

// words returns the texts of a step as its card shows them.
func (st step) words() []string { return []string{st.Text, st.Detail, string(st.Arguments)} }

// outsiders reports whether messages contain outsiders' words.
func outsiders(messages []memory.Message) bool {
	return slices.ContainsFunc(messages, func(m memory.Message) bool { return m.Outsiders })
}

// results joins the labels of the calls' results and notes the origins of outsiders' words. Error texts count,
// since a server wrote them. A tool that no longer exists counts as an outsider.
func results(x *workflow.Exec, from *node.Origins, calls []called) flow.Label {
	var label flow.Label
	for _, call := range calls {
		spec, ok := x.Tool(call.Tool)
		if l := flow.Result(spec.Policy, call.From, label); l.Outsiders || !ok {
			from.Tool(call.Tool)
			label.Outsiders = true
		}
	}
	return label
}

// wish makes a call chosen by the model for a step, and returns the result for the model. A call that would send
// unapproved words to a service needs approval of the exact call; where nobody can be asked it is refused.
func (e *execution) wish(ctx context.Context, name string, c call) (string, error) {
	spec, _ := toolNamed(e.x, c.Tool)
	read := e.read(e.s, e.x, e.made.Calls...)
	if e.approvedCall(e.s, e.x, e.st, c.Tool, c.Arguments) || !read.NeedsYes(spec, c.Arguments) {
		return e.perform(ctx, name, c, "")
	}
	e.seen[callDigest("", c.Tool, c.Arguments)] = true
	if !askingFor(e.x, c.Tool) {
		return e.unallowed(c, tool.Observe(tool.Result{}, tool.NeedsYes(c.Tool)), codeOutsiders, codeOutsiders.refused(e.x)), nil
	}
	c = c.Filled(e.x)
	if wrong := c.Faults(e.x); wrong != nil {
		return e.perform(ctx, name, c, "") // the tool reports the error itself
	}
	known, err := e.sources(ctx, e.s, e.x, e.memory, e.made.Calls...)
	if err != nil {
		return "", err
	}
	known = append(known, e.pre.Known...)
	d, err := c.Settle(ctx, e.x, "ask/"+name, node.Reason(e.x, spec, c.Arguments, read), func(c call, notes, typed []string) agent.Ask {
		return e.question(c, slices.Concat(c.Marks(e.x, known, e.heard(ctx, e.s, e.x, typed, e.results...)), notes))
	})
	if err != nil {
		return "", err
	}
	if d.Tool == workflow.AbsentTool { // no decision
		return e.unallowed(d.Call, d.Text, codeUnknown, d.Why), nil
	}
	entry := decided{Reply: d.Answer.Reply, Written: d.Answer.Written, By: d.Answer.By, At: d.Answer.At, Expired: d.Answer.Expired}.entry(kindStep, e.st.ID, c.Tool)
	e.extra = append(e.extra, e.history.Add(entry))
	if d.Allowed() {
		return e.perform(ctx, name, d.Call, d.Tool)
	}
	return e.unallowed(d.Call, d.Text, codeOutsiders, d.Why), nil
}

// perform makes one call and returns its result for the model. shown is as in [execution.call].
func (e *execution) perform(ctx context.Context, name string, c call, shown string) (string, error) {
	got, err := e.call(ctx, name, c, shown)
	if err != nil {
		return "", err
	}
	e.results = append(e.results, node.Gave{Tool: c.Tool, Arguments: c.Arguments, Text: tool.Bound(got.Observed(), maxSaved)})
	return node.Reveal(ctx, e.x, c.Tool, c.Arguments, got.Observed()), nil
}

// unallowed records a refused call. No later result makes up for it.
func (e *execution) unallowed(c call, text string, code failure, why string) string {
	if why != "" {
		e.code, e.last = code, why
		e.made.Calls = append(e.made.Calls, called{Tool: c.Tool, Arguments: c.Arguments, Failed: true, Why: strings.TrimSpace(why)})
	}
	return text
}

// question builds the question about a call chosen by the model.
func (e *execution) question(c call, notes []string) agent.Ask {
	n, p := e.current.Get(e.s), e.plan.Get(e.s)
	a := c.Question(e.x, e.x.Phrase("orchestrator.step.ask", n+1, len(p.Steps), literal(e.st.Text)), true)
	a.Notes, a.Steps = notes, planProgress(e.x, p, e.outcomes.Get(e.s), e.st.ID)
	consent.Choices(e.x, &a, agent.Action{Verb: agent.VerbReject, Style: "danger"})
	return a
}
