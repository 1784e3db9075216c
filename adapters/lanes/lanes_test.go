package lanes_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"maru/adapters/lanes"
)

// event is the n-th of its place.
type event struct {
	place string
	n     int
}

// taker runs lanes until the test ends and notes what it took. Takes wait for gate, if
// there is one for their place.
type taker struct {
	mu    sync.Mutex
	taken []event
	gate  map[string]chan struct{}
	began chan event
}

func run(t testing.TB, l *lanes.Lanes[event], gate map[string]chan struct{}) *taker {
	t.Helper()
	k := &taker{gate: gate, began: make(chan event, 1000)}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { l.Run(ctx, k.take) })
	t.Cleanup(func() { cancel(); running.Wait() })
	return k
}

func (k *taker) take(ctx context.Context, e event) {
	k.began <- e
	if gate := k.gate[e.place]; gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.taken = append(k.taken, e)
}

func (k *taker) of(place string) []int {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []int
	for _, e := range k.taken {
		if e.place == place {
			out = append(out, e.n)
		}
	}
	return out
}

func roomy() lanes.Config[event] { return lanes.Config[event]{Depth: 100, Total: 10_000, AtOnce: 1000} }

func TestAPlaceThatWaitsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	l := lanes.New(roomy())
	gate := make(chan struct{})
	k := run(t, l, map[string]chan struct{}{"held": gate})
	l.Push("held", event{"held", 1})
	l.Push("held", event{"held", 2})
	<-k.began
	const others = 500
	for i := range others {
		place := strconv.Itoa(i)
		l.Push(place, event{place, 1})
	}
	for range others {
		<-k.began
	}
	if l.Idle() || k.of("held") != nil {
		t.Error("the held place is done")
	}
	close(gate)
	l.Drain()
	if got := k.of("held"); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("held: %v", got)
	}
}

func TestNoMoreAtOnceThanAllowed(t *testing.T) {
	t.Parallel()
	cfg := roomy()
	cfg.AtOnce = 2
	l := lanes.New(cfg)
	gate := make(chan struct{})
	k := run(t, l, map[string]chan struct{}{"a": gate, "b": gate})
	for _, place := range []string{"a", "b", "c"} {
		l.Push(place, event{place, 1})
	}
	first := []string{(<-k.began).place, (<-k.began).place}
	if slices.Contains(first, "c") {
		t.Fatalf("began with %v", first)
	}
	gate <- struct{}{} // one of the two ends, and its place has nothing more to do
	if e := <-k.began; e.place != "c" {
		t.Errorf("then %v", e)
	}
	close(gate)
	l.Drain()
}

func TestAsideMakesRoomForAnother(t *testing.T) {
	t.Parallel()
	cfg := roomy()
	cfg.AtOnce = 1
	l := lanes.New(cfg)
	order := make(chan string, 3)
	other := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go l.Run(ctx, func(_ context.Context, e event) {
		if e.place == "waits" {
			l.Aside(func() { <-other })
		} else {
			close(other)
		}
		order <- e.place
	})
	l.Push("waits", event{"waits", 1})
	l.Push("other", event{"other", 1})
	<-order
	<-order
	l.Drain()
}

func TestWhatFindsNoRoom(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		depth, total int
		lost         bool
		places       []string // pushed to in turn before anybody takes
		accepted     []bool
		taken        map[string][]int // -n is what stands for the lost from n on
	}{
		"a_place_is_full":     {2, 9, false, []string{"a", "a", "a", "b"}, []bool{true, true, false, true}, map[string][]int{"a": {0, 1}, "b": {3}}},
		"all_is_full":         {9, 2, false, []string{"a", "b", "a", "c"}, []bool{true, true, false, false}, map[string][]int{"a": {0}, "b": {1}}},
		"a_place_loses":       {1, 9, true, []string{"a", "a", "a", "b"}, []bool{true, true, true, true}, map[string][]int{"a": {0, -1}, "b": {3}}},
		"a_new_place_loses":   {9, 1, true, []string{"a", "b", "b"}, []bool{true, true, true}, map[string][]int{"a": {0}, "b": {-1}}},
		"nothing_was_refused": {9, 9, true, []string{"a", "a"}, []bool{true, true}, map[string][]int{"a": {0, 1}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := lanes.Config[event]{Depth: tt.depth, Total: tt.total, AtOnce: 4}
			if tt.lost {
				cfg.Lost = func(e event) event { return event{e.place, -e.n} }
			}
			l := lanes.New(cfg)
			for n, place := range tt.places {
				if got := l.Push(place, event{place, n}); got != tt.accepted[n] {
					t.Errorf("push %d to %s: %t", n, place, got)
				}
			}
			k := run(t, l, nil)
			l.Drain()
			for place, want := range tt.taken {
				if got := k.of(place); !slices.Equal(got, want) {
					t.Errorf("%s: %v, want %v", place, got, want)
				}
			}
			if n := len(k.taken); n != len(slices.Concat(slices.Collect(maps.Values(tt.taken))...)) {
				t.Errorf("%d taken: %v", n, k.taken)
			}
			if !l.Push("a", event{"a", 99}) {
				t.Error("no room when all is done")
			}
			l.Drain()
		})
	}
}

func TestPutWaitsForRoom(t *testing.T) {
	t.Parallel()
	cfg := roomy()
	cfg.Depth = 1
	l := lanes.New(cfg)
	gate := make(chan struct{})
	k := run(t, l, map[string]chan struct{}{"a": gate})
	l.Push("a", event{"a", 1})
	<-k.began // taken: the queue is empty
	l.Push("a", event{"a", 2})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if l.Put(ended, "a", event{"a", 3}) {
		t.Error("put into a full place")
	}
	found := make(chan bool)
	go func() { found <- l.Put(t.Context(), "a", event{"a", 4}) }()
	close(gate)
	if !<-found {
		t.Error("no room")
	}
	l.Drain()
	if got := k.of("a"); !slices.Equal(got, []int{1, 2, 4}) {
		t.Errorf("a: %v", got)
	}
}

func TestEndLeavesWhatWaits(t *testing.T) {
	t.Parallel()
	l := lanes.New(roomy())
	l.Push("a", event{"a", 1})
	l.Push("a", event{"a", 2})
	ctx, cancel := context.WithCancel(t.Context())
	var taken []int
	l.Run(ctx, func(_ context.Context, e event) {
		taken = append(taken, e.n)
		cancel()
	})
	if !slices.Equal(taken, []int{1}) || l.Idle() {
		t.Errorf("taken %v, idle %t", taken, l.Idle())
	}
	if !l.Push("b", event{"b", 1}) {
		t.Error("nothing can be pushed after the end")
	}
}

// TestOrder pushes from several goroutines, one a place, whatever the bounds: each place's
// events come in order, one at a time, and none twice.
func TestOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cfg := lanes.Config[event]{
			Depth: rapid.IntRange(1, 4).Draw(t, "depth"), Total: rapid.IntRange(1, 12).Draw(t, "total"), AtOnce: rapid.IntRange(1, 4).Draw(t, "at once"),
		}
		l := lanes.New(cfg)
		counts := rapid.SliceOfN(rapid.IntRange(0, 20), 1, 8).Draw(t, "events")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var mu sync.Mutex
		taken, inside, most, all := map[string][]int{}, map[string]int{}, 0, 0
		count := func(e event, d int) {
			mu.Lock()
			defer mu.Unlock()
			inside[e.place] += d
			all += d
			most = max(most, all)
			if inside[e.place] > 1 {
				taken["two at a time in "+e.place] = []int{e.n}
			}
			if d > 0 {
				taken[e.place] = append(taken[e.place], e.n)
			}
		}
		go l.Run(ctx, func(_ context.Context, e event) {
			count(e, 1)
			if e.n%3 == 0 {
				time.Sleep(time.Microsecond)
			}
			count(e, -1)
		})
		var pushing sync.WaitGroup
		for p, n := range counts {
			place := fmt.Sprint("p", p)
			pushing.Go(func() {
				for i := range n {
					l.Put(ctx, place, event{place, i})
				}
			})
		}
		pushing.Wait()
		l.Drain()
		mu.Lock()
		defer mu.Unlock()
		for p, n := range counts {
			place := fmt.Sprint("p", p)
			if !slices.IsSorted(taken[place]) || len(taken[place]) != n {
				t.Errorf("%s of %d: %v", place, n, taken[place])
			}
			delete(taken, place)
		}
		if len(taken) > 0 || most > cfg.AtOnce {
			t.Errorf("%v, %d at once", taken, most)
		}
	})
}
