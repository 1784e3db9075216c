package chat

import (
	"slices"
	"testing"

	"maru/memory"
)

// TestToModelPairsCallsWithTheirResults uses ids as endpoints do that number the
// calls of every reply again.
func TestToModelPairsCallsWithTheirResults(t *testing.T) {
	t.Parallel()
	said := func(id string) memory.Message { return memory.Message{ID: id, Role: "user", Text: id} }
	asks := func(id string, calls ...string) memory.Message {
		m := memory.Message{ID: id, Role: "assistant", Text: id}
		for _, c := range calls {
			m.Calls = append(m.Calls, memory.Call{ID: c, Name: "clock", Arguments: "{}"})
		}
		return m
	}
	result := func(id, call string) memory.Message {
		return memory.Message{ID: id, Role: "tool", Name: "clock", CallID: call, Text: id}
	}
	for name, tc := range map[string]struct {
		window []memory.Message
		want   []string
	}{
		"a_whole_turn": {
			[]memory.Message{said("q"), asks("c", "0", "1"), result("r0", "0"), result("r1", "1"), asks("a")},
			[]string{"q", "c", "r0", "r1", "a"},
		},
		"two_rounds_with_the_same_id": {
			[]memory.Message{said("q"), asks("c", "0"), result("r", "0"), asks("c2", "0"), result("r2", "0")},
			[]string{"q", "c", "r", "c2", "r2"},
		},
		"a_stopped_turn_before_one_with_the_same_id": {
			[]memory.Message{said("q"), asks("stopped", "0"), said("q2"), asks("c", "0"), result("r", "0")},
			[]string{"q", "q2", "c", "r"},
		},
		"a_stopped_turn_after_one_with_the_same_id": {
			[]memory.Message{asks("c", "0"), result("r", "0"), said("q"), asks("stopped", "0"), said("q2")},
			[]string{"c", "r", "q", "q2"},
		},
		"only_one_of_two_results": {
			[]memory.Message{said("q"), asks("c", "0", "1"), result("r0", "0"), said("q2")},
			[]string{"q", "q2"},
		},
		"a_result_whose_call_has_left": {
			[]memory.Message{result("r", "0"), asks("a"), result("r2", "0"), said("q")},
			[]string{"a", "q"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, m := range toModel(tc.window) {
				got = append(got, m.Content)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("prompt has %q, want %q", got, tc.want)
			}
		})
	}
}
