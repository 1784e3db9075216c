package sync_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	gosync "sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/bot"
	"maru/rag/source"
)

// pile is a source of ten items whose reading may do anything.
type pile struct {
	mu      gosync.Mutex
	version string
	recheck bool // its listing does not tell what changed
	asked   map[string]int
	read    func(ctx context.Context, id string, n int) error
}

func (p *pile) List(context.Context, string) (source.Page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := source.Page{Complete: true, Recheck: p.recheck}
	for i := range 10 {
		out.Items = append(out.Items, source.Item{ID: fmt.Sprint("item ", i), Version: p.version, Trusted: true})
	}
	return out, nil
}

func (p *pile) Fetch(ctx context.Context, it source.Item, _ string) (source.Content, error) {
	p.mu.Lock()
	p.asked[it.ID]++
	n, read := p.asked[it.ID], p.read
	p.mu.Unlock()
	if read != nil {
		if err := read(ctx, it.ID, n); err != nil {
			return source.Content{}, err
		}
	}
	return source.Content{Name: it.ID + ".txt", Data: []byte("words of " + it.ID)}, nil
}

func (p *pile) set(version string, read func(ctx context.Context, id string, n int) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version, p.read = version, read
}

func (p *pile) count(id string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[id]
}

// mortal is the record of a process that dies: from then on it writes nothing.
type mortal struct {
	source.Store
	dead atomic.Bool
}

var errDied = errors.New("the process is dead")

func (m *mortal) SaveSource(ctx context.Context, name, owner string, p source.Progress, put []source.Entry, drop []string) error {
	if m.dead.Load() {
		return errDied
	}
	return m.Store.SaveSource(ctx, name, owner, p, put, drop)
}

func (m *mortal) FreeSource(ctx context.Context, name, owner string) error {
	if m.dead.Load() {
		return errDied
	}
	return m.Store.FreeSource(ctx, name, owner)
}

// heap returns a world of sources that are piles.
func heap(t *testing.T, piles map[string]*pile) *world {
	var rows []source.Row
	for name, p := range piles {
		p.version, p.asked = "1", map[string]int{}
		rows = append(rows, source.Row{Name: name, Spec: source.Spec{Kind: source.Confluence, Scope: bot.ScopePublic, Every: time.Hour, Pages: 1000}})
	}
	w := newWorld(t, rows...)
	w.open = func(r source.Row) (source.Source, error) { return piles[r.Name], nil }
	return w
}

// dies runs a process until it dies at a word on killed, and lets its leases lapse.
func (w *world) dies(owner string, killed <-chan struct{}) {
	w.t.Helper()
	m := &mortal{Store: w.store}
	w.cut, w.owner = m, owner
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan struct{})
	e := w.engine()
	go func() { defer close(ended); e.Run(ctx) }()
	<-killed
	m.dead.Store(true)
	cancel()
	<-ended
	w.cut, w.owner = nil, owner+" was followed"
	for _, r := range w.rows {
		if err := w.store.FreeSource(w.t.Context(), r.Name, owner); err != nil {
			w.t.Fatal(err)
		}
	}
}

// states counts the items of a source by their states.
func (w *world) states(name string) string {
	w.t.Helper()
	n, err := w.store.CountItems(w.t.Context(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("%d synced, %d parked, %d others", n[source.Synced], n[source.Parked], n[source.Pending]+n[source.Failed]+n[source.Refused])
}

// TestADeadlyItemIsParked: the third death parks the item and the others go on; looks leave it alone until a person
// retries it or it has another version.
func TestADeadlyItemIsParked(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(w *world, p *pile){
		"retried": func(w *world, _ *pile) {
			rows, err := w.store.Sources(w.t.Context())
			if err != nil {
				w.t.Fatal(err)
			}
			rows[0].Retry = time.Now()
			if _, err := w.store.PutSource(w.t.Context(), rows[0]); err != nil {
				w.t.Fatal(err)
			}
		},
		"changed": func(_ *world, p *pile) { p.set("2", nil) },
	} {
		for _, recheck := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s_recheck_%v", name, recheck), func(t *testing.T) {
				t.Parallel()
				p := &pile{recheck: recheck}
				w := heap(t, map[string]*pile{"wiki": p})
				killed := make(chan struct{})
				p.set("1", func(ctx context.Context, id string, _ int) error {
					if id != "item 4" {
						return nil
					}
					killed <- struct{}{}
					<-ctx.Done()
					return ctx.Err()
				})
				w.dies("one", killed)
				w.dies("two", killed)
				w.dies("three", killed)
				for range 2 {
					w.look()
					if got := w.states("wiki"); got != "9 synced, 1 parked, 0 others" || p.count("item 4") != 3 {
						t.Fatalf("%s, read %d times", got, p.count("item 4"))
					}
				}
				list, err := w.store.SourceItems(t.Context(), "wiki", source.Query{States: []source.State{source.Parked}, Limit: 2})
				if err != nil || len(list) != 1 || !strings.Contains(list[0].Why.In("en"), "item 4") || !strings.Contains(list[0].Why.In("ko"), "재시도 wiki") {
					t.Errorf("%+v %v", list, err)
				}
				p.set("1", nil)
				again(w, p)
				w.look()
				if got := w.states("wiki"); got != "10 synced, 0 parked, 0 others" {
					t.Error(got)
				}
			})
		}
	}
}

// TestVictimsAreNotParked: an item that was in hand when another killed the process is read again, and the deadly one
// alone.
func TestVictimsAreNotParked(t *testing.T) {
	t.Parallel()
	bad, good := &pile{}, &pile{}
	w := heap(t, map[string]*pile{"bad": bad, "good": good})
	killed, both := make(chan struct{}), make(chan struct{})
	var company atomic.Int32
	good.set("1", func(ctx context.Context, id string, n int) error {
		if id == "item 0" && n == 1 {
			close(both)
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	bad.set("1", func(ctx context.Context, id string, n int) error {
		if id != "item 0" {
			return nil
		}
		if n == 1 {
			<-both
		}
		list, err := w.store.SourceItems(ctx, "good", source.Query{Limit: 20})
		if err != nil {
			return err
		}
		for _, e := range list {
			if n > 1 && e.InHand != "" && e.InHand != "one" {
				company.Add(1)
			}
		}
		killed <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	w.dies("one", killed)
	w.dies("two", killed)
	w.dies("three", killed)
	done := map[string]bool{}
	w.run(func(r source.Row) bool {
		done[r.Name] = r.Progress.Phase == source.Idle && r.Progress.Sweep > 0
		return done["bad"] && done["good"]
	})
	if b, g := w.states("bad"), w.states("good"); b != "9 synced, 1 parked, 0 others" || g != "10 synced, 0 parked, 0 others" || company.Load() > 0 {
		t.Errorf("bad: %s; good: %s; %d items in hand beside the suspect", b, g, company.Load())
	}
}

// TestStopsAndPanicsAreNoDeaths: a program that ends in the middle of an item, however often, parks nothing, and a panic
// is the failure of its item.
func TestStopsAndPanicsAreNoDeaths(t *testing.T) {
	t.Parallel()
	p := &pile{}
	w := heap(t, map[string]*pile{"wiki": p})
	reading := make(chan struct{})
	p.set("1", func(ctx context.Context, id string, _ int) error {
		if id == "item 2" {
			reading <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	for n := range 4 {
		w.owner = fmt.Sprint("process ", n)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		e := w.engine()
		go func() { defer close(ended); e.Run(ctx) }()
		<-reading
		cancel()
		<-ended
	}
	list, err := w.store.SourceItems(t.Context(), "wiki", source.Query{IDs: []string{"item 2"}, Limit: 1})
	if err != nil || len(list) != 1 || list[0].Deaths > 0 || list[0].InHand != "" {
		t.Fatalf("%+v %v", list, err)
	}
	p.set("1", func(_ context.Context, id string, _ int) error {
		if id == "item 2" {
			panic("a fault of the reader")
		}
		return nil
	})
	w.owner = "the last"
	w.look()
	if got := w.states("wiki"); got != "9 synced, 0 parked, 1 others" {
		t.Error(got)
	}
}

// TestTwoDeathsMayBeChance: an item that was in hand at two deaths is read by the next process.
func TestTwoDeathsMayBeChance(t *testing.T) {
	t.Parallel()
	p := &pile{}
	w := heap(t, map[string]*pile{"wiki": p})
	killed := make(chan struct{})
	p.set("1", func(ctx context.Context, id string, n int) error {
		if id != "item 4" || n > 2 {
			return nil
		}
		killed <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	w.dies("one", killed)
	w.dies("two", killed)
	w.look()
	if got := w.states("wiki"); got != "10 synced, 0 parked, 0 others" {
		t.Error(got)
	}
}
