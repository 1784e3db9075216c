package bot_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/exchange"
	"maru/bot/service"
	"maru/memory/sqlitestore"
)

// killed is a record whose process was killed: nothing that it does from then on has an effect.
type killed struct {
	*sqlitestore.Store
	dead atomic.Bool
}

func (k *killed) Release(ctx context.Context, l bot.Lease) error {
	if k.dead.Load() {
		return errDead
	}
	return k.Store.Release(ctx, l)
}

func (k *killed) Finish(ctx context.Context, l bot.Lease, item string, out bot.Outcome) error {
	if k.dead.Load() {
		return errDead
	}
	return k.Store.Finish(ctx, l, item, out)
}

func (k *killed) DelayJob(ctx context.Context, id string, by time.Duration, why string) error {
	if k.dead.Load() {
		return errDead
	}
	return k.Store.DelayJob(ctx, id, by, why)
}

func (k *killed) SaveRun(ctx context.Context, r bot.Run) error {
	if k.dead.Load() {
		return errDead
	}
	return k.Store.SaveRun(ctx, r)
}

func (k *killed) SaveRunWith(ctx context.Context, r bot.Run, at time.Time, rows []exchange.Row) error {
	if k.dead.Load() {
		return errDead
	}
	return k.Store.SaveRunWith(ctx, r, at, rows)
}

// killable has the world's processes die when they are killed.
func killable(w *world, change func(*service.Config)) (kill func()) {
	var now *killed
	w.stop()
	w.change = func(cfg *service.Config) {
		now = &killed{Store: w.store}
		cfg.Record = now
		if change != nil {
			change(cfg)
		}
	}
	w.start()
	return func() {
		now.dead.Store(true)
		w.stop()
		w.start()
	}
}

// parkedNow returns the parked items.
func parkedNow(w *world) int {
	w.t.Helper()
	list, err := w.store.ParkedItems(w.ctx, "", 0)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(list)
}

// setAside waits for the notice of a parked item.
func setAside(w *world, in bot.Thread) bottest.Post {
	w.t.Helper()
	var post bottest.Post
	w.until("it is set aside", func() bool {
		for _, p := range w.platform.Posts(in) {
			if len(p.Card.Buttons) == 1 && p.Card.Buttons[0].Verb == "retry" {
				post = p
			}
		}
		return post.Card.Text != "" && parkedNow(w) == 1
	})
	return post
}

// deadly is an agent that dies with the process in its first lives.
type deadly struct {
	lives   int64
	further func(life int64) // commits a step first
	tried   atomic.Int64
	begun   chan struct{}
}

func (a *deadly) think(ctx context.Context, r agent.Request, sink agent.Sink) (agent.Result, error) {
	if !strings.Contains(r.Text, "deadly") && !strings.Contains(r.Text, "죽는") {
		return echo(ctx, r, sink)
	}
	n := a.tried.Add(1)
	if n > a.lives {
		return agent.Result{Text: "at last"}, nil
	}
	if a.further != nil {
		a.further(n)
	}
	a.begun <- struct{}{}
	<-ctx.Done()
	return agent.Result{}, ctx.Err()
}

// TestADeadlyMessageIsParked parks a message at the second death, says so once in the reader's language, answers others
// in its thread, and answers it when it is retried.
func TestADeadlyMessageIsParked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, says, button string
		retry              func(w *world, post bottest.Post, in bot.Thread) string
	}{
		"button": {"a deadly question", "Nothing is lost", "Try again", func(w *world, post bottest.Post, in bot.Thread) string {
			b := post.Card.Buttons[0]
			ans, err := w.bot.Action(w.ctx, bot.Action{ID: b.ID, Verb: b.Verb, Thread: in, User: bot.User{ID: "U2"}})
			if err != nil || ans.Card == nil {
				w.t.Fatalf("click: %+v, %v", ans, err)
			}
			return ans.Card.Text
		}},
		"command": {"죽는 질문이에요", "잃어버린 건 없", "다시 해 보기", func(w *world, _ bottest.Post, in bot.Thread) string {
			card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "재시도", Thread: in, User: bot.User{ID: "U2"}})
			if err != nil {
				w.t.Fatal(err)
			}
			return card.Text
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &deadly{lives: 2, begun: make(chan struct{})}
			w := newWorld(t, a.think)
			kill := killable(w, nil)
			root := w.platform.Thread("C1", "root")
			w.deliver(w.platform.Message("U1", c.text, root))
			for range 2 {
				<-a.begun
				kill()
			}
			post := setAside(w, root)
			if !strings.Contains(post.Card.Text, c.says) || post.Card.Buttons[0].Label != c.button || post.Card.Final {
				t.Errorf("the notice: %+v", post.Card)
			}
			w.stop() // a restart changes nothing
			w.start()
			w.deliver(w.platform.Message("U1", "another", root))
			w.until("another is answered", func() bool { return shows(w, root, "echo: another") == 1 })
			if n := shows(w, root, c.says); n != 1 || a.tried.Load() != 2 {
				t.Fatalf("%d notices after %d tries", n, a.tried.Load())
			}
			if said := c.retry(w, post, root); !strings.Contains(said, "1") {
				t.Errorf("the retry is told %q", said)
			}
			w.until("it is answered", func() bool { return shows(w, root, "at last") == 1 })
			w.settled()
			if n := parkedNow(w); n != 0 || shows(w, root, c.says) != 0 {
				t.Errorf("%d are parked, %d notices", n, shows(w, root, c.says))
			}
			if said := c.retry(w, post, root); strings.Contains(said, "1") {
				t.Errorf("a second retry is told %q", said)
			}
			w.deliver(w.platform.Message("U1", "the last", root))
			w.until("the last is answered", func() bool { return shows(w, root, "echo: the last") == 1 })
			for _, r := range w.agent.asked() { // what is asked while it rests leaves the thread's log to it
				if (r.Aside != "") != (r.Text == "another") {
					t.Errorf("%q runs in %q", r.Text, r.Log())
				}
				for _, earlier := range r.Context {
					if r.Text == "another" && earlier.Text == c.text {
						t.Errorf("%q is told %q", r.Text, earlier.Text)
					}
				}
			}
		})
	}
}

// shows counts the messages of a thread that show a text.
func shows(w *world, in bot.Thread, text string) (n int) {
	for _, p := range w.platform.Posts(in) {
		if strings.Contains(p.Card.Text, text) {
			n++
		}
	}
	return n
}

// TestVictimsAreNotParked lets processes die, or stop, under messages that are not at fault.
func TestVictimsAreNotParked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent   *deadly
		stop    bool
		further bool
	}{
		"one_death":      {agent: &deadly{lives: 1}},
		"gets_further":   {agent: &deadly{lives: 6}, further: true},
		"graceful_stops": {agent: &deadly{lives: 6}, stop: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := c.agent
			a.begun = make(chan struct{})
			w := newWorld(t, a.think)
			kill := killable(w, nil)
			root := w.platform.Thread("C1", "root")
			if c.further {
				a.further = func(life int64) {
					err := w.store.Append(w.ctx, 0, graph.Record{Thread: root.Key() + "#chat", Seq: life, Kind: graph.RecordStep, At: time.Now()})
					if err != nil {
						t.Error(err)
					}
				}
			}
			w.deliver(w.platform.Message("U1", "a deadly question", root))
			for range a.lives {
				<-a.begun
				if c.stop {
					w.stop()
					w.start()
				} else {
					kill()
				}
			}
			w.until("it is answered", func() bool { return shows(w, root, "at last") == 1 })
			if n := parkedNow(w); n != 0 {
				t.Errorf("%d are parked", n)
			}
		})
	}
}

// TestARetriedMessageIsParkedAnew gives a retried message a clean count: again two deaths park it, and its one notice stands.
func TestARetriedMessageIsParkedAnew(t *testing.T) {
	t.Parallel()
	a := &deadly{lives: 4, begun: make(chan struct{})}
	w := newWorld(t, a.think)
	kill := killable(w, nil)
	root := w.platform.Thread("C1", "root")
	w.deliver(w.platform.Message("U1", "a deadly question", root))
	for range 2 {
		for range 2 {
			<-a.begun
			kill()
		}
		setAside(w, root)
		if n := shows(w, root, "Nothing is lost"); n != 1 {
			t.Fatalf("%d notices", n)
		}
		if _, err := w.bot.Command(w.ctx, bot.Invocation{Name: "retry", Thread: root, User: bot.User{ID: "U1"}}); err != nil {
			t.Fatal(err)
		}
	}
	w.until("it is answered", func() bool { return shows(w, root, "at last") == 1 })
}

// TestRightsToRetry lets whoever is in a thread retry what is parked there, and admins everything.
func TestRightsToRetry(t *testing.T) {
	t.Parallel()
	a := &deadly{lives: 2, begun: make(chan struct{})}
	w := newWorld(t, a.think)
	kill := killable(w, nil)
	root := w.platform.Thread("C1", "root")
	w.deliver(w.platform.Message("U1", "a deadly question", root))
	for range 2 {
		<-a.begun
		kill()
	}
	post := setAside(w, root)
	other := w.platform.Thread("C2", "root")
	for _, c := range []struct {
		args string
		in   bot.Thread
		user bot.User
		says string
	}{
		{"", other, bot.User{ID: "U1"}, "nothing set aside here"},
		{"all", other, bot.User{ID: "U1"}, "admin"},
		{"list", root, bot.User{ID: "U1"}, "admin"},
		{"nonsense", root, bot.User{ID: "U1"}, "/maru retry all"},
		{"list", other, bot.User{ID: "U3", Admin: true}, root.Key()},
		{"all", other, bot.User{ID: "U3", Admin: true}, "1"},
	} {
		card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "retry", Args: c.args, Thread: c.in, User: c.user})
		if err != nil || !strings.Contains(card.Text, c.says) {
			t.Errorf("retry %q by %+v: %+v, %v", c.args, c.user, card, err)
		}
		if c.args != "all" {
			b := post.Card.Buttons[0]
			if _, err := w.bot.Action(w.ctx, bot.Action{ID: b.ID, Verb: b.Verb, Thread: other, User: c.user}); err != nil {
				t.Fatal(err)
			}
			if n := parkedNow(w); n != 1 {
				t.Fatalf("%d are parked after a click in another thread", n)
			}
		}
	}
	w.until("it is answered", func() bool { return shows(w, root, "at last") == 1 })
}

// TestADeadlyFileIsParked parks the item that adds an offered file, and adds it when it is retried.
func TestADeadlyFileIsParked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	m, button := offered(t, w)
	begun := make(chan struct{})
	deadlyLibrary := true
	kill := killable(w, func(cfg *service.Config) {
		if deadlyLibrary {
			cfg.Library = dying{cfg.Library, begun}
		}
	})
	if _, err := w.bot.Action(w.ctx, bot.Action{ID: button.ID, Verb: button.Verb, Thread: m.Thread, User: bot.User{ID: "U1"}}); err != nil {
		t.Fatal(err)
	}
	<-begun
	kill()
	<-begun
	deadlyLibrary = false
	kill()
	setAside(w, m.Thread)
	if docs, _ := w.shelf.Documents(w.ctx, nil); len(docs) != 0 {
		t.Errorf("documents: %v", docs)
	}
	if _, err := w.bot.Command(w.ctx, bot.Invocation{Name: "retry", Thread: m.Thread, User: bot.User{ID: "U1"}}); err != nil {
		t.Fatal(err)
	}
	w.settled()
	w.shelf.mu.Lock()
	defer w.shelf.mu.Unlock()
	if len(w.shelf.docs) != 1 {
		t.Errorf("documents after the retry: %v", fmt.Sprint(w.shelf.docs))
	}
}

// TestAQuestionIsNotParked lets processes die while a run's question is posted: what is left is to end the item.
func TestAQuestionIsNotParked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asking)
	slow := &reluctant{w.platform, make(chan bot.Card), make(chan struct{})}
	kill := killable(w, func(cfg *service.Config) {
		cfg.SignOfLife, cfg.Adapters = time.Hour, []bot.Adapter{slow}
	})
	root := w.platform.Thread("C1", "root")
	w.deliver(w.platform.Message("U1", "send a mail", root))
	for range 4 {
		<-slow.tried
		kill()
	}
	close(slow.take)
	go func() {
		for range slow.tried { // whatever else is posted is taken
		}
	}()
	defer close(slow.tried)
	w.settled()
	rows, err := w.store.PendingApprovals(w.ctx, root.Key(), 10)
	if n := parkedNow(w); n != 0 || err != nil || len(rows) != 1 {
		t.Errorf("%d are parked, %d questions, %v", n, len(rows), err)
	}
	w.stop()
}
