package agent_test

import (
	"strings"
	"testing"

	"maru/agent"
)

// TestWrittenIsThePersonsOwn: a form's initial text, whole or one line or list item of it, does not count as written by the person.
func TestWrittenIsThePersonsOwn(t *testing.T) {
	t.Parallel()
	form := agent.Ask{Actions: []agent.Action{{Verb: agent.VerbEdit, Inputs: []agent.Input{
		{ID: "with", Value: `["Alice","Bob"]`}, {ID: "plan", Value: "1. ask Alice\n2. book a room"}, {ID: "note", Value: "Alice, Bob"}, {ID: "cost", Value: "45,000"}, {ID: "empty"},
	}}}}
	for name, c := range map[string]struct {
		reply agent.Reply
		want  string
	}{
		"untouched":   {agent.Reply{Values: map[string]string{"with": `["Alice","Bob"]`, "plan": "1. ask Alice\n2. book a room ", "empty": ""}}, ""},
		"an item":     {agent.Reply{Values: map[string]string{"with": `["Alice","김철수"]`, "note": "Alice, Carol"}}, "Carol|김철수"},
		"a line":      {agent.Reply{Values: map[string]string{"plan": "1. ask Alice\n2. call Dan"}}, "2. call Dan"},
		"a number":    {agent.Reply{Values: map[string]string{"cost": "30,000"}}, "30,000"},
		"with a text": {agent.Reply{Text: "Erin too", Values: map[string]string{"empty": "Frank, Gina"}}, "Erin too|Frank|Gina"},
	} {
		if got := strings.Join(form.Written(c.reply), "|"); got != c.want {
			t.Errorf("%s: wrote %q, want %q", name, got, c.want)
		}
	}
}
