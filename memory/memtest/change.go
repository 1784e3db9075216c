package memtest

import (
	"fmt"
	"testing"
	"time"

	"maru/bot"
)

var changeCases = map[string]func(*testing.T, bot.Record){
	"an_edit_that_comes_after_a_newer_one_is_left_out": func(t *testing.T, r bot.Record) {
		ctx, start := t.Context(), time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
		it := message(t, threadA, "100", "first")
		put(t, r, it)
		for i, c := range []struct {
			text    string
			at      time.Duration
			deleted bool
			applied bool
		}{
			{"second", 2 * time.Second, false, true}, {"older", time.Second, false, false}, {"as old", 2 * time.Second, false, true},
			{"a microsecond older", 2*time.Second - time.Microsecond, false, false}, {"third", 3 * time.Second, false, true},
			{"older again", 2 * time.Second, false, false}, {"", time.Second, true, true}, {"late", 4 * time.Second, false, false},
		} {
			before := texts(t, r, it.Thread)[0]
			id := fmt.Sprint("c", i)
			fresh, err := r.Amend(ctx, it.Thread, it.ID, bot.Change{Text: c.text, Deleted: c.deleted, At: start.Add(c.at)},
				&bot.Item{ID: id, Thread: it.Thread, Kind: bot.ItemChange, Order: "100", Body: []byte(`{}`)})
			want := before
			if c.applied {
				want = c.text
				noErr(t, c.text, err)
			} else {
				wantErr(t, c.text, err, bot.ErrNotFound)
			}
			if got := texts(t, r, it.Thread)[0]; got != want || fresh != c.applied {
				t.Errorf("%q: fresh %v, text %q, want %q", c.text, fresh, got, want)
			}
		}
		l := claim(t, r, it.Thread)
		for _, want := range []string{it.ID, "c0", "c2", "c4", "c6"} {
			if got := next(t, r, l); got.ID != want {
				t.Errorf("item %s, want %s", got.ID, want)
			}
			noErr(t, "finish", r.Finish(ctx, l, want, bot.Outcome{}))
		}
	},
	"notes_about_a_text_go_with_it": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		for name, gone := range map[string]func(th bot.Thread, id string) error{
			"delete":   func(th bot.Thread, id string) error { return amend(t, r, th.Key(), id, "", true) },
			"withdraw": func(th bot.Thread, _ string) error { _, err := r.Withdraw(ctx, th.Key(), "U1"); return err },
			"expire": func(th bot.Thread, _ string) error {
				n, err := r.Expire(ctx, sweeping(t, r, th), "U1", time.Now().Add(time.Hour))
				equal(t, "expired", n, 1)
				return err
			},
			"forget": func(th bot.Thread, _ string) error { return r.Forget(ctx, th.Key()) },
		} {
			th := threadA
			th.ID = name
			it, other := answered(t, r, th, "1"+name, "U1"), answered(t, r, threadB, "2"+name, "U1")
			noErr(t, "close approval", r.CloseApproval(ctx, "approval1"+name, bot.ApprovalExpired, nil)) // a pending one keeps the message
			worded, halt := bot.NoteWorded+it.ID, bot.NoteHalt+"run1"+name
			whole, heard := bot.NoteWhole+"approval1"+name, bot.NoteHeard+th.Key()
			for _, key := range []string{worded, halt, whole, heard, bot.NoteWorded + other.ID} {
				noErr(t, "note", r.SetNote(ctx, key, "digest"))
			}
			noErr(t, name, gone(th, it.ID))
			keys := []string{worded}
			if name != "delete" {
				keys = append(keys, whole)
			}
			if name == "forget" {
				keys = append(keys, heard)
			}
			if name == "forget" || name == "withdraw" {
				keys = append(keys, halt)
			}
			for _, key := range keys {
				note, err := r.Note(ctx, key)
				noErr(t, "note", err)
				equal(t, key+" after "+name, note, "")
			}
			note, err := r.Note(ctx, bot.NoteWorded+other.ID)
			noErr(t, "note", err)
			equal(t, "in another thread after "+name, note, "digest")
		}
	},
}
