package orchestrator

import (
	"slices"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
)

// granted reports whether a person granted the plan as it is.
func (c channels) granted(s graph.State) bool {
	p := c.plan.Get(s)
	return p.Granted != "" && p.Granted == digestOf(p.Steps)
}

// refusal says by a code why a call may not be made, "" if it may. digest is the
// fingerprint of the call, "" for one that nobody has been shown.
//
// A call that was shown and granted is made. What only reads needs nobody. What
// is given to others may be when the plan said so, and a search elsewhere when
// nobody wants to be asked. What writes, runs code or sends what stays sent needs a
// person: the step's own grant, or that of a plan which named this tool, for the
// first try.
func (c channels) refusal(s graph.State, x *workflow.Exec, st step, spec tool.Spec, digest string) string {
	e := spec.Policy.Effect()
	switch {
	case !spec.Policy.Allows(x.Request.Scopes):
		return codeForbidden
	case digest != "" && c.prepared.Get(s).Granted == digest:
		return ""
	case spec.Policy.Approval:
		return codeNeedsApproval
	case e == agent.EffectReads:
		return ""
	case !weighty(spec) && !x.Request.Approvals.Plan:
		return ""
	case rank(e) > rank(st.Effect) || !c.granted(s):
		return codeNeedsApproval
	case weighty(spec) && (spec.Name != st.Tool || c.outcomeOf(s, st.ID).Tries > 0):
		return codeNeedsApproval
	}
	return ""
}

// uncovered reports whether a call of the tool would do more than anybody
// granted so far.
func (c channels) uncovered(s graph.State, x *workflow.Exec, st step, spec tool.Spec) bool {
	return c.refusal(s, x, st, spec, "") != ""
}

// asking reports whether anybody is ever asked in this run.
func asking(x *workflow.Exec) bool {
	a := x.Request.Approvals
	return a.Clarification || a.Plan || a.Step
}

// askingFor reports whether people may be asked about a call of a tool: as the
// run may ask, or because its place wants to be asked first about this tool.
func askingFor(x *workflow.Exec, name string) bool {
	return asking(x) || slices.Contains(x.Request.Scopes, agent.AskFirst(name))
}
