package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"maru/agent/graph"
	"maru/agent/graph/graphtest"
	"maru/bot"
	"maru/memory/memtest/servers"
	"maru/memory/redisstore"
)

// until calls do again until it is true.
func until(t *testing.T, what string, do func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for !do() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s did not happen", what)
		}
	}
}

// Faults of a server of this test's own: whatever it is, calls become errors
// that cost little, then none is made, and when it is over the store works
// again by itself.
func TestRedisThatFailsIsLeftAloneAndUsedAgain(t *testing.T) {
	t.Parallel()
	faults := map[string]struct {
		begin, end func(*servers.Server, *redis.Client)
	}{
		"killed": {
			func(s *servers.Server, _ *redis.Client) { s.Stop() },
			func(s *servers.Server, _ *redis.Client) { s.Start() },
		},
		"frozen": {
			func(s *servers.Server, _ *redis.Client) { s.Freeze() },
			func(s *servers.Server, _ *redis.Client) { s.Thaw() },
		},
		"out_of_memory": {
			func(_ *servers.Server, c *redis.Client) { c.ConfigSet(context.Background(), "maxmemory", "1") },
			func(_ *servers.Server, c *redis.Client) { c.ConfigSet(context.Background(), "maxmemory", "0") },
		},
		"read_only": {
			func(_ *servers.Server, c *redis.Client) { c.ReplicaOf(context.Background(), "127.0.0.1", "1") },
			func(_ *servers.Server, c *redis.Client) { c.ReplicaOf(context.Background(), "no", "one") },
		},
	}
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := servers.StartRedis(t)
			s, raw, _ := openAt(t, srv.URL, 200*time.Millisecond)
			hot := s.Hot()
			put := func(seq int64) error {
				return hot.Put(t.Context(), "thread", 0, seq, map[string]jsonRaw{"messages": jsonRaw(`["안녕"]`)}, true)
			}
			until(t, "the first put", func() bool { return put(1) == nil })
			f.begin(srv, raw)
			until(t, "going without it", func() bool { return errors.Is(put(2), redisstore.ErrAway) })
			if _, err := s.Allow(t.Context(), "b", bot.Rate{PerSecond: 0.001, Burst: 1}, 1); err != nil {
				t.Errorf("a limit fails with Redis: %v", err)
			}
			if wait, err := s.Allow(t.Context(), "b", bot.Rate{PerSecond: 0.001, Burst: 1}, 1); err != nil || wait == 0 {
				t.Errorf("no limit holds without Redis: %v, %v", wait, err)
			}
			f.end(srv, raw)
			until(t, "using it again", func() bool { return put(3) == nil })
			state, seq, ok, err := hot.Get(t.Context(), "thread")
			if err != nil || !ok || seq != 3 || string(state["messages"]) != `["안녕"]` {
				t.Errorf("state %s at %d, %v, %v", state, seq, ok, err)
			}
		})
	}
}

// Calls that a pause fails together are one failure: Redis is used as soon as the pause is over.
func TestAPauseIsNotThreeFailures(t *testing.T) {
	t.Parallel()
	srv := servers.StartRedis(t)
	s, _, _ := openAt(t, srv.URL, time.Second)
	put := func(thread string) error {
		return s.Hot().Put(t.Context(), thread, 0, 1, map[string]jsonRaw{"messages": jsonRaw(`[]`)}, true)
	}
	until(t, "the first put", func() bool { return put("first") == nil })
	srv.Freeze()
	var calls sync.WaitGroup
	var failed atomic.Int64
	start := make(chan struct{})
	for i := range 64 {
		calls.Go(func() {
			<-start
			if err := put(fmt.Sprint(i)); err != nil && !errors.Is(err, redisstore.ErrAway) {
				failed.Add(1)
			}
		})
	}
	close(start)
	calls.Wait()
	srv.Thaw()
	if n := failed.Load(); n != 64 {
		t.Errorf("%d of 64 calls were made and failed", n)
	}
	if err := put("next"); errors.Is(err, redisstore.ErrAway) {
		t.Errorf("after one pause: %v", err)
	}
}

// A store whose Redis is not there yet opens, and works once it is.
func TestRedisThatComesLater(t *testing.T) {
	t.Parallel()
	srv := servers.StartRedis(t)
	srv.Stop()
	s, _, _ := openAt(t, srv.URL, 200*time.Millisecond)
	if err := s.Ping(t.Context()); err == nil {
		t.Error("a Redis that is away answers")
	}
	if _, _, ok, err := s.Hot().Get(t.Context(), "thread"); ok || err == nil {
		t.Errorf("get: %v, %v; want an error", ok, err)
	}
	srv.Start()
	until(t, "the first put", func() bool { return s.Hot().Put(t.Context(), "thread", 0, 1, nil, true) == nil })
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// FLUSHALL in mid-conversation empties keys and scripts; the next whole state is
// taken, and changes to what is gone are refused.
func TestFlushedRedisTakesTheWholeStateAgain(t *testing.T) {
	t.Parallel()
	srv := servers.StartRedis(t)
	s, raw, _ := openAt(t, srv.URL, 5*time.Second)
	ctx := t.Context()
	hot := s.Hot()
	state := map[string]jsonRaw{"messages": jsonRaw(`[1]`), "summaries": jsonRaw(`[]`)}
	if err := hot.Put(ctx, "thread", 0, 4, state, true); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(raw.FlushAll(ctx).Err(), raw.ScriptFlush(ctx).Err()); err != nil {
		t.Fatal(err)
	}
	if _, _, ok, err := hot.Get(ctx, "thread"); ok || err != nil {
		t.Errorf("get: %v, %v; want nothing", ok, err)
	}
	if err := hot.Put(ctx, "thread", 4, 5, state, false); !errors.Is(err, graph.ErrConflict) {
		t.Errorf("put of a change: %v, want ErrConflict", err)
	}
	if err := hot.Put(ctx, "thread", 4, 5, state, true); err != nil {
		t.Errorf("put of the whole: %v", err)
	}
	if _, seq, ok, err := hot.Get(ctx, "thread"); !ok || seq != 5 || err != nil {
		t.Errorf("get: %d, %v, %v; want the state at 5", seq, ok, err)
	}
}

// A key of somebody else's in the place of a state is no state.
func TestForeignValueIsNoState(t *testing.T) {
	t.Parallel()
	s, raw, prefix := open(t)
	for name, set := range map[string]func(key string) error{
		"string":  func(key string) error { return raw.Set(t.Context(), key, "x", time.Minute).Err() },
		"strange": func(key string) error { return raw.HSet(t.Context(), key, "@seq", "many").Err() },
	} {
		if err := set(prefix + "hot:{" + name + "}"); err != nil {
			t.Fatal(err)
		}
		if _, _, ok, _ := s.Hot().Get(t.Context(), name); ok {
			t.Errorf("%s: it is there", name)
		}
	}
}

// A conversation goes on as if nothing had happened while its Redis is flushed,
// killed and frozen between the turns.
func TestEngineGoesOnWhateverHappensToTheCopy(t *testing.T) {
	t.Parallel()
	srv := servers.StartRedis(t)
	s, raw, _ := openAt(t, srv.URL, 100*time.Millisecond)
	chat, log := graphtest.NewChat(), graph.NewMemory()
	// A runtime of its own for every turn, as if each came to another replica.
	replica := func() *graph.Runtime {
		return graph.NewRuntime(graph.Config{Checkpointer: log, Hot: s.Hot()})
	}
	happens := map[int]func(){
		2: func() { raw.FlushAll(t.Context()) },
		4: srv.Freeze,
		6: srv.Thaw,
		8: srv.Stop,
		9: srv.Start,
	}
	const turns = 12
	for turn := range turns {
		if do := happens[turn]; do != nil {
			do()
		}
		if err := chat.Turn(t.Context(), replica(), "thread", turn); err != nil {
			t.Fatalf("turn %d: %v", turn, err)
		}
	}
	// Redis is there again: the next turns bring the copy up to date.
	next := turns
	until(t, "the copy at the log's head", func() bool {
		if err := chat.Turn(t.Context(), replica(), "thread", next); err != nil {
			t.Fatal(err)
		}
		next++
		head, err := log.Head(t.Context(), "thread", "")
		_, seq, ok, _ := s.Hot().Get(t.Context(), "thread")
		return err == nil && ok && seq == head
	})
	res, err := replica().Peek(t.Context(), chat.Plan, "thread")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(chat.Messages.Get(res.State)); n != 2*next {
		t.Errorf("%d messages after %d turns", n, next)
	}
}

// TestDropWaitsForABusyRedis: state may be read elsewhere, but a person who is to be forgotten waits for its removal.
func TestDropWaitsForABusyRedis(t *testing.T) {
	t.Parallel()
	s, _, _ := openAt(t, servers.Redis(t), time.Nanosecond)
	if _, _, _, err := s.Hot().Get(t.Context(), "thread"); err == nil {
		t.Error("read within a nanosecond")
	}
	if err := s.Hot().Drop(t.Context(), "thread"); err != nil {
		t.Error(err)
	}
}

// Not parallel: nothing else may run while goroutines are counted.
func TestCloseLeavesNothingBehind(t *testing.T) {
	srv := servers.StartRedis(t)
	before := goleak.IgnoreCurrent()
	s, err := redisstore.Open(t.Context(), redisstore.Config{URL: srv.URL, Timeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	events, err := s.Events().Subscribe(ctx, "thread")
	if err != nil {
		t.Fatal(err)
	}
	srv.Stop()
	for range 5 { // it is looked for when the store closes
		_ = s.Hot().Drop(ctx, "thread")
	}
	cancel()
	for range events {
		t.Error("an event of nobody's")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	goleak.VerifyNone(t, before)
}
