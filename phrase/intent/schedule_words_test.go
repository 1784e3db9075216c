package intent_test

import (
	"strconv"
	"testing"
	"time"

	"maru/phrase/intent"
	"maru/phrase/when"
)

// TestSchedulePhrasings reads sixty wishes as strangers write them. The last thirty were held out when the words were
// written, of which 26 were read well at first. It is Friday, 27 November 2026, 13:16:20 in Seoul; "/2" is every second.
func TestSchedulePhrasings(t *testing.T) {
	t.Parallel()
	seoul, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 27, 13, 16, 20, 0, seoul)
	for _, c := range []struct{ text, want string }{
		{`격주 화요일 오후 2시에 스프린트 회고 알림 보내줘`, `0 14 * * 2 /2`},
		{`매달 마지막 금요일 오후 5시에 비용 정산하라고 알려줘`, `0 17 * * 5#L`},
		{`평일 아침 9시에 밀린 티켓 정리해줘`, `0 9 * * 1-5`},
		{`내일 모레 오후 3시 반에 치과 예약 있다고 알려줘`, `2026-11-29 15:30:00`},
		{`31일마다 비밀번호 바꾸라고 알려줘`, `0 9 * * * /31`},
		{`30초 뒤에 알려줘`, `2026-11-27 13:16:50`},
		{`매월 말일 저녁 6시에 근태 마감하라고 알려줘`, `0 18 L * *`},
		{`매월 첫째 주 월요일 10시에 전사 회의 안건 모아줘`, `0 10 * * 1#1`},
		{`이틀 뒤 아침에 택배 찾으라고 알려줘`, `2026-11-29 09:00:00`},
		{`매일 정오에 점심 메뉴 올려줘`, `0 12 * * *`},
		{`월수금 아침 8시에 운동하라고 알려줘`, `0 8 * * 1,3,5`},
		{`한 시간마다 서버 상태 확인해줘`, `0 * * * *`},
		{`다음 주 화요일 2시에 면접 있다고 알려줘`, `2026-12-01 14:00:00`},
		{`12월 24일 저녁 7시에 송년회라고 알려줘`, `2026-12-24 19:00:00`},
		{`주말마다 오전 10시에 화분에 물 주라고 알려줘`, `0 10 * * 6,0`},
		{`every other Tuesday post the metrics`, `0 9 * * 2 /2`},
		{`first Monday of the month at 10 post the on-call rota`, `0 10 * * 1#1`},
		{`every weekday at 9 post the open tickets`, `0 9 * * 1-5`},
		{`in 30 seconds remind me to breathe`, `2026-11-27 13:16:50`},
		{`remind me the last Friday of every month at 4pm to submit expenses`, `0 16 * * 5#L`},
		{`every 3 days at 8am remind me to water the plants`, `0 8 * * * /3`},
		{`on the last day of every month remind us to close the books`, `0 9 L * *`},
		{`remind me in 45 minutes to take the bread out`, `2026-11-27 14:01:20`},
		{`every Monday and Thursday at 14:30 share the sprint status`, `30 14 * * 1,4`},
		{`remind me this evening to call mum`, `2026-11-27 18:00:00`},
		{`weekdays at 17:30 remind us to log our hours`, `30 17 * * 1-5`},
		{`biweekly on Friday at 3pm post the retro board`, `0 15 * * 5 /2`},
		{`remind the team at noon tomorrow about the fire drill`, `2026-11-28 12:00:00`},
		{`every hour check the build queue`, `0 * * * *`},
		{`post the newsletter on the 15th of every month at 8:30`, `30 8 15 * *`},
		// Held out.
		{`하루 걸러 아침 7시에 약 먹으라고 알려줘`, `0 7 * * * /2`},
		{`3일에 한 번 오후 4시에 백업 확인해줘`, `0 16 * * * /3`},
		{`오늘 저녁 8시에 약 먹으라고 알려줘`, `2026-11-27 20:00:00`},
		{`매주 목요일 오전 11시 30분에 주간 보고 올려줘`, `30 11 * * 4`},
		{`2주마다 금요일 4시에 데모 준비하라고 알려줘`, `0 16 * * 5 /2`},
		{`매달 둘째 주 수요일 오후 3시에 보안 점검 체크리스트 올려줘`, `0 15 * * 3#2`},
		{`내일 아침 8시 15분에 깨워줘`, `2026-11-28 08:15:00`},
		{`매년 1월 2일에 인사 올려줘`, `0 9 2 1 *`},
		{`세 시간 뒤에 회의실 예약하라고 알려줘`, `2026-11-27 16:16:20`},
		{`월요일부터 금요일까지 9시에 출근 인사 올려줘`, `0 9 * * 1-5`},
		{`매일 오전 10시랑 오후 4시에 대기열 확인해줘`, `0 10,16 * * *`},
		{`다음 달 5일 오전 9시에 카드값 확인하라고 알려줘`, `2026-12-05 09:00:00`},
		{`매주 월, 수 오후 2시에 스탠드업 알림 보내줘`, `0 14 * * 1,3`},
		{`90분 후에 빨래 널라고 알려줘`, `2026-11-27 14:46:20`},
		{`분기마다 첫날 9시에 목표 점검하라고 알려줘`, `0 9 1 1,4,7,10 *`},
		{`every second Wednesday at 10am post the design review agenda`, `0 10 * * 3 /2`},
		{`each morning at 8 summarise yesterday's alerts`, `0 8 * * *`},
		{`remind me in two days at 10 to renew the certificate`, `2026-11-29 10:00:00`},
		{`third Thursday of each month at 2 pm remind us about the board meeting`, `0 14 * * 4#3`},
		{`every two weeks on Monday post the backlog`, `0 9 * * 1 /2`},
		{`remind me at half past nine tomorrow to ship`, `2026-11-28 09:30:00`},
		{`every Sunday night remind me to plan the week`, `0 21 * * 0`},
		{`on weekends at 10 post a fun fact`, `0 10 * * 6,0`},
		{`every quarter post the OKR review`, `0 9 1 1,4,7,10 *`},
		{`remind us two weeks from now to check the trial`, `2026-12-11 13:16:20`},
		{`every weekday at 9am and 5pm post the queue length`, `0 9,17 * * 1-5`},
		{`remind me Monday at 9 to send the invoice`, `2026-11-30 09:00:00`},
		{`Mon, Wed and Fri at 7:45 post the weather`, `45 7 * * 1,3,5`},
		{`every 90 minutes check the inbox`, `refused`},
		{`remind me on January 5 at 3pm to file taxes`, `2027-01-05 15:00:00`},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			r := when.Read(c.text, now)
			_, ok := intent.Schedules(intent.Timed{
				Rest: r.Rest, Before: r.Before, Repeats: r.Again, Exact: r.Exact, Lead: r.Lead, Tail: r.Tail, Particle: r.Particle,
			})
			got := "answered as a question"
			switch {
			case !ok:
			case r.Err != nil:
				got = "refused"
			case r.Rule.Repeats():
				if got = r.Rule.Cron; r.Rule.Step > 1 {
					got += " /" + strconv.Itoa(r.Rule.Step)
				}
			default:
				got = r.Rule.At.In(seoul).Format(time.DateTime)
			}
			if got != c.want {
				t.Errorf("%q, want %q (%+v)", got, c.want, r)
			}
		})
	}
}

// TestRemindersByTheirNoun: a time and the noun of a reminder are a wish, which a card asks about; a report of one is none. A time that is
// counted back may follow what is then. It is Friday, 27 November 2026, 13:16 in Seoul.
func TestRemindersByTheirNoun(t *testing.T) {
	t.Parallel()
	seoul, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 27, 13, 16, 20, 0, seoul)
	for _, c := range []struct{ text, want, body string }{
		{"add a daily vitamin reminder", "0 9 * * *", "vitamin"}, {"set up a weekly timesheet reminder for Fridays at 4pm", "0 16 * * 5", "timesheet"}, {"매일 9시 비타민 알림 추가해줘", "0 9 * * *", "비타민"},
		{"daily stand-up reminder at 9am", "0 9 * * *", "stand-up"}, {"retro reminder every Friday at 4pm please", "0 16 * * 5", "retro"}, {"Tuesday 3pm dentist reminder", "12-01 15:00", "dentist"},
		{"매주 금요일 4시 타임시트 알림", "0 16 * * 5", "타임시트"}, {"내일 3시 고객 미팅 알림", "11-28 15:00", "고객 미팅"},
		{"오후 6시 되면 퇴근하라고 알려죠", "11-27 18:00", "퇴근하기"}, {"when it's 6pm tell me to go home", "11-27 18:00", "go home"}, {"tonight 7:30 dinner w/ the team - pls remind me", "11-27 19:30", "dinner w/ the team"},
		{"create a weekly reminder", "0 9 * * 5", ""}, {"weekly report reminder", "0 9 * * 5", "report"}, {"weekly report reminder email template", "", ""}, {"draft a weekly customer reminder", "", ""},
		{"write the weekly payment reminder", "", ""}, {"show the weekly report reminder", "", ""}, {"create a daily reminder template", "", ""},
		{"I got a reminder at 9am", "", ""}, {"cancel the dentist reminder tomorrow", "", ""}, {"tomorrow 9am is the reminder", "", ""}, {"내일 3시 알림 왜 안 왔어?", "", ""},
		{"my exam is on Dec 10, remind me the day before", "12-09 09:00", "my exam"}, {"3pm meeting remind me 15 min before", "11-27 14:45", "meeting"},
		{"오후 3시 회의인데 15분 전에 알려줘", "11-27 14:45", "회의"}, {"3시에 회의 있어. 15분 전에 알려줘", "11-27 14:45", "회의"}, {"내일 9시에 견적서 달라고 알려줘", "11-28 09:00", "견적서 달라고 하기"},
	} {
		r := when.Read(c.text, now)
		w, ok := intent.Schedules(intent.Timed{Rest: r.Rest, Before: r.Before, Repeats: r.Again, Exact: r.Exact, Lead: r.Lead, Tail: r.Tail, Particle: r.Particle, Ahead: r.Ahead})
		got := ""
		if ok && w.Reminds {
			if got = r.Rule.Cron; got == "" {
				got = r.Rule.At.In(seoul).Format("01-02 15:04")
			}
		}
		if got != c.want || w.Body != c.body {
			t.Errorf("%s: %q at %q, want %q at %q", c.text, w.Body, got, c.body, c.want)
		}
	}
}
