package memtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"maru/bot"
)

var raceCases = map[string]func(*testing.T, bot.Record){
	"eleven_copies_at_once_are_one_message": func(t *testing.T, r bot.Record) {
		it := message(t, threadA, "100", "once")
		var mu sync.Mutex
		taken := 0
		var wg sync.WaitGroup
		for range 11 {
			wg.Go(func() {
				fresh, err := r.Put(t.Context(), it)
				if err != nil {
					t.Errorf("put: %v", err)
				}
				if fresh {
					mu.Lock()
					taken++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		equal(t, "taken", taken, 1)
		equal(t, "entries", len(texts(t, r, threadA.Key())), 1)
	},
	"many_claimers_of_a_thread_get_one_lease": func(t *testing.T, r bot.Record) {
		put(t, r, message(t, threadA, "100", "x"))
		var mu sync.Mutex
		leases := 0
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				_, ok, err := r.Claim(t.Context(), []string{"", threadA.Key()}[i%2], fmt.Sprint(i), long)
				if err != nil {
					t.Errorf("claim: %v", err)
				}
				if ok {
					mu.Lock()
					leases++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		equal(t, "leases", leases, 1)
	},
	"workers_finish_every_message_once_and_in_order": func(t *testing.T, r bot.Record) { Workers(t, r, 12) },
}

// crowd is a set of concurrent workers on threads.
type crowd struct {
	r    bot.Record
	want int // messages in all

	mu    sync.Mutex
	done  map[string][]string // in the order of work, by thread
	count int
	all   chan struct{} // closed when everything is done
}

// Workers runs producers that put messages into five threads while workers lease them: every message must finish once
// and in order. A store's own tests call it while they disturb the store.
func Workers(t *testing.T, r bot.Record, each int) {
	t.Helper()
	const threads, workers = 5, 4
	c := &crowd{r: r, want: threads * each, done: map[string][]string{}, all: make(chan struct{})}
	var wg sync.WaitGroup
	for n := range threads {
		wg.Go(func() {
			th := bot.Thread{Platform: "slack", Team: "T", Channel: "C", ID: fmt.Sprint(n)}
			for i := range each {
				if _, err := r.Put(t.Context(), message(t, th, fmt.Sprintf("%d-%04d", n, i), "x")); err != nil {
					t.Errorf("put: %v", err)
				}
			}
		})
	}
	for w := range workers {
		wg.Go(func() { c.keepAt(t, fmt.Sprint(w)) })
	}
	wg.Wait()
	for thread, orders := range c.done {
		if len(orders) != each || !slices.IsSorted(orders) {
			t.Errorf("%s was worked on as %q", thread, orders)
		}
		equal(t, "entries of "+thread, len(texts(t, r, thread)), 2*each)
	}
}

// keepAt has a worker look for threads until everything is done.
func (c *crowd) keepAt(t *testing.T, worker string) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-c.all:
			return
		case <-t.Context().Done():
			return
		case <-tick.C:
		}
		if err := c.work(t.Context(), worker); err != nil && !errors.Is(err, t.Context().Err()) {
			t.Errorf("worker: %v", err)
			return
		}
	}
}

// work leases a thread and finishes its items.
func (c *crowd) work(ctx context.Context, worker string) error {
	l, ok, err := c.r.Claim(ctx, "", worker, long)
	for err == nil && ok {
		var it bot.Item
		if it, ok, err = c.r.Next(ctx, l); err != nil || !ok {
			break
		}
		c.mu.Lock()
		c.done[l.Thread] = append(c.done[l.Thread], it.Order)
		c.mu.Unlock()
		entry := &bot.Entry{ID: "run/" + it.ID, Own: true, Text: "answer"}
		if err := c.r.Finish(ctx, l, it.ID, bot.Outcome{Entry: entry}); err != nil {
			return err
		}
		c.finished()
	}
	if errors.Is(err, bot.ErrFenced) {
		return nil // its Next had ended the lease when the connection was cut, and others went on
	}
	return err
}

// finished counts a message; with the last one the workers go home.
func (c *crowd) finished() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count++; c.count == c.want {
		close(c.all)
	}
}
