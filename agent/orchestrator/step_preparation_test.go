package orchestrator_test

import (
	"strings"
	"testing"

	"maru/agent"
)

func TestWhatWritesNeverRunsUnasked(t *testing.T) {
	t.Parallel()
	for name, asks := range map[string]agent.Approvals{"off": {}, "auto_step": {AutoStep: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, weatherMind(), asks)
			res := d.run()
			if strings.Contains(d.tools.made(), "write_note") || states(d.lastPlan()) != "done failed" {
				t.Errorf("calls %s, plan %s", d.tools.made(), states(d.lastPlan()))
			}
			if !strings.Contains(res.Text, "승인이 필요한") {
				t.Errorf("answer %q", res.Text)
			}
		})
	}
	t.Run("clarification_only_asks_for_the_step", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, weatherMind(), agent.Approvals{Clarification: true})
		_, a := d.asked("step")
		if a.Effect != agent.EffectWrites || strings.Contains(d.tools.made(), "write_note") {
			t.Errorf("asked %+v after %s", a, d.tools.made())
		}
	})
}
