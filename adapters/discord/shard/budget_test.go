package shard

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"maru/adapters/discord/task"
)

// noNotes keeps nothing.
type noNotes struct{}

func (noNotes) Note(context.Context, string) (string, error)  { return "", nil }
func (noNotes) SetNote(context.Context, string, string) error { return nil }
func (noNotes) SwapNote(context.Context, string, string, string) (bool, error) {
	return true, nil
}

// budgetAt returns a budget that no other process shares, with the clock of a test.
func budgetAt(now func() time.Time, owners Owners) *budget {
	log := slog.New(slog.DiscardHandler)
	return newBudget(Config{Token: "t", Owners: owners, Notes: noNotes{}, Tasks: task.New(log), Log: log, Now: now})
}

func TestCrashLoopDoesNotBurnIdentifies(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	b := budgetAt(func() time.Time { return now }, nil)
	var g Info
	var all []time.Time
	end := now.Add(24 * time.Hour)
	for now.Before(end) { // started again at once, for a day
		var spent []begun
		for _, s := range all {
			if now.Sub(s) < time.Hour {
				spent = append(spent, begun{At: s.UnixMilli()})
			}
		}
		b.turns = map[int]time.Time{} // a new process
		if d := max(b.identifyPause(spent), b.takeTurn(spent, g, 0)); d > 0 {
			now = now.Add(d)
			continue
		}
		all = append(all, now)
		now = now.Add(100 * time.Millisecond)
	}
	if len(all) > 24*maxIdentifies+1 {
		t.Errorf("%d identifies in a day", len(all))
	}
	for i := range all {
		if i > 0 && all[i].Sub(all[i-1]) < turn {
			t.Fatalf("identify %d comes %s after the one before", i, all[i].Sub(all[i-1]))
		}
		if i >= maxIdentifies && all[i].Sub(all[i-maxIdentifies]) < time.Hour {
			t.Fatalf("more than %d identifies within an hour", maxIdentifies)
		}
	}
	t.Logf("%d identifies in a day of crashes, Discord takes 1000", len(all))
}

func TestTheDaysLastSessionsAreSpread(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	b := budgetAt(func() time.Time { return now }, nil)
	spent := []begun{{At: now.UnixMilli()}}
	for name, c := range map[string]struct {
		limit string
		spent []begun
		want  time.Duration
	}{
		"plenty":       {`{"total":1000,"remaining":900,"reset_after":3600000}`, spent, 0},
		"a_tenth_left": {`{"total":1000,"remaining":99,"reset_after":6000000}`, spent, time.Minute},
		"first_of_all": {`{"total":1000,"remaining":99,"reset_after":6000000}`, nil, 0},
		"none_left":    {`{"total":1000,"remaining":0,"reset_after":3600000}`, nil, time.Hour},
		"not_told":     {`null`, spent, 0},
	} {
		var g Info
		if err := json.Unmarshal([]byte(`{"session_start_limit":`+c.limit+`}`), &g); err != nil {
			t.Fatal(err)
		}
		if got := b.dayPause(c.spent, g); got != c.want {
			t.Errorf("%s: waits %s, want %s", name, got, c.want)
		}
	}
}

func TestShardsOfOneBucketTakeTurns(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	b := budgetAt(func() time.Time { return now }, nil)
	var g Info
	if err := json.Unmarshal([]byte(`{"session_start_limit":{"max_concurrency":2}}`), &g); err != nil {
		t.Fatal(err)
	}
	spent := []begun{{At: now.UnixMilli(), Shard: 0}} // by an earlier process
	for shard, want := range []time.Duration{turn, 0, turn, turn} {
		if got := b.takeTurn(spent, g, shard); got != want {
			t.Errorf("shard %d waits %s, want %s", shard, got, want)
		}
	}
	// What an identify lost on its way to Discord is waited for too.
	now = now.Add(2 * time.Second)
	b.tookTurn(t.Context(), 1)
	for shard, want := range []time.Duration{turn - 2*time.Second, turn, turn - 2*time.Second, turn} {
		if got := b.takeTurn(spent, g, shard); got != want {
			t.Errorf("shard %d waits %s after READY, want %s", shard, got, want)
		}
	}
}

func TestATurnLastsUntilTheIdentifyIsSent(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	b := budgetAt(func() time.Time { return now }, nil)
	var g Info
	wants := func(when string, shard int, want time.Duration) {
		t.Helper()
		if got := b.takeTurn(nil, g, shard); got != want {
			t.Errorf("%s: shard %d waits %s, want %s", when, shard, got, want)
		}
	}
	wants("at first", 0, 0)
	now = now.Add(turn + time.Second)
	wants("while the first still connects", 1, turnPoll)
	wants("when the first tries again", 0, 0)
	now = now.Add(turn)
	if err := b.spendIdentify(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	wants("just after the first's identify", 1, turn)
	now = now.Add(turn)
	wants("a turn after it", 1, 0)
	now = now.Add(dialFor)
	wants("when the second has come to nothing", 2, 0)
}

// oneDeed is a record in which replicas own things, with the clock of a test.
type oneDeed struct {
	Owners
	now   func() time.Time
	until map[string]time.Time
}

func (o *oneDeed) Own(_ context.Context, name, _ string, ttl time.Duration) (bool, error) {
	if o.until[name].After(o.now()) {
		return false, nil
	}
	o.until[name] = o.now().Add(ttl)
	return true, nil
}

func TestReplicasTakeTurns(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	shared := &oneDeed{now: clock, until: map[string]time.Time{}}
	begin := func(b *budget, shard int) time.Duration {
		t.Helper()
		var g Info
		if d := b.takeTurn(nil, g, shard); d > 0 {
			return d
		}
		d, err := b.shareTurn(t.Context(), shard, g.concurrency())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	replicas := []*budget{budgetAt(clock, shared), budgetAt(clock, shared)}
	for i, want := range []time.Duration{0, turnPoll} {
		if got := begin(replicas[i], i); got != want {
			t.Errorf("replica %d waits %s, want %s", i, got, want)
		}
	}
	now = now.Add(turn) // who waited did not count as having begun
	if got := begin(replicas[1], 1); got != 0 {
		t.Errorf("the second waits %s when its turn has come", got)
	}
	if got := begin(replicas[1], 2); got != turn {
		t.Errorf("its next session waits %s, want %s", got, turn)
	}
}
