package bot_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/memory/memtest/servers"
	"maru/memory/pgstore"
)

// replica is one of several bots that share a PostgreSQL record and a platform.
type replica struct {
	*service.Bot
	store *pgstore.Store
}

// replicas starts two bots that think with think.
func replicas(t *testing.T, think func(context.Context, agent.Request, agent.Sink) (agent.Result, error)) (ctx context.Context, p *bottest.Platform, one, two replica) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	url, schema := servers.Postgres(t), servers.Name()
	p = bottest.New("fake")
	log := slog.New(slog.DiscardHandler)
	start := func(owner string, adapter bot.Adapter) replica {
		store, err := pgstore.Open(ctx, pgstore.Config{URL: url, Schema: schema, Log: log, Timeout: 2 * time.Minute, Patience: 2 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		b := service.New(service.Config{
			Record: store, Runner: agent.NewRunner(log, 0, time.Now, &thinker{think: think}), Library: &shelf{}, Owner: owner,
			Adapters: []bot.Adapter{adapter}, Log: log, Poll: 100 * time.Millisecond, SignOfLife: 5 * time.Millisecond, Sweep: 100 * time.Millisecond,
		})
		run, stop := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- b.Run(run) }()
		t.Cleanup(func() {
			stop()
			if err := <-ended; err != nil {
				t.Errorf("%s ended with %v", owner, err)
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
		return replica{b, store}
	}
	t.Cleanup(cancel)
	one = start("one", p)
	two = start("two", &deafPlatform{p})
	if _, err := p.Intake(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx, p, one, two
}

// deafPlatform is the platform as a second replica has it: it can post.
type deafPlatform struct{ *platform }

func (*deafPlatform) Run(ctx context.Context, _ bot.Intake) error {
	<-ctx.Done()
	return nil
}

// TestStopReachesTheReplicaThatWorks says stop to a replica that has nothing to
// do with the run.
func TestStopReachesTheReplicaThatWorks(t *testing.T) {
	t.Parallel()
	began := make(chan struct{}, 1)
	ctx, p, one, two := replicas(t, func(ctx context.Context, _ agent.Request, _ agent.Sink) (agent.Result, error) {
		began <- struct{}{}
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	for _, word := range []string{"stop", "그만"} {
		m := p.Message("U1", "work for ever", p.Thread("C1", word))
		if err := one.Message(ctx, m); err != nil {
			t.Fatal(err)
		}
		<-began
		stop := p.Message("U2", word, m.Thread)
		stopped := 0
		for _, r := range []replica{one, two} { // whichever of them has it
			if found, err := r.Stop(ctx, m.Thread.Key(), bot.Bound{}); err != nil {
				t.Error(err)
			} else if found {
				stopped++
			}
		}
		if err := two.Message(ctx, stop); err != nil {
			t.Fatal(err)
		}
		if posts, err := p.Await(ctx, m.Thread, 1); err != nil || stopped == 0 {
			t.Errorf("%s: %+v, %v, found by %d", word, posts, err, stopped)
		}
	}
}

// TestChangeReachesTheReplicaThatWorks edits and deletes questions on a replica
// that has nothing to do with their runs.
func TestChangeReachesTheReplicaThatWorks(t *testing.T) {
	t.Parallel()
	began := make(chan struct{}, 8)
	ctx, p, one, two := replicas(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if req.Text != "for ever" {
			return echo(ctx, req, sink)
		}
		began <- struct{}{}
		<-ctx.Done()
		return agent.Result{}, context.Cause(ctx)
	})
	for _, deleted := range []bool{false, true} {
		for n, r := range []replica{one, two} { // whichever of them has the run
			m := p.Message("U1", "for ever", p.Thread("C1", fmt.Sprint("t", deleted, n)))
			if err := one.Message(ctx, m); err != nil {
				t.Fatal(err)
			}
			<-began
			c := bot.Change{Thread: m.Thread, Message: m.ID, Deleted: deleted, Text: "for a while", User: m.User, At: time.Now()}
			if err := r.Change(ctx, c); err != nil {
				t.Fatal(err)
			}
			posts, err := p.Await(ctx, m.Thread, 1)
			if err != nil || (posts[0].Card.Text == "echo: for a while") == deleted {
				t.Errorf("deleted %v: %+v, %v", deleted, posts, err)
			}
		}
	}
}

// TestForgettingReachesTheReplicaThatWorks forgets threads, as the console does, on a
// replica that has nothing to do with their runs.
func TestForgettingReachesTheReplicaThatWorks(t *testing.T) {
	t.Parallel()
	began := make(chan struct{}, 8)
	var ended atomic.Int32
	ctx, p, one, two := replicas(t, func(ctx context.Context, _ agent.Request, _ agent.Sink) (agent.Result, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended.Add(1)
		return agent.Result{}, context.Cause(ctx)
	})
	for n, r := range []replica{one, two} { // whichever of them has the run
		m := p.Message("U1", "for ever", p.Thread("C1", fmt.Sprint("t", n)))
		if err := one.Message(ctx, m); err != nil {
			t.Fatal(err)
		}
		<-began
		if err := r.Forget(ctx, m.Thread, m.User); err != nil {
			t.Fatal(err)
		}
		if done := ended.Load(); int(done) != n+1 {
			t.Errorf("%d runs have ended of %d threads that are forgotten", done, n+1)
		}
		if known, err := one.store.Known(ctx, m.Thread.Key()); err != nil || known {
			t.Errorf("the thread is known still: %v", err)
		}
	}
}

// TestTwoReplicasDecideAtOnce clicks on both replicas at once.
func TestTwoReplicasDecideAtOnce(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	ctx, p, one, two := replicas(t, think)
	const asks, clicks = 20, 20
	var wins atomic.Int32
	var all sync.WaitGroup
	for n := range asks {
		m := p.Message("U1", "send a mail", p.Thread("C1", fmt.Sprintf("t%d", n)))
		if err := one.Message(ctx, m); err != nil {
			t.Fatal(err)
		}
		post, err := p.AwaitPost(ctx, m.Thread, func(p bottest.Post) bool { return len(p.Card.Buttons) > 0 })
		if err != nil {
			t.Fatal(err)
		}
		for i := range clicks {
			r := []replica{one, two}[i%2]
			all.Go(func() {
				ans, err := r.Action(ctx, click(m, post.Card.Buttons[i/2%2], "U1"))
				switch {
				case err != nil:
					t.Error(err)
				case ans.Card == nil:
					wins.Add(1)
				}
			})
		}
	}
	all.Wait()
	for n := range asks {
		if _, err := p.Await(ctx, p.Thread("C1", fmt.Sprintf("t%d", n)), 1); err != nil {
			t.Fatal(err)
		}
	}
	if wins.Load() != asks || told.Load() < asks {
		t.Errorf("%d decisions and %d runs of %d approvals", wins.Load(), told.Load(), asks)
	}
	t.Logf("C02 over two replicas: %d decisions of %d clicks on %d approvals", wins.Load(), asks*clicks, asks)
}

// TestAnotherReplicaStopsPendingMessages says stop to a replica that neither works on the thread nor holds what waits in it.
func TestAnotherReplicaStopsPendingMessages(t *testing.T) {
	t.Parallel()
	began := make(chan string, 8)
	ctx, p, one, two := replicas(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		began <- req.Text
		if req.Text == "later" {
			return echo(ctx, req, sink)
		}
		<-ctx.Done()
		return agent.Result{}, context.Cause(ctx)
	})
	m := p.Message("U1", "for ever", p.Thread("C1", "t"))
	if err := one.Message(ctx, m); err != nil {
		t.Fatal(err)
	}
	<-began
	for _, text := range []string{"and this", "and that"} {
		if err := one.Message(ctx, p.Message("U1", text, m.Thread)); err != nil {
			t.Fatal(err)
		}
	}
	if err := two.Message(ctx, p.Message("U1", "stop", m.Thread)); err != nil {
		t.Fatal(err)
	}
	posts, err := p.Await(ctx, m.Thread, 3)
	for _, post := range posts {
		if err != nil || !strings.Contains(post.Card.Text, "Stopped, as you asked") {
			t.Errorf("said %q, %v", post.Card.Text, err)
		}
	}
	if err := two.Message(ctx, p.Message("U1", "later", m.Thread)); err != nil {
		t.Fatal(err)
	}
	if posts, err = p.Await(ctx, m.Thread, 4); err != nil || posts[3].Card.Text != "echo: later" {
		t.Errorf("said %+v, %v", posts, err)
	}
	if text := <-began; text != "later" {
		t.Errorf("the agent was asked %q", text)
	}
}
