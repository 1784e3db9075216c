package orchestrator

import (
	"encoding/json"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
)

// granted reports whether a person approved the plan in its present form.
func (c channels) granted(s graph.State) bool {
	p := c.plan.Get(s)
	return p.Granted != "" && p.Granted == digestOf(p.Steps)
}

// refusalCode returns why a call may not run, "" if it may. arguments are nil for a call whose values are not
// chosen yet.
//
// A call with exactly the approved values runs: those approved with its step or, for the first attempt, those
// shown in the approved plan. Every other call that writes, executes or sends irrevocably needs its own decision:
// a plan that only names the tool approves no values. Reading and computing in a sandbox need no approval. A query
// to an outside service runs if the approved plan contains it or no plan approval is required. After outsiders'
// words were read, it may contain only what the person said or approved ([flow.Context.NeedsYes]).
func (c channels) refusalCode(s graph.State, x *workflow.Exec, st step, spec tool.Spec, arguments json.RawMessage) failure {
	e := spec.Policy.Effect()
	switch {
	case !spec.Policy.Allows(x.Request.Scopes):
		return codeForbidden
	case arguments != nil && c.approvedCall(s, x, st, spec.Name, arguments):
		return ""
	case spec.Policy.Approval || needsPerson(spec):
		return codeNeedsApproval
	case e == agent.EffectReads, flow.ClassOf(spec.Policy) == flow.Computes:
		return ""
	case arguments != nil && c.read(s, x).NeedsYes(spec, arguments):
		return codeOutsiders
	case !x.Request.Approvals.Plan:
		return ""
	case rank(e) > rank(st.Effect) || !c.granted(s):
		return codeNeedsApproval
	}
	return ""
}

// approvedCall reports whether a person approved exactly this call of a step, by the tool as it is now.
func (c channels) approvedCall(s graph.State, x *workflow.Exec, st step, name string, arguments json.RawMessage) bool {
	digest, pre := callDigest(st.ID, name, arguments), c.prepared.Get(s)
	return digest != "" && (digest == pre.Granted && sameTool(x, name, pre.Shown) || digest == c.pinned(s, st) && sameTool(x, name, st.Shown))
}

// sameTool reports whether a tool is still the one that was shown. What an earlier version of the program asked
// has no digest of it.
func sameTool(x *workflow.Exec, name, shown string) bool {
	return shown == "" || call{Tool: name}.Digest(x) == shown
}

// pinned returns the digest of the call that the approved plan showed for a step, "" if
// it showed none, or the step has been tried.
func (c channels) pinned(s graph.State, st step) string {
	if len(st.Arguments) == 0 || !c.granted(s) || c.outcomeOf(s, st.ID).Tries > 0 {
		return ""
	}
	return callDigest(st.ID, st.Tool, st.Arguments)
}

// uncovered reports whether a call exceeds the approvals given so far. arguments are nil for
// a call without values yet.
func (c channels) uncovered(s graph.State, x *workflow.Exec, st step, spec tool.Spec, arguments json.RawMessage) bool {
	return c.refusalCode(s, x, st, spec, arguments) != ""
}

// askingFor reports whether people may be asked about a call of a tool: the run may
// ask, or the channel requires asking before this tool.
func askingFor(x *workflow.Exec, name string) bool {
	return x.Request.MayAsk(name)
}
