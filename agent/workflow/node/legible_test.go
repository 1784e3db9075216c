package node_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"maru/agent/workflow/node"
)

func TestArgumentsAreShownAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"q":"\uc608\uc0b0"}`:              `{"q":"예산"}`,
		`{"q":"a \u003c b \u0026 c\/d"}`:    `{"q":"a < b & c/d"}`,
		`{"q":"say \"hi\"\\ \n\t"}`:         `{"q":"say \"hi\"\\ \n\t"}`,
		`{"a":1.50,"b":[true,null],"c":{}}`: `{"a":1.50,"b":[true,null],"c":{}}`,
		`{"q":"\u202eevil\u200b\u0000"}`:    `{"q":"\u202eevil\u200b\u0000"}`,
		`{"q":"\ud83d\ude00"}`:              `{"q":"😀"}`,
		`{"q":"\udb40\udc41"}`:              `{"q":"\udb40\udc41"}`, // a letter that nobody sees
		`{"q":"open`:                        `{"q":"open`,
		`{"q":"\`:                           `{"q":"\`,
		``:                                  ``,
	} {
		if got := node.Legible(json.RawMessage(in)); got != want {
			t.Errorf("%s is shown as %s, want %s", in, got, want)
		}
	}
}

// What is shown is the same JSON as what runs.
func TestLegibleIsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := map[string]any{rapid.String().Draw(t, "key"): rapid.String().Draw(t, "value"), "n": rapid.Float64Range(-1e9, 1e9).Draw(t, "n")}
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var before, after map[string]any
		if err := json.Unmarshal(raw, &before); err != nil {
			t.Fatal(err)
		}
		shown := node.Legible(raw)
		if err := json.Unmarshal([]byte(shown), &after); err != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("%s is shown as %s: %v", raw, shown, err)
		}
		if strings.ContainsAny(shown, "\u202e\u200b\x00") {
			t.Fatalf("%s shows what cannot be seen", shown)
		}
	})
}
