package when_test

import (
	"errors"
	"testing"
	"time"

	"maru/phrase/when"
)

// TestDatesAsWritten reads dates as offices write them, with a weekday beside them, and what follows a weekday. It is Monday, 30
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
		{"12월 11일(금)에 회의 있다고 알려줘", "2026-12-11 09:00", "회의 있다고 알려줘"},
		{"금요일에 12월 18일 송년회 장소 예약하라고 알려줘", "2026-12-04 09:00", "12월 18일 송년회 장소 예약하라고 알려줘"},
		{"내일 15:00에 12/10(목) 발표자료 확인하라고 알려줘", "2026-12-01 15:00", "12/10(목) 발표자료 확인하라고 알려줘"},
		{"1년 후 만료 인증서 목록 내일 오전 9시에 뽑으라고 알려줘", "2026-12-01 09:00", "1년 후 만료 인증서 목록 뽑으라고 알려줘"},
		{"내일 5시에 0.5(일) 반차 신청하라고 알려줘", "2026-12-01 17:00", "0.5(일) 반차 신청하라고 알려줘"},
		{"12월 11일(금)3시에 알려줘", "2026-12-11 15:00", "알려줘"},
		{"12월 11일(금)까지 보고서 내라고 알려줘", "none", "12월 11일(금)까지 보고서 내라고 알려줘"},
		{"12/11(금) 까지 보고서 내라고 알려줘", "none", "12/11(금) 까지 보고서 내라고 알려줘"},
		{"금요일(11일)까지 보고서 내라고 알려줘", "none", "금요일(11일)까지 보고서 내라고 알려줘"},
		{"다음 주 금요일(11일) 3시에 알려줘", "2026-12-11 15:00", "알려줘"},
		{"10일 목요일부터 11일 금요일까지 출장이라고 알려줘", "none", "10일 목요일부터 11일 금요일까지 출장이라고 알려줘"},
		{"remind me Fri 12/4 3pm to call", "2026-12-04 15:00", "remind me to call"},
		{"remind me Friday 4/12 to call", "2026-12-04 09:00", "remind me to call"},
		{"remind me Friday 12/11 at 3pm", "2026-12-11 15:00", "remind me"},
		{"remind me Thursday 12/11 at 3pm", "weekday", ""},
		{"remind me on Thursday the 10th in the morning to call", "2026-12-10 09:00", ""},
		{"remind me tomorrow at 1430 to call", "2026-12-01 14:30", "remind me to call"},
		{"remind me at 1430 tomorrow to call", "2026-12-01 14:30", "remind me to call"},
		{"remind me on Friday at 18h to call", "2026-12-04 18:00", "remind me to call"},
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
		{"12월 10일 3시에 12/4(금) 회의록 공유하라고 알려줘", "2026-12-10 15:00", "12/4(금) 회의록 공유하라고 알려줘"},
		{"12월 10일 오전 9시에 5일 토요일 근무표 보내라고 알려줘", "2026-12-10 09:00", "5일 토요일 근무표 보내라고 알려줘"},
		{"remind me on December 10 at 3pm to send the minutes of Dec 4 (Fri)", "2026-12-10 15:00", "remind me to send the minutes of Dec 4 (Fri)"},
		{"remind me on December 10 at 3pm to upgrade to 2024.1.2", "2026-12-10 15:00", "remind me to upgrade to 2024.1.2"},
		{"remind me at 3pm to upgrade to 2027.1.2", "2026-12-01 15:00", "remind me to upgrade to 2027.1.2"},
		{"12월 10일 3시에 2024.12.01 보고서 보내라고 알려줘", "2026-12-10 15:00", "2024.12.01 보고서 보내라고 알려줘"},
		{"12월 11일(금) 9시에 2.0(수) 버전 배포하라고 알려줘", "2026-12-11 09:00", "2.0(수) 버전 배포하라고 알려줘"},
		{"3시에 12월 4일(금) 회의록 공유하라고 알려줘", "2026-12-01 15:00", "12월 4일(금) 회의록 공유하라고 알려줘"},
		{"오후 3시에 1.5(일) 공수 입력하라고 알려줘", "2026-12-01 15:00", "1.5(일) 공수 입력하라고 알려줘"},
		{"remind me Dec 11 Friday's report is due", "2026-12-11 09:00", "remind me Friday's report is due"},
		{"12월 11일 금요일은 휴무라고 알려줘", "2026-12-11 09:00", "금요일은 휴무라고 알려줘"},
		// Numbers of the task.
		{"remind me tomorrow to look at 2025 budget", "2026-12-01 09:00", "remind me to look at 2025 budget"},
		{"remind me tomorrow the rent is at 1200 euros", "2026-12-01 09:00", "remind me the rent is at 1200 euros"},
		{"remind me tomorrow to meet at 1234 Main Street", "2026-12-01 09:00", "remind me to meet at 1234 Main Street"},
		{"remind me tomorrow to look at 0800 numbers", "2026-12-01 09:00", "remind me to look at 0800 numbers"},
		{"remind me tomorrow that the flight leaves at 0915", "2026-12-01 09:00", "remind me that the flight leaves at 0915"},
		{"remind me tomorrow to look at 24h coverage", "2026-12-01 09:00", "remind me to look at 24h coverage"},
		{"remind me on Friday 24h on-call starts", "2026-12-04 09:00", "remind me 24h on-call starts"},
		{"remind me on Friday 18h is too long", "2026-12-04 09:00", "remind me 18h is too long"},
		{"remind me on Friday the 2nd reviewer needs the draft", "2026-12-04 09:00", "remind me the 2nd reviewer needs the draft"},
		{"remind me Friday, the 3rd quarter starts", "2026-12-04 09:00", "remind me the 3rd quarter starts"},
		{"remind me on Friday on the 3rd floor to pick up badge", "2026-12-04 09:00", "remind me on the 3rd floor to pick up badge"},
		{"remind me on Thursday the 10th graders visit", "2026-12-03 09:00", "remind me the 10th graders visit"},
		{"remind me Saturday 5th Avenue store opens", "2026-12-05 09:00", "remind me 5th Avenue store opens"},
		{"remind me on Friday: next week we ship", "2026-12-04 09:00", "remind me next week we ship"},
		{"remind me Friday, next week I'm off", "2026-12-04 09:00", "remind me next week I'm off"},
		{"remind me Friday 1/2 day off request", "2026-12-04 09:00", "remind me 1/2 day off request"},
		{"내일 9시에 MSK 업그레이드하라고 알려줘", "2026-12-01 09:00", "MSK 업그레이드하라고 알려줘"},
		{"내일 오후 2시에 AEST 팀과 통화하라고 알려줘", "2026-12-01 14:00", "AEST 팀과 통화하라고 알려줘"},
		{"내일 9시에 KST로 회의 알려줘", "2026-12-01 19:00", "회의 알려줘"},
		{"remind me at 5pm est. delivery check", "2026-12-01 17:00", "remind me est. delivery check"},
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

// TestDoubt tells dates and zones that may belong to the task: they are asked about.
func TestDoubt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 18, 50, 0, 0, zone(t, "Asia/Seoul"))
	for text, want := range map[string]bool{
		"remind me tomorrow at 5pm MSK upgrade": true, "remind me at 9:30 est standup": true, "내일 9시 AEST 팀과 통화하라고 알려줘": true,
		"remind me tomorrow at 5pm MSK to upgrade": false, "remind me at 9am cet tomorrow": false, "remind me at 5pm EST standup": false, "내일 9시(AEST)에 통화하라고 알려줘": false,
		"12월 7일(월), 9일(수) 3시에 알려줘": true, "12/3(목) - 12/4(금) 출장이라고 알려줘": true, "remind me Thursday, Dec 3 to Friday, Dec 4 I travel": true, "매월 5일 금요일 회의 알려줘": true,
		"12월 10일 3시에 12/4(금) 회의록 공유하라고 알려줘": false, "remind me tomorrow to book Friday": false,
		"remind me Friday Jan 1 is a holiday": true, "12월 3일(목) ~ 12월 5일(토) 교육이라고 알려줘": true,
		"remind me Friday next week we ship": true, "remind me Monday 1st draft due": true, "remind me tomorrow May release": false, "remind me tomorrow May 5 release": true,
	} {
		if r := when.Read(text, now); r.Doubt != want {
			t.Errorf("%s: doubt %v, want %v", text, r.Doubt, want)
		}
	}
}

// TestOffDay says on which weekday a date is.
func TestOffDay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 18, 50, 0, 0, zone(t, "Asia/Seoul"))
	for text, want := range map[string][2]string{
		"12월 5일(금) 3시에 알려줘": {"12월 5일", "토요일"}, "remind me Friday, December 5 at 3pm": {"5 December", "Saturday"}, "remind me Thursday 12/11 at 3pm": {"11 December", "Friday"},
	} {
		var off when.OffDay
		lang := "en"
		if text[0] == '1' {
			lang = "ko"
		}
		if r := when.Read(text, now); !errors.As(r.Err, &off) {
			t.Errorf("%s: %v", text, r.Err)
		} else if date, day := off.Words(lang); date != want[0] || day != want[1] {
			t.Errorf("%s: %s, %s", text, date, day)
		}
	}
}
