package discord_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/adapters/discord/discordfake"
	"maru/bot"
)

func TestShardsOfALargeBot(t *testing.T) {
	t.Parallel()
	cfg := hurried(20)
	w := newWorld(t, discordfake.Config{Shards: 3, Now: cfg.Now, Turn: time.Second}, cfg)
	w.settle("three shards", func() bool { return len(w.fake.Shards()) == 3 })
	got := w.fake.Shards()
	slices.SortFunc(got, func(x, y [2]int) int { return x[0] - y[0] })
	if !slices.Equal(got, [][2]int{{0, 3}, {1, 3}, {2, 3}}) {
		t.Errorf("shards are %v", got)
	}
	w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" in a guild")
	w.fake.Say(w.fake.Alice, w.fake.DM(w.fake.Alice), "directly")
	w.in.await(w.ctx, t, "both", func() bool { return len(w.in.messages) == 2 })
	if n := len(w.in.all()); n != 2 {
		t.Errorf("%d deliveries of 2 messages", n)
	}
	for w.a.Ready(w.ctx) != nil { // the fake counts a shard before its READY has come
		if err := cfg.Wait(w.ctx, time.Second); err != nil {
			t.Fatal(w.a.Ready(t.Context()))
		}
	}
}

// deeds are who owns what, as a record that replicas share keeps it.
type deeds struct {
	now   func() time.Time
	asked chan struct{}

	mu  sync.Mutex
	all map[string]deed
}

type deed struct {
	owner string
	until time.Time
}

func (d *deeds) Own(_ context.Context, name, owner string, ttl time.Duration) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o, ok := d.all[name]; ok && o.owner != owner && o.until.After(d.now()) {
		return false, nil
	}
	d.all[name] = deed{owner, d.now().Add(ttl)}
	return true, nil
}

func (d *deeds) Disown(_ context.Context, name, owner string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all[name].owner == owner {
		delete(d.all, name)
	}
	return nil
}

func (d *deeds) Owned(_ context.Context, names []string) (map[string]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string]string{}
	for _, name := range names {
		if o, ok := d.all[name]; ok && o.until.After(d.now()) {
			out[name] = o.owner
		}
	}
	select {
	case d.asked <- struct{}{}:
	default:
	}
	return out, nil
}

// parts returns how many shards each owner has, the most first.
func (d *deeds) parts() []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	by := map[string]int{}
	for name, o := range d.all {
		if strings.Contains(name, "/shard/") && o.until.After(d.now()) {
			by[o.owner]++
		}
	}
	out := slices.Sorted(maps.Values(by))
	slices.Reverse(out)
	return out
}

// steal gives everything to somebody else for a while, as a partition does.
func (d *deeds) steal(ttl time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name := range d.all {
		d.all[name] = deed{"thief", d.now().Add(ttl)}
	}
}

func TestOneReplicaOwnsAShardAndAnotherTakesItOver(t *testing.T) {
	t.Parallel()
	cfg := hurried(40)
	shared := &deeds{now: cfg.Now, all: map[string]deed{}, asked: make(chan struct{})}
	cfg.Owners = shared
	w := newWorld(t, discordfake.Config{Now: cfg.Now, Turn: time.Second}, cfg)
	second, ended, cancel := run(w.ctx, t, w.fake, w.in, cfg)
	defer cancel()
	w.ask("first")
	for second.Ready(w.ctx) != nil { // who stands by is ready when it knows that it does
		select {
		case <-shared.asked:
		case <-w.ctx.Done():
			t.Fatalf("who stands by is not ready: %v", second.Ready(t.Context()))
		}
	}
	if n := len(w.fake.Shards()); n != 1 {
		t.Errorf("%d connections", n)
	}
	if _, err := second.Post(w.ctx, bot.Target{Thread: w.in.all()[0].Thread}, text("from the second"), "k"); err != nil {
		t.Errorf("who stands by cannot post: %v", err)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" while nobody listens")
	w.in.await(w.ctx, t, "the message in between", func() bool { return len(w.in.messages) == 2 })
	shared.steal(30 * time.Second)
	w.settle("the second to let go", func() bool { return len(w.fake.Shards()) == 0 })
	w.settle("the second to come back", func() bool { return len(w.fake.Shards()) == 1 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestShardsAreSharedOutAsReplicasComeAndGo has four shards: they belong to who is
// there, nobody has two fewer than another.
func TestShardsAreSharedOutAsReplicasComeAndGo(t *testing.T) {
	t.Parallel()
	cfg := hurried(40)
	shared := &deeds{now: cfg.Now, all: map[string]deed{}, asked: make(chan struct{})}
	cfg.Owners = shared
	w := newWorld(t, discordfake.Config{Shards: 4, Now: cfg.Now, Turn: time.Nanosecond}, cfg)
	even := func(what string, want ...int) {
		t.Helper()
		for len(w.fake.Shards()) != 4 || !slices.Equal(shared.parts(), want) { // an ownership runs out without an event
			select {
			case <-shared.asked:
			case <-w.ctx.Done():
				t.Fatalf("waiting for %s: %d shards, parts %v", what, len(w.fake.Shards()), shared.parts())
			}
		}
	}
	even("one replica with all", 4)
	var others []func()
	join := func() {
		_, ended, cancel := run(w.ctx, t, w.fake, w.in, cfg)
		others = append(others, func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
	join()
	even("two with two each", 2, 2)
	join()
	even("three", 2, 1, 1)
	others[0]()
	even("two with two each again", 2, 2)
	others[1]()
	even("one with all again", 4)
	w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" in the end")
	w.in.await(w.ctx, t, "the message", func() bool { return len(w.in.messages) == 1 })
}

// TestFewSessionsLeft leaves the division as it is: what is left of the day's
// sessions is for those that are needed.
func TestFewSessionsLeft(t *testing.T) {
	t.Parallel()
	cfg := hurried(15)
	var stands atomic.Pointer[time.Time] // a slow machine loses no shard to the hurried clock
	now := func() time.Time {
		if at := stands.Load(); at != nil {
			return *at
		}
		return cfg.Now()
	}
	shared := &deeds{now: now, all: map[string]deed{}, asked: make(chan struct{})}
	cfg.Owners = shared
	w := newWorld(t, discordfake.Config{Shards: 4, Now: cfg.Now, Turn: time.Second}, cfg)
	w.settle("all shards", func() bool { return len(w.fake.Shards()) == 4 })
	at := cfg.Now()
	stands.Store(&at)
	w.fake.SetSessions(404, 24*time.Hour)
	before := len(w.fake.Identifies())
	_, ended, cancel := run(w.ctx, t, w.fake, w.in, cfg)
	from := cfg.Now()
	for cfg.Now().Sub(from) < 90*time.Second {
		<-shared.asked
	}
	if n := len(w.fake.Identifies()); n != before || !slices.Equal(shared.parts(), []int{4}) {
		t.Errorf("%d sessions more, parts %v", n-before, shared.parts())
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
