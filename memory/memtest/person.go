package memtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
)

// said returns a person's message in a thread.
func said(t *testing.T, th bot.Thread, id, user, text string) bot.Item {
	t.Helper()
	it := message(t, th, id, text)
	it.Body = json.RawMessage(fmt.Sprintf(`{"id":%q,"user":{"id":%q},"text":%q}`, id, user, text))
	it.Entry.User, it.Entry.Author = user, "name of "+user
	it.Entry.At = time.Now()
	return it
}

// answered puts a message into a thread and answers it with everything that an
// answer leaves behind.
func answered(t *testing.T, r bot.Record, th bot.Thread, id, user string) bot.Item {
	t.Helper()
	ctx, it, run := t.Context(), said(t, th, id, user, "words of "+user), "run"+id
	put(t, r, it)
	l := claim(t, r, it.Thread)
	if got := next(t, r, l); got.ID != it.ID {
		t.Fatalf("next is %s, want %s", got.ID, it.ID)
	}
	rep, _, err := r.Open(ctx, l, bot.Reply{Run: run, Thread: it.Thread, Item: it.ID})
	noErr(t, "open", err)
	noErr(t, "set ref", r.SetRef(ctx, l, run, bot.Ref{Thread: th, Messages: []string{"posted" + id}}))
	usage, err := json.Marshal(agent.Usage{Calls: 1, Input: 10})
	noErr(t, "encode", err)
	noErr(t, "save run", r.SaveRun(ctx, bot.Run{ID: run, Thread: it.Thread, User: user, Agent: "chat", Started: time.Now(), Usage: usage, Day: "2026-11-21"}))
	noErr(t, "approval", r.CreateApproval(ctx, l, bot.Approval{ID: "approval" + id, Run: run, Thread: it.Thread, Expires: time.Now().Add(long)}))
	_, _, err = r.Rate(ctx, it.Thread, run, "U2", 1)
	noErr(t, "rate", err)
	rep.State, rep.Card = bot.ReplyFinal, json.RawMessage(`{"text":"to `+user+`"}`)
	finish(t, r, l, it.ID, bot.Outcome{Reply: &rep, Title: "title of " + user,
		Entry: &bot.Entry{ID: run, Thread: it.Thread, Own: true, Text: "answer to " + user, Run: run, At: time.Now()}})
	noErr(t, "release", ignoreFenced(r.Release(ctx, l)))
	return it
}

// ignoreFenced forgives a lease that ended by itself.
func ignoreFenced(err error) error {
	if err == nil || strings.Contains(err.Error(), bot.ErrFenced.Error()) {
		return nil
	}
	return err
}

var personCases = map[string]func(*testing.T, bot.Record){
	"threads_with_a_person": func(t *testing.T, r bot.Record) {
		answered(t, r, threadA, "1", "U1")
		answered(t, r, threadA, "2", "U2")
		answered(t, r, threadB, "3", "U1")
		answered(t, r, other, "4", "U1") // in another workspace
		list, err := r.ThreadsWith(t.Context(), "slack", "T1", "U1")
		noErr(t, "threads", err)
		got := map[string]bool{}
		for _, w := range list {
			got[w.Thread.Key()] = w.Alone
		}
		if alone, ok := got[threadA.Key()]; len(got) != 2 || !ok || alone || !got[threadB.Key()] {
			t.Errorf("threads %+v", list)
		}
		list, err = r.ThreadsWith(t.Context(), "slack", "T1", "U2") // those who rated there
		noErr(t, "threads", err)
		equal(t, "threads of who rated", len(list), 2)
	},
	"workspaces_with_a_user": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		answered(t, r, threadA, "1", "U1")
		answered(t, r, other, "2", "U2")
		put(t, r, said(t, bot.Thread{Platform: "slack", Team: "a/b%", Channel: "C", ID: "1"}, "3", "U1", "hi")) // never answered
		answered(t, r, bot.Thread{Platform: "slack2", Team: "T9", Channel: "C", ID: "1"}, "4", "U1")
		for place, key := range map[string]string{"user:slack/T3/U1": "language", "user:slack/c%2Fd/U1": "language", "user:slack/T4/XU1": "language", "slack/T5": "agent"} {
			noErr(t, "set", r.SetSetting(ctx, bot.Setting{Place: place, Key: key, Value: json.RawMessage(`"x"`), By: "U1", At: time.Now()}))
		}
		noErr(t, "set", r.SetSetting(ctx, bot.Setting{Place: "user:slack/T7/U1", Key: "memory", Value: json.RawMessage(`false`), By: "U1", At: time.Now()}))
		gone := answered(t, r, bot.Thread{Platform: "slack", Team: "T6", Channel: "C", ID: "1"}, "5", "U1")
		noErr(t, "forget", r.Forget(ctx, gone.Thread)) // its usage is still under their name
		list, err := r.TeamsWith(ctx, "slack", "U1")
		noErr(t, "workspaces", err)
		if want := []string{"T1", "T3", "T6", "a/b%", "c/d"}; !slices.Equal(list, want) {
			t.Errorf("workspaces %q, want %q", list, want)
		}
		list, err = r.TeamsWith(ctx, "slack", "U3")
		noErr(t, "workspaces of nobody", err)
		equal(t, "workspaces of nobody", len(list), 0)
	},
	"who_leaves_a_thread_leaves_nothing_and_others_keep_theirs": withdraw,
	"whoever_works_for_who_leaves_is_refused": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		mine, theirs := said(t, threadA, "1", "U1", "mine"), said(t, threadA, "2", "U2", "theirs")
		put(t, r, mine)
		put(t, r, theirs)
		l := claim(t, r, mine.Thread)
		equal(t, "next", next(t, r, l).ID, mine.ID)
		w, err := r.Withdraw(ctx, mine.Thread, "U1")
		noErr(t, "withdraw", err)
		equal(t, "messages", len(w.Messages), 1)
		wantErr(t, "late finish", r.Finish(ctx, l, mine.ID, bot.Outcome{Entry: &bot.Entry{ID: "late", Own: true, Text: "late"}}), bot.ErrFenced)
		now := claim(t, r, mine.Thread)
		equal(t, "next of the other", next(t, r, now).ID, theirs.ID)
		fresh, err := r.Put(ctx, mine)
		noErr(t, "put", err)
		equal(t, "a late copy is taken", fresh, false)
		if got := texts(t, r, mine.Thread); !slices.Equal(got, []string{"", "theirs"}) {
			t.Errorf("transcript %q", got)
		}
	},
	"sums_become_nobodys_and_notes_about_a_person_go": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		answered(t, r, threadA, "1", "U1")
		answered(t, r, threadA, "2", "U2")
		answered(t, r, other, "3", "U1")
		for _, k := range []string{"slack/greeted/T1/U1", "slack/greeted/T1/XU1", "slack/greeted/T2/U1", "web/x/T1/U1", "slack/a%_/T1/U1"} {
			noErr(t, "note", r.SetNote(ctx, k, "x"))
		}
		n, err := r.Unname(ctx, "slack", "T1", "U1")
		noErr(t, "unname", err)
		equal(t, "rows", n, 3)
		n, err = r.Unname(ctx, "slack", "T1", "U1")
		noErr(t, "unname again", err)
		equal(t, "rows again", n, 0)
		rows, err := r.Usage(ctx, bot.UsageQuery{Team: threadA.TeamKey()})
		noErr(t, "usage", err)
		total, named := 0, 0
		for _, u := range rows {
			total += u.Input
			if u.User == "U1" {
				named++
			}
		}
		equal(t, "tokens", total, 20)
		equal(t, "rows in the name", named, 0)
		answered(t, r, threadA, "4", "U1") // and joins the anonymous sum
		_, err = r.Unname(ctx, "slack", "T1", "U1")
		noErr(t, "unname", err)
		rows, err = r.Usage(ctx, bot.UsageQuery{Team: threadA.TeamKey()})
		noErr(t, "usage", err)
		if len(rows) != 2 || rows[0].User != "" || rows[0].Input != 20 || rows[0].Runs != 2 {
			t.Errorf("usage %+v", rows)
		}
		for k, want := range map[string]string{"slack/greeted/T1/U1": "", "slack/a%_/T1/U1": "", "slack/greeted/T1/XU1": "x", "slack/greeted/T2/U1": "x", "web/x/T1/U1": "x"} {
			got, err := r.Note(ctx, k)
			noErr(t, "note", err)
			equal(t, k, got, want)
		}
		noErr(t, "scrub", r.Scrub(ctx))
	},
}

// withdraw lets one of two people leave a thread.
func withdraw(t *testing.T, r bot.Record) {
	ctx := t.Context()
	mine := answered(t, r, threadA, "1", "U1")
	theirs := answered(t, r, threadA, "2", "U2")
	elsewhere := answered(t, r, threadB, "3", "U1")
	w, err := r.Withdraw(ctx, mine.Thread, "U1")
	noErr(t, "withdraw", err)
	if !slices.Equal(w.Messages, []string{mine.ID}) || w.Answers != 1 || w.Runs != 1 || w.Approvals != 1 || w.Ratings != 1 || w.Newest {
		t.Errorf("withdrawal %+v", w)
	}
	again, err := r.Withdraw(ctx, mine.Thread, "U1")
	noErr(t, "withdraw again", err)
	if len(again.Messages)+again.Answers+again.Runs+again.Approvals+again.Ratings > 0 || again.Newest {
		t.Errorf("a second time %+v", again)
	}
	if got := texts(t, r, mine.Thread); !slices.Equal(got, []string{"", "", "words of U2", "answer to U2"}) {
		t.Errorf("transcript %q", got)
	}
	list, err := r.Transcript(ctx, mine.Thread, 1000)
	noErr(t, "transcript", err)
	if first := list[0]; first.User != "" || first.Author != "" || !first.Deleted {
		t.Errorf("what is left: %+v", first)
	}
	_, err = r.RunByID(ctx, "run1")
	wantErr(t, "run", err, bot.ErrNotFound)
	_, err = r.Reply(ctx, "run1")
	wantErr(t, "reply", err, bot.ErrNotFound)
	_, err = r.ApprovalByID(ctx, "approval1")
	wantErr(t, "approval", err, bot.ErrNotFound)
	for _, run := range []string{"run2", "run3"} {
		_, err = r.RunByID(ctx, run)
		noErr(t, run, err)
		_, err = r.Reply(ctx, run)
		noErr(t, run, err)
	}
	_, err = r.ApprovalByID(ctx, "approval2")
	noErr(t, "approval of the other", err)
	equal(t, "entries elsewhere", len(texts(t, r, elsewhere.Thread)), 2)
	titles, err := r.Threads(ctx, "slack", "T1", "C1", 10)
	noErr(t, "threads", err)
	for _, info := range titles {
		if want := map[string]string{threadA.Key(): "", threadB.Key(): "title of U1"}[info.Thread.Key()]; info.Title != want {
			t.Errorf("title of %s: %q, want %q", info.Thread.Key(), info.Title, want)
		}
	}
	w, err = r.Withdraw(ctx, theirs.Thread, "U2")
	noErr(t, "withdraw", err)
	equal(t, "the last turn was theirs", w.Newest, true)
}
