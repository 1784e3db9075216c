package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/bot"
	"maru/cmd/maru/heap"
	"maru/config"
	"maru/memory/memtest/servers"
)

// stopwatch is a platform that notes when replies appear.
type stopwatch struct {
	in    chan bot.Intake
	mu    sync.Mutex
	first map[string]time.Time
	final map[string]chan time.Time
}

func newStopwatch() *stopwatch {
	return &stopwatch{in: make(chan bot.Intake, 1), first: map[string]time.Time{}, final: map[string]chan time.Time{}}
}

func (s *stopwatch) Platform() string { return "stopwatch" }

func (s *stopwatch) Facts() bot.Facts { return bot.Facts{} }

func (s *stopwatch) Run(ctx context.Context, in bot.Intake) error {
	s.in <- in
	<-ctx.Done()
	return nil
}

func (s *stopwatch) Post(_ context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	s.note(to.Thread.ID, c)
	return bot.Ref{Thread: to.Thread, Messages: []string{key}}, nil
}

func (s *stopwatch) Edit(_ context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	s.note(ref.Thread.ID, c)
	return ref, nil
}

func (s *stopwatch) EditEvery() time.Duration { return time.Millisecond }

func (s *stopwatch) note(thread string, c bot.Card) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if _, seen := s.first[thread]; !seen && c.Text != "" {
		s.first[thread] = now
	}
	if c.Final {
		s.final[thread] <- now
	}
}

// send sends one message.
func (s *stopwatch) send(ctx context.Context, in bot.Intake, thread string, n int) error {
	s.mu.Lock()
	delete(s.first, thread)
	s.final[thread] = make(chan time.Time, 1)
	s.mu.Unlock()
	return in.Message(ctx, bot.Message{
		ID: fmt.Sprintf("%s-%06d", thread, n), User: bot.User{ID: "U1"}, Reach: bot.ReachDirect, Text: "hello", At: time.Now(),
		Thread: bot.Thread{Platform: "stopwatch", Team: "T", Channel: "C", ID: thread},
	})
}

// ended tells when the thread's last message was answered.
func (s *stopwatch) ended(thread string) <-chan time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.final[thread]
}

// ask sends one message and returns the time to its first words and to its end.
func (s *stopwatch) ask(ctx context.Context, in bot.Intake, thread string, n int) (first, final time.Duration, err error) {
	start := time.Now()
	if err := s.send(ctx, in, thread, n); err != nil {
		return 0, 0, err
	}
	end := <-s.ended(thread)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first[thread].Sub(start), end.Sub(start), nil
}

// BenchmarkOverhead measures what the bot adds to an instant model, which is
// asked over HTTP twice a message, with 16 threads active: at 100 messages a
// second, ten times what Slack's limits let a workspace of that size send, and
// saturated, where the figure that counts is ns/op. final is from the message to
// its answer, model what a bare client needs for the same two requests at the
// same pace, and bot the difference.
func BenchmarkOverhead(b *testing.B) {
	const paced, saturated = 160 * time.Millisecond, 0 // a thread's pause between two messages
	b.Run("embedded", func(b *testing.B) { benchOverhead(b, paced) })
	b.Run("embedded_saturated", func(b *testing.B) { benchOverhead(b, saturated) })
	b.Run("postgres_redis", func(b *testing.B) {
		pg, rd := servers.StartPostgres(b), servers.StartRedis(b)
		benchOverhead(b, paced, "DATABASE_URL="+pg.URL, "REDIS_URL="+rd.URL)
	})
}

func benchOverhead(b *testing.B, pause time.Duration, env ...string) {
	model := benchModel(b)
	watch, in := benchBot(b, model, env...)
	b.ResetTimer()
	var mu sync.Mutex
	var firsts []time.Duration
	finals := keepPace(b, pause, func(thread, n int) (time.Duration, error) {
		// A conversation of 50 messages, then a new one.
		first, final, err := watch.ask(b.Context(), in, fmt.Sprintf("t%d-%d", thread, n/50), n)
		mu.Lock()
		defer mu.Unlock()
		firsts = append(firsts, first)
		return final, err
	})
	b.StopTimer()
	bare := keepPace(b, pause, func(int, int) (time.Duration, error) { return askBare(b.Context(), model) })
	report(b, "first", firsts)
	report(b, "final", finals)
	report(b, "model", bare)
	b.ReportMetric(milliseconds(finals, 50)-milliseconds(bare, 50), "bot-p50-ms")
}

// keepPace lets 16 threads do b.N things together, each thread one in a pause,
// and returns how long each took.
func keepPace(b *testing.B, pause time.Duration, do func(thread, n int) (time.Duration, error)) []time.Duration {
	const threads = 16
	var mu sync.Mutex
	var took []time.Duration
	var all sync.WaitGroup
	for t := range threads {
		all.Go(func() {
			next := time.Now().Add(pause * time.Duration(t) / threads)
			for n := range (b.N + threads - 1) / threads {
				if wait := time.Until(next); wait > 0 {
					<-time.After(wait)
				}
				next = next.Add(pause)
				d, err := do(t, n)
				if err != nil {
					b.Error(err)
					return
				}
				mu.Lock()
				took = append(took, d)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return took
}

// askBare asks the model what a message asks it, without a bot.
func askBare(ctx context.Context, model string) (time.Duration, error) {
	start := time.Now()
	for _, extra := range []string{`"stream":true,"response_format":{"type":"json_object"}`, `"stream":true`} {
		body := `{"model":"instant",` + extra + `,"messages":[{"role":"system","content":"` + strings.Repeat("word ", 200) + `"},{"role":"user","content":"hello"}]}`
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, model+"/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			return 0, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// BenchmarkBurst measures a thousand messages that come at once over one
// connection, each in a thread of its own, with an instant model: how long the
// last of them waits for its acknowledgement, which the platforms want within
// 3 s, and how long until all are answered.
func BenchmarkBurst(b *testing.B) {
	const events = 1000
	for range b.N {
		watch, in := benchBot(b, benchModel(b))
		var acks []time.Duration
		start := time.Now()
		for n := range events {
			if err := watch.send(b.Context(), in, fmt.Sprintf("t%d", n), n); err != nil {
				b.Fatal(err)
			}
			acks = append(acks, time.Since(start)) // all came at the start
		}
		for n := range events {
			<-watch.ended(fmt.Sprintf("t%d", n))
		}
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "answered-ms")
		report(b, "ack", acks)
	}
}

// instant is a model that answers without thinking about it, so that what is
// measured is the bot and not the fake's checks: the router's question with a
// route, any other with three words.
func instant(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	words := []string{"hello ", "to ", "you"}
	if bytes.Contains(body, []byte(`"response_format"`)) {
		words = []string{`{\"route\":\"agent\",`, `\"reason\":\"bench\"}`}
	}
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"id":"1","object":"chat.completion","created":1,"model":"instant","choices":[{"index":0,"finish_reason":"stop",`+
			`"message":{"role":"assistant","content":"%s"}}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`, strings.Join(words, ""))
		return
	}
	const chunk = `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"instant","choices":[%s]%s}` + "\n\n"
	w.Header().Set("Content-Type", "text/event-stream")
	for _, word := range words {
		_, _ = fmt.Fprintf(w, chunk, `{"index":0,"delta":{"role":"assistant","content":"`+word+`"}}`, "")
	}
	_, _ = fmt.Fprintf(w, chunk, `{"index":0,"delta":{},"finish_reason":"stop"}`, "")
	_, _ = fmt.Fprintf(w, chunk, "", `,"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}`)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// benchModel starts an instant model and returns its address.
func benchModel(b testing.TB) string { return serveModel(b, instant) }

func serveModel(b testing.TB, model http.HandlerFunc) string {
	b.Helper()
	server := httptest.NewServer(model)
	b.Cleanup(server.Close)
	return server.URL
}

// benchBot starts a bot with a model, on a platform that watches.
func benchBot(b testing.TB, model string, env ...string) (*stopwatch, bot.Intake) {
	b.Helper()
	cfg, _, err := config.Load(config.Source{Environ: append(env, "DATA_DIR="+b.TempDir(), "OPENAI_BASE_URL="+model+"/v1",
		"OPENAI_MODEL=instant", "MAX_MESSAGES=1000")})
	if err != nil {
		b.Fatal(err)
	}
	watch := newStopwatch()
	a, err := wire(b.Context(), cfg, slog.New(slog.DiscardHandler), fronts{extra: []bot.Adapter{watch}})
	if err != nil {
		b.Fatal(err)
	}
	heap.KeepRoom()
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.bot.Run(ctx) }()
	b.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
		if err := a.close(); err != nil {
			b.Error(err)
		}
	})
	return watch, <-watch.in
}

func report(b *testing.B, name string, d []time.Duration) {
	b.ReportMetric(milliseconds(d, 50), name+"-p50-ms")
	b.ReportMetric(milliseconds(d, 99), name+"-p99-ms")
}

// milliseconds returns the p-th percentile of d.
func milliseconds(d []time.Duration, p int) float64 {
	slices.Sort(d)
	return float64(d[(len(d)-1)*p/100].Microseconds()) / 1000
}

// BenchmarkStart measures from wiring to ready, with the handbook indexed
// before, as at every start but the first.
func BenchmarkStart(b *testing.B) {
	cfg, _, err := config.Load(config.Source{Environ: []string{"DATA_DIR=" + b.TempDir()}})
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		a, err := wire(b.Context(), cfg, slog.New(slog.DiscardHandler), fronts{web: true})
		if err != nil {
			b.Fatal(err)
		}
		if err := a.close(); err != nil {
			b.Fatal(err)
		}
	}
}
