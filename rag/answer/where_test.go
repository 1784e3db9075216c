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
		{N: 5, Title: "Devices", Text: "Tell a broken printer to the app team. The printer stands beside the stairs."},
		{N: 4, Title: "Repairs", Text: "If a tap is broken, write to #pool-repairs with a photo."},
	}
	for question, want := range map[string]string{
		"where do I park?":                "The car park is on the second basement floor.",
		"I lost my badge, who do I tell?": "If you lose your badge, tell the office team",
		"where is the printer?":           "The printer stands beside the stairs.",
		"where do bicycles go?":           "Bicycles go to the storage behind the kitchen.",
		"how do I use the pool?":          "",
	} {
		got := answer.Best(question, "", passages)
		if want == "" && len(got) > 0 || want != "" && (len(got) == 0 || !strings.Contains(got[0].Text, want)) {
			t.Errorf("%s: %+v, want %q", question, got, want)
		}
	}
}

// TestNamesAskedFor answers questions about channels, addresses and links from the words of their names.
func TestNamesAskedFor(t *testing.T) {
	t.Parallel()
	passages := []answer.Passage{
		{N: 1, Title: "Clubs", Text: "Use #book-club to suggest novels. Slides are at https://example.com/brand-kit/slides. Reporters write to press@studio.example, which Dana reads. Talk about logos in #design-review."},
		{N: 2, Title: "도움", Text: "| 채널 | 내용 |\n|---|---|\n| #it-help | 노트북과 계정 문의 |\n| #office-help | 사무실 문의 |"},
	}
	for question, want := range map[string]string{
		"which channel is for the book club?": "Use #book-club to suggest novels.",
		"which channel for design review?":    "#design-review",
		"who reads press@studio.example?":     "which Dana reads",
		"how do novels get to the book club?": "Use #book-club",
		"#it-help는 뭐 하는 채널이야?":                "#it-help",
	} {
		if got := answer.Best(question, "", passages); len(got) == 0 || !strings.Contains(got[0].Text, want) {
			t.Errorf("%s: %+v, want %q", question, got, want)
		}
	}
}
