package orchestrator

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent"
)

func TestWhatIsGraverThanShown(t *testing.T) {
	t.Parallel()
	reads, sends := step{Tool: "r", Effect: agent.EffectReads}, step{Tool: "s", Effect: agent.EffectSends}
	writes, runs := step{Tool: "w", Effect: agent.EffectWrites}, step{Tool: "x", Effect: agent.EffectExecutes}
	other := step{Tool: "w2", Effect: agent.EffectWrites}
	unknown := step{Tool: "?"}
	for name, c := range map[string]struct {
		now, shown []step
		want       bool
	}{
		"same":               {[]step{reads, writes}, []step{reads, writes}, false},
		"fewer":              {[]step{reads}, []step{reads, writes}, false},
		"other_order":        {[]step{writes, reads}, []step{reads, writes}, false},
		"another_reader":     {[]step{reads, {Tool: "r2", Effect: agent.EffectReads}}, []step{reads}, false},
		"graver":             {[]step{runs}, []step{reads, writes}, true},
		"new_sender":         {[]step{sends}, []step{reads}, true},
		"new_writing_tool":   {[]step{writes, other}, []step{writes}, true},
		"other_writing_tool": {[]step{other}, []step{writes}, true},
		"same_effect_new":    {[]step{writes, sends}, []step{writes}, true},
		"unknown_effect":     {[]step{unknown}, []step{runs}, true},
		"nothing_was_shown":  {[]step{writes}, nil, true},
	} {
		if got := graver(c.now, c.shown); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestDigestsTellCallsApart(t *testing.T) {
	t.Parallel()
	base := callDigest("s1", "tool", json.RawMessage(`{"a": 1}`))
	if base == "" || base != callDigest("s1", "tool", json.RawMessage(`{"a":1}`)) {
		t.Error("white space counts")
	}
	for _, other := range []string{
		callDigest("s2", "tool", json.RawMessage(`{"a":1}`)), callDigest("s1", "tool2", json.RawMessage(`{"a":1}`)), callDigest("s1", "tool", json.RawMessage(`{"a":2}`)),
	} {
		if other == base {
			t.Error("another call has the same digest")
		}
	}
	if callDigest("s1", "tool", json.RawMessage(`{`)) != "" {
		t.Error("what is no JSON has a digest")
	}
	if digestOf([]step{{Text: "a"}}) == digestOf([]step{{Text: "b"}}) {
		t.Error("another plan has the same digest")
	}
}

func TestToolsAreReRankedByMemory(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d"}
	past := map[string]served{"a": {Avoid: true, Samples: 5}, "c": {Success: 1, Samples: 9}, "b": {Success: 0.1, Samples: 9}}
	for planned, want := range map[string]string{"": "c b d a", "d": "d c b a", "a": "a c b d"} {
		if got := strings.Join(rerank(names, past, planned), " "); got != want {
			t.Errorf("planned %q: %s, want %s", planned, got, want)
		}
	}
}
