package memtest

import (
	"testing"
	"time"

	"maru/agent/graph"
	"maru/bot"
	"maru/bot/parking"
)

// parked returns the part of a record that parks.
func parked(t *testing.T, r bot.Record) parking.Store {
	t.Helper()
	s, ok := r.(parking.Store)
	if !ok {
		t.Fatalf("%T parks nothing", r)
	}
	return s
}

// park parks the item of threadA.
func park(t *testing.T, r bot.Record) bot.Item {
	t.Helper()
	l, it := working(t, r)
	finish(t, r, l, it.ID, bot.Outcome{Park: true, Why: "deadly"})
	if _, ok, err := r.Next(t.Context(), l); ok || err != nil {
		t.Fatalf("next after parking: %v, %v; want nothing", ok, err)
	}
	return it
}

// items checks how many items are parked within a place, and returns them.
func items(t *testing.T, s parking.Store, within string, want int) []parking.Item {
	t.Helper()
	list, err := s.ParkedItems(t.Context(), within, 10)
	noErr(t, "parked items", err)
	if len(list) != want {
		t.Fatalf("%d items are parked in %q, want %d", len(list), within, want)
	}
	return list
}

var parkedCases = map[string]func(*testing.T, bot.Record){
	"a_parked_item_rests_and_is_known": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		it := park(t, r)
		got := items(t, s, "", 1)[0]
		if got.ID != it.ID || got.Thread != it.Thread || got.Kind != it.Kind || string(got.Body) != string(it.Body) {
			t.Errorf("parked %+v, want %+v", got, it)
		}
		if time.Since(got.Parked) > time.Minute {
			t.Errorf("parked at %v", got.Parked)
		}
		sameTime(t, "at", got.At, it.At)
		fresh, err := r.Put(t.Context(), it)
		noErr(t, "put again", err)
		equal(t, "fresh", fresh, false)
		n, _, err := r.Pending(t.Context(), "")
		noErr(t, "pending", err)
		equal(t, "pending", n, 0)
		if _, ok, err := r.Claim(t.Context(), "", "w", long); ok || err != nil {
			t.Errorf("claim: %v, %v; want nothing", ok, err)
		}
	},
	"a_parked_item_holds_up_nothing": func(t *testing.T, r bot.Record) {
		park(t, r)
		put(t, r, message(t, threadA, "200", "more"))
		equal(t, "next", next(t, r, claim(t, r, threadA.Key())).Order, "200")
	},
	"parked_items_are_listed_by_place": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		park(t, r)
		for within, want := range map[string]int{threadA.Key(): 1, threadB.Key(): 0, "slack/T1/C1": 1, "slack/T1/C": 0, "slack/T1": 1, "slack/T2": 0, "": 1} {
			items(t, s, within, want)
		}
	},
	"a_retried_item_is_handed_out_as_the_second_time": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		it := park(t, r)
		put(t, r, message(t, threadA, "200", "more"))
		for _, want := range []bool{true, false} {
			ok, err := s.RetryItem(t.Context(), it.ID)
			noErr(t, "retry", err)
			equal(t, "retried", ok, want)
		}
		items(t, s, "", 0)
		l := claim(t, r, "")
		got := next(t, r, l)
		equal(t, "id", got.ID, it.ID)
		equal(t, "body", string(got.Body), string(it.Body))
		equal(t, "attempts before", got.Attempts, 1)
		finish(t, r, l, got.ID, bot.Outcome{})
		ok, err := s.RetryItem(t.Context(), it.ID)
		noErr(t, "retry what is done", err)
		equal(t, "retried", ok, false)
	},
	"an_item_is_unfinished_until_its_end": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		open := func(id string, want bool) {
			t.Helper()
			got, err := s.Unfinished(t.Context(), id)
			noErr(t, "unfinished", err)
			equal(t, "unfinished", got, want)
		}
		it := park(t, r)
		open("unknown", false)
		open(it.ID, true)
		_, err := s.RetryItem(t.Context(), it.ID)
		noErr(t, "retry", err)
		open(it.ID, true)
		l := claim(t, r, threadA.Key())
		open(next(t, r, l).ID, true)
		finish(t, r, l, it.ID, bot.Outcome{})
		open(it.ID, false)
		dead := message(t, threadA, "200", "more")
		put(t, r, dead)
		finish(t, r, l, next(t, r, l).ID, bot.Outcome{Dead: true, Why: "in vain"})
		open(dead.ID, false)
	},
	"a_forgotten_item_cannot_be_retried": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		it := park(t, r)
		_, err := r.Withdraw(t.Context(), threadA.Key(), "U1")
		noErr(t, "withdraw", err)
		items(t, s, "", 0)
		ok, err := s.RetryItem(t.Context(), it.ID)
		noErr(t, "retry", err)
		equal(t, "retried", ok, false)
	},
	"a_deleted_message_cannot_be_retried": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		it := park(t, r)
		noErr(t, "amend", amend(t, r, threadA.Key(), it.ID, "", true))
		items(t, s, "", 0)
		open, err := s.Unfinished(t.Context(), it.ID)
		noErr(t, "unfinished", err)
		equal(t, "unfinished", open, false)
	},
	"a_workspace_that_leaves_takes_parked_items_along": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		park(t, r)
		_, err := r.Vacate(t.Context(), "slack", "T2", "gone")
		noErr(t, "vacate another", err)
		items(t, s, "", 1)
		_, err = r.Vacate(t.Context(), "slack", "T1", "gone")
		noErr(t, "vacate", err)
		items(t, s, "", 0)
	},
	"items_in_hand_are_listed_with_their_process": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		l, it := working(t, r)
		put(t, r, message(t, threadB, "200", "waits"))
		held := inHand(t, s, 1)[0]
		if held != (parking.Held{Owner: "worker", Thread: threadA.Key(), Token: l.Token, Item: it.ID}) {
			t.Errorf("in hand: %+v", held)
		}
		noErr(t, "release", r.Release(t.Context(), l))
		inHand(t, s, 0)
	},
	"a_lease_that_ran_out_is_told_until_it_is_taken_over": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		put(t, r, message(t, threadA, "100", "hello"))
		l, it, _, err := r.Take(t.Context(), threadA.Key(), "zombie", time.Millisecond)
		noErr(t, "take", err)
		for lapsed := false; !lapsed; {
			held := inHand(t, s, 1)[0]
			equal(t, "owner", held.Owner, "zombie")
			equal(t, "item", held.Item, it.ID)
			equal(t, "token", held.Token, l.Token)
			lapsed = held.Lapsed
		}
		await(t, r, threadA.Key())
		held := inHand(t, s, 1)[0]
		equal(t, "owner", held.Owner, "heir")
		equal(t, "lapsed", held.Lapsed, false)
	},
	"steps_of_a_run_tell_whether_it_got_further": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		put(t, r, message(t, threadA, "100", "hello"))
		_, _, _, err := r.Take(t.Context(), threadA.Key(), "zombie", time.Millisecond)
		noErr(t, "take", err)
		steps := func() int64 {
			for {
				if held := inHand(t, s, 1)[0]; held.Lapsed {
					return held.Steps
				}
			}
		}
		equal(t, "steps before", steps(), 0)
		log, ok := r.(graph.Checkpointer)
		if !ok {
			t.Skip("the record keeps no runs")
		}
		for n, name := range []string{threadA.Key() + "#chat", threadA.Key() + "#guide", threadB.Key() + "#chat"} {
			noErr(t, "append", log.Append(t.Context(), 0, graph.Record{Thread: name, Seq: 1, Kind: graph.RecordStep, At: time.Now()}))
			equal(t, "steps after "+name, steps(), int64(min(n+1, 2)))
		}
	},
	"a_finished_item_is_in_nobodys_hand": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		l, it := working(t, r)
		put(t, r, message(t, threadA, "200", "more"))
		finish(t, r, l, it.ID, bot.Outcome{})
		inHand(t, s, 0)
	},
	"a_parked_job_rests_until_it_is_retried": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		queue(t, r, job("j1", "slack/T1/U1"))
		j := claimJob(t, r, long)
		noErr(t, "park", r.DelayJob(t.Context(), j.ID, 1000*time.Hour, parking.Why))
		equal(t, "waiting", waitingJobs(t, r), 0)
		list, err := s.ParkedJobs(t.Context(), 10)
		noErr(t, "parked jobs", err)
		if len(list) != 1 || list[0].ID != j.ID || list[0].Kind != j.Kind || list[0].Attempts != 1 {
			t.Fatalf("parked jobs %+v", list)
		}
		for _, want := range []bool{true, false} {
			ok, err := s.RetryJob(t.Context(), j.ID)
			noErr(t, "retry", err)
			equal(t, "retried", ok, want)
		}
		again := claimJob(t, r, long)
		equal(t, "attempts", again.Attempts, 0)
		equal(t, "body", string(again.Body), string(j.Body))
	},
	"a_parked_job_is_forgotten_with_its_person": func(t *testing.T, r bot.Record) {
		s := parked(t, r)
		queue(t, r, job("j1", "slack/T1/U1"))
		noErr(t, "park", r.DelayJob(t.Context(), claimJob(t, r, long).ID, 1000*time.Hour, parking.Why))
		n, err := r.DropJobs(t.Context(), "slack/T1/U1")
		noErr(t, "drop", err)
		equal(t, "dropped", n, 1)
		list, err := s.ParkedJobs(t.Context(), 10)
		noErr(t, "parked jobs", err)
		equal(t, "parked", len(list), 0)
	},
	"a_job_is_told_that_it_lapsed": func(t *testing.T, r bot.Record) {
		queue(t, r, job("j1", "p"))
		equal(t, "the first time", claimJob(t, r, long).Lapsed, false)
		noErr(t, "delay", r.DelayJob(t.Context(), "j1", 0, "it failed"))
		equal(t, "after a failure", claimJob(t, r, long).Lapsed, false)
		noErr(t, "hide", r.DelayJob(t.Context(), "j1", 0, ""))
		equal(t, "after a death", claimJob(t, r, long).Lapsed, true)
	},
}

// inHand checks how many items are in hand, and returns them.
func inHand(t *testing.T, s parking.Store, want int) []parking.Held {
	t.Helper()
	list, err := s.InHand(t.Context())
	noErr(t, "in hand", err)
	if len(list) != want {
		t.Fatalf("in hand: %+v, want %d", list, want)
	}
	return list
}
