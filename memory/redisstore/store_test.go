package redisstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"maru/agent/graph"
	"maru/agent/graph/graphtest"
	"maru/agent/llm/queue"
	"maru/bot"
	"maru/memory/memtest/servers"
	"maru/memory/redisstore"
)

// open gives a store under a prefix of its own on a shared Redis. Its patience
// is that of a test machine.
func open(tb testing.TB) (*redisstore.Store, *redis.Client, string) {
	tb.Helper()
	return openAt(tb, servers.Redis(tb), time.Minute)
}

func openAt(tb testing.TB, url string, timeout time.Duration) (*redisstore.Store, *redis.Client, string) {
	tb.Helper()
	prefix := servers.Name() + ":"
	s, err := redisstore.Open(tb.Context(), redisstore.Config{URL: url, Prefix: prefix, Timeout: timeout})
	if err != nil {
		tb.Fatal(err)
	}
	opt, err := redis.ParseURL(url)
	if err != nil {
		tb.Fatal(err)
	}
	raw := redis.NewClient(opt)
	tb.Cleanup(func() {
		ctx := context.WithoutCancel(tb.Context())
		if names, err := raw.Keys(ctx, prefix+"*").Result(); err == nil && len(names) > 0 {
			raw.Del(ctx, names...)
		}
		raw.Close()
		if err := s.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s, raw, prefix
}

func TestHot(t *testing.T) {
	t.Parallel()
	graphtest.RunHot(t, func(tb testing.TB) graph.Hot { s, _, _ := open(tb); return s.Hot() })
}

func TestCheckpointer(t *testing.T) {
	t.Parallel()
	graphtest.RunCheckpointer(t, func(tb testing.TB) graph.Checkpointer { s, _, _ := open(tb); return s.Log() })
}

func TestEngine(t *testing.T) {
	t.Parallel()
	graphtest.RunEngine(t, func(tb testing.TB) graph.Checkpointer { s, _, _ := open(tb); return s.Log() })
}

func BenchmarkCheckpointer(b *testing.B) {
	graphtest.BenchCheckpointer(b, func(tb testing.TB) graph.Checkpointer { s, _, _ := open(tb); return s.Log() })
}

// The table in README.md is what keys.go says, and both are what is written.
func TestREADMEListsEveryKey(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []redisstore.Key
	for line := range strings.Lines(string(readme)) {
		if c := strings.Split(line, "|"); strings.HasPrefix(line, "| `") && len(c) > 4 {
			rows = append(rows, redisstore.Key{
				Pattern: strings.Trim(strings.TrimSpace(c[1]), "`"), Type: strings.TrimSpace(c[2]), Expiry: strings.TrimSpace(c[3]),
			})
		}
	}
	if !slices.Equal(rows, redisstore.Keys()) {
		t.Errorf("README.md says %v,\nkeys.go says %v", rows, redisstore.Keys())
	}

	s, raw, prefix := open(t)
	ctx := t.Context()
	thread := "slack/T1/C1/{odd}%"
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(s.Hot().Put(ctx, thread, 0, 1, map[string]jsonRaw{"messages": jsonRaw(`[]`)}, true))
	check(s.Log().Append(ctx, 1, graph.Record{Thread: thread, NS: "sub:1", Seq: 1, Kind: graph.RecordSnapshot}))
	_, err = s.Allow(ctx, "model", bot.Rate{PerSecond: 1, Burst: 2}, 1)
	check(err)
	for _, id := range []string{"in flight", "in the line"} {
		_, err = s.Take(ctx, "http://127.0.0.1:11434/v1", queue.Claim{ID: id, Replica: "r", Limit: 1, Lease: time.Minute, Waits: time.Minute})
		check(err)
	}
	names, err := raw.Keys(ctx, prefix+"*").Result()
	check(err)
	seen := map[string]bool{}
	for _, name := range names {
		i := slices.IndexFunc(redisstore.Keys(), func(k redisstore.Key) bool { return matches(k.Pattern, prefix, name) })
		if i < 0 {
			t.Errorf("%s is not in the list", name)
			continue
		}
		k := redisstore.Keys()[i]
		seen[k.Pattern] = true
		if typ := raw.Type(ctx, name).Val(); typ != k.Type {
			t.Errorf("%s is a %s, listed as %s", name, typ, k.Type)
		}
		if forever := raw.TTL(ctx, name).Val() < 0; forever != (k.Expiry == "never") {
			t.Errorf("%s: lives for ever is %v, listed as %q", name, forever, k.Expiry)
		}
	}
	for _, k := range redisstore.Keys() {
		if !seen[k.Pattern] && k.Type != "channel" {
			t.Errorf("%s was not written", k.Pattern)
		}
	}
}

type jsonRaw = json.RawMessage

// matches reports whether a key has the form of a pattern.
func matches(pattern, prefix, name string) bool {
	re := regexp.QuoteMeta(strings.Replace(pattern, "<prefix>", prefix, 1))
	re = regexp.MustCompile(`<[a-z]+>`).ReplaceAllString(re, `[^{}]*`)
	return regexp.MustCompile("^" + re + "$").MatchString(name)
}

func TestWrongURLIsAnErrorWithoutThePassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"redis://:hunter2@host:port", "hunter2://x", "redis://:hunter2@%zz"} {
		if _, err := redisstore.Open(t.Context(), redisstore.Config{URL: url}); err == nil {
			t.Errorf("opened %q", url)
		} else if strings.Contains(err.Error(), ":hunter2") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

func TestEventsReachEverySubscriberOfTheThreadAlone(t *testing.T) {
	t.Parallel()
	s, _, _ := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	a1, err1 := s.Events().Subscribe(ctx, "a")
	a2, err2 := s.Events().Subscribe(ctx, "a")
	b, err3 := s.Events().Subscribe(ctx, "b")
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := s.Events().Publish(ctx, "a", fmt.Appendf(nil, "event %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		for _, ch := range []<-chan []byte{a1, a2} {
			if got := string(<-ch); got != fmt.Sprintf("event %d", i) {
				t.Errorf("got %q", got)
			}
		}
	}
	cancel()
	for _, ch := range []<-chan []byte{a1, a2, b} {
		for e := range ch {
			t.Errorf("one event too many: %q", e)
		}
	}
}

func TestAllowTakesWhatIsThereAndTellsHowLongToWait(t *testing.T) {
	t.Parallel()
	s, _, _ := open(t)
	rate := bot.Rate{PerSecond: 0.01, Burst: 3} // refills far slower than the test runs
	allow := func(n int) time.Duration {
		t.Helper()
		wait, err := s.Allow(t.Context(), "b", rate, n)
		if err != nil {
			t.Fatal(err)
		}
		return wait
	}
	if w := allow(2); w != 0 {
		t.Errorf("first two: wait %v", w)
	}
	if w := allow(2); w < 90*time.Second || w > 100*time.Second {
		t.Errorf("two more: wait %v, want almost 100 s", w)
	}
	if w := allow(1); w != 0 {
		t.Errorf("the last one: wait %v", w)
	}
	for _, r := range []bot.Rate{{}, {PerSecond: 1, Burst: 1}} {
		if _, err := s.Allow(t.Context(), "c", r, 2); err == nil {
			t.Errorf("%+v allows two", r)
		}
	}
}

func TestEvictingPolicyIsNoticed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args   []string
		evicts bool
	}{
		"lru_with_a_limit":    {[]string{"--maxmemory", "10mb", "--maxmemory-policy", "allkeys-lru"}, true},
		"lru_without_a_limit": {[]string{"--maxmemory", "0", "--maxmemory-policy", "allkeys-lru"}, false},
		"noeviction":          {[]string{"--maxmemory", "10mb", "--maxmemory-policy", "noeviction"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := redisstore.Open(t.Context(), redisstore.Config{URL: servers.StartRedisWith(t, c.args...).URL})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			if policy, evicts := s.Evicts(t.Context()); evicts != c.evicts || policy != c.args[3] {
				t.Errorf("%s %v, want %s %v", policy, evicts, c.args[3], c.evicts)
			}
		})
	}
}
