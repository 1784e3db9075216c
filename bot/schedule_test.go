package bot_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/calendar"
	"maru/bot/service"
)

// hands is a clock that a test moves.
type hands struct {
	mu  sync.Mutex
	now time.Time
}

func (h *hands) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hands) to(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = at
}

// scheduled returns a bot whose clock is at Friday, 27 November 2026, 04:16 UTC.
func scheduled(t *testing.T) (*world, *hands) {
	t.Helper()
	h := &hands{now: time.Date(2026, 11, 27, 4, 16, 0, 0, time.UTC)}
	w := newWorld(t, echo)
	w.stop()
	w.now = h.Now
	w.change = func(c *service.Config) { c.Poll = 10 * time.Millisecond }
	w.start()
	return w, h
}

// say has a person write a message, by the test's clock.
func (h *hands) say(t *testing.T, w *world, user, text string, in bot.Thread) {
	t.Helper()
	m := w.platform.Message(user, text, in)
	m.At, m.User.TimeZone = h.Now(), "Asia/Seoul"
	door, err := w.platform.Intake(w.ctx)
	if err == nil {
		err = door.Message(w.ctx, m)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// shown waits for a post whose final card holds a text.
func shown(t *testing.T, w *world, text string) bot.Card {
	t.Helper()
	var found bot.Card
	waitUntil(t, "a card with "+text, func() bool {
		for _, p := range posted(w) {
			if p.Card.Final && strings.Contains(p.Card.Text+p.Card.Footer, text) {
				found = p.Card
				return true
			}
		}
		return false
	})
	return found
}

// posted returns the posts of the threads and of the channel in which these tests talk.
func posted(w *world) []*bottest.Post {
	var out []*bottest.Post
	for _, id := range []string{"t1", "t2", ""} {
		for _, p := range w.platform.Posts(w.platform.Thread("C1", id)) {
			out = append(out, &p)
		}
	}
	return out
}

// count returns how many final cards hold a text.
func count(w *world, text string) (n int) {
	for _, p := range posted(w) {
		if p.Card.Final && strings.Contains(p.Card.Text, text) {
			n++
		}
	}
	return n
}

func waitUntil(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %s", what)
		}
	}
}

// click presses a button of a card by its verb.
func (h *hands) click(t *testing.T, w *world, user string, c bot.Card, verb string, in bot.Thread, values map[string]string) bot.Answer {
	t.Helper()
	for _, b := range c.Buttons {
		if b.Verb == verb {
			return h.act(t, w, bot.Action{ID: b.ID, Verb: verb, Thread: in, User: bot.User{ID: user, Name: user, TimeZone: "Asia/Seoul"}, Values: values, At: h.Now()})
		}
	}
	t.Fatalf("no button %s on %+v", verb, c)
	return bot.Answer{}
}

func (h *hands) act(t *testing.T, w *world, a bot.Action) bot.Answer {
	t.Helper()
	door, err := w.platform.Intake(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	ans, err := door.Action(w.ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	return ans
}

func (h *hands) command(t *testing.T, w *world, user, args string, in bot.Thread) *bot.Card {
	t.Helper()
	door, err := w.platform.Intake(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	c, err := door.Command(w.ctx, bot.Invocation{Name: "schedule", Args: args, Thread: in, User: bot.User{ID: user, Name: user, TimeZone: "Asia/Seoul"}, ID: "i", At: h.Now(), Channels: map[string]string{"ops": "C9"}})
	if err != nil || c == nil {
		t.Fatalf("command: %v, %v", c, err)
	}
	return c
}

func TestReminderIsKeptAtOnceAndSaidOnce(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	h.say(t, w, "U1", "내일 오후 3시에 치과 가라고 알려줘", in)
	card := shown(t, w, "예약했어요")
	if !strings.Contains(card.Text, "2026년 11월 28일(토요일) 오후 3:00") || !strings.Contains(card.Text, "Asia/Seoul") || !strings.Contains(card.Text, "치과 가기") {
		t.Errorf("the confirmation is %q", card.Text)
	}
	h.to(time.Date(2026, 11, 28, 5, 59, 59, 0, time.UTC))
	time.Sleep(50 * time.Millisecond) // several polls
	if n := count(w, "⏰ 치과 가기"); n != 0 {
		t.Fatalf("said %d times before it was due", n)
	}
	h.to(time.Date(2026, 11, 28, 6, 0, 1, 0, time.UTC))
	shown(t, w, "⏰ 치과 가기")
	h.to(time.Date(2026, 11, 27, 4, 0, 0, 0, time.UTC)) // a clock that jumps back
	h.to(time.Date(2026, 11, 28, 6, 0, 5, 0, time.UTC))
	time.Sleep(50 * time.Millisecond)
	if n := count(w, "⏰ 치과 가기"); n != 1 {
		t.Errorf("said %d times", n)
	}
	if len(w.agent.asked()) != 0 {
		t.Error("an agent was asked for a reminder")
	}
}

func TestScheduleRunsWhenItsCardIsConfirmed(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	h.say(t, w, "U1", "매주 월요일 9시에 지난주 티켓을 요약해서 올려줘", in)
	card := shown(t, w, "이대로 예약할까요")
	h.to(time.Date(2026, 11, 30, 0, 0, 1, 0, time.UTC)) // Monday, 9:00 in Seoul: nobody has confirmed
	time.Sleep(50 * time.Millisecond)
	if len(w.agent.asked()) != 0 {
		t.Fatal("it ran without a yes")
	}
	if a := h.click(t, w, "U2", card, "confirm", in, nil); strings.Contains(a.Card.Text, "예약했어요") || strings.Contains(a.Card.Text, "Scheduled") {
		t.Fatalf("a stranger confirmed it: %q", a.Card.Text)
	}
	if a := h.click(t, w, "U1", card, "confirm", in, nil); !strings.Contains(a.Card.Text, "매주 월요일 오전 9:00") || !strings.Contains(a.Card.Text, "12월 7일") {
		t.Errorf("confirmed with %q", a.Card.Text)
	}
	h.to(time.Date(2026, 12, 7, 0, 0, 1, 0, time.UTC))
	got := shown(t, w, "echo: 지난주 티켓을 요약해서 올려줘")
	if !strings.Contains(got.Footer, "매주 월요일") || !strings.Contains(got.Footer, "U1") || got.Run == "" {
		t.Errorf("the answer's footer is %q, its run %q", got.Footer, got.Run)
	}
	req := w.agent.asked()
	if len(req) != 1 || req[0].Thread != in.Key() || req[0].User.ID != in.Person(bot.User{ID: "U1"}) {
		t.Errorf("asked %+v", req)
	}
	w.until("the trace is kept", func() bool {
		run, err := w.store.RunByID(w.ctx, got.Run)
		return err == nil && run.User == "U1"
	})
}

func TestMissedRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		back time.Time
		runs int
		told string
	}{
		{"an_hour_late_runs_once_and_says_so", time.Date(2026, 12, 7, 1, 30, 0, 0, time.UTC), 1, "늦었어요"},
		{"weeks_late_but_near_the_last_runs_once", time.Date(2026, 12, 21, 1, 0, 0, 0, time.UTC), 1, "이전 2번은 건너뛰었어요"},
		{"a_day_late_is_skipped_and_told", time.Date(2026, 12, 8, 3, 0, 0, 0, time.UTC), 0, "너무 늦어서 건너뛰었어요"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, h := scheduled(t)
			h.to(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
			in := w.platform.Thread("C1", "t1")
			card := h.command(t, w, "U1", "매주 월요일 9시에 티켓 요약해줘", in)
			h.click(t, w, "U1", *card, "confirm", in, nil)
			w.stop()
			h.to(c.back)
			w.start()
			shown(t, w, c.told)
			if n := len(w.agent.asked()); n != c.runs {
				t.Errorf("%d runs, want %d", n, c.runs)
			}
		})
	}
}

func TestScheduleCommand(t *testing.T) {
	t.Parallel()
	sequential(t)
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "")
	for _, c := range []struct{ args, want string }{
		{"", "여기에는 예약이 없어요|Nothing is scheduled"},
		{"99 9 * * 1 post", "isn't a cron expression"},
		{"* * * * * post the menu", "at least 15 minutes"},
		{"every minute post the menu", "at least 15 minutes"},
		{"0 9 31 2 * post", "never comes"},
		{"today at 1 am post", "already over"},
		{"sometime post", "a day and an hour"},
		{"run zzzz", "There is no entry|I couldn't find|no "},
	} {
		got := h.command(t, w, "U1", c.args, in).Text
		ok := false
		for want := range strings.SplitSeq(c.want, "|") {
			ok = ok || strings.Contains(got, want)
		}
		if !ok {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
	card := h.command(t, w, "U1", "0 9 * * 1-5 post the open tickets", in)
	if !strings.Contains(card.Text, "every weekday at 9:00 am") {
		t.Errorf("asked %q", card.Text)
	}
	h.click(t, w, "U1", *card, "confirm", in, nil)
	rows, err := w.store.Schedules(w.ctx, calendar.Row{Thread: in}.Channel(), "", "", 10)
	if err != nil || len(rows) != 1 || rows[0].Channels["ops"] != "C9" {
		t.Fatalf("%+v, %v", rows, err)
	}
	id := rows[0].ID[:4]
	if list := h.command(t, w, "U2", "list", in).Text; !strings.Contains(list, id) || !strings.Contains(list, "post the open tickets") {
		t.Errorf("list: %q", list)
	}
	if got := h.command(t, w, "U2", "delete "+id, in).Text; strings.Contains(got, "Deleted") {
		t.Error("another member deleted it")
	}
	if got := h.command(t, w, "U1", "pause "+id, in).Text; !strings.Contains(got, "Paused") {
		t.Errorf("pause: %q", got)
	}
	h.to(time.Date(2026, 12, 7, 0, 0, 1, 0, time.UTC))
	time.Sleep(50 * time.Millisecond)
	if len(w.agent.asked()) != 0 {
		t.Error("it ran while it was paused")
	}
	if got := h.command(t, w, "U1", "재개 "+id, in).Text; !strings.Contains(got, "8") {
		t.Errorf("resume: %q", got)
	}
	h.command(t, w, "U1", "run "+id, in)
	shown(t, w, "echo: post the open tickets")
	if got := h.command(t, w, "U1", "delete "+id, in).Text; !strings.Contains(got, "Deleted") && !strings.Contains(got, "삭제") {
		t.Errorf("delete: %q", got)
	}
}

// TestRemindCommand: "/maru remind" is the command's other name, and who is reminded is no part of the reminder.
func TestRemindCommand(t *testing.T) {
	t.Parallel()
	sequential(t)
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "")
	for args, want := range map[string]string{
		"me tomorrow at 9 to send the report": "I'll say: send the report",
		"us on Friday at 3pm to vote":         "I'll say: vote",
		"tomorrow at 3pm stand-up":            "I'll say: stand-up",
		"US sales report tomorrow at 9":       "I'll say: US sales report",
	} {
		if got := h.command(t, w, "U1", args, in).Text; !strings.Contains(got, want) || strings.Contains(got, "me to") {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}

func TestScheduleForm(t *testing.T) {
	t.Parallel()
	sequential(t)
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	card := h.command(t, w, "U1", "every Monday at 9 post the menu", in)
	f := h.click(t, w, "U1", *card, "edit", in, nil).Form
	if f == nil || f.Inputs[0].Value != "0 9 * * 1" {
		t.Fatalf("form %+v", f)
	}
	save := func(when string) bot.Answer {
		return h.act(t, w, bot.Action{ID: f.ID, Verb: f.Verb, Thread: in, User: bot.User{ID: "U1", Name: "U1", TimeZone: "Asia/Seoul"},
			Values: map[string]string{"when": when, "text": "lunch", "kind": "remind"}, At: h.Now()})
	}
	for _, bad := range []string{"", "someday", "today at 1am", "* * * * *", "every Monday at 9 and so on"} {
		if a := save(bad); a.Errors["when"] == "" || a.Form == nil || a.Form.Inputs[1].Value != "lunch" {
			t.Errorf("%q is taken, or what was typed is lost: %+v", bad, a)
		}
	}
	if a := save("every Tuesday at noon"); a.Card == nil || !strings.Contains(a.Card.Text, "every Tuesday at 12:00 pm") {
		t.Errorf("saved with %+v", a)
	}
	h.to(time.Date(2026, 12, 1, 3, 0, 1, 0, time.UTC))
	shown(t, w, "⏰ lunch")
}

func TestUnsureWishCanBeAnsweredNow(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	h.say(t, w, "U1", "remind me about the meeting on Friday", in)
	card := shown(t, w, "Shall I do this?")
	h.click(t, w, "U1", card, "answer", in, nil)
	shown(t, w, "echo: remind me about the meeting on Friday")
	h.say(t, w, "U1", "매주 월요일 회의는 몇 시야?", in)
	shown(t, w, "echo: 매주 월요일 회의는 몇 시야?")
}

// TestReplicasFireOnce has two bots on one record when a schedule is due.
func TestReplicasFireOnce(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	card := h.command(t, w, "U1", "every Monday at 9 post the menu", in)
	h.click(t, w, "U1", *card, "confirm", in, nil)
	h.to(time.Date(2026, 11, 30, 0, 0, 1, 0, time.UTC))
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	shown(t, w, "echo: post the menu")
	for range 20 {
		if rows, err := w.store.DueSchedules(ctx, h.Now(), 10); err != nil || len(rows) > 0 {
			t.Fatalf("still due: %v, %v", rows, err)
		}
	}
	if n := count(w, "echo: post the menu"); n != 1 {
		t.Errorf("%d answers", n)
	}
}
