package memtest

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"maru/bot"
)

var finishCases = map[string]func(*testing.T, bot.Record){
	"the_outcome_is_committed_whole": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		l, it := working(t, r)
		_, _, err := r.Open(ctx, l, bot.Reply{Run: "run1", Item: it.ID})
		noErr(t, "open", err)
		ref := bot.Ref{Thread: threadA, Messages: []string{"m1", "m2"}}
		card := json.RawMessage(`{"text":"15일"}`)
		sources := json.RawMessage(`[{"n":1}]`)
		finish(t, r, l, it.ID, bot.Outcome{
			Title: "연차", Reply: &bot.Reply{Run: "run1", Item: it.ID, Ref: ref, State: bot.ReplyFinal, Card: card},
			Entry: &bot.Entry{ID: "run1", Own: true, Author: "Maru", Text: "15일이에요", Run: "run1", Sources: sources, At: time.Now()},
		})
		reply, err := r.Reply(ctx, "run1")
		noErr(t, "reply", err)
		equal(t, "state", reply.State, bot.ReplyFinal)
		equal(t, "card", string(reply.Card), string(card))
		equal(t, "item", reply.Item, it.ID)
		if !slices.Equal(reply.Ref.Messages, ref.Messages) || reply.Ref.Thread != threadA {
			t.Errorf("ref %+v, want %+v", reply.Ref, ref)
		}
		list, err := r.Transcript(ctx, threadA.Key(), 10)
		noErr(t, "transcript", err)
		if len(list) != 2 || !list[1].Own || list[1].Text != "15일이에요" || string(list[1].Sources) != string(sources) || list[1].Run != "run1" {
			t.Errorf("transcript %+v", list)
		}
		threads, err := r.Threads(ctx, "slack", "T1", "C1", 10)
		noErr(t, "threads", err)
		if len(threads) != 1 || threads[0].Title != "연차" {
			t.Errorf("threads %+v", threads)
		}
	},
	"a_second_finish_changes_nothing": func(t *testing.T, r bot.Record) {
		l, it := working(t, r)
		finish(t, r, l, it.ID, bot.Outcome{Title: "first"})
		finish(t, r, l, it.ID, bot.Outcome{Title: "second", Entry: &bot.Entry{ID: "run1", Text: "twice"}})
		equal(t, "entries", len(texts(t, r, threadA.Key())), 1)
		threads, err := r.Threads(t.Context(), "slack", "T1", "C1", 1)
		noErr(t, "threads", err)
		equal(t, "title", threads[0].Title, "first")
	},
	"an_unknown_item_is_not_found": func(t *testing.T, r bot.Record) {
		l, _ := working(t, r)
		err := r.Finish(t.Context(), l, "nothing", bot.Outcome{Title: "x", Entry: &bot.Entry{ID: "x", Text: "x"}})
		wantErr(t, "finish", err, bot.ErrNotFound)
		equal(t, "entries", len(texts(t, r, threadA.Key())), 1)
	},
	"a_dead_item_does_not_come_back": func(t *testing.T, r bot.Record) {
		l, it := working(t, r)
		finish(t, r, l, it.ID, bot.Outcome{Dead: true, Why: "failed five times"})
		if _, ok, err := r.Next(t.Context(), l); ok || err != nil {
			t.Errorf("next: %v, %v; want nothing", ok, err)
		}
		fresh, err := r.Put(t.Context(), message(t, threadA, "100", "again"))
		noErr(t, "put", err)
		equal(t, "put again", fresh, false)
	},
	"the_entry_of_a_reply_stands_after_its_question": func(t *testing.T, r bot.Record) {
		it := message(t, threadA, "100", "question")
		it.Entry.At = time.Now().Add(time.Hour) // the platform's clock is ahead
		put(t, r, it)
		l := claim(t, r, "")
		finish(t, r, l, next(t, r, l).ID, bot.Outcome{Entry: &bot.Entry{ID: "run1", Own: true, Text: "answer", At: time.Now()}})
		if got := texts(t, r, threadA.Key()); !slices.Equal(got, []string{"question", "answer"}) {
			t.Errorf("transcript %q", got)
		}
	},
	"an_outcome_without_ref_keeps_the_stored_one": func(t *testing.T, r bot.Record) {
		l, it := working(t, r)
		_, _, err := r.Open(t.Context(), l, bot.Reply{Run: "run1", Item: it.ID})
		noErr(t, "open", err)
		noErr(t, "set ref", r.SetRef(t.Context(), l, "run1", bot.Ref{Thread: threadA, Messages: []string{"m1"}}))
		finish(t, r, l, it.ID, bot.Outcome{Reply: &bot.Reply{Run: "run1", State: bot.ReplyFailed}})
		got, err := r.Reply(t.Context(), "run1")
		noErr(t, "reply", err)
		equal(t, "state", got.State, bot.ReplyFailed)
		if !slices.Equal(got.Ref.Messages, []string{"m1"}) {
			t.Errorf("ref %+v", got.Ref)
		}
	},
}

var replyCases = map[string]func(*testing.T, bot.Record){
	"open_creates_once_and_finds_it_again": func(t *testing.T, r bot.Record) {
		l, it := working(t, r)
		first, created, err := r.Open(t.Context(), l, bot.Reply{Run: "run1", Item: it.ID, Card: json.RawMessage(`{"a":1}`)})
		noErr(t, "open", err)
		equal(t, "created", created, true)
		equal(t, "thread", first.Thread, threadA.Key())
		equal(t, "state", first.State, bot.ReplyOpen)
		equal(t, "opened", first.At.IsZero(), false)
		noErr(t, "set ref", r.SetRef(t.Context(), l, "run1", bot.Ref{Thread: threadA, Channel: "D9", Messages: []string{"m1"}}))
		equal(t, "first of its thread", first.First, true)
		again, created, err := r.Open(t.Context(), l, bot.Reply{Run: "run1", Item: it.ID, Card: json.RawMessage(`{"a":2}`)})
		noErr(t, "open", err)
		equal(t, "created again", created, false)
		equal(t, "card", string(again.Card), `{"a":1}`)
		sameTime(t, "at", again.At, first.At)
		if !slices.Equal(again.Ref.Messages, []string{"m1"}) || again.Ref.Channel != "D9" {
			t.Errorf("ref %+v", again.Ref)
		}
		equal(t, "still the only one", again.First, true)
		second, _, err := r.Open(t.Context(), l, bot.Reply{Run: "run2", Item: it.ID})
		noErr(t, "open another", err)
		equal(t, "another is first", second.First, false)
	},
	"set_ref_wants_an_opened_reply": func(t *testing.T, r bot.Record) {
		l, _ := working(t, r)
		wantErr(t, "set ref", r.SetRef(t.Context(), l, "none", bot.Ref{Messages: []string{"m"}}), bot.ErrNotFound)
		_, err := r.Reply(t.Context(), "none")
		wantErr(t, "reply", err, bot.ErrNotFound)
	},
	"open_replies_are_listed_oldest_first_until_final": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		for i, id := range []string{"1", "2", "3"} {
			put(t, r, message(t, threadA, id, "x"))
			l := claim(t, r, threadA.Key())
			_, _, err := r.Open(ctx, l, bot.Reply{Run: "run" + id, At: time.Now().Add(-time.Duration(i) * time.Hour)})
			noErr(t, "open", err)
			it := next(t, r, l)
			if id == "2" {
				finish(t, r, l, it.ID, bot.Outcome{Reply: &bot.Reply{Run: "run2", State: bot.ReplyFinal}})
			} else {
				finish(t, r, l, it.ID, bot.Outcome{})
			}
			noErr(t, "release", r.Release(ctx, l))
		}
		list, err := r.OpenReplies(ctx, threadA.Key())
		noErr(t, "open replies", err)
		var runs []string
		for _, v := range list {
			runs = append(runs, v.Run)
		}
		if !slices.Equal(runs, []string{"run3", "run1"}) {
			t.Errorf("open replies %q", runs)
		}
		list, err = r.OpenReplies(ctx, other.Key())
		noErr(t, "open replies", err)
		equal(t, "of the same ids in another workspace", len(list), 0)
	},
}
