package bot

import (
	"slices"
	"testing"
)

func TestPromptsOfASetting(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]Prompt{
		"":                           nil,
		" | \n|x\nx|\n":              nil,
		"연차 규정":                      {{"연차 규정", "연차 규정"}},
		"Leave | How many days off?": {{"Leave", "How many days off?"}},
		"a|b|c":                      {{"a", "b|c"}},
		"1\n2\n3\n4\n5":              {{"1", "1"}, {"2", "2"}, {"3", "3"}, {"4", "4"}},
	} {
		if got := parsePrompts(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
