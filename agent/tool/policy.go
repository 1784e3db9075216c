package tool

import (
	"slices"
	"strings"

	"maru/agent"
)

// Policy declares what a tool can do and where it may run. The zero value is the most restrictive,
// so that a tool must declare that it is harmless.
type Policy struct {
	ReadOnly   bool // changes nothing anywhere
	Idempotent bool // doing it twice with one key is doing it once
	Egress     bool // sends data that the model chose to another party
	Executes   bool // runs code
	Sandboxed  bool // of code: it reaches no network and no files
	Own        bool // its results contain only words of the program, the caller and the call
	Personal   bool // changes only memory about the requester, from their own words
	Approval   bool // a person approves every call, in all settings

	Allowed bool // in this run: admins of the place allowed its calls for a time, see [Spec.In]

	// Forbidden lists the scopes in which the tool is neither offered nor run, as in
	// [Call].Scopes. A trailing "*" matches a prefix, such as "channel:slack/*".
	Forbidden []string

	// Only lists the scopes of which a run must have one, in the notation of Forbidden; none allows every run.
	Only []string
}

// Effect returns the most serious effect of a call, which people see before approving it. Only
// EffectReads may be approved automatically.
func (p Policy) Effect() agent.Effect {
	switch {
	case p.Executes:
		return agent.EffectExecutes
	case !p.ReadOnly:
		return agent.EffectWrites
	case p.Egress:
		return agent.EffectSends
	}
	return agent.EffectReads
}

// Allows reports whether the tool may be used by a run of these scopes: none of
// them is forbidden, and one is in Only if that names any.
func (p Policy) Allows(scopes []string) bool {
	in := func(pattern string) bool {
		return slices.ContainsFunc(scopes, func(scope string) bool { return matches(pattern, scope) })
	}
	if len(p.Only) > 0 && !slices.ContainsFunc(p.Only, in) {
		return false
	}
	return !slices.ContainsFunc(p.Forbidden, in)
}

// In returns the spec for a run in these scopes: with [agent.AskFirst] among them the tool needs approval, unless admins of the place
// allowed it as it is ([agent.Allowed]).
func (s Spec) In(scopes []string) Spec {
	s.Allowable = s.Policy.Standing() && slices.Contains(scopes, agent.AskFirst(s.Name)) // else there is no question to spare
	s.Policy.Allowed = s.Policy.Standing() && slices.ContainsFunc(scopes, func(scope string) bool { return strings.HasPrefix(scope, agent.Allowed(s.Name, "")) }) &&
		slices.Contains(scopes, agent.Allowed(s.Name, s.Digest()))
	s.Policy.Approval = s.Policy.Approval || slices.Contains(scopes, agent.AskFirst(s.Name)) && !s.Policy.Allowed
	return s
}

// matches reports whether a scope matches a pattern.
func matches(pattern, scope string) bool {
	if head, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(scope, head)
	}
	return pattern == scope
}

// Lasting reports whether a second call has a second effect: it changes
// something, or sends what stays sent, such as a mail. A search elsewhere sends
// words too, and is the same search again: it is idempotent.
func (p Policy) Lasting() bool { return (!p.ReadOnly || p.Egress) && !p.Idempotent }

// Unasked reports whether a call may run without a person's decision: it leaves nothing behind, or changes only the
// requester's own memory, and no policy wants a decision. An agent that cannot ask offers and calls only such tools.
func (p Policy) Unasked() bool { return (p.ReadOnly && !p.Lasting() || p.Personal) && !p.Approval }
