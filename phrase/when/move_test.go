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
		{once, "8", "2025-11-28 20:00"},
		{once, "10시", "2025-11-28 10:00"},
		{once, "오전 8시", "2025-11-28 08:00"},
		{once, "월욜", "2025-12-01 15:00"},
		{once, "tomorrow at 9", "2025-11-28 09:00"},
		{once, "evening", "2025-11-28 18:00"},
		{once, "30 minutes", "2025-11-28 15:30"},
		{once, "today", "2025-11-27 15:00"},
		{once, "today at 9am", "past"},
		{once, "shorter", "vague"},
		{once, "매주 금요일", "0 15 * * 5"},
		{when.Rule{Cron: "0 9 * * 1"}, "10시 반", "30 10 * * 1"},
		{when.Rule{Cron: "0 18 * * 1"}, "9시", "0 21 * * 1"},
		{when.Rule{Cron: "0 9 * * 1"}, "8", "0 8 * * 1"},
		{when.Rule{Cron: "0 9 * * 1"}, "Friday", "0 9 * * 5"},
		{when.Rule{Cron: "0 9 * * 1"}, "일요일 8시", "0 8 * * 0"},
		{when.Rule{Cron: "0 9 * * 1"}, "every weekday", "0 9 * * 1-5"},
		{when.Rule{Cron: "0 9 * * 1"}, "an hour", "0 10 * * 1"},
		{when.Rule{Cron: "0 9 * * 1"}, "tomorrow", "vague"}, // once, or from then on?
		{when.Rule{Cron: "0 9,17 * * *"}, "10시", "vague"},
		{when.Rule{Cron: "0 9 * * *"}, "10시랑 4시", "0 10,16 * * *"},
		{when.Rule{Cron: "0 9 * * 1"}, "9 am and 5 pm", "0 9,17 * * 1"},
		{when.Rule{Cron: "0 9,17 * * *"}, "10 am and 4 pm", "0 10,16 * * *"},
		{when.Rule{Cron: "0 9 * * 1"}, "Friday at 10 am and 4 pm", "0 10,16 * * 5"},
		{when.Rule{Cron: "0 */2 * * *"}, "10 am and 4 pm", "vague"},
		{once, "10시랑 4시", when.ErrTime.Error()},
		{once, "9 am and 5 pm", when.ErrTime.Error()},
		{once, "월요일 10시랑 4시", when.ErrTime.Error()},
		{once, "this time", "vague"},
		{when.Rule{Cron: "0 9 * * 1"}, "this time", "vague"},
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

// TestMovedKeepsSteps: what is due every two weeks, days or months is due in the same ones at another hour or weekday.
func TestMovedKeepsSteps(t *testing.T) {
	t.Parallel()
	seoul := zone(t, "Asia/Seoul")
	at := func(day, hour int) time.Time { return time.Date(2026, 12, day, hour, 0, 0, 0, seoul) }
	now := at(1, 13)
	for _, c := range []struct {
		rule when.Rule
		to   string
		want time.Time
	}{
		{when.Rule{Cron: "0 9 * * 1", Step: 2, From: at(14, 9)}, "10", at(14, 10)},
		{when.Rule{Cron: "0 9 * * 1", Step: 2, From: at(-14, 9)}, "10시", at(14, 10)}, // it was due on 16 November
		{when.Rule{Cron: "0 9 * * 1", Step: 2, From: at(14, 9)}, "Friday", at(18, 9)},
		{when.Rule{Cron: "0 9 * * 1", Step: 2, From: at(14, 9)}, "격주 월요일 10시", at(14, 10)},
		{when.Rule{Cron: "0 9 * * 1", Step: 2, From: at(14, 9)}, "every other week at 10", at(14, 10)},
		{when.Rule{Cron: "0 9 * * 1", Step: 2, From: at(14, 9)}, "every Monday at 10", at(7, 10)},
		{when.Rule{Cron: "0 9 20 * *"}, "매달 10시", at(20, 10)},
		{when.Rule{Cron: "0 9 * * *", Step: 3, From: at(0, 9)}, "10", at(3, 10)},
		{when.Rule{Cron: "0 9 5 * *", Step: 2, From: time.Date(2027, 1, 5, 9, 0, 0, 0, seoul)}, "10", time.Date(2027, 1, 5, 10, 0, 0, 0, seoul)},
	} {
		moved, err := c.rule.Moved(c.to, now)
		if got := moved.Next(now, seoul); err != nil || !got.Equal(c.want) {
			t.Errorf("%+v to %s: next %s, %v, want %s", c.rule, c.to, got, err, c.want)
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
