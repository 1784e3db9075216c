package memtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"maru/bot"
)

// aged puts a message that is some days old into a thread, answers it at once, and closes the approval that the
// answer requested.
func aged(t *testing.T, r bot.Record, th bot.Thread, id, user string, days int) {
	t.Helper()
	pendingSince(t, r, th, id, user, days)
	noErr(t, "close approval", r.CloseApproval(t.Context(), "approval"+id, bot.ApprovalExpired, nil))
}

// pendingSince is aged with the approval still pending.
func pendingSince(t *testing.T, r bot.Record, th bot.Thread, id, user string, days int) {
	t.Helper()
	ctx, at, run := t.Context(), daysAgo(days), "run"+id
	it := said(t, th, id, user, "words of "+user)
	it.Entry.At = at
	put(t, r, it)
	l := claim(t, r, it.Thread)
	next(t, r, l)
	rep, _, err := r.Open(ctx, l, bot.Reply{Run: run, Thread: it.Thread, Item: it.ID})
	noErr(t, "open", err)
	noErr(t, "save run", r.SaveRun(ctx, bot.Run{ID: run, Thread: it.Thread, User: user, Agent: "chat", Started: at, Ended: at, Day: "2026-11-21"}))
	noErr(t, "approval", r.CreateApproval(ctx, l, bot.Approval{ID: "approval" + id, Run: run, Thread: it.Thread, Expires: time.Now().Add(long)}))
	_, _, err = r.Rate(ctx, it.Thread, run, "U2", 1)
	noErr(t, "rate", err)
	rep.State = bot.ReplyFinal
	finish(t, r, l, it.ID, bot.Outcome{Reply: &rep, Title: "title of " + user, Entry: &bot.Entry{ID: run, Thread: it.Thread, Own: true, Text: "answer to " + user, Run: run, At: at},
		Files: []bot.Artifact{{Run: run, Thread: it.Thread, Name: "a.txt", Data: []byte("x")}}})
	noErr(t, "release", ignoreFenced(r.Release(ctx, l)))
}

func daysAgo(n int) time.Time { return time.Now().Add(-time.Duration(n) * 24 * time.Hour) }

// sweeping puts the item that has a thread swept, and leases the thread.
func sweeping(t *testing.T, r bot.Record, th bot.Thread) bot.Lease {
	t.Helper()
	put(t, r, bot.Item{ID: "expire" + th.Key() + fmt.Sprint(time.Now().UnixNano()), Thread: th.Key(), Kind: bot.ItemExpire, Body: json.RawMessage(`{}`)})
	l := claim(t, r, th.Key())
	next(t, r, l)
	return l
}

// told returns the ids of a thread's entries, in a line.
func told(t *testing.T, r bot.Record, th bot.Thread) string {
	t.Helper()
	list, err := r.Transcript(t.Context(), th.Key(), 0)
	noErr(t, "transcript", err)
	var ids []string
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	return fmt.Sprint(ids)
}

func keysOf(threads ...bot.Thread) []string {
	var keys []string
	for _, th := range threads {
		keys = append(keys, th.Key())
	}
	slices.Sort(keys)
	return keys
}

var ageCases = map[string]func(*testing.T, bot.Record){
	"settings_of_a_key_in_all_places": func(t *testing.T, r bot.Record) {
		for _, p := range []string{"", "slack/T1", "slack/T2/C1", "user:slack/T1/U1", threadA.Key()} {
			noErr(t, "set", r.SetSetting(t.Context(), bot.Setting{Place: p, Key: "retention", Value: json.RawMessage(`"24h0m0s"`), By: "U"}))
			noErr(t, "set", r.SetSetting(t.Context(), bot.Setting{Place: p, Key: "agent", Value: json.RawMessage(`"chat"`), By: "U"}))
		}
		list, err := r.SettingsNamed(t.Context(), "retention")
		noErr(t, "settings", err)
		equal(t, "settings", len(list), 5)
		for _, s := range list {
			equal(t, "key", s.Key+" "+string(s.Value), `retention "24h0m0s"`)
		}
	},
	"threads_that_hold_something_old": func(t *testing.T, r bot.Record) {
		aged(t, r, threadA, "1", "U1", 10)
		aged(t, r, threadB, "2", "U2", 3)
		aged(t, r, other, "3", "U1", 10)
		for _, c := range []struct {
			q    bot.AgedQuery
			want []bot.Thread
		}{
			{bot.AgedQuery{Before: daysAgo(5)}, []bot.Thread{threadA, other}},
			{bot.AgedQuery{Before: daysAgo(5), Place: "slack/T1"}, []bot.Thread{threadA}},
			{bot.AgedQuery{Before: daysAgo(1), Place: "slack/T1"}, []bot.Thread{threadA, threadB}},
			{bot.AgedQuery{Before: daysAgo(1), Place: "slack/T1/C1"}, []bot.Thread{threadA, threadB}},
			{bot.AgedQuery{Before: daysAgo(1), Place: "slack/T1/C"}, nil}, // the beginning of a name does not match
			{bot.AgedQuery{Before: daysAgo(1), Place: threadB.Key()}, []bot.Thread{threadB}},
			{bot.AgedQuery{Before: daysAgo(1), Place: "slack/T1", User: "U2"}, []bot.Thread{threadB}},
			{bot.AgedQuery{Before: daysAgo(20)}, nil},
		} {
			got, err := r.Aged(t.Context(), c.q)
			noErr(t, "aged", err)
			if !slices.Equal(got, keysOf(c.want...)) {
				t.Errorf("%+v: threads %q, want %q", c.q, got, keysOf(c.want...))
			}
		}
		var paged []string
		for after := ""; ; after = paged[len(paged)-1] {
			got, err := r.Aged(t.Context(), bot.AgedQuery{Before: daysAgo(1), After: after, Limit: 1})
			noErr(t, "aged", err)
			if len(got) == 0 {
				break
			}
			paged = append(paged, got...)
		}
		slices.Sort(paged)
		if !slices.Equal(paged, keysOf(threadA, threadB, other)) {
			t.Errorf("one by one: %q", paged)
		}
	},
	"what_is_old_goes_with_what_came_of_it": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		aged(t, r, threadA, "1", "U1", 10)
		aged(t, r, threadA, "2", "U2", 3)
		aged(t, r, other, "3", "U1", 10) // the same thread's name in another workspace
		before := daysAgo(5)
		l := sweeping(t, r, threadA)
		old, rest, err := r.Old(ctx, threadA.Key(), "", before)
		noErr(t, "old", err)
		equal(t, "old", fmt.Sprint(old), "[slack/T1/C1/1 run1]")
		equal(t, "rest", rest, true)
		for want := 2; want >= 0; want -= 2 { // a second time finds nothing
			n, err := r.Expire(ctx, l, "", before)
			noErr(t, "expire", err)
			equal(t, "gone", n, want)
		}
		equal(t, "left", told(t, r, threadA), "[run2 slack/T1/C1/2]")
		equal(t, "elsewhere", told(t, r, other), "[run3 slack/T2/C1/3]")
		for what, err := range map[string]error{"run": second(r.RunByID(ctx, "run1")), "reply": second(r.Reply(ctx, "run1")), "approval": second(r.ApprovalByID(ctx, "approval1")), "file": second(r.Artifact(ctx, "run1", 0))} {
			if !errors.Is(err, bot.ErrNotFound) {
				t.Errorf("%s: %v, want it gone", what, err)
			}
		}
		for _, run := range []string{"run2", "run3"} {
			_, err := r.RunByID(ctx, run)
			noErr(t, run, err)
			_, err = r.Artifact(ctx, run, 0)
			noErr(t, run, err)
		}
		known, err := r.Known(ctx, threadA.Key())
		noErr(t, "known", err)
		equal(t, "known", known, true)
		list, err := r.Threads(ctx, "slack", "T1", "C1", 1)
		noErr(t, "threads", err)
		equal(t, "title that was made of what went", list[0].Title, "")
	},
	"a_persons_own_goes_and_others_keep_theirs": func(t *testing.T, r bot.Record) {
		aged(t, r, threadA, "1", "U1", 10)
		aged(t, r, threadA, "2", "U2", 10)
		l := sweeping(t, r, threadA)
		old, rest, err := r.Old(t.Context(), threadA.Key(), "U1", daysAgo(5))
		noErr(t, "old", err)
		equal(t, "old", fmt.Sprint(old, rest), "[slack/T1/C1/1] true")
		_, err = r.Expire(t.Context(), l, "U1", daysAgo(5))
		noErr(t, "expire", err)
		equal(t, "left", told(t, r, threadA), "[run2 slack/T1/C1/2]")
	},
	"a_thread_in_which_nothing_is_left_is_known_no_more": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		aged(t, r, threadA, "1", "U1", 10)
		noErr(t, "set", r.SetSetting(ctx, bot.Setting{Place: threadA.Key(), Key: "retention", Value: json.RawMessage(`"24h0m0s"`), By: "U"}))
		l := sweeping(t, r, threadA)
		_, rest, err := r.Old(ctx, threadA.Key(), "", daysAgo(1))
		noErr(t, "old", err)
		equal(t, "rest", rest, false)
		_, err = r.Expire(ctx, l, "", daysAgo(1))
		noErr(t, "expire", err)
		known, err := r.Known(ctx, threadA.Key())
		noErr(t, "known", err)
		equal(t, "known", known, false)
		set, err := r.SettingsOf(ctx, []string{threadA.Key()})
		noErr(t, "settings", err)
		equal(t, "settings", len(set), 0)
		noErr(t, "release", ignoreFenced(r.Release(ctx, l)))
		put(t, r, said(t, threadA, "9", "U1", "again")) // a returning person finds it new
		equal(t, "again", told(t, r, threadA), "[slack/T1/C1/9]")
	},
	"what_waits_is_never_old": func(t *testing.T, r bot.Record) {
		pendingSince(t, r, threadA, "1", "U1", 10)
		l := sweeping(t, r, threadA)
		old, _, err := r.Old(t.Context(), threadA.Key(), "", daysAgo(5))
		noErr(t, "old", err)
		equal(t, "old", len(old), 0)
		n, err := r.Expire(t.Context(), l, "", daysAgo(5))
		noErr(t, "expire", err)
		equal(t, "gone", n, 0)
		_, err = r.ApprovalByID(t.Context(), "approval1")
		noErr(t, "approval", err)
		equal(t, "left", told(t, r, threadA), "[run1 slack/T1/C1/1]")
	},
	"who_lost_the_lease_removes_nothing": func(t *testing.T, r bot.Record) {
		aged(t, r, threadB, "1", "U1", 10)
		l := sweeping(t, r, threadB)
		noErr(t, "release", r.Release(t.Context(), l))
		claim(t, r, threadB.Key())
		_, err := r.Expire(t.Context(), l, "", daysAgo(5))
		wantErr(t, "expire", err, bot.ErrFenced)
		equal(t, "left", told(t, r, threadB), "[run1 slack/T1/C1/1]")
	},
}

// second drops a value.
func second[T any](_ T, err error) error { return err }
