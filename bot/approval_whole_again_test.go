package bot_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
)

// TestALaterLongQuestionIsInAFileToo: a run asks a long question and a short one. The short one is decided, and a third question
// comes beside the first. The file that the card names then has the first and the third.
func TestALaterLongQuestionIsInAFileToo(t *testing.T) {
	t.Parallel()
	third := longAsk(3)
	third.Question = "Wire the whole budget?"
	w := newWorld(t, func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		next, id := planAsk(), "i2"
		if len(req.Decisions) > 0 {
			next, id = third, "i3"
		}
		one, err1 := json.Marshal(longAsk(1000))
		two, err2 := json.Marshal(next)
		return agent.Result{Interrupts: []agent.Interrupt{{ID: "i1", Kind: "plan", Payload: one}, {ID: id, Kind: "plan", Payload: two}}}, errors.Join(err1, err2)
	})
	m := w.say("write it", w.platform.Thread("C1", ""))
	w.act(click(m, button(t, waitingCard(w, m), "Reject 2"), "U1"))
	parcels, err := w.platform.Parcels(w.ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	w.settled()
	file := parcels[1].Files[0]
	posts := w.platform.Posts(m.Thread)
	card := posts[len(posts)-1].Card
	if !strings.Contains(card.Text, file.Name) || !strings.Contains(string(file.Data), third.Question) || !strings.Contains(string(file.Data), "0999 ") || file.Name == parcels[0].Files[0].Name {
		t.Errorf("%s has %d bytes, and the card says …%s", file.Name, file.Size, card.Text[max(0, len(card.Text)-300):])
	}
	button(t, card, "Approve 2")
}

// TestALongQuestionIsUploadedLater: an upload that fails for a time is tried again before the reminder is due, which comes at its
// own time.
func TestALongQuestionIsUploadedLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, interrupting(longAsk(1000)))
	forward := clockOf(w)
	w.set("approval_reminder", "24h0m0s")
	failure := bottest.Fault{Op: "upload", Err: &bot.DeliveryError{Op: "upload", Code: "timeout", Err: bot.ErrUnavailable}}
	w.platform.Fail(failure)
	m := w.say("write it", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	if len(card.Buttons) != 1 || card.Buttons[0].Verb != agent.VerbReject || !strings.Contains(card.Text, "try again") {
		t.Fatalf("buttons %+v, …%s", card.Buttons, card.Text[max(0, len(card.Text)-300):])
	}
	forward(2 * time.Minute)
	w.until("it is tried again", func() bool {
		c := w.platform.Posts(m.Thread)[0].Card
		return len(c.Buttons) == 2 && strings.Contains(c.Text, "question-")
	})
	reminders := func() int {
		return len(slices.DeleteFunc(w.platform.Posts(m.Thread), func(p bottest.Post) bool { return !strings.HasPrefix(p.Key, "remind-") }))
	}
	for range 10 {
		forward(time.Minute)
		w.stop() // it sweeps at start
		w.start()
		w.settled()
	}
	if n := reminders(); n != 0 {
		t.Errorf("%d reminders within the hour", n)
	}
	forward(24 * time.Hour)
	w.until("it reminds", func() bool { return reminders() == 1 })
}

// TestACardThatMovesTakesItsButtonsAlong: a card that can no longer be edited is posted again when it is shown again, and decides.
func TestACardThatMovesTakesItsButtonsAlong(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	w.set("two_people", true)
	w.set("approvers", []string{"U2"})
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	waitingCard(w, m)
	first := w.platform.Posts(m.Thread)[0]
	w.platform.Fail(bottest.Fault{Op: "edit", Err: &bot.DeliveryError{Op: "edit", Code: "edit_window_closed", Err: bot.ErrTooOld}})
	press := func(p bottest.Post, user string) string {
		a := click(m, p.Card.Buttons[0], user)
		a.Message = p.ID
		return w.act(a)
	}
	press(first, "U1")
	moved, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return p.ID != first.ID && asksOn(p.Card) })
	if err != nil {
		t.Fatal(err)
	}
	w.until("its place is stored", func() bool {
		row, err := w.store.ApprovalByID(w.ctx, first.Card.Buttons[0].ID)
		return err == nil && slices.Contains(row.Ref.Messages, moved.ID)
	})
	if said := press(moved, "U2"); said != "" {
		t.Errorf("told %q", said)
	}
	w.settled()
	if s := w.state(first.Card.Buttons[0].ID); s != bot.ApprovalDecided || told.Load() != 1 {
		t.Errorf("state %s, %d executions", s, told.Load())
	}
}

// TestACutQuestionIsNotApproved: two questions are too long together, and the platform takes no file: their card is cut, and
// words for both approve none of them.
func TestACutQuestionIsNotApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, interrupting(longAsk(120), longAsk(130)))
	w.platform.Fail(bottest.Fault{Op: "upload", Err: &bot.DeliveryError{Op: "upload", Code: "missing_scope", Err: bot.ErrForbidden}})
	m := w.say("write it", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	w.follow("U1", "1 no, 2 yes", m.Thread)
	w.settled()
	for _, b := range card.Buttons {
		row, err := w.store.ApprovalByID(w.ctx, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(row.Decision), `"accept"`) {
			t.Errorf("approved without having been shown: %s", row.Decision)
		}
	}
}

// TestTheFileOfAQuestionGoesWithIt: a file with a long question stays while the question waits and after it is decided, and is removed
// from the platform when its thread is forgotten or its message deleted, also if that fails at first.
func TestTheFileOfAQuestionGoesWithIt(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(*world, bot.Message) error{
		"forgotten": func(w *world, m bot.Message) error { return w.bot.Forget(w.ctx, m.Thread, m.User) },
		"deleted": func(w *world, m bot.Message) error {
			return w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Deleted: true, User: m.User, At: w.now()})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, interrupting(longAsk(1000)))
			forward := clockOf(w)
			m := w.say("write it", w.platform.Thread("C1", ""))
			waitingCard(w, m)
			w.settled()
			there := func() int {
				all, err := w.platform.Parcels(w.ctx, 0)
				if err != nil {
					t.Fatal(err)
				}
				return len(all)
			}
			look := func() {
				forward(2 * time.Minute)
				w.stop() // it sweeps at start
				w.start()
				w.settled()
			}
			if look(); there() != 1 {
				t.Fatalf("%d files while it waits", there())
			}
			w.platform.Fail(bottest.Fault{Op: "withdraw", Err: &bot.DeliveryError{Op: "withdraw", Code: "timeout", Err: bot.ErrUnavailable}})
			if err := gone(w, m); err != nil {
				t.Fatal(err)
			}
			look()
			look()
			w.until("the file is gone, and no longer noted", func() bool {
				note, err := w.store.Note(w.ctx, "approval/uploaded")
				return there() == 0 && err == nil && note == ""
			})
		})
	}
}

// TestTheOldestFileOfAQuestionIsLeft: of more files than are looked after, the oldest is left, wherever the list has come to.
func TestTheOldestFileOfAQuestionIsLeft(t *testing.T) {
	t.Parallel()
	const full, oldest = 500, 480
	w := newWorld(t, interrupting(longAsk(1000)))
	var files []string
	for i := range full {
		files = append(files, fmt.Sprintf(`{"key":"k%d","at":%d}`, i, 1000+(i-oldest+full)%full))
	}
	looked := time.Now().Add(time.Hour).Unix() // they stay as they are
	if err := w.store.SetNote(w.ctx, "approval/uploaded", fmt.Sprintf(`{"looked":%d,"files":[%s]}`, looked, strings.Join(files, ","))); err != nil {
		t.Fatal(err)
	}
	waitingCard(w, w.say("write it", w.platform.Thread("C1", "")))
	note, err := w.store.Note(w.ctx, "approval/uploaded")
	if n := strings.Count(note, `"key":`); err != nil || n != full || !strings.Contains(note, `"whole/`) || strings.Contains(note, `"k480"`) {
		t.Errorf("%v; %d files, without %v", err, n, slices.DeleteFunc(files, func(f string) bool { return strings.Contains(note, strings.Split(f, ",")[0]) }))
	}
}
