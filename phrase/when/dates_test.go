package when_test

import (
	"errors"
	"testing"
	"time"

	"maru/phrase/when"
)

// TestDatesAsWritten reads dates as offices write them, with a weekday beside them, and what stands behind a weekday. It is Monday, 30
// November 2026, 18:50 in New York.
func TestDatesAsWritten(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 18, 50, 0, 0, zone(t, "America/New_York"))
	for _, c := range []struct{ text, want, rest string }{
		{"12월 11일(금) 오후 3시에 회의 알려줘", "2026-12-11 15:00", "회의 알려줘"},
		{"12월 11일 (금요일) 3시에 회의 알려줘", "2026-12-11 15:00", "회의 알려줘"},
		{"12월 11일 금요일 3시에 회의 알려줘", "2026-12-11 15:00", "회의 알려줘"},
		{"금요일 12월 11일 3시에 알려줘", "2026-12-11 15:00", "알려줘"},
		{"금요일(11일) 3시에 알려줘", "2026-12-11 15:00", "알려줘"},
		{"12/11(금) 3시에 회의 알려줘", "2026-12-11 15:00", "회의 알려줘"},
		{"회의 12/11(금) 3시에 알려줘", "2026-12-11 15:00", "회의 알려줘"},
		{"12.11(금) 15:00 회의 알려줘", "2026-12-11 15:00", "회의 알려줘"},
		{"2026.12.11 15:00에 알려줘", "2026-12-11 15:00", "알려줘"},
		{"2026. 12. 11. 15:00에 알려줘", "2026-12-11 15:00", "알려줘"},
		{"2026/12/11 15:00에 알려줘", "2026-12-11 15:00", "알려줘"},
		{"2015-3-3에 알려줘", "past", ""},
		{"12월 10일(금) 3시에 알려줘", "weekday", ""},
		{"remind me on Friday, December 10 at 3pm", "weekday", ""},
		{"remind me Thursday, December 10 at 3pm to call Kim", "2026-12-10 15:00", "remind me to call Kim"},
		{"remind me Thu, Dec 10, 2026 07:00 PM to call Kim", "2026-12-10 19:00", "remind me to call Kim"},
		{"remind me on Thursday the 10th at 3", "2026-12-10 15:00", "remind me"},
		{"remind me Thursday 10 December at 3pm", "2026-12-10 15:00", "remind me"},
		{"remind me Tuesday 12/15 at 4pm", "2026-12-15 16:00", "remind me"},
		{"remind me next Friday the 18th at noon", "2026-12-18 12:00", "remind me"},
		{"Dec 11 (Fri) 3pm remind me to call", "2026-12-11 15:00", "remind me to call"},
		{"remind me Friday of next week to pay rent", "2026-12-11 09:00", "remind me to pay rent"},
		{"remind me wednesday next week to call Kim", "2026-12-09 09:00", "remind me to call Kim"},
		{"remind me on the 20th of next month", "2026-12-20 09:00", "remind me"},
		{"remind me 4th of July to call", "2027-07-04 09:00", "remind me to call"},
		{"remind me in 2 years to renew", "2028-11-30 18:50", "remind me to renew"},
		{"1년 뒤에 도메인 갱신하라고 알려줘", "2027-11-30 18:50", "도메인 갱신하라고 알려줘"},
		{"remind me in 500 years", "", ""},
		{"remind me tomorrow 16h30 to call", "2026-12-01 16:30", "remind me to call"},
		{"remind me tomorrow at 16h", "2026-12-01 16:00", "remind me"},
		{"remind me at 0930 tomorrow", "2026-12-01 09:30", "remind me"},
		{"remind me every 2nd Tuesday of the month at 10am to patch", "0 10 * * 2#2", "remind me to patch"},
		{"remind me Thursday 9 am BST", "2026-12-03 04:00", "remind me"},
		{"remind me at 9pm ist tomorrow", "2026-12-02 10:30", "remind me"},
		// No rule, or none that can be told.
		{"remind us every quarter on the first Monday at 9", "none", ""},
		{"매 분기 첫 월요일 9시에 OKR 점검하라고 알려줘", "none", ""},
		{"remind me three fridays from now", "none", ""},
		{"7일 안에 계약서 보내라고 알려줘", "none", "7일 안에 계약서 보내라고 알려줘"},
		{"하루 안에 답장하라고 알려줘", "none", "하루 안에 답장하라고 알려줘"},
		{"remind me three days after Easter to call", "", ""},
		// Dates and hours of the task.
		{"다음 주 월요일 9시에 12월 4일(금) 회의 자료 준비하라고 알려줘", "2026-12-07 09:00", "12월 4일(금) 회의 자료 준비하라고 알려줘"},
		{"내일 오후 3시에 7일 회의록 공유하라고 알려줘", "2026-12-01 15:00", "7일 회의록 공유하라고 알려줘"},
		{"금요일 다음 주 계획 공유하라고 알려줘", "2026-12-04 09:00", "다음 주 계획 공유하라고 알려줘"},
		{"내일 3시에 2024.12.01 보고서 보내라고 알려줘", "2026-12-01 15:00", "2024.12.01 보고서 보내라고 알려줘"},
		{"내일 9시에 10.0.0.12 서버 점검하라고 알려줘", "2026-12-01 09:00", "10.0.0.12 서버 점검하라고 알려줘"},
		{"remind me Friday to email Dec 10 agenda", "2026-12-04 09:00", "remind me to email Dec 10 agenda"},
		{"remind me at 10 to call the 16h shift", "2026-12-01 10:00", "remind me to call the 16h shift"},
		{"remind me tomorrow at 9 to post the 4th of July sale", "2026-12-01 09:00", "remind me to post the 4th of July sale"},
		{"remind me in 2 hours, after that call Bob", "2026-11-30 20:50", ""},
		{"remind me at 5pm best of luck mail", "2026-12-01 17:00", "remind me best of luck mail"},
	} {
		r := when.Read(c.text, now)
		got := r.Rule.Cron
		switch {
		case errors.Is(r.Err, when.ErrWeekday):
			got = "weekday"
		case errors.Is(r.Err, when.ErrPast):
			got = "past"
		case r.Err != nil:
			got = "none"
		case !r.Rule.At.IsZero():
			got = r.Rule.At.In(now.Location()).Format("2006-01-02 15:04")
		}
		if got != c.want || c.rest != "" && r.Rest != c.rest {
			t.Errorf("%s: %q, rest %q; want %q, %q", c.text, got, r.Rest, c.want, c.rest)
		}
	}
}
