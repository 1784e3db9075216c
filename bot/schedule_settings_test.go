package bot_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/bot"
)

// put stores a setting of a place.
func put(t *testing.T, w *world, place, key string, value any) {
	t.Helper()
	raw, err := json.Marshal(value)
	if err == nil {
		err = w.store.SetSetting(w.ctx, bot.Setting{Place: place, Key: key, Value: raw, By: "admin"})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestScheduleLimitsAreSettings has a person and a channel reach their limits; an edit and a pause go on then.
func TestScheduleLimitsAreSettings(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	put(t, w, "fake/T1", "schedules_person", 2)
	put(t, w, "fake/T1/C1", "schedules_channel", 3)
	for i, c := range []struct{ user, want string }{
		{"U1", "Scheduled"}, {"U1", "Scheduled"}, {"U1", "one person may have here (2)"}, {"U2", "Scheduled"}, {"U2", "as many schedules as it may (3)"},
	} {
		if got := h.command(t, w, c.user, fmt.Sprintf("tomorrow at 3pm stand-up %d", i), in).Text; !strings.Contains(got, c.want) {
			t.Errorf("%d: %q, want %q", i, got, c.want)
		}
	}
	put(t, w, "fake/T1/C2", "schedules_channel", 0)
	h.say(t, w, "U3", "remind me tomorrow at 3pm to call Kim", w.platform.Thread("C1", "t1"))
	shown(t, w, "as many schedules as it may (3)")
	if got := h.command(t, w, "U3", "every Monday at 9 post the menu", w.platform.Thread("C2", "t2")).Text; !strings.Contains(got, "switched off here") {
		t.Errorf("where there may be none: %q", got)
	}
}

// TestScheduleReadsTheChannelsClock: a person's own reminder goes by their clock, what is for the channel by that of the
// channel. It is 13:16 in Seoul and 23:16 of the day before in New York.
func TestScheduleReadsTheChannelsClock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"own_reminder", "remind me tomorrow at 3pm to call Kim", "28 November 2026 (Saturday), 3:00 pm** (Asia/Seoul)"},
		{"own_reminder_in_korean", "내일 오후 3시에 치과 가라고 알려줘", "2026년 11월 28일(토요일) 오후 3:00** (Asia/Seoul)"},
		{"reminder_of_all", "remind us tomorrow at 3pm to log hours", "27 November 2026 (Friday), 3:00 pm** (America/New_York)"},
		{"reminder_of_all_in_korean", "내일 오후 3시에 우리 팀에 회의하라고 알려줘", "2026년 11월 27일(금요일) 오후 3:00** (America/New_York)"},
		{"question_to_the_agent", "every Monday at 9 post the menu", "every Monday at 9:00 am** (America/New_York)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, h := scheduled(t)
			put(t, w, "fake/T1/C1", "time_zone", "America/New_York")
			h.say(t, w, "U1", c.text, w.platform.Thread("C1", "t1"))
			shown(t, w, c.want)
		})
	}
	w, h := scheduled(t)
	h.to(time.Date(2026, 11, 27, 4, 16, 0, 0, time.UTC))
	put(t, w, "fake/T1", "time_zone", "Europe/Berlin")
	if got := h.command(t, w, "U1", "every Monday at 9 post the menu", w.platform.Thread("C1", "t1")).Text; !strings.Contains(got, "(Europe/Berlin)") {
		t.Errorf("the workspace's clock: %q", got)
	}
}
