package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
)

// TestThisYear: a rule without a year holds in this one, and last year's figure does not.
func TestThisYear(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"꿀은 84병을 얻습니다.":                      true,
		"올해는 꿀을 84병 얻었습니다. 작년에는 60병이었습니다.":   true,
		"작년에는 꿀을 84병 얻었습니다.":                 false,
		"2019년에는 꿀을 84병 얻었습니다. 벌통은 12개였습니다.": false,
	} {
		resp := generate(t, llm.Request{
			Purpose: llm.ForAnswer, Messages: said("올해 꿀은 몇 병 얻어?"), Passages: []llm.Passage{{N: 1, Title: "꿀벌", Text: text}},
		})
		if told := strings.Contains(resp.Message.Content, "> ") && strings.Contains(resp.Message.Content, "84병"); told != want {
			t.Errorf("of %q is told %q", text, resp.Message.Content)
		}
	}
}
