package bot_test

import (
	"strings"
	"testing"
	"time"

	"maru/bot/calendar"
)

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
	card := shown(t, w, "Delete all of these")
	if rows := kept(t, w, in); len(rows) != 2 {
		t.Fatalf("left %d before the click", len(rows))
	}
	if a := h.click(t, w, "U2", card, "delete", in, nil); strings.Contains(a.Card.Text, "Deleted") || len(kept(t, w, in)) != 2 {
		t.Errorf("another person's click: %q", a.Card.Text)
	}
	if a := h.click(t, w, "U1", card, "delete", in, nil); !strings.Contains(a.Card.Text, "close the retro board") || len(kept(t, w, in)) != 0 {
		t.Errorf("%q, left %+v", a.Card.Text, kept(t, w, in))
	}
}

// TestAllOfWhatWasSaid: the button for all of them changes those that the words named and the question lists, and no others.
func TestAllOfWhatWasSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says, asks, verb string
		left, running    int // of the person's four
	}{
		{"delete all my retro reminders", "Delete all of these", "delete", 2, 2},
		{"회고 알림 전부 지워줘", "모두 지울까요", "delete", 2, 2},
		{"pause all retro reminders", "Pause all of these", "pause", 4, 2},
		{"pause all my reminders", "Pause all of these", "pause", 4, 0},
		{"내 알림 전부 잠깐 멈춰줘", "모두 멈출까요", "pause", 4, 0},
	} {
		t.Run(c.says, func(t *testing.T) {
			t.Parallel()
			w, h := scheduled(t)
			in := w.platform.Thread("C1", "t1")
			keep := func(what string) {
				t.Helper()
				r := dueNow(what, in)
				r.Text, r.Due = what, h.Now().Add(72*time.Hour)
				if _, err := w.store.PutSchedule(w.ctx, r, calendar.Limits{}); err != nil {
					t.Fatal(err)
				}
			}
			for _, what := range []string{"post the retro (회고) board", "close the retro (회고) board", "call Kim", "buy milk"} {
				keep(what)
			}
			h.say(t, w, "U1", c.says, in)
			card := shown(t, w, c.asks)
			keep("read the retro (회고) notes") // not listed by the question
			h.click(t, w, "U1", card, c.verb, in, nil)
			rows, running := kept(t, w, in), 0
			for _, r := range rows {
				if r.State == calendar.Active {
					running++
				}
			}
			if len(rows) != c.left+1 || running != c.running+1 {
				t.Errorf("%d are left, %d of them active: %+v", len(rows), running, rows)
			}
			if c.verb == "pause" {
				h.say(t, w, "U1", "resume all my reminders", in)
				h.click(t, w, "U1", shown(t, w, "Resume all of these"), "resume", in, nil)
				for _, r := range kept(t, w, in) {
					if r.State != calendar.Active || r.Due.IsZero() {
						t.Errorf("not resumed: %+v", r)
					}
				}
			}
		})
	}
}

// TestChoicesWithoutAButton: the question says how to change what has no button.
func TestChoicesWithoutAButton(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	for _, what := range []string{"one", "two", "three", "four", "five", "six"} {
		h.say(t, w, "U1", "remind me tomorrow at 3pm to post retro board "+what, in)
		shown(t, w, "I'll say: post retro board "+what)
	}
	for _, c := range []struct{ says, want string }{
		{"pause the retro reminder", "`/maru schedule pause ID`"},
		{"delete the retro reminder", "`/maru schedule delete ID`"},
		{"move the retro reminder to 5 pm", "by more of their words"},
	} {
		h.say(t, w, "U1", c.says, in)
		if card := shown(t, w, c.want); len(card.Buttons) != 5 {
			t.Errorf("%s: %d buttons", c.says, len(card.Buttons))
		}
	}
}

// TestCalledByWhatItSays: words without a noun reach a schedule of another conversation only if they are all that it says, and never
// remove it. Of several in the conversation, none is removed unasked.
func TestCalledByWhatItSays(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	in, elsewhere := w.platform.Thread("C1", "t1"), w.platform.Thread("C1", "t2")
	h.keep(t, w, in, "invoice check", "catalog")
	for _, c := range []struct{ says, want, state, at string }{
		{"pause the invoice check until I say so", "Paused: invoice check", "paused", ""},
		{"turn the invoice check back on", "Scheduled:", "active", "30 13:16"},
		{"push the invoice check back an hour", "2:16 pm", "active", "30 14:16"},
		{"run the invoice check now", "Running it now: invoice check", "active", "30 14:16"},
		{"turn the check back on", "echo: turn the check back on", "active", "30 14:16"},
		{"stop the invoice check", "echo: stop the invoice check", "active", "30 14:16"},
		{"cancel the log reminder", "I have no such reminder here", "active", "30 14:16"},
		{"don't remind me about the invoice check tomorrow", "I have no such reminder here", "active", "30 14:16"},
	} {
		h.say(t, w, "U1", c.says, elsewhere)
		shown(t, w, c.want)
		rows := kept(t, w, in)
		if len(rows) != 2 {
			t.Fatalf("%s: left %+v", c.says, rows)
		}
		r := rows[0]
		if r.Text != "invoice check" {
			r = rows[1]
		}
		at := ""
		if !r.Due.IsZero() {
			at = r.Due.In(time.FixedZone("KST", 9*3600)).Format("02 15:04")
		}
		if string(r.State) != c.state || at != c.at {
			t.Errorf("%s: %s at %q, want %s at %q", c.says, r.State, at, c.state, c.at)
		}
	}
	h.say(t, w, "U1", "cancel the reminder", in)
	if card := shown(t, w, "Which one do you mean?"); len(card.Buttons) != 2 || len(kept(t, w, in)) != 2 {
		t.Errorf("buttons %+v, left %+v", card.Buttons, kept(t, w, in))
	}
	h.say(t, w, "U1", "catalog 알림 이제 필요 없어졌어, 지워줘", in)
	shown(t, w, "삭제했어요: catalog")
	if rows := kept(t, w, in); len(rows) != 1 || rows[0].Text != "invoice check" {
		t.Errorf("left %+v", rows)
	}
}

// TestPartOfAWordIsAsked: words that begin words of a schedule may mean another one, so nothing is removed or moved before a click;
// one that says them is meant alone.
func TestPartOfAWordIsAsked(t *testing.T) {
	t.Parallel()
	sequential(t)
	for _, c := range []struct{ kept, says string }{
		{"format disk", "cancel the form reminder"}, {"format disk", "move the form reminder to 6pm"}, {"회의실 청소", "회의 리마인더 취소해줘"}, {"약속 장소 정하기", "약 리마인더 삭제해줘"},
	} {
		w, h := scheduled(t)
		in := w.platform.Thread("C1", "t1")
		h.keep(t, w, in, c.kept)
		due := kept(t, w, in)[0].Due
		h.say(t, w, "U1", c.says, in)
		if card := w.replies(in, 1)[0].Card; len(card.Buttons) != 1 || card.Buttons[0].Label != c.kept {
			t.Errorf("%s: %q with %+v", c.says, card.Text, card.Buttons)
		}
		if rows := kept(t, w, in); len(rows) != 1 || !rows[0].Due.Equal(due) {
			t.Errorf("%s: left %+v", c.says, rows)
		}
	}
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "t1")
	h.keep(t, w, in, "format disk", "send the form")
	h.say(t, w, "U1", "cancel the form reminder", in)
	shown(t, w, "send the form")
	if rows := kept(t, w, in); len(rows) != 1 || rows[0].Text != "format disk" {
		t.Errorf("left %+v", rows)
	}
}
