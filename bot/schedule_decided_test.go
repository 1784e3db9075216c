package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/calendar"
)

// TestScheduleIsDecidedInWords: a yes to the card of a schedule stores it, a no and "cancel it" remove it, as its buttons do; so does
// "cancel it" after one that was stored at once. What another person says, and what is said after another answer, decides nothing.
func TestScheduleIsDecidedInWords(t *testing.T) {
	sequential(t)
	t.Parallel()
	for name, c := range map[string]struct {
		says []string // "U2:" begins another person's
		want string
		left int
	}{
		"yes":                {[]string{"매주 월요일 9시에 지난주 티켓을 요약해서 올려줘", "네"}, "예약했어요", 1},
		"yes, in English":    {[]string{"every Friday at 5pm remind us to log hours", "yes please"}, "log hours", 1},
		"the button's word":  {[]string{"every Friday at 5pm remind us to log hours", "승인"}, "log hours", 1},
		"no":                 {[]string{"every Friday at 5pm remind us to log hours", "no"}, "Deleted: log hours", 0},
		"a draft taken back": {[]string{"매일 아침 8시에 회의록 요약해서 올려줘", "아니다 취소"}, "삭제했어요", 0},
		"taken back":         {[]string{"내일 10시에 회의 알려줘", "취소해줘"}, "삭제했어요: 회의", 0},
		"in other words":     {[]string{"remind me tomorrow at 9 to water plants", "no wait, cancel that"}, "Deleted: water plants", 0},
		"before its time":    {[]string{"remind me to call Kim", "never mind, cancel it"}, "Deleted: call Kim", 0},
		"no is no removal":   {[]string{"내일 10시에 회의 알려줘", "아니"}, "아니", 1},
		"another's yes":      {[]string{"every Friday at 5pm remind us to log hours", "U2:yes"}, "yes", 0},
		"another's cancel":   {[]string{"내일 10시에 회의 알려줘", "U2:취소해줘"}, "하고 있는 일이 없어요", 1},
		"after an answer":    {[]string{"every Friday at 5pm remind us to log hours", "what is a mutex", "yes"}, "yes", 0},
		"stop is no removal": {[]string{"내일 10시에 회의 알려줘", "그만"}, "하고 있는 일이 없어요", 1},
		"stop ends a draft":  {[]string{"every Friday at 5pm remind us to log hours", "stop"}, "Deleted: log hours", 0},
		"twice":              {[]string{"내일 10시에 회의 알려줘", "취소해줘", "취소"}, "하고 있는 일이 없어요", 0},
	} {
		for where, shape := range map[string]func(*bot.Message){
			"in a thread":                           func(m *bot.Message) { m.Thread.ID, m.Top = "t1", false },
			"in a direct message":                   func(m *bot.Message) { m.Thread.ID, m.Top, m.Thread.Direct = "", false, true },
			"in direct messages that begin threads": func(m *bot.Message) { m.Thread.Direct, m.Top = true, false },
			"at the top level":                      func(*bot.Message) {},
		} {
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				w, h := scheduled(t)
				said := conversation(t, w, h, shape)
				for _, text := range c.says {
					said(text)
				}
				got := said("")
				if !strings.Contains(got, c.want) {
					t.Errorf("%q is answered %q, want %q", c.says[len(c.says)-1], got, c.want)
				}
				in := w.platform.Thread("C1", "")
				if rows := kept(t, w, in); len(rows) != c.left || len(rows) == 1 && rows[0].State != calendar.Active {
					t.Errorf("kept %+v", rows)
				}
			})
		}
	}
}

// conversation returns a function that has U1, or another person named in front of a colon, say something in messages of a shape, and returns the final
// answer to it; of "" it returns the last one again.
func conversation(t *testing.T, w *world, h *hands, shape func(*bot.Message)) func(text string) string {
	t.Helper()
	last := ""
	answers := map[string]int{} // by thread
	return func(text string) string {
		t.Helper()
		if text == "" {
			return last
		}
		user := "U1"
		if who, rest, ok := strings.Cut(text, ":"); ok && who == "U2" {
			user, text = who, rest
		}
		m := w.platform.Message(user, text, w.platform.Thread("C1", ""))
		shape(&m)
		h.to(h.Now().Add(time.Second))
		m.At, m.User.TimeZone = h.Now(), "Asia/Seoul"
		door, err := w.platform.Intake(w.ctx)
		if err == nil {
			err = door.Message(w.ctx, m)
		}
		if err != nil {
			t.Fatal(err)
		}
		waitUntil(t, "an answer to "+text, func() bool { // in the transcript: the next message may be in another thread
			entries, err := w.store.Transcript(w.ctx, m.Thread.Key(), 20)
			if err != nil {
				t.Fatal(err)
			}
			entries = slices.DeleteFunc(entries, func(e bot.Entry) bool { return !e.Own })
			if len(entries) <= answers[m.Thread.ID] {
				return false
			}
			answers[m.Thread.ID] = len(entries)
			last = entries[len(entries)-1].Text
			return true
		})
		return last
	}
}

// TestLateYesAtTheTopLevel: where each message begins a thread a yes answers the card of another one for ten minutes.
func TestLateYesAtTheTopLevel(t *testing.T) {
	t.Parallel()
	for wait, left := range map[time.Duration]int{9 * time.Minute: 1, 11 * time.Minute: 0} {
		w, h := scheduled(t)
		said := conversation(t, w, h, func(m *bot.Message) { m.Thread.Direct, m.Top = true, false })
		said("every Friday at 5pm remind us to log hours")
		h.to(h.Now().Add(wait))
		said("yes")
		if rows := kept(t, w, w.platform.Thread("C1", "")); len(rows) != left {
			t.Errorf("after %s: kept %+v", wait, rows)
		}
	}
}

// TestAReminderIsSaidAgain: what moves or points at nothing else means the reminder that the thread has just read.
func TestAReminderIsSaidAgain(t *testing.T) {
	t.Parallel()
	for _, wish := range []string{"snooze it for 10 minutes", "10분만 미뤄줘", "remind me again in 10 minutes", "그거 10분 뒤에 다시 알려줘"} {
		t.Run(wish, func(t *testing.T) {
			t.Parallel()
			w, h := scheduled(t)
			thread := w.platform.Thread("C1", "t1")
			answered := func(n int) { // in full: a jump of the clock ends the lease of a message that is being answered
				waitUntil(t, fmt.Sprintf("answer %d", n), func() bool {
					entries, err := w.store.Transcript(w.ctx, thread.Key(), 20)
					if err != nil {
						t.Fatal(err)
					}
					return len(slices.DeleteFunc(entries, func(e bot.Entry) bool { return !e.Own })) == n && count(w, "buy milk") == n
				})
			}
			h.say(t, w, "U1", "in 30 minutes remind me to buy milk", thread)
			answered(1)
			h.to(h.Now().Add(31 * time.Minute))
			answered(2)
			h.say(t, w, "U1", wish, thread)
			answered(3)
			h.to(h.Now().Add(11 * time.Minute))
			answered(4)
			if n := count(w, "⏰ buy milk"); n != 2 {
				t.Errorf("%d reminders", n)
			}
		})
	}
}
