package bot_test

import (
	"testing"
	"time"

	"maru/bot/calendar"
)

// TestScheduleIsDecidedInWords: a yes to the card of a schedule stores it, a no and "cancel it" remove it, as its buttons do; so does
// "cancel it" after one that was stored at once. What another person says, and what is said after another answer, decides nothing.
func TestScheduleIsDecidedInWords(t *testing.T) {
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
		"twice":              {[]string{"내일 10시에 회의 알려줘", "취소해줘", "취소"}, "하고 있는 일이 없어요", 0},
	} {
		for where, id := range map[string]string{"in a thread": "t1", "in a direct message": ""} {
			if id == "" && (name == "after an answer" || name == "no is no removal") {
				continue // there is no telling what was said last; the time decides
			}
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				w, h := scheduled(t)
				in := w.platform.Thread("C1", id)
				in.Direct = id == ""
				for i, text := range c.says {
					user := "U1"
					if len(text) > 3 && text[:3] == "U2:" {
						user, text = "U2", text[3:]
					}
					h.say(t, w, user, text, in)
					waitUntil(t, "an answer", func() bool { return count(w, "") == i+1 })
				}
				shown(t, w, c.want)
				if rows := kept(t, w, in); len(rows) != c.left || len(rows) == 1 && rows[0].State != calendar.Active {
					t.Errorf("kept %+v", rows)
				}
			})
		}
	}
}

// TestLateYesAtTheTopLevel: where messages are in no thread a yes means the newest schedule for ten minutes.
func TestLateYesAtTheTopLevel(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "")
	in.Direct = true
	h.say(t, w, "U1", "every Friday at 5pm remind us to log hours", in)
	shown(t, w, "log hours")
	h.to(h.Now().Add(11 * time.Minute))
	h.say(t, w, "U1", "yes", in)
	waitUntil(t, "an answer", func() bool { return count(w, "") == 2 })
	if rows := kept(t, w, in); len(rows) != 0 {
		t.Errorf("kept %+v", rows)
	}
}
