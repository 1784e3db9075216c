package when_test

import (
	"errors"
	"testing"
	"time"

	"maru/phrase/when"
)

// TestListsAndShortDates reads lists of hours and of numbered weekdays, dates with short years, dates after an hour, and spans without "in".
// It is Tuesday, 1 December 2026, 13:20 in Seoul.
func TestListsAndShortDates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 13, 20, 0, 0, zone(t, "Asia/Seoul"))
	for _, c := range []struct{ text, want, rest string }{
		// Lists of hours: all of them, or none.
		{"remind me at 0900, 1200 and 1500 to drink water", "none", ""},
		{"remind me at 15:00, 16:00 and 17:30 to stretch", "none", ""},
		{"remind me at 5 or 6", "none", ""},
		{"remind me Monday at 9 and Tuesday at 10", "none", ""},
		{"remind me to take pills daily at 8, 2 and 8", "none", ""},
		{"매일 9시, 12시 반, 15시에 물 마시라고 알려줘", "none", ""},
		{"매주 월요일 10시, 수요일 3시에 회의 알려줘", "none", ""},
		{"10시 14시 17시에 창문 열라고 알려줘", "none", ""},
		{"remind me on the 1st and 15th to pay invoices", "none", ""},
		{"3시 회의를 2시 50분에 알려줘", "2026-12-01 14:50", "3시 회의를 알려줘"},
		{"10시 14시에 창문 열라고 알려줘", "none", ""},
		{"내일 8시 10시 12시 수업 안내하라고 알려줘", "none", ""},
		{"매주 월 10시, 금 17시에 보고서 올리라고 알려줘", "none", ""},
		{"내일 9시 10시 회의 자료 뽑으라고 알려줘", "2026-12-02 09:00", "10시 회의 자료 뽑으라고 알려줘"},
		{"3시 반 4시 회의 준비하라고 알려줘", "2026-12-01 15:30", "4시 회의 준비하라고 알려줘"},
		{"매일 8시 50분 9시 스크럼 들어가라고 알려줘", "50 8 * * *", "9시 스크럼 들어가라고 알려줘"},
		// Lists of days: all of them, or none.
		{"remind me every Tuesday and the 1st to pay", "none", ""},
		{"remind me on Jan 2 and Feb 3 at 9 to renew", "none", ""},
		{"remind me Tuesday and Thursday at 2 to water the plants", "none", ""},
		{"remind me every Tuesday and Thursday at 2 to water the plants", "0 14 * * 2,4", "remind me to water the plants"},
		{"remind me today and tomorrow at 5pm to stretch", "none", ""},
		{"remind me this weekend at 10 to call", "2026-12-05 10:00", "remind me to call"},
		{"remind me on Friday at 9 and tell Kim about Monday", "2026-12-04 09:00", ""},
		{"remind me on Friday to book Monday and Tuesday", "2026-12-04 09:00", "remind me to book Monday and Tuesday"},
		{"remind me tomorrow at 9 that Monday and Tuesday are off", "2026-12-02 09:00", ""},
		{"내일 9시에 월요일하고 화요일 일정 정리하라고 알려줘", "2026-12-02 09:00", "월요일하고 화요일 일정 정리하라고 알려줘"},
		{"내일 9시 10시에 시작하는 회의 자료 뽑으라고 알려줘", "2026-12-02 09:00", "10시에 시작하는 회의 자료 뽑으라고 알려줘"},
		{"월요일하고 목요일 2시에 물 주라고 알려줘", "none", ""},
		{"매주 월요일하고 목요일 2시에 물 주라고 알려줘", "0 14 * * 1,4", ""},
		{"매주 월 10시 금 17시에 회의 있다고 알려줘", "none", ""},
		{"매주 월 10시에 금 17시 회의 자료 준비하라고 알려줘", "0 10 * * 1", ""},
		{"5일, 20일 9시에 급여 확인하라고 알려줘", "none", ""},
		{"3일과 4일 9시에 알려줘", "none", ""},
		{"12월 3일, 4일 오전 9시에 알려줘", "none", ""},
		{"10일 20일에 정산하라고 알려줘", "none", ""},
		{"remind me on the 3rd and 4th of January to check in", "none", ""},
		{"remind me on January 3 and 4 to check in", "none", ""},
		{"remind me on the 3rd or 4th to check", "none", ""},
		{"3일 또는 4일에 전화하라고 알려줘", "none", ""},
		{"3일 혹은 4일에 전화하라고 알려줘", "none", ""},
		{"3일 아니면 4일에 전화하라고 알려줘", "none", ""},
		{"3일 및 4일 9시에 전화하라고 알려줘", "none", ""},
		{"3일·4일 9시에 전화하라고 알려줘", "none", ""},
		{"3일이나 4일에 전화하라고 알려줘", "2026-12-04 09:00 doubt", ""},
		{"화요일이나 수요일에 전화하라고 알려줘", "2026-12-02 09:00 doubt", ""},
		{"9시 또는 10시에 전화하라고 알려줘", "none", ""},
		{"그 작업이 3일이나 걸린다고 내일 알려줘", "2026-12-02 09:00", "그 작업이 3일이나 걸린다고 알려줘"},
		{"remind me on the 3rd, the 4th and the 5th to call", "none", ""},
		{"remind me Jan 3, 4 and 5 to call", "none", ""},
		{"remind me on the 3rd & 4th to call", "none", ""},
		{"remind me Jan 3 & 4 to call", "none", ""},
		{"remind me Jan 3, 4 boxes arrive", "2027-01-03 09:00 doubt", ""},
		{"remind me on the 3rd, 4th floor inspection", "2026-12-03 09:00 doubt", ""},
		{"매월 마지막 금요일과 15일에 알려줘", "none", ""},
		{"remind me Saturday & Sunday at 10", "none", ""},
		{"remind me every Saturday & Sunday at 10", "0 10 * * 6,0", ""},
		{"remind me every 1st & 15th to pay", "0 9 1,15 * *", "remind me to pay"},
		{"화요일 또는 수요일에 연락하라고 알려줘", "none", ""},
		{"매주 화요일 또는 목요일에 알려줘", "none", ""},
		{"remind me Mon/Wed/Fri at 9", "0 9 * * 1,3,5", "remind me"},
		{"remind me Tue/Thu to call", "none", ""},
		{"매주 월/수 9시에 알려줘", "0 9 * * 1,3", "알려줘"},
		{"내일 9시에 A/B 테스트 결과 보라고 알려줘", "2026-12-02 09:00", "A/B 테스트 결과 보라고 알려줘"},
		{"remind me tomorrow at 9 to call Kim & Lee", "2026-12-02 09:00", "remind me to call Kim & Lee"},
		// Days that the task is about.
		{"월요일과 화요일 휴가라고 금요일 5시에 알려줘", "2026-12-04 17:00", "월요일과 화요일 휴가라고 알려줘"},
		{"remind me about the Monday and Wednesday shifts tomorrow at 9", "2026-12-02 09:00", "remind me about the Monday and Wednesday shifts"},
		{"remind me tomorrow at 9 about the Mon/Wed shifts", "2026-12-02 09:00", "remind me about the Mon/Wed shifts"},
		{"12월 24일과 25일 휴무라고 12월 23일 9시에 알려줘", "2026-12-23 09:00", "12월 24일과 25일 휴무라고 알려줘"},
		{"토요일과 일요일 비 온다고 금요일에 알려줘", "2026-12-04 09:00", "토요일과 일요일 비 온다고 알려줘"},
		{"월요일, 화요일 연차라고 내일 알려줘", "2026-12-02 09:00", "월요일, 화요일 연차라고 알려줘"},
		{"remind me between Monday and Friday to call Kim", "2026-12-04 09:00 doubt", ""},
		{"매월 5일, 20일 9시에 급여 확인하라고 알려줘", "0 9 5,20 * *", "급여 확인하라고 알려줘"},
		{"내일 9시에 3일, 4일 휴가자 정리하라고 알려줘", "2026-12-02 09:00", "3일, 4일 휴가자 정리하라고 알려줘"},
		{"12월 5일 3일 휴가 신청하라고 알려줘", "2026-12-05 09:00", "3일 휴가 신청하라고 알려줘"},
		{"3일 5일까지 보고서 내라고 알려줘", "2026-12-03 09:00", "5일까지 보고서 내라고 알려줘"},
		{"remind me on the 24th and bring 5 candles", "2026-12-24 09:00", "remind me and bring 5 candles"},
		{"매일 9시, 15시에 물 마시라고 알려줘", "0 9,15 * * *", "물 마시라고 알려줘"},
		{"remind me daily at 9am and 5pm", "0 9,17 * * *", "remind me"},
		{"내일 9시에 12시 회의 자료 준비하라고 알려줘", "2026-12-02 09:00", "12시 회의 자료 준비하라고 알려줘"},
		{"매일 9시에 10시 회의 알려줘", "0 9 * * *", "10시 회의 알려줘"},
		{"remind me at 9, 3 boxes arrive", "2026-12-02 09:00", "remind me 3 boxes arrive"},
		{"remind me at 10 and tell Bob at 11", "2026-12-02 10:00", "remind me and tell Bob at 11"},
		{"remind me at 9 about the 10, 11 and 12 o'clock slots", "2026-12-02 09:00", "remind me about the 10, 11 and 12 o'clock slots"},
		// Several numbers of a weekday.
		{"remind us every 2nd and 4th Friday at 10 to water plants", "0 10 * * 5#2,5#4", "remind us to water plants"},
		{"remind us every 2nd, 4th Friday at 10 to water plants", "0 10 * * 5#2,5#4", "remind us to water plants"},
		{"remind me the first and last Monday of each month at 9", "0 9 * * 1#1,1#L", "remind me"},
		{"첫째, 셋째 주 월요일마다 9시에 회의 알려줘", "0 9 * * 1#1,1#3", "회의 알려줘"},
		{"remind me every 2nd Friday at 10", "0 10 * * 5", "remind me"},
		{"remind me on the 1st, 3rd and 5th Monday of every month at 9", "0 9 * * 1#1,1#3,1#5", "remind me"},
		{"remind me on the 5th: last day to submit expenses", "2026-12-05 09:00", "remind me last day to submit expenses"},
		{"remind me on the 2nd and last day to sign up", "2026-12-02 09:00", "remind me and last day to sign up"},
		{"remind me on January 5th: last day to enroll", "2027-01-05 09:00", "remind me last day to enroll"},
		{"remind me on the 5th first thing to call the bank", "2026-12-05 09:00", ""},
		{"매주 월요일 첫째 둘째 하원 4시에 알려줘", "0 16 * * 1", "첫째 둘째 하원 알려줘"},
		// Short years.
		{"26.12.24 오후 3시에 케이크 찾으라고 알려줘", "2026-12-24 15:00 doubt", "케이크 찾으라고 알려줘"},
		{"'26. 12. 24.(목) 15:00 케이크 찾으라고 알려줘", "2026-12-24 15:00", "케이크 찾으라고 알려줘"},
		{"'26.12.24(금) 15:00에 알려줘", "none", ""},
		{"27/1/5 9시에 신고하라고 알려줘", "2027-01-05 09:00 doubt", "신고하라고 알려줘"},
		{"26년 12월 24일 3시에 알려줘", "2026-12-24 15:00", "알려줘"},
		{"remind me 12/24/26 at 3pm to call", "2026-12-24 15:00", "remind me to call"},
		{"remind me on 24.12.2026 at 15:00", "2026-12-24 15:00", "remind me"},
		{"remind me 29.12. to call mum", "2026-12-29 09:00", "remind me to call mum"},
		{"remind me 1/5/27 to file taxes", "none", ""},
		{"내일 3시에 26.1.2 버전 배포하라고 알려줘", "2026-12-02 15:00", "26.1.2 버전 배포하라고 알려줘"},
		{"버전 26.1.2 배포 내일 3시에 알려줘", "2026-12-02 15:00", "버전 26.1.2 배포 알려줘"},
		{"remind me tomorrow at 9 to check 12/24/26 orders", "2026-12-02 09:00", "remind me to check 12/24/26 orders"},
		{"내일 9시에 20년 3월 5일 계약 확인하라고 알려줘", "2026-12-02 09:00", "20년 3월 5일 계약 확인하라고 알려줘"},
		// A date after the hour may be the noun's.
		{"점심 먹고 12월 10일(목) 발표자료 확인하라고 알려줘", "2026-12-10 13:00 doubt", ""},
		{"오후 3시 12/10(목) 발표자료 확인하라고 알려줘", "2026-12-10 15:00 doubt", ""},
		{"금요일 오후 2시 12월 4일 자료 확인하라고 알려줘", "2026-12-04 14:00 doubt", "12월 4일 자료 확인하라고 알려줘"},
		{"3시 12월 10일 알려줘", "2026-12-10 15:00", "알려줘"},
		{"오후 3시 12월 10일에 회의 알려줘", "2026-12-10 15:00", "회의 알려줘"},
		{"내일 3시에 12월 매출 자료 보내라고 알려줘", "2026-12-02 15:00", "12월 매출 자료 보내라고 알려줘"},
		// Spans beside the wish.
		{"reminder 30 min buy milk", "2026-12-01 13:50 doubt", "reminder buy milk"},
		{"remind me 3 weeks to ping Kim", "2026-12-22 13:20", "remind me to ping Kim"},
		{"20 minutes remind me to check the oven", "2026-12-01 13:40", "remind me to check the oven"},
		{"reminder 30 min call tomorrow at 3pm", "2026-12-02 15:00", "reminder 30 min call"},
		{"remind me 2 days before", "", ""},
		{"remind us 3 days to go!", "", ""},
		{"Reminder: 3 days to submit timesheets", "", ""},
		{"reminder 3 days left to submit timesheets", "", ""},
		{"remind me 2 weeks to the launch", "", ""},
		{"Reminder: 30 minute standup with Kim", "", ""},
		{"timer: 20 minutes", "2026-12-01 13:40", "timer"},
		{"remind me 3 weeks ago", "", ""},
	} {
		r := when.Read(c.text, now)
		got := ""
		switch {
		case !r.Found:
		case r.Err != nil:
			if !errors.Is(r.Err, when.ErrTime) && !errors.Is(r.Err, when.ErrEvent) {
				t.Errorf("%s: %v", c.text, r.Err)
			}
			got = "none"
		case r.Rule.Repeats():
			got = r.Rule.Cron
		default:
			got = r.Rule.At.In(now.Location()).Format("2006-01-02 15:04")
		}
		if r.Doubt && r.Err == nil {
			got += " doubt"
		}
		if c.want != "" && got != c.want || c.want == "" && got != "" && got != "none" {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
		if c.rest != "" && r.Rest != c.rest {
			t.Errorf("%s: the rest is %q, want %q", c.text, r.Rest, c.rest)
		}
	}
}

// TestNumberedWeekdaysInWords says a rule of several numbered weekdays, and finds its times.
func TestNumberedWeekdaysInWords(t *testing.T) {
	t.Parallel()
	rule, err := when.ParseCron("0 10 * * 5#2,5#4")
	if err != nil {
		t.Fatal(err)
	}
	for lang, want := range map[string]string{"ko": "매월 둘째, 넷째 금요일 오전 10:00", "en": "on the second, fourth Friday of every month at 10:00 am"} {
		if got := rule.Words(lang, time.UTC); got != want {
			t.Errorf("%s: %q, want %q", lang, got, want)
		}
	}
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for _, want := range []string{"2026-12-11", "2026-12-25", "2027-01-08"} {
		if at = rule.Next(at, time.UTC); at.Format(time.DateOnly) != want {
			t.Errorf("%s, want %s", at, want)
		}
	}
}
