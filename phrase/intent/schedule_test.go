package intent_test

import (
	"testing"
	"time"

	"maru/phrase/intent"
	"maru/phrase/when"
)

// TestSchedules reads messages that name a time, as the bot does: what asks for something then, and what must be answered
// like any other message.
func TestSchedules(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 13, 16, 0, 0, time.UTC)
	for _, c := range []struct{ text, want, body string }{
		{"매주 월요일 9시에 지난주 티켓을 요약해서 올려줘", "asks", "지난주 티켓을 요약해서 올려줘"},
		{"매일 아침 8시에 날씨 알려줘", "asks", "날씨 알려줘"},
		{"평일 오후 6시에 퇴근하라고 알려줘", "reminds", "퇴근하기"},
		{"내일 오후 3시에 알려줘", "reminds", ""},
		{"30분 뒤에 빨래 꺼내라고 알려줘", "reminds", "빨래 꺼내기"},
		{"12월 3일 오후 2시에 치과 예약 알려주세요", "reminds", "치과 예약"},
		{"금요일에 회의 시작한다고 다시 알려줘", "reminds", "회의 시작한다"},
		{"내일 3시에 보고서 리마인드 부탁해요", "reminds", "보고서"},
		{"내일 오후 3시에 공지 올려줘", "asks?", "공지 올려줘"},
		{"내일 오후 3시에 회의가 어디서 있는지 알려줘", "reminds?", "회의가 어디서 있는지"},
		{"내일 치과 가라고 알려줘", "reminds", "치과 가기"},
		{"remind us on Friday", "reminds", ""},
		{"remind next Friday meeting", "reminds", "meeting"},
		{"Remind me tomorrow at 3pm to call Kim", "reminds", "call Kim"},
		{"please remind the team in 20 minutes to leave", "reminds", "leave"},
		{"can you remind me at 5pm about the report?", "reminds", "the report"},
		{"tomorrow at 9 remind us about the release", "reminds", "the release"},
		{"remind me about the meeting on Friday", "reminds?", "the meeting"},
		{"every weekday at 9:30 post the open tickets", "asks", "post the open tickets"},
		{"could you summarise last week's tickets every Monday at 9?", "asks", "summarise last week's tickets"},
		{"At 5pm post the menu", "asks", "post the menu"},
		// Not for later.
		{"매주 월요일 회의는 몇 시야?", "", ""},
		{"매주 월요일에 회의가 있어", "", ""},
		{"내일 날씨 알려줘", "", ""},
		{"내일 오후 3시 회의 자료 알려줘", "", ""},
		{"금요일 회의록 요약해줘", "", ""},
		{"다음 주 휴가 신청 방법 알려줘", "", ""},
		{"9시에 출근해야 해?", "", ""},
		{"remind me what we said about Friday", "", ""},
		{"remind me of the Friday deadline", "", ""},
		{"can you remind me who is on call on Friday?", "", ""},
		{"when is the meeting every Monday?", "", ""},
		{"공지 채널에 오늘 저녁 점검이 있다고 알려 줘", "", ""},
		{"매주 금요일에 배포한다고 기억해 줘", "", ""},
		{"send the weekly report please", "", ""},
		{"weekly report", "", ""},
		{"show me the daily standup notes", "", ""},
		{"every Monday we deploy at 9", "", ""},
		{"summarise the meeting on Friday at 3pm", "", ""},
		{"what happens tomorrow at 3pm?", "", ""},
		{"does the report go out every day at 6?", "", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			r := when.Read(c.text, now)
			w, ok := intent.Schedules(intent.Timed{
				Rest: r.Rest, Before: r.Before, Repeats: r.Again, Exact: r.Exact, Lead: r.Lead, Tail: r.Tail, Particle: r.Particle,
			})
			got := ""
			switch {
			case !r.Found || !ok:
			case w.Reminds:
				got = "reminds"
			default:
				got = "asks"
			}
			if got != "" && !w.Sure {
				got += "?"
			}
			if got != c.want || w.Body != c.body {
				t.Errorf("%q, %q; want %q, %q (%+v)", got, w.Body, c.want, c.body, r)
			}
		})
	}
}
