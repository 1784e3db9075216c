package memtest

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"maru/bot"
)

// The conversations of the suite. The keys of a and b differ in one letter, the
// ids in other share theirs with a in another workspace.
var (
	threadA = bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1700000000.000100"}
	threadB = bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1700000000.000101"}
	other   = bot.Thread{Platform: "slack", Team: "T2", Channel: "C1", ID: "1700000000.000100"}
)

const long = time.Minute // a lease that does not run out during a test

// message returns an item as the bot makes it.
func message(t *testing.T, th bot.Thread, id, text string) bot.Item {
	t.Helper()
	m := bot.Message{ID: id, Order: id, Thread: th, User: bot.User{ID: "U1", Name: "철수"}, Text: text, At: time.Now()}
	body, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return bot.Item{
		ID: m.Key(), Thread: th.Key(), Kind: bot.ItemMessage, Order: m.Order, Body: body,
		Entry: &bot.Entry{ID: m.Key(), Thread: th.Key(), Author: "철수", User: "U1", Text: text, At: m.At},
	}
}

func put(t *testing.T, r bot.Record, it bot.Item) {
	t.Helper()
	fresh, err := r.Put(t.Context(), it)
	if err != nil || !fresh {
		t.Fatalf("put %s: %v, %v; want it taken", it.ID, fresh, err)
	}
}

// amend changes an entry without an item.
func amend(t *testing.T, r bot.Record, thread, id, text string, deleted bool) error {
	t.Helper()
	_, err := r.Amend(t.Context(), thread, id, bot.Change{Text: text, Deleted: deleted}, nil)
	return err
}

func claim(t *testing.T, r bot.Record, thread string) bot.Lease {
	t.Helper()
	l, ok, err := r.Claim(t.Context(), thread, "worker", long)
	if err != nil || !ok {
		t.Fatalf("claim %q: %v, %v; want a lease", thread, ok, err)
	}
	return l
}

func next(t *testing.T, r bot.Record, l bot.Lease) bot.Item {
	t.Helper()
	it, ok, err := r.Next(t.Context(), l)
	if err != nil || !ok {
		t.Fatalf("next of %s: %v, %v; want an item", l.Thread, ok, err)
	}
	return it
}

func finish(t *testing.T, r bot.Record, l bot.Lease, item string, out bot.Outcome) {
	t.Helper()
	if err := r.Finish(t.Context(), l, item, out); err != nil {
		t.Fatalf("finish %s: %v", item, err)
	}
}

// working puts one message into threadA and leases the thread.
func working(t *testing.T, r bot.Record) (bot.Lease, bot.Item) {
	t.Helper()
	put(t, r, message(t, threadA, "100", "안녕"))
	l := claim(t, r, threadA.Key())
	return l, next(t, r, l)
}

// takenOver returns a lease that ran out and the one that took over.
func takenOver(t *testing.T, r bot.Record) (old, now bot.Lease) {
	t.Helper()
	put(t, r, message(t, threadA, "100", "안녕"))
	old, ok, err := r.Claim(t.Context(), threadA.Key(), "zombie", time.Millisecond)
	if err != nil || !ok {
		t.Fatalf("claim: %v, %v", ok, err)
	}
	return old, await(t, r, threadA.Key())
}

// await claims a thread as soon as its lease has run out.
func await(t *testing.T, r bot.Record, thread string) bot.Lease {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		l, ok, err := r.Claim(t.Context(), thread, "heir", long)
		if err != nil {
			t.Fatalf("claim: %v", err)
		}
		if ok {
			return l
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("the lease never ran out")
		}
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

func noErr(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// sameTime compares as exactly as stores keep times: to the microsecond.
func sameTime(t *testing.T, what string, got, want time.Time) {
	t.Helper()
	if !got.Truncate(time.Microsecond).Equal(want.Truncate(time.Microsecond)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// texts lists a thread's transcript.
func texts(t *testing.T, r bot.Record, thread string) []string {
	t.Helper()
	list, err := r.Transcript(t.Context(), thread, 100)
	noErr(t, "transcript", err)
	var out []string
	for _, e := range list {
		out = append(out, e.Text)
	}
	return out
}
