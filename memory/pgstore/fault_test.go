package pgstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"maru/agent/graph"
	"maru/bot"
	"maru/bot/audit"
	"maru/datatest"
	"maru/memory/memtest"
	"maru/memory/memtest/servers"
	"maru/memory/pgstore"
)

// cut is a store behind a connection that breaks, and one beside it that does not.
type cut struct {
	t         *testing.T
	s, direct *pgstore.Store
	p         *proxy // between s and the server
	key       string // of a thread
	l         bot.Lease
}

func (c *cut) must(what string, err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("%s: %v", what, err)
	}
}

func (c *cut) item(n int) bot.Item {
	id := fmt.Sprint(n)
	return bot.Item{ID: id, Thread: c.key, Kind: bot.ItemMessage, Order: id, Entry: &bot.Entry{ID: id, Text: id}}
}

// ofTheInbox returns the calls by which threads are worked on; each says what is wrong with what it came to.
func (c *cut) ofTheInbox(ctx context.Context) map[string]func(n int) error {
	return map[string]func(n int) error{
		"put": func(n int) error {
			fresh, err := c.s.Put(ctx, c.item(n))
			if err == nil && !fresh {
				return errors.New("its own item was taken for a copy")
			}
			return err
		},
		"claim": func(n int) error {
			th := bot.Thread{Platform: "slack", Team: "T", Channel: "claim", ID: fmt.Sprint(n)}.Key()
			_, err := c.direct.Put(ctx, bot.Item{ID: "claim" + fmt.Sprint(n), Thread: th})
			c.must("put", err)
			l, ok, err := c.s.Claim(ctx, th, "w", time.Hour)
			if err == nil && (!ok || l.Thread != th) {
				return fmt.Errorf("no lease: %v", l)
			}
			return err
		},
		"begin": func(n int) error {
			it := c.item(30_000 + n)
			it.Thread = bot.Thread{Platform: "slack", Team: "T", Channel: "begin", ID: fmt.Sprint(n)}.Key()
			fresh, l, first, err := c.s.Begin(ctx, it, "w", time.Hour)
			if err == nil && (!fresh || l.Thread != it.Thread || first.ID != it.ID) {
				return fmt.Errorf("fresh: %v, lease %v of %q", fresh, l, first.ID)
			}
			if err == nil {
				_, err = c.direct.Renew(ctx, l, time.Hour)
			}
			return err
		},
		"finish": func(n int) error {
			it := c.item(20_000 + n)
			_, err := c.direct.Put(ctx, it)
			c.must("put", err)
			return c.s.Finish(ctx, c.l, it.ID, bot.Outcome{Entry: &bot.Entry{ID: "r" + it.ID, Text: "answer"}})
		},
		"finish_last": func(n int) error { // and the next look of the worker, while another one has the thread
			it := c.item(50_000 + n)
			it.Thread = bot.Thread{Platform: "slack", Team: "T", Channel: "last", ID: fmt.Sprint(n)}.Key()
			_, l, _, err := c.direct.Begin(ctx, it, "w", time.Hour)
			c.must("begin", err)
			first := it.ID
			it.ID += " again"
			var other bot.Lease
			take := func() {
				if working, err := c.direct.Working(ctx, it.Thread); err == nil && !working {
					_, other, _, _ = c.direct.Begin(ctx, it, "other", time.Hour)
				}
			}
			if n%2 == 0 { // before the worker learns that it has finished
				c.p.during(take)
			}
			err = c.s.Finish(ctx, l, first, bot.Outcome{Last: true})
			if c.p.during(nil); err != nil {
				return err
			}
			if other.Token == 0 {
				take()
			}
			if other.Token == 0 {
				return errors.New("the thread is not free")
			}
			if _, err := c.s.Renew(ctx, l, time.Hour); err != nil {
				return fmt.Errorf("renew: %w", err)
			}
			if next, ok, err := c.s.Next(ctx, l); ok || err != nil {
				return fmt.Errorf("next: %q, %w", next.ID, err)
			}
			if _, _, err := c.direct.Next(ctx, l); !errors.Is(err, bot.ErrFenced) {
				return fmt.Errorf("the lease still counts: %w", err)
			}
			return nil
		},
		"stop_pending": func(n int) error {
			it := c.item(40_000 + n)
			it.Thread, it.Kind = bot.Thread{Platform: "slack", Team: "T", Channel: "stop", ID: fmt.Sprint(n)}.Key(), bot.ItemMessage
			_, err := c.direct.Put(ctx, it)
			c.must("put", err)
			got, err := c.s.StopPending(ctx, bot.PendingStop{Thread: it.Thread, Why: bot.StopSaid})
			if err == nil && !slices.Equal(got, []string{it.ID}) {
				return fmt.Errorf("stopped %q", got)
			}
			return err
		},
		"stops": func(int) error {
			found, err := c.direct.AskStop(ctx, c.key, "stop")
			if c.must("ask", err); !found {
				return errors.New("nobody to stop")
			}
			list, err := c.s.Stops(ctx, "w")
			if err == nil && len(list) != 1 {
				return fmt.Errorf("stops %v", list)
			}
			if err == nil {
				err = c.s.HeardStops(ctx, list)
			}
			if left, lerr := c.direct.Stops(ctx, "w"); err == nil && (lerr != nil || len(left) != 0) {
				return fmt.Errorf("left %v, %w", left, lerr)
			}
			return err
		},
	}
}

// ofTheRecord returns the others.
func (c *cut) ofTheRecord(ctx context.Context) map[string]func(n int) error {
	return map[string]func(n int) error{
		"append": func(n int) error {
			head, err := c.direct.Head(ctx, c.key, "")
			c.must("head", err)
			r := graph.Record{Thread: c.key, Seq: head + 1, Kind: graph.RecordStep, Turn: fmt.Sprint(n), At: time.Now(), Body: json.RawMessage(`{}`)}
			return c.s.Append(ctx, c.l.Token, r)
		},
		"audit": func(n int) error {
			_, err := c.s.AppendAudit(ctx, audit.Entry{Team: "a", What: fmt.Sprint(n)})
			return err
		},
		"setting": func(n int) error {
			return c.s.SetSetting(ctx, bot.Setting{Place: "b/", Key: "k", Value: json.RawMessage(fmt.Sprint(n)), By: "u"})
		},
		"swap": func(n int) error {
			v := bot.Setting{Place: "b/", Key: fmt.Sprint("swap", n), Value: json.RawMessage(fmt.Sprint(n)), By: "u"}
			also := v
			also.Key += " also"
			done, err := c.s.SwapSettings(ctx, []bot.Setting{v, also}, make([]json.RawMessage, 2))
			if err == nil && !done {
				return errors.New("not swapped")
			}
			return err
		},
		"decide": func(n int) error {
			id := fmt.Sprintf("a%d", n)
			c.must("create", c.direct.CreateApproval(ctx, c.l, bot.Approval{ID: id}))
			a, err := c.s.Decide(ctx, bot.Vote{Approval: id, By: "U1", Decision: json.RawMessage(`1`), Follow: &bot.Item{ID: "resume" + id, Thread: c.key, Kind: bot.ItemResume}})
			if err == nil && a.By != "U1" {
				return fmt.Errorf("decided by %q", a.By)
			}
			return err
		},
	}
}

// Whatever moment the connection breaks at, a call takes place exactly once and
// says so.
func TestCallsTakePlaceOnceWhereverTheConnectionBreaks(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	c := &cut{t: t, direct: open(t, cfg), key: bot.Thread{Platform: "slack", Team: "T", Channel: "C", ID: "1"}.Key()}
	p := newProxy(t, cfg.URL)
	c.p, cfg.URL = p, p.url()
	c.s = open(t, cfg)
	ctx := t.Context()
	// Once without faults, so that statements are prepared and a write is the call itself.
	_, err := c.s.Put(ctx, c.item(1000))
	c.must("put", err)
	var ok bool
	if c.l, ok, err = c.s.Claim(ctx, c.key, "w", time.Hour); err != nil || !ok {
		t.Fatal(ok, err)
	}
	calls := c.ofTheInbox(ctx)
	maps.Copy(calls, c.ofTheRecord(ctx))
	const rounds = 8
	for name, call := range calls {
		c.must(name+" without faults", call(5000))
		cuts := 0
		for after := range rounds {
			p.arm(after)
			if err := call(after); err != nil {
				t.Errorf("%s, cut after %d writes: %v", name, after, err)
			}
			if p.disarm() {
				cuts++
			}
		}
		if cuts == 0 {
			t.Errorf("%s was never cut", name)
		}
	}
	log, err := c.direct.AuditLog(ctx, "a", 0, 100)
	c.must("audit", err)
	if len(log) != rounds+1 {
		t.Errorf("%d audit entries of %d calls", len(log), rounds+1)
	}
	if seq, ok := audit.Verify("", log); !ok {
		t.Errorf("the chain is broken at %d", seq)
	}
	const settings = 3 * (rounds + 1) // one set, two swapped at once
	if log, err = c.direct.AuditLog(ctx, "b/", 0, 100); err != nil || len(log) != settings {
		t.Errorf("%d audit entries of %d settings, %v", len(log), settings, err)
	}
	if head, err := c.direct.Head(ctx, c.key, ""); err != nil || head != rounds+1 {
		t.Errorf("head %d after %d appends, %v", head, rounds+1, err)
	}
}

// A server that goes away and comes back: calls in between fail and change
// nothing, those after it work, and what was acknowledged is there.
func TestServerThatComesBackIsUsedAgain(t *testing.T) {
	t.Parallel()
	srv := servers.StartPostgres(t)
	s := open(t, pgstore.Config{URL: srv.URL, Patience: 2 * time.Minute})
	key := bot.Thread{Platform: "slack", Team: "T", Channel: "C", ID: "1"}.Key()
	put := func(id string) error {
		fresh, err := s.Put(t.Context(), bot.Item{ID: id, Thread: key})
		if err == nil && !fresh {
			return errors.New("taken for a copy")
		}
		return err
	}
	if err := put("1"); err != nil {
		t.Fatal(err)
	}
	srv.Stop()
	var wg sync.WaitGroup
	for i := range 8 { // these wait for it
		wg.Go(func() {
			if err := put(fmt.Sprintf("while away %d", i)); err != nil {
				t.Errorf("put while away: %v", err)
			}
		})
	}
	srv.Start()
	wg.Wait()
	if n, _, err := s.Pending(t.Context(), ""); err != nil || n != 9 {
		t.Errorf("pending %d, %v; want 9", n, err)
	}
	srv.Stop()
	within := func(patience time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, _, err := s.Pending(ctx, "")
		return err
	}
	for _, patience := range []time.Duration{3 * time.Second, 0} { // there is no time left at the second call: the first has waited
		var told interface{ PeopleCode() string }
		if err := within(patience); !errors.As(err, &told) || told.PeopleCode() != string(bot.CodeStoreAway) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("within %v from a server that is away: %v", patience, err)
		}
	}
	short := pgstore.Config{URL: srv.URL, Patience: 50 * time.Millisecond}
	if _, err := pgstore.Open(t.Context(), short); err == nil {
		t.Error("opened a server that is away")
	}
	srv.Start()
	if err := within(time.Minute); err != nil {
		t.Errorf("it is back: %v", err)
	}
	if err, told := within(0), (interface{ PeopleCode() string })(nil); errors.As(err, &told) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without time, from a server that is there: %v", err)
	}
}

// Connections that are cut at random, in commits too: nothing is lost, done
// twice or out of order, and no caller hears of it.
func TestTerminatedConnectionsAreNotNoticed(t *testing.T) {
	t.Parallel()
	srv := servers.StartPostgres(t)
	s := open(t, pgstore.Config{URL: srv.URL, Patience: 10 * time.Minute})
	killer, err := pgx.Connect(t.Context(), srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cut := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		defer killer.Close(context.WithoutCancel(ctx))
		for pause := time.Duration(0); ; { // a busy machine gets as far between two cuts as an idle one
			select {
			case <-ctx.Done():
				return
			case <-time.After(15*time.Millisecond + pause):
			}
			var n int
			begun := time.Now()
			if err := killer.QueryRow(ctx, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
				WHERE application_name = 'maru' AND random() < 0.5`).Scan(&n); err == nil {
				cut += n
			}
			pause = 5 * time.Since(begun)
		}
	})
	each := 25
	if datatest.Short(t) {
		each = 8
	}
	memtest.Workers(t, s, each)
	cancel()
	wg.Wait()
	t.Logf("%d connections were cut", cut)
}

// Not parallel: nothing else may run while goroutines are counted.
func TestCloseLeavesNothingBehind(t *testing.T) {
	cfg := config(t)
	before := goleak.IgnoreCurrent()
	s, err := pgstore.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	keys, err := s.Wake(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(ctx); err != nil {
		t.Error(err)
	}
	cancel()
	for range keys {
		t.Error("a key of nobody's")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	goleak.VerifyNone(t, before)
}
