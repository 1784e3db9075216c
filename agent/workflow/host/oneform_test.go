package host_test

import (
	"encoding/json"
	"testing"

	"maru/agent/workflow/host"
)

func TestOneForm(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		" {\"b\" : [1, 2.50],\n\"a\":\"\\uC5F0\\ucc28 <b>\"} ": `{"a":"연차 <b>","b":[1,2.50]}`,
		`{"id":12345678901234567890}`:                          `{"id":12345678901234567890}`,
		`{"a":{"z":1,"y":2}}`:                                  `{"a":{"y":2,"z":1}}`,
		`{"a":1} and more`:                                     `{"a":1} and more`,
		`{"a":1}{"a":2}`:                                       `{"a":1}{"a":2}`,
		`{"a":1,"a":2}`:                                        `{"a":1,"a":2}`,
		`{"a":`:                                                `{"a":`,
		"":                                                     "",
	} {
		if got := host.OneForm(json.RawMessage(raw)); got != want {
			t.Errorf("OneForm(%q) = %q, want %q", raw, got, want)
		}
	}
}
