package tool_test

import (
	"context"
	"errors"
	"testing"

	"maru/agent"
	"maru/agent/tool"
)

// TestAPlaceCanOnlyAddQuestions has a place asked before a tool, which its own
// policy may ask as well.
func TestAPlaceCanOnlyAddQuestions(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		s := tool.Spec{Name: "x", Policy: tool.Policy{ReadOnly: true, Approval: own}}
		for scope, want := range map[string]bool{"": own, agent.AskFirst("x"): true, agent.AskFirst("xy"): own, agent.Without("x"): own} {
			if got := s.In([]string{"public", scope}).Policy.Approval; got != want {
				t.Errorf("own %v, scope %q: approval %v, want %v", own, scope, got, want)
			}
		}
	}
}

func TestEffectIsTheGravestThingACallCanDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy  tool.Policy
		effect  agent.Effect
		unasked bool
	}{
		"nothing is said":              {tool.Policy{}, agent.EffectWrites, false},
		"reads":                        {tool.Policy{ReadOnly: true}, agent.EffectReads, true},
		"searches elsewhere":           {tool.Policy{ReadOnly: true, Egress: true, Idempotent: true}, agent.EffectSends, true},
		"sends a mail":                 {tool.Policy{ReadOnly: true, Egress: true}, agent.EffectSends, false},
		"writes and sends":             {tool.Policy{Egress: true}, agent.EffectWrites, false},
		"runs code":                    {tool.Policy{ReadOnly: true, Executes: true}, agent.EffectExecutes, true},
		"reads, but somebody must ask": {tool.Policy{ReadOnly: true, Approval: true}, agent.EffectReads, false},
	} {
		if got := c.policy.Effect(); got != c.effect {
			t.Errorf("%s: effect %q, want %q", name, got, c.effect)
		}
		if got := c.policy.Unasked(); got != c.unasked {
			t.Errorf("%s: unasked %v, want %v", name, got, c.unasked)
		}
	}
}

func TestForbiddenToolsAreNeitherOfferedNorRun(t *testing.T) {
	t.Parallel()
	ran := 0
	deploy := fake{
		spec: tool.Spec{
			Name: "deploy", Parameters: []byte(`{"type":"object"}`),
			Policy: tool.Policy{Forbidden: []string{"public", "channel:slack/*"}},
		},
		call: func(context.Context, tool.Call) (tool.Result, error) { ran++; return tool.Result{}, nil },
	}
	r, err := tool.NewRegistry(deploy)
	if err != nil {
		t.Fatal(err)
	}
	finder := tool.NewRecommender(nil, nil)
	finder.Add(deploy.spec)
	for scope, allowed := range map[string]bool{
		"public": false, "channel:slack/T1/C1": false, "channel:discord/1/2": true, "publicity": true, "": true,
	} {
		scopes := []string{"team:x", scope}
		before := ran
		_, err := r.Invoke(t.Context(), "deploy", tool.Call{Scopes: scopes})
		var refused *tool.Error
		if got := len(r.OfferIf(func(s tool.Spec) bool { return s.Policy.Allows(scopes) })); (got == 1) != allowed {
			t.Errorf("%q: %d tools offered", scope, got)
		}
		if got := len(finder.Recommend(t.Context(), tool.Want{Task: "deploy it", Scopes: scopes})); (got == 1) != allowed {
			t.Errorf("%q: %d tools recommended", scope, got)
		}
		switch {
		case allowed && (err != nil || ran != before+1):
			t.Errorf("%q: not run: %v", scope, err)
		case !allowed && (!errors.As(err, &refused) || refused.Code != "refused" || ran != before):
			t.Errorf("%q: error %v after %d runs", scope, err, ran-before)
		}
	}
}
