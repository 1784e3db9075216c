package memtest

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
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
		_, err := r.Decide(t.Context(), "a1", "U1", json.RawMessage(`"yes"`), nil)
		noErr(t, "decide", err)
		noErr(t, "create again", r.CreateApproval(t.Context(), l, bot.Approval{ID: "a1", Expires: time.Now().Add(time.Hour)}))
		got, err := r.ApprovalByID(t.Context(), "a1")
		noErr(t, "approval", err)
		equal(t, "state", got.State, bot.ApprovalDecided)
	},
	"the_message_that_carries_it_is_kept": func(t *testing.T, r bot.Record) {
		ask(t, r, "a1", time.Now().Add(time.Hour))
		noErr(t, "posted", r.PostedApproval(t.Context(), "a1", bot.Ref{Thread: threadA, Messages: []string{"m7"}}))
		got, err := r.ApprovalByID(t.Context(), "a1")
		noErr(t, "approval", err)
		if !slices.Equal(got.Ref.Messages, []string{"m7"}) {
			t.Errorf("ref %+v", got.Ref)
		}
		wantErr(t, "posted", r.PostedApproval(t.Context(), "none", bot.Ref{}), bot.ErrNotFound)
	},
	"a_decision_is_committed_with_what_follows": func(t *testing.T, r bot.Record) {
		l := ask(t, r, "a1", time.Now().Add(time.Hour))
		follow := bot.Item{ID: "resume/a1", Thread: threadA.Key(), Kind: bot.ItemResume, Order: "300", Body: json.RawMessage(`{"a":1}`)}
		got, err := r.Decide(t.Context(), "a1", "U2", json.RawMessage(`{"accept":true}`), &follow)
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
		_, err := r.Decide(t.Context(), "a1", "U2", nil, &bot.Item{ID: "resume/a1", Thread: threadA.Key(), Kind: bot.ItemResume})
		noErr(t, "decide", err)
		equal(t, "claimed", claim(t, r, "").Thread, threadA.Key())
	},
	"the_second_decision_loses_and_sees_the_first": func(t *testing.T, r bot.Record) {
		ask(t, r, "a1", time.Now().Add(time.Hour))
		_, err := r.Decide(t.Context(), "a1", "U1", json.RawMessage(`"yes"`), nil)
		noErr(t, "decide", err)
		got, err := r.Decide(t.Context(), "a1", "U2", json.RawMessage(`"no"`), &bot.Item{ID: "late", Thread: threadA.Key()})
		wantErr(t, "decide again", err, bot.ErrDecided)
		if got.By != "U1" || string(got.Decision) != `"yes"` {
			t.Errorf("approval %+v", got)
		}
		n, _, err := r.Pending(t.Context())
		noErr(t, "pending", err)
		equal(t, "pending", n, 1)
		_, err = r.Decide(t.Context(), "none", "U1", nil, nil)
		wantErr(t, "decide nothing", err, bot.ErrNotFound)
	},
	"a_decision_after_its_time_expires_it": func(t *testing.T, r bot.Record) {
		ask(t, r, "a1", time.Now().Add(-time.Minute))
		got, err := r.Decide(t.Context(), "a1", "U1", json.RawMessage(`"yes"`), &bot.Item{ID: "late", Thread: threadA.Key()})
		wantErr(t, "decide", err, bot.ErrDecided)
		equal(t, "state", got.State, bot.ApprovalExpired)
		stored, err := r.ApprovalByID(t.Context(), "a1")
		noErr(t, "approval", err)
		equal(t, "stored state", stored.State, bot.ApprovalExpired)
		if stored.By != "" || stored.Decision != nil {
			t.Errorf("approval %+v", stored)
		}
		n, _, err := r.Pending(t.Context())
		noErr(t, "pending", err)
		equal(t, "pending", n, 1)
	},
	"closing_is_final": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		ask(t, r, "a1", time.Now().Add(time.Hour))
		noErr(t, "close", r.CloseApproval(ctx, "a1", bot.ApprovalRevoked))
		noErr(t, "close again", r.CloseApproval(ctx, "a1", bot.ApprovalRevoked))
		wantErr(t, "close otherwise", r.CloseApproval(ctx, "a1", bot.ApprovalExpired), bot.ErrDecided)
		got, err := r.Decide(ctx, "a1", "U1", json.RawMessage(`"yes"`), nil)
		wantErr(t, "decide", err, bot.ErrDecided)
		equal(t, "state", got.State, bot.ApprovalRevoked)
		wantErr(t, "close nothing", r.CloseApproval(ctx, "none", bot.ApprovalExpired), bot.ErrNotFound)
		if err := r.CloseApproval(ctx, "a1", bot.ApprovalPending); err == nil {
			t.Error("a closed approval was opened again")
		}
	},
	"pending_ones_are_listed_oldest_first": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		l := ask(t, r, "a1", time.Now().Add(time.Hour))
		for i, id := range []string{"a2", "a3"} {
			noErr(t, "create", r.CreateApproval(ctx, l, bot.Approval{ID: id, Created: time.Now().Add(time.Duration(i-3) * time.Hour), Expires: time.Now().Add(time.Hour)}))
		}
		noErr(t, "close", r.CloseApproval(ctx, "a2", bot.ApprovalExpired))
		for thread, want := range map[string][]string{"": {"a3", "a1"}, threadA.Key(): {"a3", "a1"}, threadB.Key(): nil} {
			list, err := r.PendingApprovals(ctx, thread, 10)
			noErr(t, "pending approvals", err)
			var got []string
			for _, a := range list {
				got = append(got, a.ID)
			}
			if !slices.Equal(got, want) {
				t.Errorf("pending in %q: %q, want %q", thread, got, want)
			}
		}
	},
	"fifty_clicks_at_once_are_one_decision": func(t *testing.T, r bot.Record) {
		ask(t, r, "a1", time.Now().Add(time.Hour))
		var mu sync.Mutex
		var won []string
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				by := []string{"U1", "U2"}[i%2]
				got, err := r.Decide(t.Context(), "a1", by, json.RawMessage(`"yes"`), &bot.Item{ID: "resume/a1", Thread: threadA.Key(), Kind: bot.ItemResume})
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
		n, _, err := r.Pending(t.Context())
		noErr(t, "pending", err)
		equal(t, "pending items", n, 2)
	},
}
