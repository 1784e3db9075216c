package when_test

import (
	"errors"
	"testing"
	"time"

	"maru/phrase/when"
)

// TestListsAndShortDates reads lists of hours and of numbered weekdays, dates with short years, dates behind an hour, and spans without "in".
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
		{"매일 9시, 15시에 물 마시라고 알려줘", "0 9,15 * * *", "물 마시라고 알려줘"},
		{"remind me daily at 9am and 5pm", "0 9,17 * * *", "remind me"},
		{"내일 9시에 12시 회의 자료 준비하라고 알려줘", "2026-12-02 09:00", "12시 회의 자료 준비하라고 알려줘"},
		{"매일 9시에 10시 회의 알려줘", "0 9 * * *", "10시 회의 알려줘"},
		{"remind me at 9, 3 boxes arrive", "2026-12-02 09:00", "remind me 3 boxes arrive"},
		{"remind me at 10 and tell Bob at 11", "2026-12-02 10:00", "remind me and tell Bob at 11"},
		{"remind me at 9 about the 10, 11 and 12 o'clock slots", "2026-12-02 09:00", "remind me about the 10, 11 and 12 o'clock slots"},
		// Several numbers of a weekday.
		{"remind us every 2nd and 4th Friday at 10 to water plants", "0 10 * * 5#2,5#4", "remind us to water plants"},
		{"remind me the first and last Monday of each month at 9", "0 9 * * 1#1,1#L", "remind me"},
		{"첫째, 셋째 주 월요일마다 9시에 회의 알려줘", "0 9 * * 1#1,1#3", "회의 알려줘"},
		{"remind me every 2nd Friday at 10", "0 10 * * 5", "remind me"},
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
		// A date behind the hour may be the noun's.
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
