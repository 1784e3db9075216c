package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
)

// TestQuestionsForOtherDays: a question for a day of the calendar calls the clock; any other is searched in the documents.
func TestQuestionsForOtherDays(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]string{
		"how many days until christmas?":                        `{"until":"2026-12-25"}`,
		"how many working days are left until december 15":      `{"until":"2026-12-15"}`,
		"How many days are there between march 3 and july 19?":  `{"date":"2027-03-03","until":"2027-07-19"}`,
		"how long until new year":                               `{"until":"2027-01-01"}`,
		"크리스마스까지 며칠 남았어":                                        `{"until":"2026-12-25"}`,
		"12월 15일까지 영업일 며칠 남았지":                                  `{"until":"2026-12-15"}`,
		"12월 1일부터 12월 24일까지 며칠이야?":                              `{"date":"2026-12-01","until":"2026-12-24"}`,
		"다음 주 수요일이 며칠이야?":                                       `{"date":"2026-12-09"}`,
		"what's the date next wednesday":                        `{"date":"2026-12-09"}`,
		"12월 25일은 무슨 요일이야?":                                     `{"date":"2026-12-25"}`,
		"what day of the week is december 25":                   `{"date":"2026-12-25"}`,
		"what date is it three weeks from friday":               `{"date":"2026-12-25"}`,
		"what day is 10 days after december 24":                 `{"date":"2027-01-03"}`,
		"금요일부터 3주 뒤는 며칠이야?":                                     `{"date":"2026-12-25"}`,
		"12월 24일에서 10일 후가 무슨 요일이지?":                             `{"date":"2027-01-03"}`,
		"입사일부터 3주 뒤는 며칠이야?":                                     "",
		"what is the date two weeks after the audit?":           "",
		"마감까지 며칠 남았어?":                                          "",
		"연차는 며칠이야?":                                             "",
		"how many days until payday?":                           "",
		"how many days of annual leave between jobs and moves?": "",
		"what is the date of the audit?":                        "",
		"월급날이 며칠이야?":                                            "",
	} {
		t.Run(q, func(t *testing.T) {
			t.Parallel()
			asked := said(q)
			asked[len(asked)-1].Day = "2026-11-30" // a Monday
			got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: asked, Tools: tools()}).Message.ToolCalls
			if want == "" && len(got) == 0 {
				return
			}
			if len(got) != 1 || got[0].Name != "current_time" || string(got[0].Arguments) != want {
				t.Errorf("calls %v, want %s", got, want)
			}
		})
	}
}

// TestCountsOfDaysAreTold puts the clock's count into words, with working days where they are asked for.
func TestCountsOfDaysAreTold(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]string{
		"how many days until christmas?":         "From 2026-11-30 to 2026-12-25 it is 25 days.",
		"how many working days until christmas?": "19 of them are Mondays to Fridays",
		"크리스마스까지 영업일로 며칠 남았어?":                   "그중 월~금요일은 19일이에요",
	} {
		asked := append(said(q), llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "current_time"}}},
			llm.Message{Role: llm.ToolRole, ToolCallID: "1", Name: "current_time", Content: "Now: 2026-11-30 10:00:00, Monday (월요일), UTC (UTC+00:00), week 49\nFrom 2026-11-30 to 2026-12-25: 25 days, 19 of them from Monday to Friday (without the first day; public holidays are counted)"})
		if got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: asked}).Message.Content; !strings.Contains(got, want) || strings.Contains(got, "Mondays") != strings.Contains(want, "Mondays") {
			t.Errorf("%q: %q", q, got)
		}
	}
}
