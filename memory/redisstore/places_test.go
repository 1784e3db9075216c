package redisstore_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/queue"
)

// TestPlacesAreSharedAndComeBack: two stores share an endpoint's places; one that is not renewed is
// free again, one that is renewed or given back is not counted twice.
func TestPlacesAreSharedAndComeBack(t *testing.T) {
	t.Parallel()
	s, _, _ := open(t)
	take := func(want bool, c queue.Claim) {
		t.Helper()
		if got, err := s.Take(t.Context(), "e", c); err != nil || got != want {
			t.Errorf("take %+v: %v, %v, want %v", c, got, err, want)
		}
	}
	give := func(id string) {
		t.Helper()
		if err := s.Give(t.Context(), "e", id); err != nil {
			t.Error(err)
		}
	}
	claim := func(id string) queue.Claim {
		return queue.Claim{ID: id, Replica: "r", Limit: 2, Lease: time.Minute, Waits: time.Minute}
	}
	a := claim("a")
	a.Lease = 300 * time.Millisecond
	take(true, a)
	take(true, claim("b"))
	take(true, claim("b")) // renewed
	take(false, claim("c"))
	give("b")
	give("b")
	take(true, claim("c"))
	for end := time.Now().Add(time.Minute); ; {
		if free, err := s.Take(t.Context(), "e", claim("d")); free || err != nil || time.Now().After(end) {
			if !free {
				t.Errorf("the place of a replica that is gone stays taken: %v", err)
			}
			break
		}
	}
	take(true, queue.Claim{ID: "e", Replica: "r", Limit: 2, Sent: true, Lease: time.Minute, Waits: time.Minute}) // in flight, whatever the line
	give("e")

	// The line: in order of turns, whoever asks; the largest limit of the replicas counts.
	older, small := claim("older"), claim("small")
	older.Turn, small.Replica, small.Limit, small.Turn = -time.Second, "s", 1, -2*time.Second
	take(false, claim("younger"))
	take(false, older)
	take(false, small)
	give("c")
	take(false, claim("younger"))
	take(false, older)
	take(true, small)
	give("d")
	give("older") // who gives up holds nobody up
	take(true, claim("younger"))

	dead := claim("dead")
	dead.Waits, dead.Turn = time.Millisecond, -time.Minute
	take(false, dead)
	give("small")
	for end := time.Now().Add(time.Minute); ; {
		if free, err := s.Take(t.Context(), "e", claim("next")); free || err != nil || time.Now().After(end) {
			if !free {
				t.Errorf("the turn of a replica that is gone holds the others up: %v", err)
			}
			return
		}
	}
}

// TestTheLimitOfAReplicaLastsAsLongAsItsCalls: a replica with long calls and nobody in the line keeps telling what the
// endpoint can do, so that another one that has learned little gets the first free place.
func TestTheLimitOfAReplicaLastsAsLongAsItsCalls(t *testing.T) {
	t.Parallel()
	s, _, _ := open(t)
	const lease = 300 * time.Millisecond
	take := func(c queue.Claim) bool {
		t.Helper()
		c.Lease, c.Waits = lease, lease
		got, err := s.Take(t.Context(), "long", c)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	calls := []string{"1", "2", "3", "4"}
	for _, id := range calls {
		if !take(queue.Claim{ID: id, Replica: "able", Limit: 4}) {
			t.Fatalf("call %s has no place", id)
		}
	}
	for end := time.Now().Add(3 * lease); time.Now().Before(end); time.Sleep(lease / 10) {
		for _, id := range calls {
			take(queue.Claim{ID: id, Replica: "able", Limit: 4, Sent: true})
		}
	}
	if err := s.Give(t.Context(), "long", "1"); err != nil {
		t.Fatal(err)
	}
	if !take(queue.Claim{ID: "5", Replica: "new", Limit: 1}) {
		t.Error("three calls of four are in flight, and one more has to wait")
	}
}

// quickModel answers at once.
type quickModel struct{ calls atomic.Int64 }

func (*quickModel) Name() string { return "quick" }

func (m *quickModel) Generate(context.Context, llm.Request, func(string)) (llm.Response, error) {
	m.calls.Add(1)
	time.Sleep(time.Millisecond) // so that calls are in flight side by side
	return llm.Response{}, nil
}

// TestNoReplicaIsStarved: a replica that has learned little of an endpoint gets its turn, although another one could use
// all places for good.
func TestNoReplicaIsStarved(t *testing.T) {
	t.Parallel()
	s, _, _ := open(t)
	endpoint := func(limit int) *queue.Endpoint {
		return queue.New(queue.Config{URL: "http://m", Limit: limit, Shared: s})
	}
	greedy, modest := &quickModel{}, &quickModel{}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	m, begun := endpoint(4).Model(greedy), make(chan struct{}, 8)
	for range 8 {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				_, _ = m.Generate(ctx, llm.Request{}, nil) // ends with ctx
				if n == 10 {
					begun <- struct{}{}
				}
			}
		})
	}
	for range 8 {
		<-begun
	}
	before := greedy.calls.Load()
	all.Go(func() {
		if _, err := endpoint(1).Model(modest).Generate(ctx, llm.Request{}, nil); err == nil {
			stop()
		}
	})
	for ctx.Err() == nil && greedy.calls.Load() < before+3000 {
		time.Sleep(time.Millisecond)
	}
	stop()
	all.Wait()
	if modest.calls.Load() != 1 {
		t.Errorf("one call was not sent while another replica sent %d", greedy.calls.Load()-before)
	}
}
