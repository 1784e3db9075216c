package bot_test

import (
	"strings"
	"testing"

	"maru/bot"
)

// TestScheduleRefusalsHaveTheirReason: words that no rule can follow are refused with what is wrong about them and what to write instead,
// in a message as by the command; nothing is scheduled.
func TestScheduleRefusalsHaveTheirReason(t *testing.T) {
	t.Parallel()
	sequential(t)
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	for _, c := range []struct{ text, reason, instead string }{
		{"every day at 9 except public holidays post the menu", "no calendar of holidays", "`/maru schedule pause ID`"},
		{"공휴일 빼고 평일 9시에 메뉴 올려줘", "공휴일 달력이 없어서", "“평일 9시”"},
		{"매달 첫 영업일 9시에 급여 공지 올려줘", "첫 영업일이 며칠인지", "날짜로 적어"},
		{"every 2 hours on weekdays post the queue", "on some days only", "0 9-17/2 * * 1-5"},
		{"업무 시간에 두 시간마다 문의 현황 올려줘", "하루의 일부로", "0 9-17/2 * * 1-5"},
		{"every Monday at 9 until Christmas post the numbers", "no first or last day", "`/maru schedule delete ID`"},
		{"이달 말까지 매일 9시에 현황 올려줘", "종료일", "`/maru schedule delete ID`"},
		{"월요일 빼고 2시간마다 현황 올려줘", "요일만 뺄 수 있어요", "직접 적어"},
		{"remind me on 3/4 at 3pm to leave", "the day from the month", "“3 April”"},
		{"every day at 9am UTC+15 post the queue", "offset from UTC", "New York time"},
	} {
		if got := h.command(t, w, "U1", c.text, in).Text; !strings.Contains(got, c.reason) || !strings.Contains(got, c.instead) {
			t.Errorf("%s: the command says %q", c.text, got)
		}
		h.say(t, w, "U1", c.text, in)
		shown(t, w, c.reason)
	}
	for _, args := range []string{`"61 9 * * 1" stand-up`, "'0 0 9 * * 1' stand-up", "61 9 * * 1 stand-up"} {
		if got := h.command(t, w, "U1", args, in).Text; !strings.Contains(got, "five fields") {
			t.Errorf("%s: the command says %q", args, got)
		}
	}
	if got := h.command(t, w, "U1", "list", in).Text; !strings.Contains(got, "Nothing is scheduled") && !strings.Contains(got, "예약이 없어요") {
		t.Errorf("scheduled: %q", got)
	}
}

// TestScheduleInANamedTimeZone: a time zone that the words name goes before that of the person and the channel.
func TestScheduleInANamedTimeZone(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	for _, c := range []struct{ text, want string }{
		{"every weekday at 9am New York time post the queue", "every weekday at 9:00 am** (America/New_York)"},
		{"내일 오후 3시(UTC)에 배포하라고 알려줘", "오후 3:00** (UTC)"},
		{"every day at 9am UTC+2 post the queue", "every day at 9:00 am** (UTC+02:00)"},
	} {
		if got := h.command(t, w, "U1", c.text, in).Text; !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", c.text, got)
		}
	}
	card := h.command(t, w, "U1", "every Monday at 9 post the menu", in)
	f := h.click(t, w, "U1", *card, "edit", in, nil).Form
	a := h.act(t, w, bot.Action{ID: f.ID, Verb: f.Verb, Thread: in, User: bot.User{ID: "U1", Name: "U1", TimeZone: "Asia/Seoul"}, At: h.Now(),
		Values: map[string]string{"when": "every Tuesday at noon Berlin time", "text": "lunch", "kind": "remind"}})
	if a.Card == nil || !strings.Contains(a.Card.Text, "every Tuesday at 12:00 pm** (Europe/Berlin)") {
		t.Errorf("the form: %+v", a)
	}
}
