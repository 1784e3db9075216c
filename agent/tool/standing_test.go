package tool_test

import (
	"testing"

	"maru/agent"
	"maru/agent/tool"
)

// TestStandingPermissions: a place's permission holds for a tool that reads, as it was, in place of the place's own question; it never holds
// for one that writes, sends, executes or has its own question, nor for one that changed.
func TestStandingPermissions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy tool.Policy
		change func(*tool.Spec)
		holds  bool
	}{
		"reads":                 {tool.Policy{ReadOnly: true}, nil, true},
		"queries":               {tool.Policy{ReadOnly: true, Egress: true, Idempotent: true}, nil, false},
		"sends":                 {tool.Policy{ReadOnly: true, Egress: true}, nil, false},
		"writes":                {tool.Policy{Idempotent: true}, nil, false},
		"executes":              {tool.Policy{ReadOnly: true, Executes: true}, nil, false},
		"computes":              {tool.Policy{ReadOnly: true, Executes: true, Sandboxed: true}, nil, false},
		"a question of its own": {tool.Policy{ReadOnly: true, Approval: true}, nil, false},
		"another description":   {tool.Policy{ReadOnly: true}, func(s *tool.Spec) { s.Description = "y" }, false},
		"other parameters":      {tool.Policy{ReadOnly: true}, func(s *tool.Spec) { s.Parameters = []byte(`{"type":"object"}`) }, false},
		"another class":         {tool.Policy{ReadOnly: true}, func(s *tool.Spec) { s.Policy.Egress, s.Policy.Idempotent = true, true }, false},
		"another server":        {tool.Policy{ReadOnly: true}, func(s *tool.Spec) { s.Origin = "https://elsewhere" }, false},
		"another name":          {tool.Policy{ReadOnly: true}, func(s *tool.Spec) { s.Name = "xy" }, false},
	} {
		s := tool.Spec{Name: "x", Description: "finds", Parameters: []byte(`{}`), Policy: c.policy}
		allowed := agent.Allowed(s.Name, s.Digest())
		if c.change != nil {
			c.change(&s)
		}
		if got := s.In([]string{agent.AskFirst(s.Name), allowed}).Policy; got.Allowed != c.holds || got.Approval == c.holds {
			t.Errorf("%s: allowed %v, asks %v", name, got.Allowed, got.Approval)
		}
		if got := s.In([]string{agent.AskFirst(s.Name)}).Policy; got.Allowed || !got.Approval {
			t.Errorf("%s without a permission: allowed %v, asks %v", name, got.Allowed, got.Approval)
		}
	}
}
