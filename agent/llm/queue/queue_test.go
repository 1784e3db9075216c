package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent/limit"
	"maru/agent/llm"
	"maru/agent/llm/queue"
)

// server is an endpoint that works on so many calls at a time, in the order in which they came; the
// others wait inside it. As behind a proxy, it goes on with calls that were dropped.
type server struct {
	slots chan struct{}
	begin func(letters int) time.Duration // until the first piece
	rest  time.Duration                   // until the last

	mu      sync.Mutex
	sent    []string // what calls said last, in the order in which they came
	flight  int
	crowded int // the most calls that were there at once
}

func newServer(slots int, begin, rest time.Duration) *server {
	return &server{slots: make(chan struct{}, slots), begin: func(int) time.Duration { return begin }, rest: rest}
}

func (s *server) Name() string { return "slow" }

func (s *server) Generate(ctx context.Context, req llm.Request, onDelta func(string)) (llm.Response, error) {
	s.mu.Lock()
	s.sent = append(s.sent, req.Messages[0].Content)
	s.flight++
	s.crowded = max(s.crowded, s.flight)
	s.mu.Unlock()
	began, ended := make(chan struct{}), make(chan struct{})
	go func() {
		s.slots <- struct{}{}
		time.Sleep(s.begin(llm.Letters(req)))
		close(began)
		time.Sleep(s.rest)
		close(ended)
		<-s.slots
		s.mu.Lock()
		s.flight--
		s.mu.Unlock()
	}()
	first := time.NewTimer(max(req.First, 90*time.Second))
	defer first.Stop()
	select {
	case <-began:
		if onDelta != nil {
			onDelta("a")
		}
	case <-first.C:
		return llm.Response{}, &llm.Error{Class: llm.Timeout, Detail: "no reply within the time for the first byte"}
	case <-ctx.Done():
		return llm.Response{}, ctx.Err()
	}
	select {
	case <-ended:
	case <-ctx.Done():
		return llm.Response{}, ctx.Err()
	}
	return llm.Response{Message: llm.Message{Role: llm.Assistant, Content: "a"}}, nil
}

const local = "http://127.0.0.1:11434/v1"

func call(text string) llm.Request {
	return llm.Request{Purpose: llm.ForAnswer, Messages: []llm.Message{{Role: llm.User, Content: text}}}
}

// retried is m as the program asks it.
func retried(m llm.Model) llm.Model {
	return llm.Retry(m, llm.RetryPolicy{Limit: 5 * time.Minute, Random: func() float64 { return 0.5 }, Now: time.Now})
}

// TestTwentyAtOnce: a server of one slot is asked twenty questions at the same moment, each with
// a call to route it and one to answer it, within a run's ten minutes. All are answered and
// nothing is sent twice. Without the queue most of them time out in the server's.
func TestTwentyAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		queued            bool
		begin, rest       time.Duration
		least, most, sent int // answered; calls that reached the server
	}{
		"in the server":            {false, 9 * time.Second, 10 * time.Second, 0, 12, 0},
		"in the queue":             {true, 9 * time.Second, 10 * time.Second, 20, 20, 40},
		"in the queue, very slow":  {true, 50 * time.Second, 25 * time.Second, 20, 20, 40},
		"in the queue, short ones": {true, time.Second, time.Second, 20, 20, 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newServer(1, c.begin, c.rest)
				var m llm.Model = s
				if c.queued {
					m = queue.New(queue.Config{URL: local}).Model(s)
				}
				m = retried(m)
				var answered atomic.Int32
				var all sync.WaitGroup
				for i := range 20 {
					all.Go(func() {
						ctx, cancel := limit.With(t.Context(), 10*time.Minute)
						defer cancel()
						run := llm.Run{Account: &llm.Account{Began: time.Now(), Who: fmt.Sprint(i)}}.Bind(m)
						if _, err := run.Generate(ctx, call("route"), nil); err != nil {
							return
						}
						if _, err := run.Generate(ctx, call("answer"), nil); err == nil {
							answered.Add(1)
						}
					})
				}
				all.Wait()
				if n := int(answered.Load()); n < c.least || n > c.most {
					t.Errorf("%d of 20 answered, want %d to %d", n, c.least, c.most)
				}
				if c.sent > 0 && len(s.sent) != c.sent {
					t.Errorf("%d calls reached the server, want %d", len(s.sent), c.sent)
				}
				time.Sleep(time.Hour) // dropped calls end
			})
		})
	}
}

// TestManyAtOnceAtAFastServer: an endpoint that answers all in time is soon asked for all.
func TestManyAtOnceAtAFastServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begin time.Duration
		url   string
		most  time.Duration // for 256 calls, which at once take one call's time
	}{
		"an instant one":               {time.Millisecond, local, 20 * time.Millisecond},
		"half a second, public":        {500 * time.Millisecond, "https://api.example.com/v1", 4 * time.Second},
		"one that thinks for a minute": {time.Minute, "https://api.example.com/v1", 11 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newServer(1000, c.begin, 0)
				e := queue.New(queue.Config{URL: c.url})
				m := e.Model(s)
				start := time.Now()
				var all sync.WaitGroup
				for range 256 {
					all.Go(func() {
						if _, err := m.Generate(t.Context(), call("x"), nil); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				if took := time.Since(start); took > c.most {
					t.Errorf("256 calls took %v, want at most %v; %+v", took, c.most, e.State())
				}
			})
		})
	}
}

// TestOrder: with one place, what waits is sent by the age of its question, by its length and by
// whether somebody waits for it; a person's fifth question waits for others' first, and nothing
// waits for ever.
func TestOrder(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 12_000)
	type asked struct {
		name string
		who  string
		age  time.Duration
		req  llm.Request
	}
	for name, c := range map[string]struct {
		waits []asked // in the order in which they come
		want  string
	}{
		"older questions first":      {[]asked{{"new", "a", 0, call("")}, {"old", "b", time.Minute, call("")}}, "old new"},
		"short ones first":           {[]asked{{"long", "a", 0, call(long)}, {"short", "b", 0, call("")}}, "short long"},
		"length is not for ever":     {[]asked{{"long", "a", time.Minute, call(long)}, {"short", "b", 0, call("")}}, "long short"},
		"answers before summaries":   {[]asked{{"summary", "a", 0, llm.Request{Purpose: llm.ForSummary}}, {"answer", "b", 0, call("")}}, "answer summary"},
		"nobody waits":               {[]asked{{"later", "a", 30 * time.Second, llm.Request{Later: true}}, {"long", "b", 0, call(long)}}, "long later"},
		"later is not never":         {[]asked{{"new", "a", 0, call("")}, {"later", "b", 2 * time.Minute, llm.Request{Later: true}}}, "later new"},
		"one person's many":          {[]asked{{"a1", "a", 0, call("")}, {"a2", "a", 0, call("")}, {"a3", "a", 0, call("")}, {"b1", "b", 0, call("")}}, "a1 b1 a2 a3"},
		"in the order of their come": {[]asked{{"1", "a", 0, call("")}, {"2", "b", 0, call("")}, {"3", "c", 0, call("")}}, "1 2 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newServer(1, time.Second, time.Second)
				m := queue.New(queue.Config{Limit: 1}).Model(s)
				var all sync.WaitGroup
				all.Go(func() { _, _ = m.Generate(t.Context(), call("first"), nil) })
				synctest.Wait()
				now := time.Now()
				for _, w := range c.waits {
					req := w.req
					req.Account = &llm.Account{Who: w.who, Began: now.Add(-w.age)}
					req.Messages = append([]llm.Message{{Role: llm.User, Content: w.name}}, req.Messages...)
					all.Go(func() { _, _ = m.Generate(t.Context(), req, nil) })
					synctest.Wait()
				}
				all.Wait()
				if got := strings.Join(s.sent[1:], " "); got != c.want || s.crowded > 1 {
					t.Errorf("sent in the order %q, want %q; %d at once", got, c.want, s.crowded)
				}
			})
		})
	}
}

// TestPeopleSeeThatTheyWait: after a second, whenever the number changes, and when it is over.
func TestPeopleSeeThatTheyWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(1, 2*time.Second, 3*time.Second)
		m := queue.New(queue.Config{Limit: 1}).Model(s)
		var seen [4][]int
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				req := call("x")
				req.Account = &llm.Account{OnQueue: func(before int) { seen[i] = append(seen[i], before) }}
				_, _ = m.Generate(t.Context(), req, nil)
			})
			synctest.Wait()
		}
		all.Wait()
		for i, want := range [][]int{nil, {1, 0}, {2, 1, 0}, {3, 2, 1, 0}} {
			if !slices.Equal(seen[i], want) {
				t.Errorf("question %d saw %v, want %v", i, seen[i], want)
			}
		}
	})
}

// TestACallThatWasGivenUp keeps its place for as long again, as its server may still be at work, and
// gives it back at once when a later one is answered.
func TestACallThatWasGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(1, 100*time.Second, 0)
		m := retried(queue.New(queue.Config{URL: local}).Model(s))
		start := time.Now()
		_, err := m.Generate(t.Context(), call("x"), nil)
		// 90 s, then the place is held for 90 s more: the repetition finds an idle server and has four
		// times as long.
		if took := time.Since(start); err != nil || len(s.sent) != 2 || s.crowded > 1 || took < 280*time.Second || took > 281*time.Second {
			t.Errorf("%v after %v, %d calls, %d at once", err, took, len(s.sent), s.crowded)
		}
	})
}

// TestRefusedForLoad: fewer are sent after a refusal for load, however many were learned.
func TestRefusedForLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(1000, time.Second, 0)
		e := queue.New(queue.Config{URL: "https://api.example.com/v1"})
		m := e.Model(limited{s, 10})
		var all sync.WaitGroup
		var refused atomic.Int32
		for range 200 {
			all.Go(func() {
				for {
					_, err := m.Generate(t.Context(), call("x"), nil)
					if err == nil {
						return
					}
					refused.Add(1)
					time.Sleep(time.Second)
				}
			})
		}
		all.Wait()
		if got := e.State(); got.Limit > 16 || refused.Load() > 60 || got.InFlight+got.Waiting > 0 {
			t.Errorf("%d refused, %+v", refused.Load(), got)
		}
	})
}

// limited refuses calls beyond so many at once, as a provider's limit of concurrency does.
type limited struct {
	*server

	most int
}

func (l limited) Generate(ctx context.Context, req llm.Request, onDelta func(string)) (llm.Response, error) {
	l.mu.Lock()
	full := l.flight >= l.most
	l.mu.Unlock()
	if full {
		return llm.Response{}, &llm.Error{Class: llm.RateLimited, Status: 429}
	}
	return l.server.Generate(ctx, req, onDelta)
}

// TestWhoStopsWaiting leaves the queue at once, costs nothing and holds nobody up.
func TestWhoStopsWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(1, 10*time.Second, 0)
		e := queue.New(queue.Config{Limit: 1, Patience: 12 * time.Second})
		m := e.Model(llm.Metered(s, time.Now))
		var all sync.WaitGroup
		all.Go(func() { _, _ = m.Generate(t.Context(), call("1"), nil) })
		synctest.Wait()
		ctx, stop := context.WithCancel(t.Context())
		account := &llm.Account{}
		all.Go(func() {
			_, err := llm.Run{Account: account}.Bind(m).Generate(ctx, call("2"), nil)
			if calls, _ := account.Spent(); !errors.Is(err, context.Canceled) || calls != 0 {
				t.Errorf("stopped: %v, %d calls charged", err, calls)
			}
		})
		synctest.Wait()
		all.Go(func() {
			if _, err := m.Generate(t.Context(), call("3"), nil); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		all.Go(func() {
			_, err := retried(m).Generate(t.Context(), call("4"), nil)
			if llm.ClassOf(err) != llm.Busy || !llm.Elsewhere(err) {
				t.Errorf("beyond the patience: %v", err)
			}
		})
		synctest.Wait()
		stop()
		all.Wait()
		if got := strings.Join(s.sent, " "); got != "1 3" || e.State().Waiting+e.State().InFlight > 0 {
			t.Errorf("sent %q, left %+v", got, e.State())
		}
	})
}
