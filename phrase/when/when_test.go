package when_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"maru/phrase/when"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// TestRead reads times as people write them. It is Friday, 27 November 2026, 13:16 in Seoul.
func TestRead(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 13, 16, 20, 0, zone(t, "Asia/Seoul"))
	for _, c := range []struct{ text, want, rest string }{
		// Again and again.
		{"매월 1일 하루 전에 알려줘", "0 9 L * *", "알려줘"},
		{"매월 15일 이틀 전에 알려줘", "0 9 13 * *", "알려줘"},
		{"매주 금요일 5시 마감 하루 전에 알려줘", "0 17 * * 4", "마감 알려줘"},
		{"매주 일요일 9시 하루 전에 알려줘", "0 9 * * 6", "알려줘"},
		{"weekly on monday 10am remind me 1 day before", "0 10 * * 0", "remind me"},
		{"매주 월요일 9시에 지난주 티켓을 요약해서 올려줘", "0 9 * * 1", "지난주 티켓을 요약해서 올려줘"},
		{"매일 아침 8시 반에 날씨 알려줘", "30 8 * * *", "날씨 알려줘"},
		{"평일 오후 6시에 퇴근하라고 알려줘", "0 18 * * 1-5", "퇴근하라고 알려줘"},
		{"월요일마다 10시에 회의록 정리해줘", "0 10 * * 1", "회의록 정리해줘"},
		{"월요일이랑 수요일 10시마다 회의록 정리해줘", "0 10 * * 1,3", "회의록 정리해줘"}, {"주말 10시마다 화분에 물 주라고 알려줘", "0 10 * * 6,0", "화분에 물 주라고 알려줘"},
		{"매주 화요일과 목요일 오후 2시 30분에 공지 올려줘", "30 14 * * 2,4", "공지 올려줘"},
		{"매월 1일 오전 10시에 비용 정리해줘", "0 10 1 * *", "비용 정리해줘"},
		{"매달 15일에 정산 알림 보내줘", "0 9 15 * *", "정산 알림 보내줘"},
		{"2시간마다 대기열 확인해줘", "0 */2 * * *", "대기열 확인해줘"},
		{"30분마다 상태 확인해줘", "*/30 * * * *", "상태 확인해줘"},
		{"지난주 티켓을 매주 월요일 아침에 요약해줘", "0 9 * * 1", "지난주 티켓을 요약해줘"},
		{"every weekday at 9:30 post the open tickets", "30 9 * * 1-5", "post the open tickets"},
		{"Every Monday at 9am, summarise last week's tickets", "0 9 * * 1", "summarise last week's tickets"},
		{"post the menu every Tuesday and Thursday at noon", "0 12 * * 2,4", "post the menu"},
		{"every day at 5 pm remind us to log hours", "0 17 * * *", "remind us to log hours"},
		{"every 2 hours check the queue", "0 */2 * * *", "check the queue"},
		{"Send the report daily at 18:00", "0 18 * * *", "Send the report"},
		{"on Mondays at 10 post the agenda", "0 10 * * 1", "post the agenda"},
		{"every month on the 1st at 10am send the invoice list", "0 10 1 * *", "send the invoice list"},
		{"every morning tell us the weather", "0 9 * * *", "tell us the weather"},
		// Once.
		{"내일 오후 3시에 알려줘", "2026-11-28 15:00", "알려줘"},
		{"모레 아침에 보고서 쓰라고 알려줘", "2026-11-29 09:00", "보고서 쓰라고 알려줘"},
		{"30분 뒤에 알려줘", "2026-11-27 13:46", "알려줘"},
		{"한 시간 30분 후에 회의 시작한다고 알려줘", "2026-11-27 14:46", "회의 시작한다고 알려줘"},
		{"3일 뒤에 다시 알려줘", "2026-11-30 13:16", "다시 알려줘"},
		{"다음 주 금요일 오전 11시에 배포 알려줘", "2026-12-04 11:00", "배포 알려줘"},
		{"다음주 월요일에 알려줘", "2026-11-30 09:00", "알려줘"},
		{"12월 3일 오후 2시에 치과 예약 알려줘", "2026-12-03 14:00", "치과 예약 알려줘"},
		{"3시에 회의 알려줘", "2026-11-27 15:00", "회의 알려줘"},
		{"오전 9시에 깨워줘", "2026-11-28 09:00", "깨워줘"},
		{"remind us on Friday", "2026-12-04 09:00", "remind us"},
		{"remind us on Friday at 5pm to send the report", "2026-11-27 17:00", "remind us to send the report"},
		{"remind me tomorrow at 3pm to call Kim", "2026-11-28 15:00", "remind me to call Kim"},
		{"remind me in 20 minutes to check the oven", "2026-11-27 13:36", "remind me to check the oven"},
		{"remind me in an hour", "2026-11-27 14:16", "remind me"},
		{"in half an hour remind me to leave", "2026-11-27 13:46", "remind me to leave"},
		{"remind the team the day after tomorrow at 10:00", "2026-11-29 10:00", "remind the team"},
		{"remind me on December 3rd about the dentist", "2026-12-03 09:00", "remind me about the dentist"},
		{"remind me on 2027-01-05 at 14:00", "2027-01-05 14:00", "remind me"},
		{"remind me next Tuesday at 4", "2026-12-01 16:00", "remind me"},
		{"remind me tomorrow about the Friday meeting", "2026-11-28 09:00", "remind me about the Friday meeting"},
		{"remind me tonight", "2026-11-27 21:00", "remind me"},
		{"remind us next week", "2026-11-30 09:00", "remind us"},
		// No time, or none that can be kept.
		{"회의실 예약은 어떻게 해?", "", ""},
		{"금요일까지 보고서 내야 해", "none", "금요일까지 보고서 내야 해"},
		{"what's the leave policy for the 2nd year", "", ""},
		{"who may approve it in a hurry", "", ""},
		{"the sun sat in one corner", "", ""},
		{"오늘 오전 9시에 알려줘", "past", ""},
		{"remind me today at 9am", "past", ""},
		{"2020-01-01에 알려줘", "past", ""},
		{"2월 30일에 알려줘", "none", ""},
		{"every 7 minutes ping me", "often", ""},
		{"매월 마지막 날 오후 6시에 마감 알려줘", "0 18 L * *", "마감 알려줘"},
		{"매달 마지막날 알려줘", "0 9 L * *", "알려줘"},
		{"내일 점심때 알려줘", "2026-11-28 12:00", "알려줘"},
		{"매달 첫 영업일에 알려줘", "none", ""},
		{"다음달 마지막 평일 9시에 알려줘", "none", ""},
		{"remind us on the last business day of the month", "", ""},
		{"금요일 빼고 평일 9시에 알려줘", "0 9 * * 1,2,3,4", "알려줘"},
		{"매일 9시에 알려줘, 주말은 제외", "0 9 * * 1-5", "알려줘"},
		{"weekdays at 8:45 except Fridays", "45 8 * * 1,2,3,4", ""},
		{"every day at 9 but not on weekends", "0 9 * * 1-5", ""},
		{"평일 25시에 알려줘", "none", ""},
		{"내일 9시 75분에 알려줘", "none", ""},
		{"remind me tomorrow at 25:00", "none", ""},
		{"remind me yesterday at 5", "past", ""},
		{"어제 오후 3시에 알려줘", "past", ""},
		{"어제 회의록을 내일 9시에 올려줘", "2026-11-28 09:00", "어제 회의록을 올려줘"},
		{"내일 9시에 어제 오후 회의록 공유하라고 알려줘", "2026-11-28 09:00", ""},
		{"remind me tomorrow at 9 to share the notes of yesterday afternoon", "2026-11-28 09:00", ""},
		{"영업일 보고서를 매주 월요일 9시에 올려줘", "0 9 * * 1", "영업일 보고서를 올려줘"},
		{"every 30 seconds ping me", "often", ""},
		{"every 45 minutes ping me", "interval", ""},
		{"5시간마다 확인해줘", "interval", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			r := when.Read(c.text, now)
			got := r.Rule.Cron
			switch {
			case errors.Is(r.Err, when.ErrPast):
				got = "past"
			case errors.Is(r.Err, when.ErrTime):
				got = "none"
			case errors.Is(r.Err, when.ErrTooOften):
				got = "often"
			case errors.Is(r.Err, when.ErrInterval):
				got = "interval"
			case !r.Rule.At.IsZero():
				got = r.Rule.At.In(now.Location()).Format("2006-01-02 15:04")
			}
			if got != c.want || c.rest != "" && r.Rest != c.rest {
				t.Errorf("%q, rest %q; want %q, %q", got, r.Rest, c.want, c.rest)
			}
		})
	}
}

// TestNext follows rules over the changes of clocks.
func TestNext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, cron, from, want string }{
		{"America/New_York", "30 2 * * *", "2027-03-13 03:00", "03-14 03:30 EDT, 03-15 02:30 EDT"}, // skipped hour: just after it
		{"America/New_York", "30 1 * * *", "2027-11-06 12:00", "11-07 01:30 EDT, 11-08 01:30 EST"}, // comes twice: once
		{"America/New_York", "0,30 1 * * *", "2027-11-06 12:00", "11-07 01:00 EDT, 11-07 01:30 EDT, 11-08 01:00 EST"},
		{"America/New_York", "0 * * * *", "2027-11-07 00:30", "11-07 01:00 EDT, 11-07 01:00 EST, 11-07 02:00 EST"}, // an hour later each
		{"America/New_York", "0 9 * * 1", "2027-03-08 10:00", "03-15 09:00 EDT"},
		{"Europe/Berlin", "0 9 * * 1-5", "2027-03-26 10:00", "03-29 09:00 CEST"},
		{"Australia/Lord_Howe", "45 1 * * *", "2027-04-03 12:00", "04-04 01:45 +11, 04-05 01:45 +1030"}, // half an hour twice
		{"Asia/Seoul", "0 9 29 2 *", "2027-01-01 00:00", "02-29 09:00 KST"},
		{"Asia/Seoul", "0 9 * * 1#1", "2027-01-05 00:00", "02-01 09:00 KST, 03-01 09:00 KST"},
		{"Asia/Seoul", "0 9 * * 5#L", "2027-01-05 00:00", "01-29 09:00 KST, 02-26 09:00 KST"},
		{"Asia/Seoul", "0 9 L * *", "2027-01-31 10:00", "02-28 09:00 KST, 03-31 09:00 KST"},
		{"Asia/Seoul", "@daily", "2027-01-01 12:00", "01-02 00:00 KST"},
	} {
		t.Run(c.zone+" "+c.cron, func(t *testing.T) {
			t.Parallel()
			z := zone(t, c.zone)
			rule, err := when.ParseCron(c.cron)
			if err != nil {
				t.Fatal(err)
			}
			at, err := time.ParseInLocation("2006-01-02 15:04", c.from, z)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for range strings.Count(c.want, ",") + 1 {
				at = rule.Next(at, z)
				got = append(got, at.Format("01-02 15:04 MST"))
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("%s, want %s", s, c.want)
			}
		})
	}
}

func TestParseCron(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "9", "* * * *", "* * * * * *", "61 * * * *", "0 25 * * *", "0 9 * * 8-9", "@every 1s", "@reboot", "CRON_TZ=UTC 0 9 * * *", "TZ=Asia/Seoul 0 9 * * *", "매일", strings.Repeat("1,", 90) + "1 * * * *"} {
		if r, err := when.ParseCron(bad); !errors.Is(err, when.ErrCron) {
			t.Errorf("%q is %+v, %v", bad, r, err)
		}
	}
	now, z := time.Date(2026, 11, 27, 4, 0, 0, 0, time.UTC), time.UTC
	for _, c := range []struct {
		cron string
		want error
	}{
		{"0 9 * * MON", nil}, {"*/15 * * * *", nil}, {"* * * * *", when.ErrTooOften}, {"*/14 * * * *", when.ErrTooOften},
		{"0,5 9 1 * *", when.ErrTooOften}, {"0 9 31 2 *", when.ErrNever},
	} {
		r, err := when.ParseCron(c.cron)
		if err != nil {
			t.Fatalf("%q: %v", c.cron, err)
		}
		if err := r.Check(now, z, 15*time.Minute); !errors.Is(err, c.want) {
			t.Errorf("%q: %v, want %v", c.cron, err, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	z := zone(t, "Asia/Seoul")
	for _, c := range []struct{ cron, en, ko string }{
		{"0 9 * * 1", "every Monday at 9:00 am", "매주 월요일 오전 9:00"},
		{"30 9 * * 1-5", "every weekday at 9:30 am", "평일 오전 9:30"},
		{"30 14 * * 2,4", "every Tuesday, Thursday at 2:30 pm", "매주 화요일, 목요일 오후 2:30"},
		{"0 18 * * *", "every day at 6:00 pm", "매일 오후 6:00"},
		{"0 9,17 * * *", "every day at 9:00 am, 5:00 pm", "매일 오전 9:00, 오후 5:00"},
		{"0 10 1 * *", "on day 1 of every month at 10:00 am", "매월 1일 오전 10:00"},
		{"*/30 * * * *", "every 30 minutes", "30분마다"},
		{"0 */2 * * *", "every 2 hours, 0 min past the hour", "2시간마다 0분에"},
		{"5 * * * *", "every hour, 5 min past", "매시간 5분"},
		{"0 9 1 1 *", "every year on 1 January at 9:00 am", "매년 1월 1일 오전 9:00"},
		{"0 9 * * 1#1", "on the first Monday of every month at 9:00 am", "매월 첫째 월요일 오전 9:00"},
		{"0 17 * * 5#L", "on the last Friday of every month at 5:00 pm", "매월 마지막 금요일 오후 5:00"},
		{"0 18 L * *", "on the last day of every month at 6:00 pm", "매월 말일 오후 6:00"},
		{"0 9 1 1-3 *", "by the cron expression `0 9 1 1-3 *`", "cron 식 `0 9 1 1-3 *`대로"},
	} {
		r := when.Rule{Cron: c.cron}
		if en, ko := r.Words("en", z), r.Words("ko", z); en != c.en || ko != c.ko {
			t.Errorf("%s: %q, %q", c.cron, en, ko)
		}
	}
	once := when.Rule{At: time.Date(2026, 11, 27, 6, 0, 0, 0, time.UTC)}
	if en, ko := once.Words("en", z), once.Words("ko", z); en != "27 November 2026 (Friday), 3:00 pm" || ko != "2026년 11월 27일(금요일) 오후 3:00" {
		t.Errorf("%q, %q", en, ko)
	}
}

// TestCronWithNames says rules whose weekdays and months were written by their names.
func TestCronWithNames(t *testing.T) {
	t.Parallel()
	z := zone(t, "Asia/Seoul")
	for cron, want := range map[string]string{
		"0 9 * * MON-FRI": "every weekday at 9:00 am", "0 9 * * mon,Wed": "every Monday, Wednesday at 9:00 am", "0 9 * * FRI-SUN": "every Friday, Saturday, Sunday at 9:00 am",
		"0 9 * * SUN-SUN": "every Sunday at 9:00 am", "0 9 * * FRI-SUN,SUN": "every Sunday, Friday, Saturday at 9:00 am", "0 9 * * SUN-TUE": "every Sunday, Monday, Tuesday at 9:00 am",
		"0 9 1 JAN *": "every year on 1 January at 9:00 am", "0 17 * * FRI#L": "on the last Friday of every month at 5:00 pm", "0 18 L * *": "on the last day of every month at 6:00 pm",
		"0 18 LW * *": "on the last weekday of every month at 6:00 pm", "@daily": "every day at 12:00 am", "@weekly": "every Sunday at 12:00 am", "@hourly": "every hour, 0 min past",
	} {
		r, err := when.ParseCron(cron)
		if got := r.Words("en", z); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", cron, got, err, want)
		}
	}
}

// TestStep follows rules that are due only every so many days, weeks or months, and says them.
func TestStep(t *testing.T) {
	t.Parallel()
	z := zone(t, "America/New_York")
	for _, c := range []struct{ text, want, words string }{
		{"every other Tuesday at 9", "03-02 09:00, 03-16 09:00, 03-30 09:00", "every 2 weeks on Tuesday at 9:00 am"}, // clocks go forward on 14 March
		{"every 3 days at 9", "02-27 09:00, 03-02 09:00, 03-05 09:00", "every 3 days at 9:00 am"},
		{"every 2 weeks on Monday and Friday at 9", "03-01 09:00, 03-05 09:00, 03-15 09:00", "every 2 weeks on Monday, Friday at 9:00 am"},
		{"every 3 months on the 15th", "03-15 09:00, 06-15 09:00, 09-15 09:00", "every 3 months on day 15 at 9:00 am"},
	} {
		now := time.Date(2027, 2, 27, 8, 0, 0, 0, z) // a Saturday
		r := when.Read(c.text, now)
		if r.Err != nil || !r.Again {
			t.Fatalf("%q: %+v", c.text, r)
		}
		var got []string
		for at := now; len(got) < 3; {
			at = r.Rule.Next(at, z)
			got = append(got, at.Format("01-02 15:04"))
		}
		if s := strings.Join(got, ", "); s != c.want || r.Rule.Words("en", z) != c.words {
			t.Errorf("%q: %s, %q", c.text, s, r.Rule.Words("en", z))
		}
	}
}

// FuzzRead checks that no text makes a reading panic, and that no reading is over.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"매주 월요일 9시에", "every weekday at 9:30 post", "내일 오후 3시에 알려줘", "in 2 hours", "the 31st", "2월 30일", "every 0 minutes", "0시간마다",
		"9999시 99분", "12/31", "2026-13-45", "next next week", "매매매", "every every day", "in 9999 weeks", "24:00", "24:30", "한 시간 반 뒤", "at at at 9 9 9",
	} {
		f.Add(s, int64(1795754180), 9)
	}
	zones := []*time.Location{time.UTC, zone(f, "Asia/Seoul"), zone(f, "America/New_York"), zone(f, "Australia/Lord_Howe"), zone(f, "Pacific/Apia")}
	f.Fuzz(func(t *testing.T, text string, unix int64, z int) {
		if unix < 0 || unix > 4e9 || z < 0 {
			return
		}
		now := time.Unix(unix, 0).In(zones[z%len(zones)])
		for _, was := range []when.Rule{{At: now.Add(time.Hour)}, {Cron: "0 9 * * 1"}} {
			if rule, err := was.Moved(text, now); err == nil && !rule.Next(now, now.Location()).After(now) {
				t.Fatalf("%+v to %q at %v is due at %v", was, text, now, rule.Next(now, now.Location()))
			}
		}
		r := when.Read(text, now)
		if !r.Found || r.Err != nil {
			if !r.Rule.IsZero() {
				t.Fatalf("%q: a rule with %v", text, r.Err)
			}
			return
		}
		if next := r.Rule.Next(now, now.Location()); !next.After(now) {
			t.Fatalf("%q at %v is due at %v", text, now, next)
		}
		if r.Rule.Words("ko", now.Location()) == "" || r.Rule.Words("en", now.Location()) == "" {
			t.Fatalf("%q has no words", text)
		}
	})
}

// TestReadInAGap: a time that the clock leaves out comes as much later as the clock is put forward, once as well as every day.
func TestReadInAGap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, now, text, want string }{
		{"America/New_York", "2026-03-01 10:00", "remind me at 2:30am on March 8", "2026-03-08 03:30"},
		{"America/New_York", "2026-03-07 10:00", "every day at 2:30am", "2026-03-08 03:30"},
		{"Europe/Berlin", "2026-03-28 10:00", "remind me tomorrow at 2:15 am", "2026-03-29 03:15"},
		{"Australia/Lord_Howe", "2026-10-03 10:00", "내일 새벽 2시 10분에 알려줘", "2026-10-04 02:40"},
		{"America/New_York", "2026-10-31 10:00", "remind me tomorrow at 1:30 am", "2026-11-01 01:30"}, // comes twice
	} {
		z := zone(t, c.zone)
		now, err := time.ParseInLocation("2006-01-02 15:04", c.now, z)
		if err != nil {
			t.Fatal(err)
		}
		if r := when.Read(c.text, now); r.Err != nil || r.Rule.Next(now, z).In(z).Format("2006-01-02 15:04") != c.want {
			t.Errorf("%s in %s: %s, %v; want %s", c.text, c.zone, r.Rule.Next(now, z).In(z), r.Err, c.want)
		}
	}
}
