package bot_test

import (
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/calendar"
)

// kept are the schedules of the channel in which these tests talk.
func kept(t *testing.T, w *world, in bot.Thread) []calendar.Row {
	t.Helper()
	rows, err := w.store.Schedules(w.ctx, calendar.Row{Thread: in}.Channel(), "", "", 10)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestScheduleIsChangedInWords: a reminder is moved, listed and removed by what people say of it, without a command. What names none that
// is there, and does not call it a reminder, is answered like any message.
func TestScheduleIsChangedInWords(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	h.say(t, w, "U1", "회의를 4시로 옮겨줘", in)
	shown(t, w, "echo: 회의를 4시로 옮겨줘")
	h.say(t, w, "U1", "내일 오후 3시에 치과 가라고 알려주삼", in)
	shown(t, w, "예약했어요")
	for _, c := range []struct{ says, want, at string }{
		{"그거 4시로 바꿔줘", "11월 28일(토요일) 오후 4:00", "2026-11-28 16:00"},
		{"치과 알림 월욜로 미뤄주세용", "11월 30일(월요일) 오후 4:00", "2026-11-30 16:00"},
		{"30분만 당겨줘", "11월 30일(월요일) 오후 3:30", "2026-11-30 15:30"},
		{"치과 알림을 언젠가로 바꿔줘", "언제로 옮길지 알 수 없어요", "2026-11-30 15:30"},
		{"그거 어제로 바꿔줘", "echo: 그거 어제로 바꿔줘", "2026-11-30 15:30"},
		{"치과 예약 글을 영어로 바꿔줘", "echo: 치과 예약 글을 영어로 바꿔줘", "2026-11-30 15:30"},
		{"make it 3 paragraphs", "echo: make it 3 paragraphs", "2026-11-30 15:30"},
		{"내 알림 뭐뭐 있어?", "치과 가기", "2026-11-30 15:30"},
		{"장보기 알림 취소해줘", "그런 알림은 여기에 없어요", "2026-11-30 15:30"},
	} {
		h.say(t, w, "U1", c.says, in)
		shown(t, w, c.want)
		if rows := kept(t, w, in); len(rows) != 1 || rows[0].Due.In(time.FixedZone("KST", 9*3600)).Format("2006-01-02 15:04") != c.at {
			t.Errorf("%s: %+v, want it due at %s", c.says, rows, c.at)
		}
	}
	h.say(t, w, "U2", "아까 그 알림 취소해줘", in)
	shown(t, w, "그런 알림은 여기에 없어요")
	h.say(t, w, "U1", "아까 그 알림 취소해줘", in)
	shown(t, w, "삭제했어요: 치과 가기")
	if rows := kept(t, w, in); len(rows) != 0 {
		t.Errorf("left %+v", rows)
	}
}

// TestWhichScheduleIsAsked: of several that words may mean a person chooses, and all of them go only after a click.
func TestWhichScheduleIsAsked(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	h.say(t, w, "U1", "remind me tomorrow at 3pm to post the retro board", in)
	shown(t, w, "post the retro board")
	h.say(t, w, "U1", "remind me tomorrow at 5pm to close the retro board", in)
	shown(t, w, "close the retro board")
	h.say(t, w, "U1", "cancel the 6pm reminder", in)
	shown(t, w, "I have no such reminder here")
	h.say(t, w, "U1", "move the 5pm reminder to 6", in)
	shown(t, w, "6:00 pm")
	h.say(t, w, "U1", "cancel the retro reminder", in)
	if card := shown(t, w, "Which one do you mean?"); len(card.Buttons) != 2 || card.Buttons[0].Verb != "delete" {
		t.Errorf("buttons %+v", card.Buttons)
	}
	h.say(t, w, "U1", "delete all my reminders", in)
	card := shown(t, w, "Delete all of your schedules here")
	if rows := kept(t, w, in); len(rows) != 2 {
		t.Fatalf("left %d before the click", len(rows))
	}
	if a := h.click(t, w, "U2", card, "delete", in, nil); !strings.Contains(a.Card.Text, "Nothing is scheduled") {
		t.Errorf("another person's click: %q", a.Card.Text)
	}
	if a := h.click(t, w, "U1", card, "delete", in, nil); !strings.Contains(a.Card.Text, "close the retro board") || len(kept(t, w, in)) != 0 {
		t.Errorf("%q, left %+v", a.Card.Text, kept(t, w, in))
	}
}

// TestTimeOfReminderIsAsked: a reminder without a time is neither dropped nor handed to an agent. A time alone is the answer, once.
func TestTimeOfReminderIsAsked(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	h.say(t, w, "U1", "tomorrow at 3pm", in)
	shown(t, w, "echo: tomorrow at 3pm")
	for _, c := range []struct{ wish, asks, answer, want string }{
		{"나중에 문서 정리하라고 알려줘", "언제 말할까요? 문서 정리하기", "내일 오후 3시", "오후 3:00"},
		{"remind me to call Kim", "When should I say this: call Kim", "tomorrow at 4 pm", "4:00 pm"},
		{"twice a day remind us to check the inbox", "all of its times", "every day at 9 am and 4 pm", "9:00 am, 4:00 pm"},
		{"금욜까지 계약서 검토하라고 알려줘", "언제 말할까요? 금욜까지 계약서 검토하기", "목욜 10시에 알려줘", "12월 3일(목요일) 오전 10:00"},
	} {
		n := len(kept(t, w, in))
		h.say(t, w, "U1", c.wish, in)
		shown(t, w, c.asks)
		if got := len(kept(t, w, in)); got != n {
			t.Errorf("%s: %d are kept before the answer", c.wish, got-n)
		}
		h.say(t, w, "U1", c.answer, in)
		if card := shown(t, w, c.want); len(card.Buttons) > 0 && card.Buttons[0].Verb == "confirm" {
			h.click(t, w, "U1", card, "confirm", in, nil)
		}
		if got := len(kept(t, w, in)); got != n+1 {
			t.Errorf("%s: %d more are kept after %s", c.wish, got-n, c.answer)
		}
	}
	h.say(t, w, "U1", "next Monday at 9", in)
	shown(t, w, "echo: next Monday at 9")
	h.say(t, w, "U1", "회의 10분 전에 들어오라고 알려줘", in)
	shown(t, w, "그게 몇 시인지 몰라서")
	h.say(t, w, "U1", "remind #ops tonight at 11 that the deploy starts", in)
	if card := shown(t, w, "To have it said in #ops, ask me there"); len(card.Buttons) == 0 || card.Buttons[0].Verb != "confirm" {
		t.Errorf("buttons %+v", card.Buttons)
	}
}
