// Package flowtest reads the public injections with which agents are tested: instructions that
// strangers put into pages, mails and documents.
package flowtest

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"maru/datatest"
)

// Count is the number of [Injections].
const Count = 1304

// Injections returns InjecAgent's cases and BIPIA's attacks. Without the data sets the test is skipped.
func Injections(t testing.TB) []string {
	t.Helper()
	read := func(into any, name string) {
		if err := json.Unmarshal(datatest.File(t, name), into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var out []string
	for _, name := range []string{"test_cases_dh_base.json", "test_cases_ds_base.json"} {
		var cases []struct {
			Instruction string `json:"Attacker Instruction"`
		}
		read(&cases, "injecagent/"+name)
		for _, c := range cases {
			out = append(out, c.Instruction)
		}
	}
	for _, name := range []string{"text_attack_train.json", "text_attack_test.json", "code_attack_train.json", "code_attack_test.json"} {
		var attacks map[string][]string
		read(&attacks, "bipia/"+name)
		for _, kind := range slices.Sorted(maps.Keys(attacks)) {
			out = append(out, attacks[kind]...)
		}
	}
	if len(out) != Count {
		t.Fatalf("%d injections, want %d", len(out), Count)
	}
	return out
}
