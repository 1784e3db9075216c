package sqlitestore

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/bot"
)

// tailWorld is a store with a few threads, and people who write, edit and forget in them.
type tailWorld struct {
	*Store

	t      *testing.T
	rand   *rand.Rand
	clock  time.Time
	leases map[string]bot.Lease
	said   map[string][]string // messages by thread
}

func newTailWorld(t *testing.T) *tailWorld {
	t.Helper()
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "maru.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &tailWorld{Store: s, t: t, rand: rand.New(rand.NewPCG(3, 4)), clock: time.Now(), leases: map[string]bot.Lease{}, said: map[string][]string{}}
}

func (w *tailWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// say puts a message whose time may be before that of others, and answers it with a chance.
func (w *tailWorld) say(thread string, n int) {
	w.t.Helper()
	ctx, id := w.t.Context(), fmt.Sprint(thread, "/", n)
	at := w.clock.Add(time.Duration(n*1000-w.rand.IntN(3000)) * time.Millisecond)
	it := bot.Item{ID: id, Thread: thread, Kind: bot.ItemMessage, Order: fmt.Sprintf("%08d", n), Body: []byte("{}"), At: at, Entry: &bot.Entry{
		ID: id, Thread: thread, Author: "Kim", User: fmt.Sprint("U", w.rand.IntN(3)), Text: strings.Repeat("word ", w.rand.IntN(4)), At: at,
	}}
	for range 2 { // the platform delivers it twice
		_, err := w.Put(ctx, it)
		w.must(err)
	}
	w.said[thread] = append(w.said[thread], id)
	if w.rand.IntN(5) == 0 {
		return
	}
	l, ok := w.leases[thread]
	if !ok {
		var err error
		l, ok, err = w.Claim(ctx, thread, "me", time.Hour)
		w.must(err)
		if !ok {
			w.t.Fatal("no lease")
		}
		w.leases[thread] = l
	}
	w.must(w.Finish(ctx, l, id, bot.Outcome{Entry: &bot.Entry{
		ID: "run " + id, Thread: thread, Own: true, Text: "yes", Run: "run " + id, Sources: []byte(`[{"n":1}]`), At: at.Add(time.Duration(w.rand.IntN(3000)-1500) * time.Millisecond),
	}}))
}

// compare reads transcripts as agents do and as the file has them.
func (w *tailWorld) compare(thread string) {
	w.t.Helper()
	ctx := w.t.Context()
	file, err := all(ctx, w.Store, "entries", scanEntry, `SELECT id, thread, own, author, user, text, run, sources, at, deleted FROM entries WHERE thread = ? ORDER BY at, seq`, thread)
	w.must(err)
	limit := []int{1, 4, 12, 60, 1000}[w.rand.IntN(5)]
	list, err := w.Transcript(ctx, thread, limit)
	w.must(err)
	if want := file[max(0, len(file)-limit):]; len(want)+len(list) > 0 && !reflect.DeepEqual(list, want) {
		w.t.Fatalf("the last %d of %s are\n%+v, the file has\n%+v", limit, thread, list, want)
	}
	people := slices.DeleteFunc(slices.Clone(file), func(e bot.Entry) bool { return e.Own || e.Deleted || e.Text == "" })
	said, err := w.SaidIn(ctx, thread, limit)
	w.must(err)
	if want := people[max(0, len(people)-limit):]; len(want)+len(said) > 0 && !reflect.DeepEqual(said, want) {
		w.t.Fatalf("people said %+v, the file has %+v", said, want)
	}
	for _, id := range w.said[thread][max(0, len(w.said[thread])-2):] {
		e, err := w.Entry(ctx, thread, id)
		i := slices.IndexFunc(file, func(e bot.Entry) bool { return e.ID == id })
		if (i < 0) != (err != nil) || i >= 0 && !reflect.DeepEqual(e, file[i]) {
			w.t.Fatalf("%s is %+v, %v, the file has %+v", id, e, err, file)
		}
	}
}

// TestTailsAreTheFiles: what is kept of transcripts is what the file has, after whatever changed it.
func TestTailsAreTheFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, in one goroutine")
	}
	t.Parallel()
	w := newTailWorld(t)
	served := 0
	for n := range 1500 {
		thread := fmt.Sprintf("slack/T1/C1/%d", w.rand.IntN(3))
		w.say(thread, n)
		if said := w.said[thread]; w.rand.IntN(6) == 0 {
			id := said[w.rand.IntN(len(said))]
			switch w.rand.IntN(6) {
			case 0:
				_, _ = w.Amend(t.Context(), thread, id, bot.Change{Message: id, Deleted: true}, nil) // it may be gone
			case 1:
				w.must(w.Forget(t.Context(), thread))
				delete(w.leases, thread)
			default:
				_, _ = w.Amend(t.Context(), thread, id, bot.Change{Message: id, Text: fmt.Sprint("edited ", n), At: w.clock.Add(time.Duration(n) * time.Second)}, nil)
			}
		}
		for i := range 3 {
			other := fmt.Sprintf("slack/T1/C1/%d", i)
			if _, ok := w.write.tails.last(other, 1); ok {
				served++
			}
			w.compare(other)
		}
	}
	if served < 3000 {
		t.Errorf("only %d of 4500 reads were served without the file", served)
	}
}

// TestTailsUnderWrites: a reader beside writers never keeps what a commit has overtaken.
func TestTailsUnderWrites(t *testing.T) {
	t.Parallel()
	w := newTailWorld(t)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for n := range 100 {
				id, thread := fmt.Sprint(g, "-", n), fmt.Sprint("slack/T1/C1/", n/5) // 20 entries each
				if _, err := w.Put(t.Context(), bot.Item{ID: id, Thread: thread, Kind: bot.ItemStop, Entry: &bot.Entry{ID: id, Thread: thread, Text: "x"}}); err != nil {
					t.Error(err)
				}
				if n%10 == 0 {
					_, _ = w.Amend(t.Context(), thread, id, bot.Change{Message: id, Text: "y", At: time.Now()}, nil) // drops all tails
				}
				if _, err := w.Entry(t.Context(), thread, id); err != nil {
					t.Error(err)
				}
				list, err := w.Transcript(t.Context(), thread, 1000)
				times := map[string]int{}
				for _, e := range list {
					if times[e.ID]++; times[e.ID] > 1 {
						t.Errorf("%s stands %d times in its transcript", e.ID, times[e.ID])
					}
				}
				if err != nil || times[id] == 0 {
					t.Errorf("%s is not in its transcript: %v", id, err)
				}
			}
		})
	}
	all.Wait()
}

// TestTailReadBeforeItsCommitIsTold: a reader may see a commit in the file before the tails hear of it.
func TestTailReadBeforeItsCommitIsTold(t *testing.T) {
	t.Parallel()
	at := time.Now()
	question := bot.Entry{Thread: "t", ID: "q", Text: "How?", At: at}
	answer := bot.Entry{Thread: "t", ID: "a", Own: true, Text: "So.", At: at.Add(time.Second)}
	want := []bot.Entry{question, answer}
	var k tails
	k.end("t", k.begin("t"), want, true)
	k.committed([]entryChange{{entry: question}, {entry: answer, after: "q"}})
	if list, ok := k.all("t"); !ok || !reflect.DeepEqual(list, want) {
		t.Errorf("the thread has %+v, want %+v", list, want)
	}
}

// TestTailsAreBounded: many threads with long texts do not add up.
func TestTailsAreBounded(t *testing.T) {
	t.Parallel()
	var k tails
	long := bot.Entry{Text: strings.Repeat("x", 10<<10)}
	for i := range 3 * mostTails {
		key := fmt.Sprint("t", i)
		e := long
		e.Thread = key
		k.end(key, k.begin(key), []bot.Entry{e}, true)
		if _, ok := k.last(key, 1); !ok {
			t.Fatalf("%s is not kept", key)
		}
	}
	for i := range 20 {
		e := long
		e.Thread, e.ID = "t767", fmt.Sprint(i)
		k.committed([]entryChange{{entry: e}})
	}
	if _, ok := k.last("t767", 1); ok || k.bytes > allTails || len(k.of) > mostTails {
		t.Errorf("%d bytes of %d threads", k.bytes, len(k.of))
	}
	for i := range mostTails { // empty threads that grow later
		key := fmt.Sprint("g", i)
		k.end(key, k.begin(key), nil, true)
	}
	for i := range mostTails {
		k.committed([]entryChange{{entry: bot.Entry{Thread: fmt.Sprint("g", i), Text: strings.Repeat("x", 60<<10)}}})
		if k.bytes > allTails {
			t.Fatalf("%d bytes after %d commits", k.bytes, i+1)
		}
	}
	if _, ok := k.last(fmt.Sprint("g", mostTails-1), 1); !ok {
		t.Error("the thread that grew last is not kept")
	}
}
