package inbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawThread returns one of a few threads of two workspaces.
func drawThread(t *rapid.T) string {
	return fmt.Sprintf("slack/T%d/C%d/%d", rapid.IntRange(1, 2).Draw(t, "team"), rapid.IntRange(1, 3).Draw(t, "channel"), rapid.IntRange(1, 6).Draw(t, "thread"))
}

// TestQueueShares does whatever may happen to a queue: no thread is worked on twice at a time, what
// each party has is counted rightly, nobody has so much that nothing is left, and all that waits is
// taken in the end, after which nothing is kept.
func TestQueueShares(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.IntRange(1, 20).Draw(t, "workers")
		q := newQueue(workers)
		working, lent := map[string]bool{}, map[string]func(){}
		waiting := map[string]bool{}
		everLent := false // what is given back does not wait for a worker
		start := func(key string) {
			if working[key] {
				t.Fatalf("%s is worked on twice", key)
			}
			working[key] = true
		}
		of := func(at map[string]bool) string {
			return rapid.SampledFrom(slices.Sorted(maps.Keys(at))).Draw(t, "of")
		}
		end := func(key string) {
			if back := lent[key]; back != nil {
				back()
				delete(lent, key)
			}
			delete(working, key)
			q.done(key)
		}
		asker := func() string { return rapid.SampledFrom([]string{"", "U1", "U2"}).Draw(t, "asker") }
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				if want := len(working) - len(lent); q.atWork() != want {
					t.Fatalf("%d at work, want %d", q.atWork(), want)
				}
				held := map[string]int{}
				for key := range working {
					if lent[key] == nil {
						held[q.laneOf(key)]++
						held[within(key)]++
						held[within(within(key))]++
					}
				}
				if !maps.Equal(held, q.held) {
					t.Fatalf("held %v, want %v", q.held, held)
				}
				for name, n := range q.held {
					if !strings.Contains(name, "\n") && strings.Count(name, "/") > 1 && !everLent && workers > 1 && n == workers {
						t.Fatalf("%s has all %d workers", name, n)
					}
				}
			},
			"add": func(t *rapid.T) {
				key := drawThread(t)
				q.addOf(key, asker())
				waiting[key] = true
			},
			"take": func(t *rapid.T) {
				key, ok := q.take()
				if !ok {
					if len(working) == 0 && len(q.turn) > 0 {
						t.Fatalf("nobody works, and nothing of %v is taken", q.turn)
					}
					return
				}
				start(key)
				delete(waiting, key)
			},
			"begin": func(t *rapid.T) {
				if key := drawThread(t); q.begin(key) {
					start(key)
				}
			},
			"reserve": func(t *rapid.T) {
				if key := drawThread(t); q.reserve(key, asker()) {
					start(key)
				}
			},
			"lend": func(t *rapid.T) {
				if len(working) > 0 {
					key := of(working)
					if before := q.lent; lent[key] == nil {
						if back := q.lend(key); q.lent > before {
							lent[key], everLent = back, true
						}
					}
				}
			},
			"return": func(t *rapid.T) {
				for _, key := range slices.Sorted(maps.Keys(lent)) {
					lent[key]()
					delete(lent, key)
					return
				}
			},
			"done": func(t *rapid.T) {
				if len(working) > 0 {
					end(of(working))
				}
			},
		})
		for range 1000 {
			for key, ok := q.take(); ok; key, ok = q.take() {
				start(key)
				delete(waiting, key)
			}
			for key := range maps.Clone(working) {
				end(key)
			}
			if len(q.turn) == 0 && len(q.waiting) == 0 {
				break
			}
		}
		if len(q.turn)+len(q.keys)+len(q.waiting)+len(q.working)+len(q.held)+len(q.again)+len(q.asker)+q.busy+q.lent != 0 || len(waiting) != 0 {
			t.Fatalf("left: %+v, not taken: %v", q, waiting)
		}
	})
}
