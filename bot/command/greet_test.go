package command

import (
	"slices"
	"testing"

	"maru/bot"
)

func TestPromptsOfASetting(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]bot.Prompt{
		"":                           nil,
		" | \n|x\nx|\n":              nil,
		"연차 규정":                      {{Title: "연차 규정", Message: "연차 규정"}},
		"Leave | How many days off?": {{Title: "Leave", Message: "How many days off?"}},
		"a|b|c":                      {{Title: "a", Message: "b|c"}},
		"1\n2\n3\n4\n5":              {{Title: "1", Message: "1"}, {Title: "2", Message: "2"}, {Title: "3", Message: "3"}, {Title: "4", Message: "4"}},
	} {
		if got := parsePrompts(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
