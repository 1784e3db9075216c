package discord_test

import (
	"context"
	"slices"
	"sync"
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
	w.in.await(w.ctx, t, "both", func() bool { return distinct(w.in.messages) == 2 })
	if n := len(w.in.all()); n != 2 {
		t.Errorf("%d deliveries of 2 messages", n)
	}
	if err := w.a.Ready(w.ctx); err != nil {
		t.Error(err)
	}
}

// deeds are who owns what, as a record that replicas share keeps it.
type deeds struct {
	now     func() time.Time
	refused chan struct{}

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
		select {
		case d.refused <- struct{}{}:
		default:
		}
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
	shared := &deeds{now: cfg.Now, all: map[string]deed{}, refused: make(chan struct{})}
	cfg.Owners = shared
	w := newWorld(t, discordfake.Config{Now: cfg.Now, Turn: time.Second}, cfg)
	second, ended, cancel := run(w.ctx, t, w.fake, w.in, cfg)
	defer cancel()
	w.ask("first")
	for range 2 { // asked again, so the first refusal is known
		<-shared.refused
	}
	if err := second.Ready(w.ctx); err != nil {
		t.Errorf("who stands by is not ready: %v", err)
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
	w.in.await(w.ctx, t, "the message in between", func() bool { return distinct(w.in.messages) == 2 })
	shared.steal(30 * time.Second)
	w.settle("the second to let go", func() bool { return len(w.fake.Shards()) == 0 })
	w.settle("the second to come back", func() bool { return len(w.fake.Shards()) == 1 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
