package orchestrator

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"maru/agent"
	"maru/agent/tool"
)

// weighty reports whether calls of a tool need a person, whatever the settings
// say: it writes, runs code, or sends what stays sent.
func weighty(spec tool.Spec) bool {
	return rank(spec.Policy.Effect()) >= rank(agent.EffectWrites) || spec.Policy.Lasting()
}

// rank orders effects from harmless to grave; an unknown one is the gravest.
func rank(e agent.Effect) int {
	i := slices.Index([]agent.Effect{agent.EffectReads, agent.EffectSends, agent.EffectWrites, agent.EffectExecutes}, e)
	if i < 0 {
		return 4
	}
	return i
}

// gravest returns the gravest effect of steps; of none, the most harmless.
func gravest(steps []step) agent.Effect {
	worst := agent.EffectReads
	for _, s := range steps {
		if rank(s.Effect) > rank(worst) {
			worst = s.Effect
		}
	}
	return worst
}

// graver reports whether steps could do more than those that were shown: a
// graver effect, or a tool that does more than read which was not among them.
func graver(now, shown []step) bool {
	if rank(gravest(now)) > rank(gravest(shown)) {
		return true
	}
	return slices.ContainsFunc(now, func(s step) bool {
		return rank(s.Effect) > rank(agent.EffectReads) &&
			!slices.ContainsFunc(shown, func(o step) bool { return o.Tool == s.Tool && rank(o.Effect) >= rank(s.Effect) })
	})
}

// digestOf is the fingerprint of what was shown: the steps of a plan in their
// order, or a call.
func digestOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "" // granted by nobody
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// callDigest is the fingerprint of one call of one step. Arguments count as they
// are written.
func callDigest(stepID, name string, arguments json.RawMessage) string {
	var flat bytes.Buffer
	if json.Compact(&flat, arguments) != nil {
		return ""
	}
	return digestOf([]string{stepID, name, flat.String()})
}
