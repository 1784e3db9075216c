package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/queue"
	"maru/memory/memtest/servers"
	"maru/memory/redisstore"
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

// TestPlacesComeBackForOtherReplicas: a place that is given back is free for another replica, with the next call of the
// one that had it, without any, and when that one closes.
func TestPlacesComeBackForOtherReplicas(t *testing.T) {
	t.Parallel()
	two, _, prefix := open(t)
	one, err := redisstore.Open(t.Context(), redisstore.Config{URL: servers.Redis(t), Prefix: prefix, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	claim := func(id string) queue.Claim {
		c := queue.Claim{ID: id, Replica: id[:1], Limit: 1, Lease: time.Minute, Waits: time.Minute}
		if id == "2a" { // not within the millisecond of the next one
			c.Turn = -time.Second
		}
		return c
	}
	ask := func(s *redisstore.Store, endpoint, id string) bool {
		t.Helper()
		free, err := s.Take(t.Context(), endpoint, claim(id))
		if err != nil {
			t.Error(err)
		}
		return free
	}
	await := func(s *redisstore.Store, endpoint, id string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !ask(s, endpoint, id); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the place at %s stays taken", endpoint)
			}
		}
	}
	if !ask(one, "e", "1a") || ask(two, "e", "2a") { // the second waits in the line
		t.Fatal("want one place")
	}
	_ = one.Give(t.Context(), "e", "1a")
	if ask(one, "e", "1b") {
		t.Error("a call that came later goes before one of another replica that waits")
	}
	if !ask(two, "e", "2a") {
		t.Error("the place did not come back with the next call")
	}
	_ = one.Give(t.Context(), "e", "1b") // in the line
	_ = two.Give(t.Context(), "e", "2a")
	await(one, "e", "1c")

	if !ask(one, "f", "1d") {
		t.Fatal("want one place")
	}
	_ = one.Give(t.Context(), "f", "1d")
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if !ask(two, "f", "2b") {
		t.Error("a store that was closed keeps its place")
	}
}

// TestPlacesComeBackAfterAnOutage: a place that was given back while Redis was away keeps nobody waiting until its lease
// ends, whatever ended meanwhile.
func TestPlacesComeBackAfterAnOutage(t *testing.T) {
	t.Parallel()
	srv := servers.StartRedis(t)
	s, _, _ := openAt(t, srv.URL, 200*time.Millisecond)
	take := func(id string) bool {
		free, err := s.Take(t.Context(), "e", queue.Claim{ID: id, Replica: "r", Limit: 1, Lease: time.Hour, Waits: time.Hour})
		return free && err == nil
	}
	give := func(id string) {
		if err := s.Give(t.Context(), "e", id); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "the first place", func() bool { return take("a") })
	srv.Freeze()
	until(t, "going without Redis", func() bool {
		return errors.Is(s.Hot().Put(t.Context(), "t", 0, 1, nil, true), redisstore.ErrAway)
	})
	give("a")
	until(t, "a flush that finds no Redis", func() bool { return s.KeepsPlaces("e") })
	for i := range 5000 {
		give(fmt.Sprint(i))
	}
	srv.Thaw()
	until(t, "the place of a call that ended meanwhile", func() bool { return take("b") })
}

// TestManyPlacesComeBack: none of more calls than a list holds keeps its place until its lease ends.
func TestManyPlacesComeBack(t *testing.T) {
	t.Parallel()
	s, _, _ := open(t)
	const many = 600
	take := func(id string) bool {
		t.Helper()
		free, err := s.Take(t.Context(), "e", queue.Claim{ID: id, Replica: "1", Limit: many, Lease: time.Minute, Waits: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return free
	}
	for round := range 2 {
		for i := range many {
			id := fmt.Sprint(round, "-", i)
			for end := time.Now().Add(20 * time.Second); !take(id); time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("place %d of round %d is taken", i, round)
				}
			}
		}
		for i := range many {
			_ = s.Give(t.Context(), "e", fmt.Sprint(round, "-", i))
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
