package memtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"maru/bot"
)

var inboxCases = map[string]func(*testing.T, bot.Record){
	"pending_messages_are_stopped": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		id := func(order string) string { return message(t, threadA, order, "").ID }
		for _, order := range []string{"98", "99", "100", "101"} {
			put(t, r, message(t, threadA, order, "x"))
		}
		put(t, r, message(t, threadB, "1", "of another thread"))
		put(t, r, bot.Item{ID: "change", Thread: threadA.Key(), Kind: bot.ItemChange, Order: "97"})
		l := claim(t, r, threadA.Key())
		equal(t, "before any stop", next(t, r, l).ID, "change")
		stop := func(s bot.PendingStop, want ...string) {
			t.Helper()
			s.Thread = threadA.Key()
			got, err := r.StopPending(ctx, s)
			noErr(t, "stop", err)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("stopped %q, want %q", got, want)
			}
		}
		stop(bot.PendingStop{Why: bot.StopSaid, User: "U2"})
		stop(bot.PendingStop{Why: bot.StopSaid, User: "U1", Before: "99", But: []string{id("98")}}, id("99"))
		newest := message(t, threadA, "1000", "replaces what is before it")
		newest.Stops = bot.StopRolledBack
		put(t, r, newest)
		put(t, r, message(t, threadA, "102", "comes later"))
		if fresh, err := r.Put(ctx, newest); fresh || err != nil {
			t.Errorf("delivered again: %v, %v", fresh, err)
		}
		noErr(t, "finish", r.Finish(ctx, l, "change", bot.Outcome{}))
		for _, want := range []struct {
			order string
			why   bot.StopReason
		}{{"98", bot.StopRolledBack}, {"99", bot.StopSaid}, {"100", bot.StopRolledBack}, {"101", bot.StopRolledBack}, {"102", ""}, {"1000", ""}} {
			it := next(t, r, l)
			equal(t, "item", it.ID, id(want.order))
			equal(t, "stopped "+want.order, it.Stopped, want.why)
			if want.order == "102" {
				stop(bot.PendingStop{Why: bot.StopInterrupted}, id("102"), id("1000")) // the one in hand, too
				noErr(t, "release", r.Release(ctx, l))
				l = claim(t, r, threadA.Key())
				equal(t, "returned again", next(t, r, l).Stopped, bot.StopInterrupted)
				noErr(t, "finish", r.Finish(ctx, l, it.ID, bot.Outcome{}))
				it = next(t, r, l)
				equal(t, "the last", it.ID, id("1000"))
				equal(t, "is stopped", it.Stopped, bot.StopInterrupted)
				noErr(t, "finish", r.Finish(ctx, l, it.ID, bot.Outcome{}))
				break
			}
			noErr(t, "finish", r.Finish(ctx, l, it.ID, bot.Outcome{}))
		}
		stop(bot.PendingStop{Why: bot.StopSaid}) // none is left
	},
	"the_lease_may_end_with_the_last_item": func(t *testing.T, r bot.Record) {
		l, first := working(t, r)
		second := message(t, threadA, "101", "second")
		put(t, r, second)
		finish(t, r, l, first.ID, bot.Outcome{Last: true})
		equal(t, "one was left", next(t, r, l).ID, second.ID)
		finish(t, r, l, second.ID, bot.Outcome{Last: true})
		_, err := r.Renew(t.Context(), l, long)
		noErr(t, "renew before it is known", err)
		it, ok, err := r.Next(t.Context(), l)
		if noErr(t, "next", err); ok {
			t.Errorf("got %s again", it.ID)
		}
		third := message(t, threadA, "102", "third")
		put(t, r, third)
		l = claim(t, r, threadA.Key())
		equal(t, "handed out", next(t, r, l).ID, third.ID)
		finish(t, r, l, third.ID, bot.Outcome{Last: true})
		noErr(t, "release", r.Release(t.Context(), l))
		put(t, r, message(t, threadA, "103", "fourth"))
		claim(t, r, threadA.Key())
	},
	"stops_spare_what_is_no_part_of_the_conversation": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		reminder := message(t, threadA, "schedule-1", "Rent")
		reminder.Order = ""
		asks, answered, waits := message(t, threadA, "1", "asks"), message(t, threadA, "2", "answered"), message(t, threadA, "3", "waits")
		for _, it := range []bot.Item{reminder, asks, answered, waits} {
			put(t, r, it)
		}
		l := claim(t, r, threadA.Key())
		reply := bot.Reply{Run: "run-asks", Thread: threadA.Key(), Item: asks.ID, State: bot.ReplyOpen, At: time.Now()}
		_, _, err := r.Open(ctx, l, reply)
		noErr(t, "open", err)
		noErr(t, "ask", r.CreateApproval(ctx, l, bot.Approval{ID: "p1", Kind: "plan", Run: "run-asks", Thread: threadA.Key(), Expires: time.Now().Add(time.Hour)}))
		newest := message(t, threadA, "4", "replaces what is before it")
		newest.Stops, newest.Spares = bot.StopInterrupted, []string{answered.ID}
		put(t, r, newest)
		for _, want := range []struct {
			id  string
			why bot.StopReason
		}{{reminder.ID, ""}, {asks.ID, ""}, {answered.ID, ""}, {waits.ID, bot.StopInterrupted}, {newest.ID, ""}} {
			it := next(t, r, l)
			equal(t, "item", it.ID, want.id)
			equal(t, "stopped "+want.id, it.Stopped, want.why)
			finish(t, r, l, it.ID, bot.Outcome{})
		}
	},
	"pending_messages_of_a_person_in_a_channel_are_stopped": func(t *testing.T, r bot.Record) {
		other, away := bot.Thread{Platform: threadA.Platform, Team: threadA.Team, Channel: threadA.Channel, ID: "77"}, threadA
		away.Channel = "C-away"
		theirs := message(t, other, "3", "of another person")
		theirs.Entry.User = "U2"
		items := []bot.Item{message(t, threadA, "1", "x"), message(t, other, "2", "x"), theirs, message(t, away, "4", "x")}
		for _, it := range items {
			put(t, r, it)
		}
		got, err := r.StopPending(t.Context(), bot.PendingStop{Channel: bot.Thread{Platform: threadA.Platform, Team: threadA.Team, Channel: threadA.Channel}, Why: bot.StopSaid, User: "U1"})
		noErr(t, "stop", err)
		slices.Sort(got)
		if want := []string{items[0].ID, items[1].ID}; !slices.Equal(got, want) {
			t.Errorf("stopped %q, want %q", got, want)
		}
	},
	"an_item_comes_back_as_it_was_put": func(t *testing.T, r bot.Record) {
		in := message(t, threadA, "100", "연차는 며칠이야? 👩‍👩‍👧")
		in.At = time.Now().Add(-time.Minute)
		put(t, r, in)
		got := next(t, r, claim(t, r, threadA.Key()))
		equal(t, "id", got.ID, in.ID)
		equal(t, "thread", got.Thread, in.Thread)
		equal(t, "kind", got.Kind, bot.ItemMessage)
		equal(t, "order", got.Order, "100")
		equal(t, "body", string(got.Body), string(in.Body))
		equal(t, "attempts", got.Attempts, 0)
		sameTime(t, "at", got.At, in.At)
	},
	"a_second_delivery_is_refused_before_and_after_it_is_done": func(t *testing.T, r bot.Record) {
		in := message(t, threadA, "100", "한 번만")
		put(t, r, in)
		again := func(when string) {
			it := in
			it.Entry = &bot.Entry{ID: in.ID + "x", Text: "twice"}
			fresh, err := r.Put(t.Context(), it)
			noErr(t, "put "+when, err)
			equal(t, "put again "+when, fresh, false)
		}
		again("while it waits")
		l := claim(t, r, threadA.Key())
		it := next(t, r, l)
		again("while it is worked on")
		finish(t, r, l, it.ID, bot.Outcome{})
		again("when it is done")
		if got := texts(t, r, threadA.Key()); len(got) != 1 {
			t.Errorf("transcript %q, want the message once", got)
		}
		if _, ok, err := r.Next(t.Context(), l); ok || err != nil {
			t.Errorf("next after done: %v, %v; want nothing", ok, err)
		}
	},
	"items_run_by_length_of_order_then_order_then_arrival": func(t *testing.T, r bot.Record) {
		var want []string
		for _, o := range []string{"10", "9", "b", "9", "", "100", "a", "한"} {
			it := message(t, threadA, fmt.Sprintf("%s-%d", o, len(want)), o)
			it.Order = o
			put(t, r, it)
			want = append(want, it.ID)
		}
		// "", "9" (first), "9" (second), "a", "b", "10", "100", "한" (three bytes, above ASCII)
		at := []int{4, 1, 3, 6, 2, 0, 5, 7}
		l := claim(t, r, threadA.Key())
		for i, w := range at {
			it := next(t, r, l)
			if it.ID != want[w] {
				t.Fatalf("item %d is %s, want %s", i, it.ID, want[w])
			}
			finish(t, r, l, it.ID, bot.Outcome{})
		}
	},
	"an_earlier_message_that_comes_late_runs_before_the_later_one": func(t *testing.T, r bot.Record) {
		put(t, r, message(t, threadA, "200", "second"))
		l := claim(t, r, threadA.Key())
		put(t, r, message(t, threadA, "100", "first"))
		equal(t, "next", next(t, r, l).Order, "100")
	},
	"every_hand_out_counts_an_attempt": func(t *testing.T, r bot.Record) {
		put(t, r, message(t, threadA, "100", "again"))
		l := claim(t, r, threadA.Key())
		for want := range 3 {
			equal(t, "attempts", next(t, r, l).Attempts, want)
		}
	},
	"a_batch_without_an_id_or_with_a_foreign_thread_is_an_error": func(t *testing.T, r bot.Record) {
		noID := message(t, threadA, "100", "x")
		noID.ID = ""
		badThread := message(t, threadA, "100", "x")
		badThread.Thread = "nowhere"
		for _, it := range []bot.Item{noID, badThread} {
			if fresh, err := r.Put(t.Context(), it); err == nil || fresh {
				t.Errorf("put %q in %q: %v, %v; want an error", it.ID, it.Thread, fresh, err)
			}
		}
		n, _, err := r.Pending(t.Context(), "")
		noErr(t, "pending", err)
		equal(t, "pending", n, 0)
	},
	"strange_text_survives": func(t *testing.T, r bot.Record) {
		in := message(t, threadA, "100", "a\u0000b '; DROP TABLE items; -- \u202e \U0001F469\u200d\U0001F4BB")
		put(t, r, in)
		equal(t, "body", string(next(t, r, claim(t, r, threadA.Key())).Body), string(in.Body))
		if got := texts(t, r, threadA.Key()); len(got) != 1 {
			t.Errorf("transcript %q, want one entry", got)
		}
	},
	"pending_counts_what_waits_and_since_when": func(t *testing.T, r bot.Record) {
		n, oldest, err := r.Pending(t.Context(), "")
		noErr(t, "pending", err)
		equal(t, "pending of an empty record", n, 0)
		equal(t, "oldest of an empty record", oldest.IsZero(), true)
		first := message(t, threadA, "100", "a")
		first.At = time.Now().Add(-time.Hour)
		put(t, r, message(t, threadB, "101", "b"))
		put(t, r, first)
		n, oldest, err = r.Pending(t.Context(), "")
		noErr(t, "pending", err)
		equal(t, "pending", n, 2)
		sameTime(t, "oldest", oldest, first.At)
		l := claim(t, r, threadA.Key())
		finish(t, r, l, next(t, r, l).ID, bot.Outcome{})
		n, oldest, err = r.Pending(t.Context(), "")
		noErr(t, "pending", err)
		equal(t, "pending after one is done", n, 1)
		if time.Since(oldest) > time.Minute {
			t.Errorf("oldest is still %v", oldest)
		}
	},
	"pending_of_a_team_is_its_own": func(t *testing.T, r bot.Record) {
		first := message(t, threadA, "100", "in T1")
		first.At = time.Now().Add(-time.Hour)
		put(t, r, first)
		put(t, r, message(t, other, "100", "in T2"))
		for team, want := range map[string]int{threadA.TeamKey(): 1, other.TeamKey(): 1, "": 2, threadA.TeamKey()[:len(threadA.TeamKey())-1]: 0} {
			n, oldest, err := r.Pending(t.Context(), team)
			noErr(t, "pending", err)
			equal(t, "pending of "+team, n, want)
			equal(t, "nothing waits in "+team, oldest.IsZero(), want == 0)
			if team == other.TeamKey() && time.Since(oldest) > time.Minute {
				t.Errorf("the oldest of %s is another team's: %v", team, oldest)
			}
		}
	},
	"the_same_ids_in_two_workspaces_are_two_messages": func(t *testing.T, r bot.Record) {
		put(t, r, message(t, threadA, "100", "in T1"))
		put(t, r, message(t, other, "100", "in T2"))
		if got := texts(t, r, other.Key()); !slices.Equal(got, []string{"in T2"}) {
			t.Errorf("transcript of T2: %q", got)
		}
	},
	"a_cancelled_put_is_an_error": func(t *testing.T, r bot.Record) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.Put(ctx, message(t, threadA, "100", "x")); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
		put(t, r, message(t, threadA, "100", "x"))
	},
}
