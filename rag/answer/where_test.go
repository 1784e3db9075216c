package answer_test

import (
	"strings"
	"testing"

	"maru/rag/answer"
)

// TestWhereAndWho quotes places without a capital or a number, verbs in another tense, and the sentence with a value where another one
// covers the question as well; the parts of a channel's name are no words.
func TestWhereAndWho(t *testing.T) {
	t.Parallel()
	passages := []answer.Passage{
		{N: 1, Title: "Rooms › Parking", Text: "Parking costs 50,000 won a month. The car park is on the second basement floor. Bicycles go to the storage behind the kitchen."},
		{N: 2, Title: "Contacts", Text: "| About | Team | Channel |\n|---|---|---|\n| incidents, lost devices | security team | #security |\n| rooms, badges | office team | #office-help |"},
		{N: 3, Title: "Visitors and badges", Text: "Wear your badge. If you lose your badge, tell the office team and get a new one."},
		{N: 4, Title: "Repairs", Text: "If a tap is broken, write to #pool-repairs with a photo."},
	}
	for question, want := range map[string]string{
		"where do I park?":                "The car park is on the second basement floor.",
		"I lost my badge, who do I tell?": "If you lose your badge, tell the office team",
		"where do bicycles go?":           "Bicycles go to the storage behind the kitchen.",
		"how do I use the pool?":          "",
	} {
		got := answer.Best(question, "", passages)
		if want == "" && len(got) > 0 || want != "" && (len(got) == 0 || !strings.Contains(got[0].Text, want)) {
			t.Errorf("%s: %+v, want %q", question, got, want)
		}
	}
}
