package main

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"maru/memory/memtest/servers"
)

// TestOverheadWithoutAModel measures what Maru adds to a model that answers at once: from a message to its acknowledgement
// and to the model's first call, and from the model's last word to the final text. The order of these holds for every
// message, each has one final text, and the model is asked twice (its route, its answer). make bench has limits in
// milliseconds, for a machine without other load.
func TestOverheadWithoutAModel(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]func(t *testing.T) []string{
		"embedded": func(*testing.T) []string { return nil },
		"postgres_redis": func(t *testing.T) []string {
			return []string{"DATABASE_URL=" + servers.StartPostgres(t).URL, "REDIS_URL=" + servers.StartRedis(t).URL}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overhead(t, env(t)...)
		})
	}
}

func overhead(t *testing.T, env ...string) {
	var mu sync.Mutex
	var asked, ended []time.Time
	model := serveModel(t, func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		instant(w, r)
		if r.URL.Path == "/v1/chat/completions" {
			mu.Lock()
			defer mu.Unlock()
			asked, ended = append(asked, began), append(ended, time.Now())
		}
	})
	watch, in := benchBot(t, model, env...)
	const messages = 200
	var acks, calls, finals []time.Duration
	for n := range messages {
		mu.Lock()
		asked, ended = nil, nil
		mu.Unlock()
		thread := fmt.Sprintf("t%d", n/20)
		began := time.Now()
		if err := watch.send(t.Context(), in, thread, n); err != nil {
			t.Fatal(err)
		}
		acked := time.Now()
		var final time.Time
		select {
		case final = <-watch.ended(thread):
		case <-time.After(time.Minute):
			t.Fatalf("message %d has no answer", n)
		}
		mu.Lock()
		last := len(asked) - 1
		if last < 0 || asked[0].Before(began) || final.Before(asked[last]) || len(ended) != len(asked) {
			t.Errorf("message %d: asked %d times, %d answers", n, len(asked), len(ended))
		} else if n > 0 { // the first one also opens connections
			acks, calls, finals = append(acks, acked.Sub(began)), append(calls, asked[0].Sub(began)), append(finals, final.Sub(ended[last]))
		}
		mu.Unlock()
		select {
		case <-watch.ended(thread):
			t.Errorf("message %d has two answers", n)
		default:
		}
	}
	for _, f := range []struct {
		name string
		took []time.Duration
	}{{"event to acknowledgement", acks}, {"event to the model's first call", calls}, {"model's end to the final text", finals}} {
		t.Logf("%s: p50 %.1f ms, p99 %.1f ms of %d", f.name, milliseconds(f.took, 50), milliseconds(f.took, 99), len(f.took))
	}
}
