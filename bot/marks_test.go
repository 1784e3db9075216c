package bot_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
	"maru/config"
	"maru/memory/sqlitestore"
)

// reacting is a platform with marks, which it takes only while it is open.
type reacting struct {
	*platform
	mu     sync.Mutex
	closed bool
	calls  int
	on     map[string]bool // by message and mark
}

func (p *reacting) React(_ context.Context, _ bot.Target, message string, mark bot.Mark, on bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	if p.closed {
		return &bot.DeliveryError{Op: "react", Code: "ratelimited", After: time.Millisecond, Err: bot.ErrUnavailable}
	}
	if p.on == nil {
		p.on = map[string]bool{}
	}
	delete(p.on, message+" "+string(mark))
	if on {
		p.on[message+" "+string(mark)] = true
	}
	return nil
}

// withMarks returns the settings of a place where the bot marks what it has taken.
func withMarks(set []config.Entry) config.Resolved {
	r := config.Resolve(config.Config{Place: config.PlaceDefaults(), Decisions: config.DecisionDefaults()}, set)
	r.React = true
	return r
}

func (p *reacting) shut(closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = closed
}

func (p *reacting) marks() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.on)
}

// Who puts a mark on a message takes it off, however long the platform takes no
// more, and after a restart.
func TestMarksAreTakenOffInTheEnd(t *testing.T) {
	t.Parallel()
	for name, restarts := range map[string]bool{"by_the_same_process": false, "after_a_restart": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &reacting{}
			w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				for p.marks() == 0 && ctx.Err() == nil {
					<-time.After(time.Millisecond)
				}
				p.shut(true)
				return echo(ctx, req, sink)
			})
			p.platform = w.platform
			w.change = func(c *service.Config) { c.Adapters, c.Resolve = []bot.Adapter{p}, withMarks }
			forward := clockOf(w)
			m := w.say("hello", w.platform.Thread("C1", ""))
			w.replies(m.Thread, 1)
			w.settled()
			if restarts {
				w.stop()
				w.start()
			}
			if p.marks() != 1 {
				t.Fatalf("%d marks while the platform takes no more", p.marks())
			}
			p.shut(false)
			w.passing(forward)
			if p.marks() != 0 {
				t.Error("the mark stays")
			}
		})
	}
}

// A mark that the platform refused needs no taking off, and one that was taken
// off at once no job.
func TestMarksLeaveNothingToDo(t *testing.T) {
	t.Parallel()
	for name, closed := range map[string]bool{"refused": true, "taken_off": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &reacting{closed: closed}
			asked := func() bool {
				p.mu.Lock()
				defer p.mu.Unlock()
				return p.calls > 0
			}
			w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				for !asked() && ctx.Err() == nil {
					<-time.After(time.Millisecond)
				}
				return echo(ctx, req, sink)
			})
			p.platform = w.platform
			w.stop()
			w.change = func(c *service.Config) { c.Adapters, c.Resolve = []bot.Adapter{p}, withMarks }
			w.start()
			m := w.say("hello", w.platform.Thread("C1", ""))
			w.replies(m.Thread, 1)
			w.settled()
			w.stop()
			p.mu.Lock()
			calls, left := p.calls, len(p.on)
			p.mu.Unlock()
			if want := map[bool]int{true: 1, false: 2}[closed]; calls != want || left != 0 {
				t.Errorf("%d calls, want %d; %d marks left", calls, want, left)
			}
			w.start()
			w.noJobs() // at once: there is none
		})
	}
}

// The queue's mark of a process that died is taken off by the next one.
func TestQueuedMarkOfADeadProcess(t *testing.T) {
	t.Parallel()
	p := &reacting{on: map[string]bool{}}
	w := newWorld(t, echo)
	p.platform = w.platform
	w.change = func(c *service.Config) { c.Adapters, c.Resolve = []bot.Adapter{p}, withMarks }
	forward := clockOf(w)
	w.stop()
	m := w.platform.Message("U1", "hello", w.platform.Thread("C1", ""))
	w.leftBehind(m)
	p.on[m.ID+" "+string(bot.MarkQueued)] = true
	forward(time.Minute)
	w.start()
	w.replies(m.Thread, 1)
	w.settled()
	w.passing(forward)
	if p.marks() != 0 {
		t.Errorf("marks stay: %v", p.on)
	}
}

// The queue's mark of a replica that died is taken off by one that ran before the
// message came, also where the record's clock is ahead of its own.
func TestQueuedMarkOfADeadReplica(t *testing.T) {
	t.Parallel()
	for name, came := range map[string]time.Duration{"a_moment_ago": -5 * time.Second, "by_a_clock_ahead": 30 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &reacting{on: map[string]bool{}}
			w := newWorld(t, echo)
			p.platform = w.platform
			w.change = func(c *service.Config) { c.Adapters, c.Resolve = []bot.Adapter{p}, withMarks }
			forward := clockOf(w)
			forward(time.Minute)
			m := w.platform.Message("U1", "hello", w.platform.Thread("C1", ""))
			if err := p.React(w.ctx, bot.Target{}, m.ID, bot.MarkQueued, true); err != nil {
				t.Fatal(err)
			}
			body, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			it := bot.Item{ID: m.Key(), Thread: m.Thread.Key(), Kind: bot.ItemMessage, Order: m.ID, Body: body, At: w.now().Add(came)}
			if _, err := w.store.Put(w.ctx, it); err != nil {
				t.Fatal(err)
			}
			w.replies(m.Thread, 1)
			w.settled()
			w.passing(forward)
			if p.marks() != 0 {
				t.Error("the mark stays")
			}
		})
	}
}

// leftBehind puts a message into the record of a bot that does not run.
func (w *world) leftBehind(m bot.Message) {
	w.t.Helper()
	store, err := sqlitestore.Open(w.ctx, sqlitestore.Config{Path: w.path, Log: slog.New(slog.DiscardHandler), Now: w.now})
	if err != nil {
		w.t.Fatal(err)
	}
	body, err := json.Marshal(m)
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = store.Put(w.ctx, bot.Item{ID: m.Key(), Thread: m.Thread.Key(), Kind: bot.ItemMessage, Order: m.ID, Body: body})
	if err := errors.Join(err, store.Close()); err != nil {
		w.t.Fatal(err)
	}
}

// TestAQuestionThatIsNeverAnsweredLosesItsMark: one that was deleted before its turn
// has no reply by which its turn could be told.
func TestAQuestionThatIsNeverAnsweredLosesItsMark(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		<-goOn
		return echo(ctx, req, sink)
	})
	p := &reacting{platform: w.platform}
	w.stop()
	w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{p} }
	w.start()
	first := w.say("the first", w.platform.Thread("C1", ""))
	w.until("the thread is at work", func() bool { return len(w.agent.asked()) == 1 })
	second := w.say("the second", first.Thread)
	w.until("the second is marked as queued", func() bool { return p.marks() == 1 })
	if err := w.bot.Change(w.ctx, bot.Change{Thread: second.Thread, Message: second.ID, Deleted: true, At: second.At}); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	w.settled()
	w.until("the mark is off", func() bool { return p.marks() == 0 })
}

// TestAQuickAnswerNeedsNoMarks: an answer that comes before a placeholder would is one call.
func TestAQuickAnswerNeedsNoMarks(t *testing.T) {
	t.Parallel()
	p := &reacting{}
	w := newWorld(t, echo)
	p.platform = w.platform
	w.stop()
	w.change = func(c *service.Config) {
		c.Adapters, c.Resolve, c.SignOfLife = []bot.Adapter{p}, withMarks, time.Hour
	}
	w.start()
	m := w.say("hello", w.platform.Thread("C1", ""))
	w.replies(m.Thread, 1)
	w.settled()
	w.stop()
	if p.mu.Lock(); p.calls != 0 {
		t.Errorf("%d calls for marks", p.calls)
	}
	p.mu.Unlock()
}

// slowToShow is a platform on which a draft costs too much to show one soon, and that refuses the first marks.
type slowToShow struct {
	*reacting
	after    time.Duration
	refuse   int
	whispers int
}

func (p *slowToShow) Facts() bot.Facts { return bot.Facts{ShowsWorkAfter: p.after} }

// EditEvery implements bot.Editor: not every change is shown at once.
func (p *slowToShow) EditEvery() time.Duration { return time.Second }

func (p *slowToShow) React(ctx context.Context, to bot.Target, message string, mark bot.Mark, on bool) error {
	p.mu.Lock()
	refused := on && p.refuse > 0
	if on {
		p.refuse--
	}
	p.mu.Unlock()
	if refused {
		return &bot.DeliveryError{Op: "react", Code: "429", After: time.Millisecond, Err: bot.ErrUnavailable}
	}
	return p.reacting.React(ctx, to, message, mark, on)
}

// Whisper implements bot.Whisperer.
func (p *slowToShow) Whisper(context.Context, bot.Target, bot.User, bot.Card) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.whispers++
	return nil
}

// TestAPlatformSaysWhenWorkIsShown: an answer within that time is the thread's only message and was never edited;
// a slower one has a draft.
func TestAPlatformSaysWhenWorkIsShown(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]time.Duration{"quick": time.Hour, "slow": time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &slowToShow{reacting: &reacting{}, after: after}
			w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				time.Sleep(300 * time.Millisecond) // 60 times as long as the world's sign of life
				return echo(ctx, req, sink)
			})
			p.platform = w.platform
			w.stop()
			w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{p} }
			w.start()
			m := w.say("hello", w.platform.Thread("C1", ""))
			post := w.replies(m.Thread, 1)[0]
			if drafted := len(post.Seen) > 1; drafted != (name == "slow") {
				t.Errorf("it showed %d cards", len(post.Seen))
			}
		})
	}
}

// TestARefusedMarkIsTriedAgain: a message that waits while the platform takes no mark gets it later, and no
// message in its place, which would cost the same limit more. One that never got it costs no request to remove it.
func TestARefusedMarkIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]int{"once": 1, "always": 1 << 30} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			goOn := make(chan struct{})
			w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				<-goOn
				return echo(ctx, req, sink)
			})
			p := &slowToShow{reacting: &reacting{platform: w.platform}, refuse: refuse}
			w.stop()
			w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{p} }
			w.start()
			first := w.say("the first", w.platform.Thread("C1", ""))
			w.until("the thread is at work", func() bool { return len(w.agent.asked()) == 1 })
			w.say("the second", first.Thread)
			w.until("the second is marked as queued, or refused twice", func() bool {
				p.mu.Lock()
				defer p.mu.Unlock()
				return len(p.on) == 1 || p.refuse == refuse-2
			})
			close(goOn)
			w.replies(first.Thread, 2)
			w.settled()
			w.until("the mark is off", func() bool { return p.marks() == 0 })
			w.noJobs()
			p.mu.Lock()
			defer p.mu.Unlock()
			if want := map[string]int{"once": 2}[name]; p.calls != want || p.whispers > 0 {
				t.Errorf("%d accepted calls, want %d; %d messages say that it waits", p.calls, want, p.whispers)
			}
		})
	}
}
