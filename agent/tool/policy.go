package tool

import (
	"slices"
	"strings"

	"maru/agent"
)

// Policy says what a tool can do to the world, and where it may. The zero value
// is the most dangerous one, so that a tool must say that it is harmless.
type Policy struct {
	ReadOnly   bool // changes nothing anywhere
	Idempotent bool // doing it twice with one key is doing it once
	Egress     bool // sends data that the model chose to another party
	Executes   bool // runs code
	Sandboxed  bool // of code: it reaches no network and no files
	Own        bool // its results hold nobody's words but the program's, the caller's own and those of the call
	Personal   bool // changes only what the bot remembers of whoever asked, from their own words
	Approval   bool // a person decides before every call, whatever the settings say

	// Forbidden are the scopes in which the tool is neither offered nor run, as in
	// [Call].Scopes; one that ends in "*" stands for all that begin so, such as
	// "channel:slack/*".
	Forbidden []string
}

// Effect is the gravest thing that a call can do: what people are shown before
// it happens. Only EffectReads may ever be approved by itself.
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
// them is forbidden.
func (p Policy) Allows(scopes []string) bool {
	return !slices.ContainsFunc(p.Forbidden, func(pattern string) bool {
		return slices.ContainsFunc(scopes, func(scope string) bool { return matches(pattern, scope) })
	})
}

// In returns the tool as it is in a run of these scopes: where the place wants to
// be asked first ([agent.AskFirst]) it needs approval, whatever it does.
func (s Spec) In(scopes []string) Spec {
	s.Policy.Approval = s.Policy.Approval || slices.Contains(scopes, agent.AskFirst(s.Name))
	return s
}

// matches reports whether scope is what pattern stands for.
func matches(pattern, scope string) bool {
	if head, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(scope, head)
	}
	return pattern == scope
}

// Lasting reports whether a second call would do a second deed: it changes
// something, or sends what stays sent, such as a mail. A search elsewhere sends
// words too, and is the same search again: it is idempotent.
func (p Policy) Lasting() bool { return (!p.ReadOnly || p.Egress) && !p.Idempotent }

// Unasked reports whether a call may run without anybody's yes: it leaves nothing behind
// but what the person who asks wants remembered of them, and nobody said that a person must decide. An agent that cannot ask offers and
// calls only such tools.
func (p Policy) Unasked() bool { return (p.ReadOnly && !p.Lasting() || p.Personal) && !p.Approval }
