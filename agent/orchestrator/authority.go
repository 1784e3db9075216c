package orchestrator

import (
	"slices"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
)

// granted reports whether a person approved the plan in its present form.
func (c channels) granted(s graph.State) bool {
	p := c.plan.Get(s)
	return p.Granted != "" && p.Granted == digestOf(p.Steps)
}

// refusalCode returns why a call may not run, "" if it may. digest identifies the exact
// call, "" for one that was never shown.
//
// A call that was shown and approved runs. Reading needs no approval. An external
// search or message runs if the plan was approved with it, and a search also where no
// plan approval is required. Writing, executing and irrevocable sending need a person:
// the step's own approval, or that of a plan which named this tool, for the first try
// only.
func (c channels) refusalCode(s graph.State, x *workflow.Exec, st step, spec tool.Spec, digest string) string {
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
	case !needsPerson(spec) && !x.Request.Approvals.Plan:
		return ""
	case rank(e) > rank(st.Effect) || !c.granted(s):
		return codeNeedsApproval
	case needsPerson(spec) && (spec.Name != st.Tool || c.outcomeOf(s, st.ID).Tries > 0):
		return codeNeedsApproval
	}
	return ""
}

// uncovered reports whether a call of the tool exceeds the approvals given so far.
func (c channels) uncovered(s graph.State, x *workflow.Exec, st step, spec tool.Spec) bool {
	return c.refusalCode(s, x, st, spec, "") != ""
}

// asking reports whether this run may ask people at all.
func asking(x *workflow.Exec) bool {
	a := x.Request.Approvals
	return a.Clarification || a.Plan || a.Step
}

// askingFor reports whether people may be asked about a call of a tool: the run may
// ask, or the channel requires asking before this tool.
func askingFor(x *workflow.Exec, name string) bool {
	return asking(x) || slices.Contains(x.Request.Scopes, agent.AskFirst(name))
}
