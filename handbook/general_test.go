package handbook_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestGeneralQuestions asks for topics as a whole ("휴가 규정이 어떻게 돼?") and wants the fact that the topic's page states first. Of 28
// questions, written before the rule, 20 get it: 12 of the 14 that were in view, and 8 of the 14 others.
func TestGeneralQuestions(t *testing.T) {
	t.Parallel()
	x := library(t)
	right := 0
	var missed []string
	all := rows(t, "general.tsv")
	for _, r := range all {
		quoted := ""
		for line := range strings.Lines(answer(t, x, r[0])) {
			if strings.HasPrefix(line, ">") {
				quoted += line
			}
		}
		if regexp.MustCompile(r[1]).MatchString(quoted) {
			right++
		} else {
			missed = append(missed, r[0]+" wants "+r[1])
		}
	}
	t.Logf("%d of %d; missed:\n%s", right, len(all), strings.Join(missed, "\n"))
	if right < 18 {
		t.Error("fewer than 18")
	}
}

// TestQuestionsOnATopicAskMore: a condition or a value goes before the topic.
func TestQuestionsOnATopicAskMore(t *testing.T) {
	t.Parallel()
	x := library(t)
	for q, want := range map[string]string{
		"노트북을 잃어버리면 어떻게 되나요?":                             "한 시간 안에 보안팀에",
		"수습 중에 재택근무는 어떻게 되나요?":                            "하루만 재택근무",
		"연차 신청 절차 알려줘":                                    "3일 전까지",
		"급여일이 언제야?":                                       "25일에 지급",
		"tell me about overtime pay":                      "1.5 times",
		"what is the policy when my laptop is stolen?":    "within one hour",
		"How does core time work?":                        "11:00 to 16:00",
		"Can you explain how many days of sick leave are": "10 days",
	} {
		if got := answer(t, x, q); !strings.Contains(got, want) {
			t.Errorf("%s is answered %q", q, got)
		}
	}
}
