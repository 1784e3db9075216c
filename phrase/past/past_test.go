package past_test

import (
	"testing"
	"time"

	"maru/phrase/past"
)

// TestPastPeriods: a period ends now at the latest, and its days are those of the person's zone.
func TestPastPeriods(t *testing.T) {
	t.Parallel()
	seoul, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 25, 14, 30, 0, 0, seoul) // a Wednesday
	const layout = "01-02 15:04"
	for text, want := range map[string]string{
		"이 채널 월요일부터 요약해줘":                            "11-23 00:00 – 11-25 14:30 이 채널 요약해줘",
		"지난주 이 채널에서 무슨 얘기 했어?":                       "11-16 00:00 – 11-23 00:00 이 채널에서 무슨 얘기 했어?",
		"어제부터 밀린 얘기 정리해줘":                            "11-24 00:00 – 11-25 14:30 밀린 얘기 정리해줘",
		"지난주 금요일 이후로 요약":                             "11-20 00:00 – 11-25 14:30 요약",
		"월요일부터 화요일까지 요약":                             "11-23 00:00 – 11-25 00:00 요약",
		"어제 오후 3시부터 요약":                              "11-24 15:00 – 11-25 14:30 요약",
		"9시부터 요약":                                    "11-25 09:00 – 11-25 14:30 요약",
		"최근 3일간 요약":                                  "11-22 00:00 – 11-25 14:30 요약",
		"지난 두 시간 동안 요약":                              "11-25 12:30 – 11-25 14:30 요약",
		"11월 20일부터 요약":                               "11-20 00:00 – 11-25 14:30 요약",
		"12월 20일 요약":                                 "12-20 00:00 – 12-21 00:00 요약",
		"사흘 전부터 요약":                                  "11-22 00:00 – 11-25 14:30 요약",
		"지난달 요약":                                     "10-01 00:00 – 11-01 00:00 요약",
		"이번 주 요약":                                    "11-23 00:00 – 11-25 14:30 요약",
		"수요일부터 요약":                                   "11-18 00:00 – 11-25 14:30 요약",
		"그저께 요약":                                     "11-23 00:00 – 11-24 00:00 요약",
		"지난 주말 요약":                                   "11-21 00:00 – 11-23 00:00 요약",
		"what happened in #general since yesterday?": "11-24 00:00 – 11-25 14:30 what happened in #general ?",
		"recap since Monday":                         "11-23 00:00 – 11-25 14:30 recap",
		"recap since Monday 3pm":                     "11-23 15:00 – 11-25 14:30 recap",
		"recap of last week":                         "11-16 00:00 – 11-23 00:00 recap",
		"recap of the last 24 hours":                 "11-24 14:30 – 11-25 14:30 recap",
		"recap the past three days":                  "11-22 00:00 – 11-25 14:30 recap",
		"recap from Nov 18 to Nov 20":                "11-18 00:00 – 11-21 00:00 recap",
		"recap between Monday and Tuesday":           "11-23 00:00 – 11-25 00:00 recap",
		"recap from Monday to Wednesday":             "11-23 00:00 – 11-25 14:30 recap",
		"recap since 2026-11-01":                     "11-01 00:00 – 11-25 14:30 recap",
		"recap since 2 days ago":                     "11-23 00:00 – 11-25 14:30 recap",
		"recap since last Friday":                    "11-20 00:00 – 11-25 14:30 recap",
		"recap this morning":                         "11-25 05:00 – 11-25 12:00 recap",
		"recap since 9pm":                            "11-24 21:00 – 11-25 14:30 recap",
		"recap yesterday's messages":                 "11-24 00:00 – 11-25 00:00 recap messages",
		"recap over the weekend":                     "11-21 00:00 – 11-23 00:00 recap",
		"recap since 11/5":                           "11-05 00:00 – 11-25 14:30 recap",
		"recap on Monday":                            "11-23 00:00 – 11-24 00:00 recap",
		"between 9am and 11am?":                      "11-25 09:00 – 11-25 11:00 ?", "어제 2시부터 4시까지 요약": "11-24 14:00 – 11-24 16:00 요약", "오늘 오전 9시부터 12시까지 요약": "11-25 09:00 – 11-25 12:00 요약",
		"어제 오후 10시부터 오늘 오전 9시까지 요약": "11-24 22:00 – 11-25 09:00 요약", "from Monday 10am to Tuesday 3pm": "11-23 10:00 – 11-24 15:00 ", "from 10pm yesterday to 2am": "11-24 22:00 – 11-25 02:00 ",
		"recap the past week": "11-18 00:00 – 11-25 14:30 recap", "recap over the past month": "10-25 00:00 – 11-25 14:30 recap", "recap the previous week": "11-16 00:00 – 11-23 00:00 recap",
		"오늘 오전 요약": "11-25 00:00 – 11-25 12:00 요약", "recap this afternoon": "11-25 12:00 – 11-25 14:30 recap", "recap last night": "11-24 18:00 – 11-25 06:00 recap", "간밤 요약": "11-24 18:00 – 11-25 06:00 요약",
		"오늘 오후 3시부터 요약": "", "오늘 오후 1시부터 요약": "11-25 13:00 – 11-25 14:30 요약", "since 5pm yesterday": "11-24 17:00 – 11-25 14:30 ", "recap since 10am yesterday": "11-24 10:00 – 11-25 14:30 recap",
		"recap since 3pm on Monday": "11-23 15:00 – 11-25 14:30 recap", "11월 20일부터 22일까지 요약": "11-20 00:00 – 11-23 00:00 요약", "from Nov 18 to 20th": "11-18 00:00 – 11-21 00:00 ",
		"채널 하루 요약": "11-24 00:00 – 11-25 14:30 채널 요약", "3일간 못 본 얘기": "11-22 00:00 – 11-25 14:30 못 본 얘기", "일주일 동안 요약": "11-18 00:00 – 11-25 14:30 요약", "하루에 한 번": "",
		"내일까지 요약":               "",
		"tomorrow":              "",
		"이 채널 요약해줘":             "",
		"the monitor is broken": "",
		"I may be late":         "",
	} {
		s, rest, ok := past.Read(text, now)
		got := ""
		if ok {
			got = s.From.Format(layout) + " – " + s.To.Format(layout) + " " + rest
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestPastHoursOfShortAndLongDays: the hour that a text names is that of the clock where clocks change at night.
func TestPastHoursOfShortAndLongDays(t *testing.T) {
	t.Parallel()
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, day := range []time.Time{time.Date(2026, 3, 8, 20, 0, 0, 0, newYork), time.Date(2026, 11, 1, 20, 0, 0, 0, newYork)} {
		for text, want := range map[string]string{
			"since 9am": "09:00 – 20:00", "오전 9시부터 11시까지": "09:00 – 11:00", "this morning": "05:00 – 12:00", "오늘 오후": "12:00 – 20:00", "last night": "18:00 – 06:00",
		} {
			if s, _, _ := past.Read(text, day); s.From.Format("15:04")+" – "+s.To.Format("15:04") != want {
				t.Errorf("%q on %s: %s – %s, want %s", text, day.Format(time.DateOnly), s.From, s.To, want)
			}
		}
	}
}
