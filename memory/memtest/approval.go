package memtest

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/bot"
)

// ask stores a pending approval in threadA.
func ask(t *testing.T, r bot.Record, id string, expires time.Time) bot.Lease {
	t.Helper()
	l, _ := working(t, r)
	noErr(t, "create approval", r.CreateApproval(t.Context(), l, bot.Approval{
		ID: id, Kind: "plan", Run: "run1", Interrupt: "int1", Digest: "d1", Payload: json.RawMessage(`{"steps":["a"]}`),
		Allowed: []string{"U1", "U2"}, Expires: expires,
	}))
	return l
}

var approvalCases = map[string]func(*testing.T, bot.Record){
	"it_comes_back_as_it_was_asked": func(t *testing.T, r bot.Record) {
		expires := time.Now().Add(time.Hour)
		ask(t, r, "a1", expires)
		got, err := r.ApprovalByID(t.Context(), "a1")
		noErr(t, "approval", err)
		if got.Kind != "plan" || got.Thread != threadA.Key() || got.Run != "run1" || got.Interrupt != "int1" || got.Digest != "d1" ||
			string(got.Payload) != `{"steps":["a"]}` || !slices.Equal(got.Allowed, []string{"U1", "U2"}) || got.State != bot.ApprovalPending ||
			got.Created.IsZero() || got.By != "" || got.Decision != nil || !got.Ref.IsZero() {
			t.Errorf("approval %+v", got)
		}
		sameTime(t, "expires", got.Expires, expires)
		_, err = r.ApprovalByID(t.Context(), "none")
		wantErr(t, "approval", err, bot.ErrNotFound)
	},
	"asking_twice_is_asking_once": func(t *testing.T, r bot.Record) {
		l := ask(t, r, "a1", time.Now().Add(time.Hour))
		_, err := r.Decide(t.Context(), bot.Vote{Approval: "a1", By: "U1", Decision: json.RawMessage(`"yes"`)})
		noErr(t, "decide", err)
		noErr(t, "create again", r.CreateApproval(t.Context(), l, bot.Approval{ID: "a1", Expires: time.Now().Add(time.Hour)}))
		got, err := r.ApprovalByID(t.Context(), "a1")
		noErr(t, "approval", err)
		equal(t, "state", got.State, bot.ApprovalDecided)
	},
	"the_message_that_carries_it_is_kept": func(t *testing.T, r bot.Record) {
		ask(t, r, "a1", time.Now().Add(time.Hour))
		noErr(t, "posted", r.PostedApproval(t.Context(), "a1", bot.Ref{Thread: threadA, Messages: []string{"m7"}}, time.Now().Add(time.Hour)))
		got, err := r.ApprovalByID(t.Context(), "a1")
		noErr(t, "approval", err)
		if !slices.Equal(got.Ref.Messages, []string{"m7"}) {
			t.Errorf("ref %+v", got.Ref)
		}
		wantErr(t, "posted", r.PostedApproval(t.Context(), "none", bot.Ref{}, time.Time{}), bot.ErrNotFound)
	},
	"a_decision_is_committed_with_what_follows": func(t *testing.T, r bot.Record) {
		l := ask(t, r, "a1", time.Now().Add(time.Hour))
		follow := bot.Item{ID: "resume/a1", Thread: threadA.Key(), Kind: bot.ItemResume, Order: "300", Body: json.RawMessage(`{"a":1}`)}
		got, err := r.Decide(t.Context(), bot.Vote{Approval: "a1", By: "U2", Decision: json.RawMessage(`{"accept":true}`), Follow: &follow})
		noErr(t, "decide", err)
		if got.State != bot.ApprovalDecided || got.By != "U2" || string(got.Decision) != `{"accept":true}` || got.Decided.IsZero() || got.ID != "a1" {
			t.Errorf("approval %+v", got)
		}
		finish(t, r, l, next(t, r, l).ID, bot.Outcome{})
		it := next(t, r, l)
		if it.ID != "resume/a1" || it.Kind != bot.ItemResume || string(it.Body) != `{"a":1}` {
			t.Errorf("follow-up %+v", it)
		}
	},
	"what_follows_wakes_a_thread_that_slept": func(t *testing.T, r bot.Record) {
		l := ask(t, r, "a1", time.Now().Add(time.Hour))
		finish(t, r, l, next(t, r, l).ID, bot.Outcome{})
		noErr(t, "release", r.Release(t.Context(), l))
		_, err := r.Decide(t.Context(), bot.Vote{Approval: "a1", By: "U2", Decision: nil, Follow: &bot.Item{ID: "resume/a1", Thread: threadA.Key(), Kind: bot.ItemResume}})
		noErr(t, "decide", err)
		equal(t, "claimed", claim(t, r, "").Thread, threadA.Key())
	},
	"the_second_decision_loses_and_sees_the_first": func(t *testing.T, r bot.Record) {
		ask(t, r, "a1", time.Now().Add(time.Hour))
		_, err := r.Decide(t.Context(), bot.Vote{Approval: "a1", By: "U1", Decision: json.RawMessage(`"yes"`)})
		noErr(t, "decide", err)
		got, err := r.Decide(t.Context(), bot.Vote{Approval: "a1", By: "U2", Decision: json.RawMessage(`"no"`), Follow: &bot.Item{ID: "late", Thread: threadA.Key()}})
		wantErr(t, "decide again", err, bot.ErrDecided)
		if got.By != "U1" || string(got.Decision) != `"yes"` {
			t.Errorf("approval %+v", got)
		}
		n, _, err := r.Pending(t.Context(), "")
		noErr(t, "pending", err)
		equal(t, "pending", n, 1)
		_, err = r.Decide(t.Context(), bot.Vote{Approval: "none", By: "U1", Decision: nil})
		wantErr(t, "decide nothing", err, bot.ErrNotFound)
	},
	"a_decision_after_its_time_does_not_count": func(t *testing.T, r bot.Record) {
		ask(t, r, "a1", time.Now().Add(-time.Minute))
		got, err := r.Decide(t.Context(), bot.Vote{Approval: "a1", By: "U1", Decision: json.RawMessage(`"yes"`), Follow: &bot.Item{ID: "late", Thread: threadA.Key()}})
		wantErr(t, "decide", err, bot.ErrDecided)
		equal(t, "state", got.State, bot.ApprovalExpired)
		stored, err := r.ApprovalByID(t.Context(), "a1")
		noErr(t, "approval", err)
		equal(t, "stored state, for whoever closes it", stored.State, bot.ApprovalPending)
		if stored.By != "" || stored.Decision != nil {
			t.Errorf("approval %+v", stored)
		}
		n, _, err := r.Pending(t.Context(), "")
		noErr(t, "pending", err)
		equal(t, "pending", n, 1)
	},
	"closing_is_committed_with_what_follows_once": func(t *testing.T, r bot.Record) {
		l := ask(t, r, "a1", time.Now().Add(-time.Minute))
		follow := bot.Item{ID: "approval/a1", Thread: threadA.Key(), Kind: bot.ItemResume, Body: json.RawMessage(`{"a":1}`)}
		for range 2 {
			noErr(t, "close", r.CloseApproval(t.Context(), "a1", bot.ApprovalExpired, &follow))
		}
		wantErr(t, "revoke", r.CloseApproval(t.Context(), "a1", bot.ApprovalRevoked, &bot.Item{ID: "other", Thread: threadA.Key()}), bot.ErrDecided)
		n, _, err := r.Pending(t.Context(), "")
		noErr(t, "pending", err)
		equal(t, "pending", n, 2)
		equal(t, "what follows comes first", next(t, r, l).ID, "approval/a1")
	},
	"several_people_must_agree_on_the_same": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		l, _ := working(t, r)
		noErr(t, "create", r.CreateApproval(ctx, l, bot.Approval{ID: "a1", Needs: 2, Expires: time.Now().Add(time.Hour)}))
		follow := &bot.Item{ID: "approval/a1", Thread: threadA.Key(), Kind: bot.ItemResume}
		vote := func(by, key string) bot.Approval {
			a, err := r.Decide(ctx, bot.Vote{Approval: "a1", By: by, Key: key, Decision: json.RawMessage(`"` + key + `"`), Follow: follow})
			noErr(t, "vote", err)
			return a
		}
		for _, v := range [][2]string{{"U1", "as shown"}, {"U1", "as shown"}, {"U2", "changed"}, {"U1", "as shown"}} {
			if a := vote(v[0], v[1]); a.State != bot.ApprovalPending || a.By != "" || a.Decision != nil {
				t.Fatalf("after %v: %+v", v, a)
			}
		}
		stored, err := r.ApprovalByID(ctx, "a1")
		noErr(t, "approval", err)
		if len(stored.Agreed) != 2 || stored.Needs != 2 || stored.Agreed[0].By != "U2" || stored.Agreed[1].Key != "as shown" {
			t.Errorf("agreed %+v", stored.Agreed)
		}
		n, _, err := r.Pending(ctx, "")
		noErr(t, "pending", err)
		equal(t, "pending", n, 1)
		a := vote("U1", "changed")
		if a.State != bot.ApprovalDecided || a.By != "U1" || string(a.Decision) != `"changed"` || len(a.Agreed) != 2 {
			t.Errorf("decided %+v", a)
		}
		if n, _, err = r.Pending(ctx, ""); err != nil || n != 2 {
			t.Errorf("pending %d, %v", n, err)
		}
	},
	"a_refusal_needs_nobody_else": func(t *testing.T, r bot.Record) {
		l, _ := working(t, r)
		noErr(t, "create", r.CreateApproval(t.Context(), l, bot.Approval{ID: "a1", Needs: 3, Expires: time.Now().Add(time.Hour)}))
		a, err := r.Decide(t.Context(), bot.Vote{Approval: "a1", By: "U1", Alone: true, Decision: json.RawMessage(`"no"`)})
		if err != nil || a.State != bot.ApprovalDecided || a.By != "U1" {
			t.Errorf("%+v, %v", a, err)
		}
	},
	"due_ones_are_moved_by_one_of_many": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		l, _ := working(t, r)
		soon, past := time.Now().Add(time.Hour), time.Now().Add(-time.Minute).Truncate(time.Microsecond)
		for id, due := range map[string]time.Time{"a1": past.Add(-time.Second), "a2": past, "later": soon, "never": {}, "closed": past} {
			noErr(t, "create", r.CreateApproval(ctx, l, bot.Approval{ID: id, Expires: soon, Due: due}))
		}
		noErr(t, "close", r.CloseApproval(ctx, "closed", bot.ApprovalRevoked, nil))
		due, err := r.DueApprovals(ctx, 10)
		noErr(t, "due", err)
		if len(due) != 2 || due[0].ID != "a1" || due[1].ID != "a2" || !due[1].Due.Equal(past) {
			t.Fatalf("due %+v", due)
		}
		var moved atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				won, err := r.PostponeApproval(ctx, "a2", due[1].Due, soon)
				if err != nil {
					t.Errorf("postpone: %v", err)
				}
				if won {
					moved.Add(1)
				}
			})
		}
		wg.Wait()
		equal(t, "moved", moved.Load(), 1)
		noErr(t, "posted", r.PostedApproval(ctx, "a1", bot.Ref{Messages: []string{"m"}}, soon))
		if due, err = r.DueApprovals(ctx, 10); err != nil || len(due) != 0 {
			t.Errorf("due %+v, %v", due, err)
		}
		if won, err := r.PostponeApproval(ctx, "closed", past, soon); won || err != nil {
			t.Errorf("a closed one was moved: %v, %v", won, err)
		}
	},
	"those_of_a_run_are_listed_whatever_became_of_them": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		l := ask(t, r, "a1", time.Now().Add(time.Hour))
		noErr(t, "create", r.CreateApproval(ctx, l, bot.Approval{ID: "a2", Run: "run1", Created: time.Now().Add(time.Hour)}))
		noErr(t, "create", r.CreateApproval(ctx, l, bot.Approval{ID: "other", Run: "run2"}))
		noErr(t, "close", r.CloseApproval(ctx, "a1", bot.ApprovalExpired, nil))
		list, err := r.RunApprovals(ctx, threadA.Key(), "run1", 10)
		noErr(t, "approvals of a run", err)
		if len(list) != 2 || list[0].ID != "a1" || list[0].State != bot.ApprovalExpired || list[1].ID != "a2" {
			t.Errorf("approvals %+v", list)
		}
	},
	"what_waits_ends_with_its_item": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		l := ask(t, r, "a1", time.Now().Add(time.Hour))
		for _, id := range []string{"a2", "decided", "expired"} {
			noErr(t, "create", r.CreateApproval(ctx, l, bot.Approval{ID: id, Run: "run1", Expires: time.Now().Add(time.Hour)}))
		}
		_, err := r.Decide(ctx, bot.Vote{Approval: "decided", By: "U1", Decision: json.RawMessage(`"yes"`)})
		noErr(t, "decide", err)
		noErr(t, "close", r.CloseApproval(ctx, "expired", bot.ApprovalExpired, nil))
		stale := l
		stale.Token--
		out := bot.Outcome{Withdraw: []string{"a1", "decided", "expired", "none"}}
		wantErr(t, "finish under another lease", r.Finish(ctx, stale, "none", out), bot.ErrFenced)
		state := func(want map[string]bot.ApprovalState) {
			t.Helper()
			for id, s := range want {
				a, err := r.ApprovalByID(ctx, id)
				noErr(t, "approval", err)
				equal(t, "state of "+id, a.State, s)
			}
		}
		state(map[string]bot.ApprovalState{"a1": bot.ApprovalPending})
		finish(t, r, l, next(t, r, l).ID, out)
		state(map[string]bot.ApprovalState{
			"a1": bot.ApprovalRevoked, "a2": bot.ApprovalPending, "decided": bot.ApprovalDecided, "expired": bot.ApprovalExpired,
		})
	},
	"closing_is_final": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		ask(t, r, "a1", time.Now().Add(time.Hour))
		noErr(t, "close", r.CloseApproval(ctx, "a1", bot.ApprovalRevoked, nil))
		noErr(t, "close again", r.CloseApproval(ctx, "a1", bot.ApprovalRevoked, nil))
		wantErr(t, "close otherwise", r.CloseApproval(ctx, "a1", bot.ApprovalExpired, nil), bot.ErrDecided)
		got, err := r.Decide(ctx, bot.Vote{Approval: "a1", By: "U1", Decision: json.RawMessage(`"yes"`)})
		wantErr(t, "decide", err, bot.ErrDecided)
		equal(t, "state", got.State, bot.ApprovalRevoked)
		wantErr(t, "close nothing", r.CloseApproval(ctx, "none", bot.ApprovalExpired, nil), bot.ErrNotFound)
		if err := r.CloseApproval(ctx, "a1", bot.ApprovalPending, nil); err == nil {
			t.Error("a closed approval was opened again")
		}
	},
	"pending_ones_are_listed_oldest_first": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		l := ask(t, r, "a1", time.Now().Add(time.Hour))
		for i, id := range []string{"a2", "a3"} {
			noErr(t, "create", r.CreateApproval(ctx, l, bot.Approval{ID: id, Created: time.Now().Add(time.Duration(i-3) * time.Hour), Expires: time.Now().Add(time.Hour)}))
		}
		noErr(t, "close", r.CloseApproval(ctx, "a2", bot.ApprovalExpired, nil))
		shown := func(what string, list []bot.Approval, err error, want ...string) {
			t.Helper()
			noErr(t, what, err)
			var got []string
			for _, a := range list {
				got = append(got, a.ID)
			}
			if !slices.Equal(got, want) {
				t.Errorf("pending in %s: %q, want %q", what, got, want)
			}
		}
		list, err := r.PendingApprovals(ctx, threadA.Key(), 10)
		shown("the thread", list, err, "a3", "a1")
		list, err = r.PendingApprovals(ctx, threadB.Key(), 10)
		shown("another thread", list, err)
		list, err = r.TeamApprovals(ctx, threadA.TeamKey(), bot.Approval{}, 10)
		shown("the workspace", list, err, "a3", "a1")
		list, err = r.TeamApprovals(ctx, threadA.TeamKey(), bot.Approval{}, 1)
		shown("the workspace, one", list, err, "a3")
		for _, team := range []string{"slack/T", "slack/T11", "discord/T1"} {
			list, err = r.TeamApprovals(ctx, team, bot.Approval{}, 10)
			shown(team, list, err)
		}
	},
	"those_of_a_workspace_are_listed_one_after_another": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		l, _ := working(t, r)
		asked := time.Now().Add(-time.Hour)
		for _, id := range []string{"a1", "a2", "a3"} { // of one moment
			noErr(t, "create", r.CreateApproval(ctx, l, bot.Approval{ID: id, Created: asked, Expires: time.Now().Add(time.Hour)}))
		}
		noErr(t, "create", r.CreateApproval(ctx, l, bot.Approval{ID: "a0", Created: asked.Add(time.Minute), Expires: time.Now().Add(time.Hour)}))
		var last bot.Approval
		for _, want := range []string{"a1", "a2", "a3", "a0"} {
			list, err := r.TeamApprovals(ctx, threadA.TeamKey(), last, 1)
			noErr(t, "next of the workspace", err)
			if len(list) != 1 || list[0].ID != want {
				t.Fatalf("after %q: %+v, want %s", last.ID, list, want)
			}
			last = list[0]
			noErr(t, "close", r.CloseApproval(ctx, last.ID, bot.ApprovalExpired, nil)) // it is a mark still
		}
		if list, err := r.TeamApprovals(ctx, threadA.TeamKey(), last, 1); err != nil || len(list) != 0 {
			t.Errorf("after the last: %+v, %v", list, err)
		}
	},
	"an_item_says_unasked_only_where_nothing_waits": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		put := func(id string) bot.Item {
			t.Helper()
			_, err := r.Put(ctx, bot.Item{ID: id, Thread: threadA.Key(), Kind: bot.ItemMessage, Order: id, Body: json.RawMessage(`{}`)})
			noErr(t, "put", err)
			l, it, _, err := r.Take(ctx, threadA.Key(), "taker", time.Minute)
			noErr(t, "take", err)
			if it.ID == "" { // a store may leave it to Next
				it, _, err = r.Next(ctx, l)
				noErr(t, "next", err)
			}
			equal(t, "item", it.ID, id)
			noErr(t, "finish", r.Finish(ctx, l, id, bot.Outcome{}))
			noErr(t, "release", r.Release(ctx, l))
			return it
		}
		l := ask(t, r, "a1", time.Now().Add(time.Hour))
		noErr(t, "release", r.Release(ctx, l))
		if put("i1").Unasked {
			t.Error("an item is handed out as unasked while a question waits")
		}
		noErr(t, "close", r.CloseApproval(ctx, "a1", bot.ApprovalRevoked, nil))
		if !put("i2").Unasked {
			t.Error("an item is not handed out as unasked though nothing waits")
		}
	},
	"many_clicks_at_once_are_one_decision": func(t *testing.T, r bot.Record) {
		ask(t, r, "a1", time.Now().Add(time.Hour))
		var mu sync.Mutex
		var won []string
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				by := []string{"U1", "U2"}[i%2]
				got, err := r.Decide(t.Context(), bot.Vote{
					Approval: "a1", By: by, Decision: json.RawMessage(`"yes"`),
					Follow: &bot.Item{ID: "resume/a1", Thread: threadA.Key(), Kind: bot.ItemResume},
				})
				switch {
				case err == nil:
					mu.Lock()
					won = append(won, got.By)
					mu.Unlock()
				case !errors.Is(err, bot.ErrDecided) || got.State != bot.ApprovalDecided:
					t.Errorf("loser got %v, %s", err, got.State)
				}
			})
		}
		wg.Wait()
		equal(t, "winners", len(won), 1)
		got, err := r.ApprovalByID(t.Context(), "a1")
		noErr(t, "approval", err)
		equal(t, "who won", got.By, won[0])
		n, _, err := r.Pending(t.Context(), "")
		noErr(t, "pending", err)
		equal(t, "pending items", n, 2)
	},
}
