package memtest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/bot"
)

var leaseCases = map[string]func(*testing.T, bot.Record){
	"a_thread_without_work_is_not_leased": func(t *testing.T, r bot.Record) {
		for _, thread := range []string{"", threadA.Key()} {
			if _, ok, err := r.Claim(t.Context(), thread, "w", long); ok || err != nil {
				t.Errorf("claim %q: %v, %v; want nothing", thread, ok, err)
			}
		}
		l, it := working(t, r)
		finish(t, r, l, it.ID, bot.Outcome{})
		noErr(t, "release", r.Release(t.Context(), l))
		for _, thread := range []string{"", threadA.Key()} {
			if _, ok, err := r.Claim(t.Context(), thread, "w", long); ok || err != nil {
				t.Errorf("claim %q when all is done: %v, %v; want nothing", thread, ok, err)
			}
		}
	},
	"a_live_lease_keeps_others_out": func(t *testing.T, r bot.Record) {
		l, _ := working(t, r)
		equal(t, "thread", l.Thread, threadA.Key())
		equal(t, "owner", l.Owner, "worker")
		if l.Token <= 0 {
			t.Errorf("token %d, want a positive one", l.Token)
		}
		for _, thread := range []string{"", threadA.Key()} {
			if _, ok, err := r.Claim(t.Context(), thread, "worker", long); ok || err != nil {
				t.Errorf("claim %q while leased: %v, %v; want nothing", thread, ok, err)
			}
		}
	},
	"the_thread_whose_item_waits_longest_comes_first": func(t *testing.T, r bot.Record) {
		late, early := message(t, threadA, "1", "late"), message(t, threadB, "2", "early")
		late.At, early.At = time.Now().Add(-time.Minute), time.Now().Add(-time.Hour)
		put(t, r, late)
		put(t, r, early)
		equal(t, "first", claim(t, r, "").Thread, threadB.Key())
		equal(t, "second", claim(t, r, "").Thread, threadA.Key())
	},
	"places_and_workspaces_that_are_left_out_hide_no_other": func(t *testing.T, r bot.Record) {
		next := threadA
		next.Channel = "C10" // its name has C1's as a prefix
		for i, th := range []bot.Thread{threadA, threadB, next, other} {
			it := message(t, th, fmt.Sprint(i), "hello")
			it.At = time.Now().Add(time.Duration(i-10) * time.Hour)
			put(t, r, it)
		}
		for _, c := range []struct {
			but  []string
			want string
		}{
			{nil, threadA.Key()},
			{[]string{"slack/T1/C1"}, next.Key()},
			{[]string{"slack/T1/C1", "slack/T1/C10"}, other.Key()},
			{[]string{"slack/T1"}, other.Key()},
			{[]string{"slack/T2", "slack/T1"}, ""},
		} {
			l, _, err := r.Claim(t.Context(), "", "w", long, c.but...)
			noErr(t, "claim", err)
			equal(t, fmt.Sprintf("without %q", c.but), l.Thread, c.want)
			if l.Token != 0 {
				noErr(t, "release", r.Release(t.Context(), l))
			}
		}
	},
	"tokens_grow_over_all_threads": func(t *testing.T, r bot.Record) {
		put(t, r, message(t, threadA, "1", "a"))
		put(t, r, message(t, threadB, "2", "b"))
		last := int64(0)
		for range 3 {
			for _, th := range []bot.Thread{threadA, threadB} {
				l := claim(t, r, th.Key())
				if l.Token <= last {
					t.Fatalf("token %d after %d", l.Token, last)
				}
				last = l.Token
				noErr(t, "release", r.Release(t.Context(), l))
			}
		}
	},
	"a_lease_that_ran_out_is_taken_over": func(t *testing.T, r bot.Record) {
		old, now := takenOver(t, r)
		if now.Token <= old.Token {
			t.Errorf("token %d after %d", now.Token, old.Token)
		}
		equal(t, "the item is still there", next(t, r, now).Order, "100")
		_, err := r.Renew(t.Context(), old, long)
		wantErr(t, "renew", err, bot.ErrFenced)
		wantErr(t, "release", r.Release(t.Context(), old), bot.ErrFenced)
		if _, ok, err := r.Claim(t.Context(), threadA.Key(), "w", long); ok || err != nil {
			t.Errorf("claim after the zombie's release: %v, %v; want nothing", ok, err)
		}
	},
	"renew_keeps_a_lease_alive": func(t *testing.T, r bot.Record) {
		put(t, r, message(t, threadA, "1", "a"))
		l, ok, err := r.Claim(t.Context(), threadA.Key(), "w", 20*time.Millisecond)
		if err != nil || !ok {
			t.Fatalf("claim: %v, %v", ok, err)
		}
		renewed, err := r.Renew(t.Context(), l, long)
		noErr(t, "renew", err)
		equal(t, "token", renewed.Token, l.Token)
		if !renewed.Until.After(l.Until) {
			t.Errorf("until %v, not after %v", renewed.Until, l.Until)
		}
		<-time.After(30 * time.Millisecond)
		if _, ok, err := r.Claim(t.Context(), "", "other", long); ok || err != nil {
			t.Errorf("claim of a renewed lease: %v, %v; want nothing", ok, err)
		}
	},
	"a_released_thread_may_be_claimed_at_once": func(t *testing.T, r bot.Record) {
		l, _ := working(t, r)
		noErr(t, "release", r.Release(t.Context(), l))
		noErr(t, "release again", r.Release(t.Context(), l))
		_, err := r.Renew(t.Context(), l, long)
		wantErr(t, "renew after release", err, bot.ErrFenced)
		equal(t, "attempts", next(t, r, claim(t, r, "")).Attempts, 1)
	},
	"work_that_comes_during_a_lease_is_found_after_it": func(t *testing.T, r bot.Record) {
		l, it := working(t, r)
		put(t, r, message(t, threadA, "200", "more"))
		finish(t, r, l, it.ID, bot.Outcome{})
		noErr(t, "release", r.Release(t.Context(), l))
		equal(t, "next", next(t, r, claim(t, r, "")).Order, "200")
	},
	"nothing_left_ends_the_lease": func(t *testing.T, r bot.Record) {
		l, it := working(t, r)
		finish(t, r, l, it.ID, bot.Outcome{})
		_, ok, err := r.Next(t.Context(), l)
		noErr(t, "next", err)
		equal(t, "an item", ok, false)
		_, err = r.Renew(t.Context(), l, long)
		wantErr(t, "renew", err, bot.ErrFenced)
		noErr(t, "release", r.Release(t.Context(), l))
		put(t, r, message(t, threadA, "200", "more"))
		equal(t, "next", next(t, r, claim(t, r, threadA.Key())).Order, "200")
	},
	"taking_a_thread_hands_out_its_first_item": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		_, _, ok, err := r.Take(ctx, threadA.Key(), "w", long)
		noErr(t, "take without work", err)
		equal(t, "without work", ok, false)
		put(t, r, message(t, threadA, "200", "later"))
		put(t, r, message(t, threadA, "100", "first"))
		l, it, ok, err := r.Take(ctx, threadA.Key(), "w", long)
		noErr(t, "take", err)
		equal(t, "taken", ok, true)
		equal(t, "item", it.Order, "100")
		equal(t, "attempts before", it.Attempts, 0)
		_, _, ok, err = r.Take(ctx, threadA.Key(), "other", long)
		noErr(t, "take again", err)
		equal(t, "taken twice", ok, false)
		finish(t, r, l, it.ID, bot.Outcome{})
		noErr(t, "release", r.Release(ctx, l))
		l, it, _, err = r.Take(ctx, threadA.Key(), "w", long)
		noErr(t, "take the rest", err)
		equal(t, "the rest", it.Order, "200")
		noErr(t, "release", r.Release(ctx, l))
		_, it, _, err = r.Take(ctx, threadA.Key(), "w", long)
		noErr(t, "take what was left", err)
		equal(t, "attempts before", it.Attempts, 1)
	},
	"beginning_puts_leases_and_hands_out": func(t *testing.T, r bot.Record) {
		m := message(t, threadA, "100", "hello")
		fresh, l, first, err := r.Begin(t.Context(), m, "w", long)
		noErr(t, "begin", err)
		equal(t, "fresh", fresh, true)
		equal(t, "item", first.ID, m.ID)
		equal(t, "body", string(first.Body), string(m.Body))
		equal(t, "attempts before", first.Attempts, 0)
		equal(t, "owner", l.Owner, "w")
		e, err := r.Entry(t.Context(), threadA.Key(), m.ID)
		noErr(t, "entry", err)
		equal(t, "entry", e.Text, "hello")
		_, _, ok, err := r.Take(t.Context(), threadA.Key(), "other", long)
		noErr(t, "take", err)
		equal(t, "taken twice", ok, false)
		finish(t, r, l, first.ID, bot.Outcome{})
		_, ok, err = r.Next(t.Context(), l)
		noErr(t, "next", err)
		equal(t, "more", ok, false)
	},
	"what_is_known_is_not_begun": func(t *testing.T, r bot.Record) {
		m := message(t, threadA, "100", "hello")
		put(t, r, m)
		fresh, l, _, err := r.Begin(t.Context(), m, "w", long)
		noErr(t, "begin", err)
		equal(t, "fresh", fresh, false)
		equal(t, "leased", l.Token != 0, false)
		equal(t, "still to be had", next(t, r, claim(t, r, threadA.Key())).ID, m.ID)
	},
	"beginning_where_somebody_works_puts": func(t *testing.T, r bot.Record) {
		l, it := working(t, r)
		fresh, other, _, err := r.Begin(t.Context(), message(t, threadA, "200", "more"), "other", long)
		noErr(t, "begin", err)
		equal(t, "fresh", fresh, true)
		equal(t, "leased", other.Token != 0, false)
		finish(t, r, l, it.ID, bot.Outcome{})
		equal(t, "next", next(t, r, l).Order, "200")
	},
	"beginning_hands_out_what_was_first": func(t *testing.T, r bot.Record) {
		put(t, r, message(t, threadA, "100", "first"))
		fresh, l, first, err := r.Begin(t.Context(), message(t, threadA, "200", "later"), "w", long)
		noErr(t, "begin", err)
		equal(t, "fresh", fresh, true)
		equal(t, "item", first.Order, "100")
		finish(t, r, l, first.ID, bot.Outcome{})
		equal(t, "next", next(t, r, l).Order, "200")
	},
	"beginners_share_no_thread": func(t *testing.T, r bot.Record) {
		const n = 8
		var leased, fresh atomic.Int32
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				m := message(t, threadA, fmt.Sprint(100+i/2), "hello") // each comes twice
				isNew, l, _, err := r.Begin(t.Context(), m, fmt.Sprint("w", i), long)
				if err != nil {
					t.Errorf("begin: %v", err)
				}
				if isNew {
					fresh.Add(1)
				}
				if l.Token != 0 {
					leased.Add(1)
				}
			})
		}
		all.Wait()
		equal(t, "fresh", fresh.Load(), n/2)
		equal(t, "leases", leased.Load(), 1)
	},
	"beginning_wants_an_owner_and_a_time": func(t *testing.T, r bot.Record) {
		if _, _, _, err := r.Begin(t.Context(), message(t, threadA, "100", "hello"), "", long); err == nil {
			t.Error("begun by nobody")
		}
		if _, _, _, err := r.Begin(t.Context(), message(t, threadA, "100", "hello"), "w", 0); err == nil {
			t.Error("begun for no time")
		}
	},
}

// fenceCases are the writes of a worker whose lease another took over, and of one without any lease.
var fenceCases = map[string]func(*testing.T, bot.Record){
	"a_zombie_writes_nothing":         func(t *testing.T, r bot.Record) { refuse(t, r, takenOver) },
	"a_released_lease_writes_nothing": func(t *testing.T, r bot.Record) { refuse(t, r, released) },
	"an_invented_lease_writes_nothing": func(t *testing.T, r bot.Record) {
		refuse(t, r, func(t *testing.T, r bot.Record) (bot.Lease, bot.Lease) {
			l, _ := working(t, r)
			bad := l
			bad.Token += 1000
			return bad, l
		})
	},
	"a_lease_of_one_thread_writes_nothing_to_another": func(t *testing.T, r bot.Record) {
		put(t, r, message(t, threadB, "200", "b"))
		l, _ := working(t, r)
		wantErr(t, "finish", r.Finish(t.Context(), l, message(t, threadB, "200", "b").ID, bot.Outcome{}), bot.ErrNotFound)
		n, _, err := r.Pending(t.Context(), "")
		noErr(t, "pending", err)
		equal(t, "pending", n, 2)
	},
}

// released returns a lease that was given back and the next one.
func released(t *testing.T, r bot.Record) (old, now bot.Lease) {
	t.Helper()
	old, _ = working(t, r)
	noErr(t, "release", r.Release(t.Context(), old))
	return old, claim(t, r, threadA.Key())
}

// refuse checks that every fenced write of the old lease changes nothing.
func refuse(t *testing.T, r bot.Record, leases func(*testing.T, bot.Record) (old, now bot.Lease)) {
	t.Helper()
	ctx := t.Context()
	old, now := leases(t, r)
	_, _, err := r.Open(ctx, now, bot.Reply{Run: "run1", Item: "i"})
	noErr(t, "open", err)
	item := message(t, threadA, "100", "").ID

	_, _, err = r.Next(ctx, old)
	wantErr(t, "next", err, bot.ErrFenced)
	_, _, err = r.Open(ctx, old, bot.Reply{Run: "run1", Item: item})
	wantErr(t, "open of a reply that is there", err, bot.ErrFenced)
	_, _, err = r.Open(ctx, old, bot.Reply{Run: "run2", Item: item})
	wantErr(t, "open", err, bot.ErrFenced)
	wantErr(t, "set ref", r.SetRef(ctx, old, "run1", bot.Ref{Messages: []string{"zombie"}}), bot.ErrFenced)
	wantErr(t, "create approval", r.CreateApproval(ctx, old, bot.Approval{ID: "a1", Allowed: []string{"U1"}}), bot.ErrFenced)
	wantErr(t, "finish", r.Finish(ctx, old, item, bot.Outcome{
		Title: "zombie", Reply: &bot.Reply{Run: "run1", State: bot.ReplyFinal}, Entry: &bot.Entry{ID: "run1", Text: "zombie"},
	}), bot.ErrFenced)

	_, err = r.Reply(ctx, "run2")
	wantErr(t, "reply of the zombie", err, bot.ErrNotFound)
	_, err = r.ApprovalByID(ctx, "a1")
	wantErr(t, "approval of the zombie", err, bot.ErrNotFound)
	reply, err := r.Reply(ctx, "run1")
	noErr(t, "reply", err)
	equal(t, "state of the reply", reply.State, bot.ReplyOpen)
	equal(t, "ref is empty", reply.Ref.IsZero(), true)
	equal(t, "entries", len(texts(t, r, threadA.Key())), 1)
	equal(t, "the item still waits", next(t, r, now).ID, item)
}
