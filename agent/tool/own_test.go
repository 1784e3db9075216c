package tool_test

import (
	"context"
	"encoding/json"
	"testing"

	"maru/agent/tool"
)

type desk struct{ seen []string }

type word struct {
	Word string `json:"word"`
}

func TestOwnToolWorksOnItsBench(t *testing.T) {
	t.Parallel()
	parameters := `{"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false}`
	r, err := tool.NewRegistry(tool.Own(tool.Reader("note", "contract.doing.search", "Notes a word.", parameters),
		func(_ context.Context, d *desk, w word) (string, error) {
			d.seen = append(d.seen, w.Word)
			return "noted " + w.Word, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	call := func(bench any, arguments string) (tool.Result, error) {
		return r.Invoke(t.Context(), "note", tool.Call{ID: "1", Arguments: json.RawMessage(arguments), Bench: bench})
	}
	d := &desk{}
	if got, err := call(d, `{"word":"마루"}`); err != nil || got.Text != "noted 마루" || len(d.seen) != 1 {
		t.Errorf("%+v, %v, saw %v", got, err, d.seen)
	}
	for name, bench := range map[string]any{"none": nil, "another kind": desk{}} {
		if _, err := call(bench, `{"word":"마루"}`); err == nil {
			t.Errorf("%s: a tool ran without its bench", name)
		}
	}
	if _, err := call(d, `{"word":5}`); err == nil || len(d.seen) != 1 {
		t.Errorf("arguments that do not fit: %v, saw %v", err, d.seen)
	}
	if p := r.Offer()[0]; p.Name != "note" {
		t.Errorf("offered as %+v", p)
	}
}
