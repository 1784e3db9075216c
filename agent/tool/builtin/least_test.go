package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"maru/agent/tool"
	"maru/phrase"
)

// Dice is the tool of docs/adding-a-tool.md. Its title would be in the catalogues.
type Dice struct{ Roll func(sides int) int }

// Spec implements tool.Tool.
func (d Dice) Spec() tool.Spec {
	return tool.Spec{
		Name:        "dice",
		Title:       phrase.Of("builtin.doing.dice"),
		Description: "Rolls a die with so many sides. Use it when chance must decide.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"sides":{"type":"integer","minimum":2,"maximum":1000}},"required":["sides"],"additionalProperties":false}`),
		Policy:      tool.Policy{ReadOnly: true},
	}
}

// Call implements tool.Tool. The arguments fit the schema already.
func (d Dice) Call(_ context.Context, c tool.Call) (tool.Result, error) {
	var in struct {
		Sides int `json:"sides"`
	}
	if err := json.Unmarshal(c.Arguments, &in); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: fmt.Sprintf("A die with %d sides shows %d.", in.Sides, d.Roll(in.Sides))}, nil
}

// TestLeast: the tool of the guide works as an agent calls it.
func TestLeast(t *testing.T) {
	t.Parallel()
	r, err := tool.NewRegistry(Dice{Roll: func(sides int) int { return sides }})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Invoke(t.Context(), "dice", tool.Call{Arguments: json.RawMessage(`{"sides":6}`)})
	if err != nil || got.Text != "A die with 6 sides shows 6." {
		t.Errorf("%q %v", got.Text, err)
	}
	if _, err := r.Invoke(t.Context(), "dice", tool.Call{Arguments: json.RawMessage(`{"sides":1}`)}); err == nil || !strings.Contains(err.Error(), "sides") {
		t.Errorf("a die with one side: %v", err)
	}
}
