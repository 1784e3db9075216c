package when_test

import (
	"errors"
	"testing"
	"time"

	"maru/phrase/when"
)

// TestMoved moves a reminder of Friday, 28 November, 15:00, and a schedule of Mondays at 9:00, by what people say; what they leave open
// stays.
func TestMoved(t *testing.T) {
	t.Parallel()
	seoul := zone(t, "Asia/Seoul")
	now := time.Date(2025, 11, 27, 13, 16, 0, 0, seoul)
	once := when.Rule{At: time.Date(2025, 11, 28, 15, 0, 0, 0, seoul)}
	for _, c := range []struct {
		rule     when.Rule
		to, want string
	}{
		{once, "4시", "2025-11-28 16:00"},
		{once, "6", "2025-11-28 18:00"},
		{once, "5:30pm", "2025-11-28 17:30"},
		{once, "월욜", "2025-12-01 15:00"},
		{once, "tomorrow at 9", "2025-11-28 09:00"},
		{once, "evening", "2025-11-28 18:00"},
		{once, "30 minutes", "2025-11-28 15:30"},
		{once, "today", "2025-11-27 15:00"},
		{once, "today at 9am", "past"},
		{once, "shorter", "vague"},
		{once, "매주 금요일", "0 15 * * 5"},
		{when.Rule{Cron: "0 9 * * 1"}, "10시 반", "30 10 * * 1"},
		{when.Rule{Cron: "0 9 * * 1"}, "Friday", "0 9 * * 5"},
		{when.Rule{Cron: "0 9 * * 1"}, "일요일 8시", "0 8 * * 0"},
		{when.Rule{Cron: "0 9 * * 1"}, "every weekday", "0 9 * * 1-5"},
		{when.Rule{Cron: "0 9 * * 1"}, "an hour", "0 10 * * 1"},
		{when.Rule{Cron: "0 9 * * 1"}, "tomorrow", "vague"}, // once, or from then on?
		{when.Rule{Cron: "0 9,17 * * *"}, "10시", "vague"},
		{when.Rule{Cron: "30 23 * * *"}, "an hour", "vague"},
	} {
		rule, err := c.rule.Moved(c.to, now)
		if by, ok := when.Span(c.to); ok {
			rule, err = c.rule.Shifted(by, now)
		}
		got := rule.Cron
		switch {
		case errors.Is(err, when.ErrPast):
			got = "past"
		case errors.Is(err, when.ErrVague):
			got = "vague"
		case err != nil:
			got = err.Error()
		case !rule.At.IsZero():
			got = rule.At.In(seoul).Format("2006-01-02 15:04")
		}
		if got != c.want {
			t.Errorf("%+v to %s: %s, want %s", c.rule, c.to, got, c.want)
		}
	}
}

// TestCalled calls a reminder of Friday, 28 November, 15:00 by its time.
func TestCalled(t *testing.T) {
	t.Parallel()
	seoul := zone(t, "Asia/Seoul")
	now, next := time.Date(2025, 11, 27, 13, 16, 0, 0, seoul), time.Date(2025, 11, 28, 15, 0, 0, 0, seoul)
	for text, want := range map[string]bool{
		"3pm": true, "3시": true, "금요일": true, "tomorrow": true, "Friday at 3": true, "28일": true,
		"4pm": false, "월요일": false, "today": false, "retro": false, "3pm retro": false, "": false,
	} {
		if got := when.Called(text, next, now); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"4시": true, "6": true, "Friday": true, "tomorrow at noon": true, "an hour": true, "30분": true,
		"영어": false, "3 paragraphs": false, "the top": false, "shorter": false, "2026": false, "": false,
	} {
		if got := when.Names(text); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
