package consent

import (
	"encoding/json"

	"maru/agent"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// Call is one call of a tool, as people are shown it and as it runs.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Effect returns the gravest effect of the call: reading without a tool, unknown for a
// tool that is gone.
func (c Call) Effect(x *workflow.Exec) agent.Effect {
	if c.Tool == "" {
		return agent.EffectReads
	}
	spec, ok := x.Tool(c.Tool)
	if !ok {
		return ""
	}
	return spec.Policy.Effect()
}

// Filled returns the call with the defaults of its tool's parameters, see [workflow.Exec.Filled].
func (c Call) Filled(x *workflow.Exec) Call { return Call{c.Tool, x.Filled(c.Tool, c.Arguments)} }

// Digest identifies the tool of the call as it is now, see [workflow.Exec.Digest]. A person who saw another
// description, or other parameters, did not approve this call.
func (c Call) Digest(x *workflow.Exec) string { return x.Digest(c.Tool) }

// Faults returns why the tool would refuse the arguments, nil if it would accept them.
func (c Call) Faults(x *workflow.Exec) *tool.Error { return x.Faults(c.Tool, c.Arguments) }

// Judge returns why a call that was made failed, for people, "" if it did not: by the protocol, or by the text of its
// result. A call that failed by its text alone may have taken effect.
func (c Call) Judge(x *workflow.Exec, got node.Called) (tool.Verdict, string) {
	if got.Err != "" {
		return tool.Failed, got.Err
	}
	spec, ok := x.Tool(c.Tool)
	verdict, said := spec.Judge(c.Arguments, got.Text)
	why := ""
	switch verdict {
	case tool.Succeeded:
		return verdict, ""
	case tool.Empty:
		why = x.Phrase("agent.result_empty")
	case tool.Failed:
		why = x.Phrase("agent.result_failed", tool.Quoted(said))
	}
	if ok && spec.Policy.Lasting() {
		why += " " + x.Phrase("agent.tool_unsure")
	}
	return verdict, why
}

// With returns the call with the values of a form. The error names the values that the tool would refuse, which are
// left out.
func (c Call) With(x *workflow.Exec, values map[string]string) (Call, *tool.Error) {
	spec, ok := x.Tool(c.Tool)
	if !ok {
		return c, nil
	}
	arguments, faults := Fill(spec.Parameters, c.Arguments, values)
	c.Arguments = arguments
	if len(faults) > 0 {
		return c, tool.Misfit(c.Tool, faults...)
	}
	return c, c.Faults(x)
}

// Question returns the question about a call: the exact call, its effect, a yes if it can
// run as it is, and a form with its values.
func (c Call) Question(x *workflow.Exec, question string, runnable bool) agent.Ask {
	a := agent.Ask{Question: question, Effect: c.Effect(x)}
	if c.Tool != "" {
		a.Detail = node.ShowCall(x, c.Tool, c.Arguments)
	}
	if runnable {
		a.Actions = append(a.Actions, agent.Action{Verb: agent.VerbAccept, Style: "primary"})
	}
	if spec, ok := x.Tool(c.Tool); ok {
		if inputs := Form(x.Request.Language, spec, c.Arguments); len(inputs) > 0 {
			a.Actions = append(a.Actions, agent.Action{Verb: agent.VerbEdit, Inputs: inputs, Words: true})
		}
		if runnable && spec.Allowable {
			a.Allows = &agent.Allowance{Tool: spec.Name, Digest: spec.Digest()}
		}
	}
	return a
}

// Choices adds actions to the question about a call, and behind them that of a standing permission where there may be one:
// numbers that people type for the usual choices stay.
func Choices(x *workflow.Exec, a *agent.Ask, actions ...agent.Action) {
	a.Actions = append(a.Actions, actions...)
	if a.Allows != nil {
		a.Actions = append(a.Actions, agent.Action{Verb: agent.VerbAllow, Inputs: []agent.Input{days(x)}})
	}
}

// days asks for how long a tool is allowed.
func days(x *workflow.Exec) agent.Input {
	in := agent.Input{ID: agent.InputDays, Label: x.Phrase("agent.allow_days"), Hint: x.Phrase("agent.allow_hint"), Value: "7", Required: true}
	in.Options = []agent.Option{
		{Value: "1", Label: x.Phrase("agent.allow_days_1")}, {Value: "7", Label: x.Phrase("agent.allow_days_7")}, {Value: "30", Label: x.Phrase("agent.allow_days_30")},
	}
	return in
}

// WhetherDone returns the question about a call that was begun and whose end nobody knows: a person
// looks whether it took effect. It offers no yes, which could mean two things.
func (c Call) WhetherDone(x *workflow.Exec, question string) agent.Ask {
	a := c.Question(x, question, false)
	a.Notes = []string{x.Phrase("agent.unsure_note")}
	a.Actions = []agent.Action{{Verb: agent.VerbDone, Style: "primary"}, {Verb: agent.VerbRerun}, {Verb: agent.VerbSkip}}
	return a
}
