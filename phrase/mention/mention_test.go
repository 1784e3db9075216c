package mention_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/phrase/mention"
)

// TestTimes: every date and time that is written out is found, and no two numbers that merely are in one text.
func TestTimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"12월 3일 오전 10시":         "0-12-3 10:00",
		"3층 12명, 4층 8명":         "",
		"매달 25일":                "0-0-25",
		"1시에 1시간 반":             "1:00?",
		"오후 3:00, 3pm, at 3":    "15:00 15:00 3:00?",
		"2026-12-03":            "2026-12-3 2026-3-12",
		"Jun.20,2023":           "2023-6-20",
		"2023-03-05T16:45:00Z":  "2023-3-5 2023-5-3 16:45",
		"03/14/2023":            "2023-3-14",
		"Dec 3rd or 4 May 2027": "0-12-3 2027-5-4",
		"크리스마스 정오":              "0-12-25 12:00",
		"세 시 반, 2~4시":           "3:30? 2:00? 4:00? 2:00?",
		"99월 99일 99:99":         "",
	} {
		var got []string
		for _, m := range mention.Times(text) {
			if m.Clock {
				got = append(got, fmt.Sprintf("%d:%02d", m.Hour, m.Minute)+map[bool]string{true: "?"}[m.Half])
			} else {
				got = append(got, fmt.Sprintf("%d-%d-%d", m.Year, m.Month, m.Day))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q has %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}
