package bot_test

import (
	"testing"
)

// TestDateWithItsWeekdayIsTheDate: the hour is not taken for the next day's because the date is written with its weekday.
func TestDateWithItsWeekdayIsTheDate(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	for says, want := range map[string]string{
		"12월 4일(금) 오후 3시에 치과 가라고 알려줘":                        "2026년 12월 4일(금요일) 오후 3:00",
		"12/11(금) 3시에 면접 보라고 알려줘":                            "2026년 12월 11일(금요일) 오후 3:00",
		"remind me Thursday, December 10 at 3pm to call Kim": "10 December 2026 (Thursday), 3:00 pm",
		"12월 5일(금) 3시에 치과 가라고 알려줘":                           "12월 5일은 토요일이에요. 날짜나 요일 하나만",
		"26.12.04 오후 3시에 보고하라고 알려줘":                          "이대로 예약할까요?", // what was not read is confirmed
	} {
		h.say(t, w, "U1", says, in)
		shown(t, w, want)
	}
}
