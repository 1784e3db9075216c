package orchestrator

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/tool"
)

// needsPerson reports whether calls of a tool need approval regardless of the settings: it writes, executes
// outside of a sandbox, or sends irrevocably.
func needsPerson(spec tool.Spec) bool {
	return flow.ClassOf(spec.Policy) != flow.Computes && (rank(spec.Policy.Effect()) >= rank(agent.EffectWrites) || spec.Policy.Lasting())
}

// rank orders effects from harmless to grave; an unknown effect is the gravest.
func rank(e agent.Effect) int {
	i := slices.Index([]agent.Effect{agent.EffectReads, agent.EffectSends, agent.EffectWrites, agent.EffectExecutes}, e)
	if i < 0 {
		return 4
	}
	return i
}

// gravest returns the gravest effect of the steps, reading if there are none.
func gravest(steps []step) agent.Effect {
	worst := agent.EffectReads
	for _, s := range steps {
		if rank(s.Effect) > rank(worst) {
			worst = s.Effect
		}
	}
	return worst
}

// graver reports whether the present steps could do more than the shown ones: they have a graver effect, or use
// another tool with an effect beyond reading.
func graver(now, shown []step) bool {
	if rank(gravest(now)) > rank(gravest(shown)) {
		return true
	}
	return slices.ContainsFunc(now, func(s step) bool {
		return rank(s.Effect) > rank(agent.EffectReads) &&
			!slices.ContainsFunc(shown, func(o step) bool { return o.Tool == s.Tool && rank(o.Effect) >= rank(s.Effect) })
	})
}

// digestOf returns the fingerprint of a plan's steps in order, or of a call.
func digestOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "" // matches no approval
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// callDigest returns the fingerprint of one call of one step. Arguments are compared as
// written.
func callDigest(stepID, name string, arguments json.RawMessage) string {
	var flat bytes.Buffer
	if json.Compact(&flat, arguments) != nil {
		return ""
	}
	return digestOf([]string{stepID, name, flat.String()})
}
