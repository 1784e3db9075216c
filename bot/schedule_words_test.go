package bot_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/phrase/when"
)

// kept returns the schedules of the channel in which these tests talk.
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
	sequential(t)
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
		{"장보기 리마인더 취소해줘", "그런 알림은 여기에 없어요", "2026-11-30 15:30"},
		{"장보기 알림 취소해줘", "echo: 장보기 알림 취소해줘", "2026-11-30 15:30"},
		{"그거 2시간으로 바꿔줘", "echo: 그거 2시간으로 바꿔줘", "2026-11-30 15:30"},
		{"make it 45 minutes", "echo: make it 45 minutes", "2026-11-30 15:30"},
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

// TestWordsForOthersReachTheAgent: a reminder of one thread is not touched by what a person says elsewhere of other things, and the agent
// answers that.
func TestWordsForOthersReachTheAgent(t *testing.T) {
	t.Parallel()
	sequential(t)
	w, h := scheduled(t)
	h.say(t, w, "U1", "내일 오후 3시에 주간 회고 쓰라고 알려주삼", w.platform.Thread("C1", "t1"))
	shown(t, w, "예약했어요")
	was := kept(t, w, w.platform.Thread("C1", "t1"))[0]
	elsewhere := w.platform.Thread("C1", "t2")
	for _, says := range []string{
		"make it 45 minutes", "change it to 6", "move it to Friday", "그거 2시간으로 바꿔줘", "그거 4시로 바꿔줘", "30분만 당겨줘", "회고를 4시로 옮겨줘", "snooze for an hour",
		"cancel the schedule", "스케줄 취소해줘", "회고 예약 변경해줘", "update the 회고 schedule", "change the reminder to German",
		"정답은 알려주지 마", "이 내용은 다른 사람한테 알려주지 마세요", "이건 알려주지 마",
		"What alarms are firing in production?", "silence the disk alarm", "disable the alarm for staging", "장애 알람 해제해줘", "슬랙 알림 꺼줘",
		"cancel the meeting with Kim", "일정 좀 옮겨줘 캘린더에서", "what's on the schedule tomorrow?", "알림 설정 문서 찾아줘", "stop the staging server",
		"move the deadline to Friday", "translate every reminder in this mail", "don't ping everyone", "turn off Slack reminders", "alarm 코드 리뷰해줘", "고객 알림 문구 3시까지로 수정해줘",
		"제2조 (차임) 차임은 월 210만 원으로 하고 매월 5일에 지급한다.\n\n제3조 (해지) 해지할 수 있다.\n\n이거 요약해줘",
		"schedule 테이블 지워줘", "pause the deploy schedule", "이 문서의 알림 부분 삭제해줘", "알람 정책 변경해줘", "resume the import job",
	} {
		h.say(t, w, "U1", says, elsewhere)
		shown(t, w, "echo: "+says)
		if rows := kept(t, w, elsewhere); len(rows) != 1 || rows[0].Version != was.Version {
			t.Errorf("%s: %+v, want it untouched", says, rows)
		}
	}
}

// TestOnlyOneIsConfirmedElsewhere: "the alarm" may be another program's where the person's only reminder was not spoken of.
func TestOnlyOneIsConfirmedElsewhere(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	h.say(t, w, "U1", "내일 오후 3시에 주간 회고 쓰라고 알려주삼", w.platform.Thread("C1", "t1"))
	shown(t, w, "예약했어요")
	elsewhere := w.platform.Thread("C1", "t2")
	h.say(t, w, "U1", "change the alarm", elsewhere)
	shown(t, w, "Which one do you mean?")
	h.say(t, w, "U1", "알람 꺼줘", elsewhere)
	card := shown(t, w, "어느 것인가요?")
	if rows := kept(t, w, elsewhere); len(rows) != 1 {
		t.Fatalf("%d are left before the click", len(rows))
	}
	if a := h.click(t, w, "U1", card, "delete", elsewhere, nil); !strings.Contains(a.Card.Text, "주간 회고") || len(kept(t, w, elsewhere)) != 0 {
		t.Errorf("%q, left %+v", a.Card.Text, kept(t, w, elsewhere))
	}
}

// TestItIsOfTheConversation: "it" is a reminder that was asked for at the top level, in the thread below and, for an hour, at the top level.
func TestItIsOfTheConversation(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	top := w.platform.Thread("C1", "")
	m := w.platform.Message("U1", "", top) // the next one's ID follows
	h.say(t, w, "U1", "remind me tomorrow at 3pm to water the plants", top)
	due := func(at string) {
		t.Helper()
		waitUntil(t, "a schedule due at "+at, func() bool {
			rows := kept(t, w, top)
			return len(rows) == 1 && rows[0].Due.In(time.FixedZone("KST", 9*3600)).Format("15:04") == at
		})
	}
	due("15:00")
	h.say(t, w, "U1", "make it 4pm", w.platform.Thread("C1", fmt.Sprintf("m%06d", serial(t, m.ID)+1)))
	due("16:00")
	h.say(t, w, "U1", "push it by half an hour", top)
	due("16:30")
	h.to(h.Now().Add(2 * time.Hour))
	h.say(t, w, "U1", "make it 6pm", top)
	h.say(t, w, "U1", "move the plants reminder by an hour", top)
	due("17:30")
}

// serial returns the number in a message's ID.
func serial(t *testing.T, id string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(id, "m"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestMovedScheduleStaysPaused: a new time does not resume a schedule that somebody paused.
func TestMovedScheduleStaysPaused(t *testing.T) {
	t.Parallel()
	sequential(t)
	for _, c := range []struct{ wish, pause, move, want string }{
		{"remind me tomorrow at 3pm to call Kim", "pause the Kim reminder", "move the Kim reminder to 5 pm", "It stays paused: call Kim"},
		{"내일 오후 3시에 치과 가라고 알려줘", "치과 알림 잠깐 멈춰줘", "치과 알림 1시간 미뤄줘", "계속 멈춰 있어요: 치과 가기"},
	} {
		w, h := scheduled(t)
		in := w.platform.Thread("C1", "t1")
		h.say(t, w, "U1", c.wish, in)
		waitUntil(t, "reminder", func() bool { return len(kept(t, w, in)) == 1 })
		before := kept(t, w, in)[0].Rule.At
		h.say(t, w, "U1", c.pause, in)
		waitUntil(t, "paused reminder", func() bool { return kept(t, w, in)[0].State == calendar.Paused })
		h.say(t, w, "U1", c.move, in)
		shown(t, w, c.want)
		if r := kept(t, w, in)[0]; r.State != calendar.Paused || !r.Due.IsZero() || !r.Rule.At.After(before) {
			t.Errorf("%s: %+v", c.move, r)
		}
	}
}

// TestListOfWhatMayBeNoSchedule: words that may be about other bookings list schedules only to a person who has some here.
func TestListOfWhatMayBeNoSchedule(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	h.say(t, w, "U2", "내일 오후 3시에 치과 가라고 알려줘", in)
	shown(t, w, "예약했어요")
	for _, says := range []string{"예약 보여줘", "show my schedules"} {
		h.say(t, w, "U1", says, in)
		shown(t, w, "echo: "+says)
	}
	h.say(t, w, "U2", "예약 보여줘", in)
	waitUntil(t, "list", func() bool { return count(w, "`** ") > 0 || count(w, "다음: ") > 0 })
	h.say(t, w, "U1", "알림 보여줘", in)
	waitUntil(t, "second list", func() bool { return count(w, "다음: ") > 1 })
}

// TestTimeOfReminderIsAsked: a reminder without a time is neither dropped nor handed to an agent. A time alone is the answer, once.
func TestTimeOfReminderIsAsked(t *testing.T) {
	t.Parallel()
	sequential(t)
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

// TestOpenQuestionsAreApart: each reminder without a time has a row of its own, whatever becomes of the one before.
func TestOpenQuestionsAreApart(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	save := func(card bot.Card, at string) {
		t.Helper()
		f := h.click(t, w, "U1", card, "edit", in, nil).Form
		if f == nil {
			t.Fatal("no form")
		}
		h.act(t, w, bot.Action{ID: f.ID, Verb: f.Verb, Thread: in, User: bot.User{ID: "U1", Name: "U1", TimeZone: "Asia/Seoul"},
			Values: map[string]string{"when": at, "text": f.Inputs[1].Value, "kind": "remind"}, At: h.Now()})
	}
	ask := func(what string) bot.Card {
		t.Helper()
		h.say(t, w, "U1", "remind me to "+what, in)
		return shown(t, w, "When should I say this: "+what)
	}
	texts := func() string {
		var list []string
		for _, r := range kept(t, w, in) {
			list = append(list, r.Text+" "+r.Due.In(time.FixedZone("KST", 9*3600)).Format("15:04"))
		}
		slices.Sort(list)
		return strings.Join(list, ", ")
	}
	save(ask("call Kim"), "tomorrow at 17:00")
	first, _ := ask("buy milk"), ask("water the plants")
	h.say(t, w, "U1", "tomorrow at 4 pm", in)
	shown(t, w, "I'll say: water the plants")
	save(first, "tomorrow at 18:00")
	if got, want := texts(), "buy milk 18:00, call Kim 17:00, water the plants 16:00"; got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
	ask("check the inbox")
	h.say(t, w, "U1", "every 5 minutes", in)
	shown(t, w, "at least 15 minutes")
	h.say(t, w, "U1", "every 20 minutes", in)
	h.click(t, w, "U1", shown(t, w, "I'll say: check the inbox"), "confirm", in, nil)
	if got := texts(); !strings.Contains(got, "check the inbox") {
		t.Errorf("kept %s", got)
	}
}

// TestATimeStandsWithItsTask: a task is scheduled where its time is in the same sentence or alone.
func TestATimeStandsWithItsTask(t *testing.T) {
	t.Parallel()
	for says, offers := range map[string]string{
		"매주 월요일 오전 9시에 이번 주 이슈를 요약해줘":                          "매주 월요일 오전 9:00",
		"매주 월요일 오전 9시. 이번 주 이슈를 요약해줘":                          "매주 월요일 오전 9:00",
		"every Monday at 9am summarise the issues of the week": "Monday",
	} {
		w, h := scheduled(t)
		h.say(t, w, "U1", says, w.platform.Thread("C1", "t1"))
		shown(t, w, offers)
	}
}

// TestWordsAroundAWish: interjections, a place and a reason around a wish are no part of it; what merely looks like one is answered.
func TestWordsAroundAWish(t *testing.T) {
	t.Parallel()
	sequential(t)
	for _, c := range []struct{ before, says, want string }{
		{"", "12월 3일 오후 5시 재계약 마감이라고 이 채널에 알려줘", "그때 할 말: 재계약 마감"},
		{"", "모레 점심 때 택배 찾으라고 알려줄래?", "그때 할 말: 택배 찾기"},
		{"", "다음 주 수요일 2시 반에 병원 가야 하니까 미리 말해줘", "그때 할 말: 병원 가야 하니까"},
		{"내일 10시에 세금계산서 보내라고 알려줘", "하루 미뤄줘", "2026년 11월 29일(일요일) 오전 10:00"},
		{"내일 10시에 세금계산서 보내라고 알려줘", "그 알림 이틀만 늦춰줘", "2026년 11월 30일(월요일) 오전 10:00"},
		{"remind me tomorrow at 10 to pay", "actually make that Thursday", "3 December 2026 (Thursday), 10:00 am"},
		{"remind me tomorrow at 10 to pay", "no, move it to 4pm", "28 November 2026 (Saturday), 4:00 pm"},
		{"", "어제 5시에 배포한 거 누가 했는지 알려줘", "echo: 어제"},
		{"", "post-mortem is at noon", "echo: post-mortem"},
		{"", "can you tell me when payroll runs each month?", "echo: can you"},
	} {
		w, h := scheduled(t)
		in, n := w.platform.Thread("C1", "t1"), 0
		if c.before != "" {
			h.say(t, w, "U1", c.before, in)
			w.replies(in, 1)
			n = 1
		}
		h.say(t, w, "U1", c.says, in)
		if got := w.replies(in, n+1)[n].Card.Text; !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.says, got, c.want)
		}
	}
}

// keep stores reminders of U1 for three days later, asked for in a thread.
func (h *hands) keep(t *testing.T, w *world, in bot.Thread, texts ...string) {
	t.Helper()
	for _, text := range texts {
		r := dueNow("r"+text, in)
		r.Text, r.Due = text, h.Now().Add(72*time.Hour)
		r.Rule, r.Zone, r.Created = when.Rule{At: r.Due}, "Asia/Seoul", h.Now()
		if _, err := w.store.PutSchedule(w.ctx, r, calendar.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWordsForOthersInItsConversation: also in the conversation of a reminder, what shares a word with it and is not called a reminder is
// for the agent, and what calls a reminder by another word changes none.
func TestWordsForOthersInItsConversation(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	h.keep(t, w, in, "check deployment", "server", "plan sprint", "send form", "배포 확인하기")
	for _, c := range []struct{ says, want string }{
		{"pause the deployment", "echo: pause the deployment"},
		{"run deployment now", "echo: run deployment now"},
		{"restart the server", "echo: restart the server"},
		{"배포 다시 시작해줘", "echo: 배포 다시 시작해줘"},
		{"Fire alarm!", "echo: Fire alarm!"},
		{"cancel the planet reminder", "I have no such reminder here"},
		{"cancel the format reminder", "I have no such reminder here"},
		{"배포 확인 리마인더는 필요 없나요?", "echo: 배포 확인 리마인더는 필요 없나요?"},
	} {
		n := count(w, c.want)
		h.say(t, w, "U1", c.says, in)
		waitUntil(t, c.want, func() bool { return count(w, c.want) == n+1 })
		rows := kept(t, w, in)
		if len(rows) != 5 || slices.ContainsFunc(rows, func(r calendar.Row) bool { return r.Version != 1 }) {
			t.Errorf("%s: %+v, want them untouched", c.says, rows)
		}
	}
	for _, c := range []struct{ says, want string }{
		{"pause check deployment", "Paused: check deployment"},
		{"pause the server", "Paused: server"},
		{"restart the server", "Scheduled:"},
		{"cancel the forms reminder", "Deleted: send form"},
	} {
		h.say(t, w, "U1", c.says, in)
		shown(t, w, c.want)
	}
}

// TestReminderNamesWhom: a reminder for somebody else says for whom.
func TestReminderNamesWhom(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	h.say(t, w, "U1", "remind <@U2> tomorrow at 3pm to review the PR", w.platform.Thread("C1", "t1"))
	shown(t, w, "I'll say: <@U2>: review the PR")
}

// TestSchedulesHideNothing: a card that asks to schedule something, and one that asks which is meant, show its words as they are written.
func TestSchedulesHideNothing(t *testing.T) {
	t.Parallel()
	sequential(t)
	for hidden, want := range map[string]string{
		"post [the plan](https://a.example) <!-- and mail it to Lee -->": `post \[the plan\](https://a.example) \<!-- and mail it to Lee -->`,
		"post ~~not~~ the plan&#8203;s":                                  `post \~\~not\~\~ the plan\&#8203;s`,
		"post the\u2060plan":                                             "post the⟦U+2060⟧plan",
	} {
		w, h := scheduled(t)
		in := w.platform.Thread("C1", "t1")
		h.say(t, w, "U1", "every Monday at 9 remind me to "+hidden, in)
		card := shown(t, w, "Shall I do this?")
		if !strings.Contains(card.Text, want) {
			t.Errorf("%q: %s", hidden, card.Text)
		}
		h.click(t, w, "U1", card, "confirm", in, nil)
		h.say(t, w, "U1", "cancel the plan reminder", in)
		card = shown(t, w, want)
		if strings.Contains(card.Text, hidden) {
			t.Errorf("%q: %s", hidden, card.Text)
		}
	}
}
