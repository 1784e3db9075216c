package bot_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/memory/sqlitestore"
)

// lookRecord tells when an attempt at the look for second copies has ended.
type lookRecord struct {
	*sqlitestore.Store
	tried chan struct{}
}

func (r *lookRecord) DelayJob(ctx context.Context, id string, by time.Duration, why string) error {
	if why != "" {
		defer r.tell(id)
	}
	return r.Store.DelayJob(ctx, id, by, why)
}

func (r *lookRecord) EndJob(ctx context.Context, id string) error {
	defer r.tell(id)
	return r.Store.EndJob(ctx, id)
}

func (r *lookRecord) tell(id string) {
	if strings.HasPrefix(id, bot.JobTwins) {
		select {
		case r.tried <- struct{}{}:
		default:
		}
	}
}

// looker is a platform of which tests know when it is searched.
type looker struct {
	*latePlatform
	before func()           // a search for second copies, once; may be nil
	dated  func() time.Time // of all messages; nil: long ago
	after  func(bot.Card)   // a post; may be nil
	once   sync.Once
}

func (l *looker) Twins(ctx context.Context, to bot.Target, keys, known []string) ([]bot.Ref, error) {
	if l.before != nil {
		l.once.Do(l.before)
	}
	return l.fakePlatform.Twins(ctx, to, keys, known)
}

func (l *looker) Dated(message string) time.Time {
	if l.dated != nil {
		return l.dated()
	}
	return l.fakePlatform.Dated(message)
}

func (l *looker) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	ref, err := l.latePlatform.Post(ctx, to, c, key)
	if err == nil && l.after != nil {
		l.after(c)
	}
	return ref, err
}

// newLooker starts a bot whose first post that late selects gets no answer, and the clock that tests advance.
func newLooker(t *testing.T, think thinking, late func(bot.Target, bot.Card) bool) (*world, *looker, *lookRecord, *atomic.Int64) {
	t.Helper()
	ahead := &atomic.Int64{}
	w := newWorld(t, think)
	l := &looker{latePlatform: &latePlatform{fakePlatform: w.platform, lost: true, sent: make(chan struct{}), late: late}}
	l.skips.Store(true)
	r := &lookRecord{tried: make(chan struct{}, 1)}
	w.stop()
	w.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	w.change = func(c *service.Config) {
		r.Store = w.store
		c.Record, c.Adapters = r, []bot.Adapter{l}
	}
	w.start()
	return w, l, r, ahead
}

type thinking = func(context.Context, agent.Request, agent.Sink) (agent.Result, error)

func final(_ bot.Target, c bot.Card) bool { return c.Final }

// leased reports whether a worker holds a thread: the last item of it is done before that.
func (w *world) leased(in bot.Thread) (held bool) {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	err = db.QueryRowContext(w.ctx, `SELECT EXISTS (SELECT 1 FROM threads WHERE key = ? AND until > 0)`, in.Key()).Scan(&held)
	if err := errors.Join(err, db.Close()); err != nil {
		w.t.Fatal(err)
	}
	return held
}

// TestTheLookWaits: what another process may still store, or has just posted, is no second copy yet. A minute later it is.
func TestTheLookWaits(t *testing.T) {
	t.Parallel()
	for name, hold := range map[string]func(*testing.T, *world, *looker, bot.Message) (free func()){
		"for_another_replica": func(t *testing.T, w *world, _ *looker, m bot.Message) func() {
			w.until("the thread is free", func() bool { return !w.leased(m.Thread) })
			it := bot.Item{ID: "elsewhere", Thread: m.Thread.Key(), Kind: bot.ItemMessage, Body: []byte(`{}`), Order: "m999999"}
			_, lease, _, err := w.store.Begin(w.ctx, it, "another replica", 10*365*24*time.Hour)
			if err != nil || lease.Token == 0 {
				t.Fatalf("lease %+v, %v", lease, err)
			}
			return func() {
				if err := w.store.Finish(w.ctx, lease, it.ID, bot.Outcome{}); err != nil {
					t.Error(err)
				}
			}
		},
		"for_a_new_message": func(_ *testing.T, w *world, l *looker, _ bot.Message) func() {
			var old atomic.Bool
			l.dated = func() time.Time {
				if old.Load() {
					return w.now().Add(-time.Hour)
				}
				return w.now()
			}
			return func() { old.Store(true) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, l, r, ahead := newLooker(t, echo, final)
			m := w.say("hello", w.platform.Thread("C1", ""))
			<-l.sent
			w.settled()
			l.land()
			free := hold(t, w, l, m)
			for range 10 { // more often than a job is tried that fails
				w.until("it looks", func() bool {
					ahead.Add(int64(10 * time.Second))
					select {
					case <-r.tried:
						return true
					default:
						return false
					}
				})
			}
			if n := len(w.platform.Posts(m.Thread)); n != 2 {
				t.Fatalf("%d messages, want both to wait", n)
			}
			free()
			w.until("the second copy is removed", func() bool { ahead.Add(int64(time.Minute)); return len(w.platform.Posts(m.Thread)) == 1 })
		})
	}
}

// TestATurnDuringTheLook: a person deletes the question and has decided it. The answer is posted again while the look goes on,
// and its place is not stored yet.
func TestATurnDuringTheLook(t *testing.T) {
	t.Parallel()
	w, l, r, ahead := newLooker(t, asking, func(_ bot.Target, c bot.Card) bool { return len(c.Buttons) > 0 })
	m := w.say("mail it", w.platform.Thread("C1", ""))
	q, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return len(p.Card.Buttons) > 0 })
	if err != nil {
		t.Fatal(err)
	}
	w.settled()
	looks, posted, stored := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var once sync.Once
	l.after = func(c bot.Card) {
		if c.Final {
			once.Do(func() { close(posted) })
			<-stored
		}
	}
	l.before = func() {
		close(looks)
		<-posted
	}
	w.until("it looks", func() bool {
		ahead.Add(int64(10 * time.Second))
		select {
		case <-looks:
			return true
		default:
			return false
		}
	})
	w.platform.Delete(q.ID)
	w.act(click(m, q.Card.Buttons[0], "U1"))
	<-r.tried
	close(stored)
	w.settled()
	row, err := w.store.Reply(w.ctx, m.Run())
	posts := w.platform.Posts(m.Thread)
	if err != nil || len(posts) != 1 || len(row.Ref.Messages) != 1 || posts[0].ID != row.Ref.Messages[0] {
		t.Errorf("%+v stand; the record names %v, %v", posts, row.Ref.Messages, err)
	}
}

// TestALookOfTheVersionBefore: a job that an earlier version stored names one key.
func TestALookOfTheVersionBefore(t *testing.T) {
	t.Parallel()
	w, l, _, ahead := newLooker(t, echo, final)
	m := w.say("hello", w.platform.Thread("C1", ""))
	<-l.sent
	w.settled()
	w.stop()
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		t.Fatal(err)
	}
	const earlier = `UPDATE jobs SET body = CAST(json_remove(json_set(CAST(body AS TEXT), '$.key', json_extract(CAST(body AS TEXT), '$.keys[0]')), '$.keys') AS BLOB)
		WHERE kind = 'twins'`
	res, err := db.ExecContext(w.ctx, earlier)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		t.Fatalf("%d jobs, %v", n, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	w.start()
	l.land()
	w.until("the second copy is removed", func() bool { ahead.Add(int64(time.Minute)); return len(w.platform.Posts(m.Thread)) == 1 })
}

// doubtfulEditor gets no answer for the first final edit, which may have posted a message.
type doubtfulEditor struct {
	*fakePlatform
	first atomic.Bool
}

func (d *doubtfulEditor) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	if c.Final && d.first.CompareAndSwap(false, true) {
		ref.Doubtful = true
		return ref, errDown
	}
	return d.fakePlatform.Edit(ctx, ref, c)
}

// TestAPartThatTakesEffectLate: the answer of a later part of a reply is lost, and the part appears a second time.
func TestAPartThatTakesEffectLate(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	drawn := make(chan struct{})
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		<-drawn
		return echo(ctx, req, sink)
	})
	w.stop()
	w.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{&doubtfulEditor{fakePlatform: w.platform}} }
	w.start()
	m := w.say("hello", w.platform.Thread("C1", ""))
	w.until("a draft stands", func() bool { return len(w.platform.Posts(m.Thread)) == 1 })
	close(drawn)
	w.settled()
	if _, err := w.platform.Post(w.ctx, bot.Target{Thread: m.Thread}, bot.Card{Kind: bot.CardText, Text: "its end", Final: true}, m.Run()); err != nil {
		t.Fatal(err)
	}
	w.until("the second copy is removed", func() bool { ahead.Add(int64(time.Minute)); return len(w.platform.Posts(m.Thread)) == 1 })
}
