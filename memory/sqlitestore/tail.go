package sqlitestore

import (
	"slices"
	"strings"
	"sync"

	"maru/bot"
)

// Bounds of the kept ends of transcripts.
const (
	tailEntries = 32       // of one thread
	mostTails   = 256      // threads
	tailBytes   = 64 << 10 // of one thread
	allTails    = 1 << 20  // bytes of all
	entryBytes  = 256      // of an entry beside its texts, about
)

// tails keeps the newest entries of the threads that are in use, since a message's way through the program reads them
// several times. No other process writes the file. A tail changes with the commit that changes its thread, before the
// writer returns; statements whose effect is not known drop all of them.
type tails struct {
	mu    sync.Mutex
	of    map[string]*tail
	bytes int
	tick  uint64
}

// tail is the end of a transcript, or marks that one is being read.
type tail struct {
	list  []bot.Entry // in order, oldest first
	whole bool        // there are no earlier entries
	read  bool        // the list is known
	bytes int
	used  uint64
}

// last returns a thread's newest entries, at most limit; false if they are not known.
func (k *tails) last(thread string, limit int) ([]bot.Entry, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.known(thread)
	if t == nil || limit > len(t.list) && !t.whole {
		return nil, false
	}
	return slices.Clone(t.list[max(0, len(t.list)-limit):]), true
}

// all returns a thread's entries; false if they are not known.
func (k *tails) all(thread string) ([]bot.Entry, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t := k.known(thread); t != nil && t.whole {
		return slices.Clone(t.list), true
	}
	return nil, false
}

// entry returns one entry; known is false if the file must be asked.
func (k *tails) entry(thread, id string) (e bot.Entry, found, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.known(thread)
	if t == nil {
		return bot.Entry{}, false, false
	}
	if i := t.index(id); i >= 0 {
		return t.list[i], true, true
	}
	return bot.Entry{}, false, t.whole
}

func (k *tails) known(thread string) *tail {
	t := k.of[thread]
	if t == nil || !t.read {
		return nil
	}
	k.tick++
	t.used = k.tick
	return t
}

// begin marks a thread as being read, before its entries are.
func (k *tails) begin(thread string) *tail {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := &tail{}
	k.drop(thread)
	if k.of == nil {
		k.of = map[string]*tail{}
	}
	k.of[thread] = t
	return t
}

// end keeps what was read, unless the thread has changed since begin.
func (k *tails) end(thread string, t *tail, list []bot.Entry, whole bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of[thread] != t {
		return
	}
	k.tick++
	t.list, t.whole, t.read, t.used = slices.Clone(list), whole, true, k.tick
	k.size(thread, t)
	k.evict(thread)
}

// evict drops the threads unused for longest while the tails are over their bounds, except one.
func (k *tails) evict(thread string) {
	for k.bytes > allTails || len(k.of) > mostTails {
		oldest := ""
		for key, o := range k.of {
			if key != thread && (oldest == "" || o.used < k.of[oldest].used) {
				oldest = key
			}
		}
		if oldest == "" {
			return
		}
		k.drop(oldest)
	}
}

// committed applies the changes of a transaction.
func (k *tails) committed(changes []entryChange) {
	if len(changes) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range changes {
		t := k.of[c.entry.Thread]
		switch {
		case c.entry.Thread == "":
			clear(k.of)
			k.bytes = 0
		case t == nil:
		case !t.read || !t.apply(c):
			k.drop(c.entry.Thread)
		default:
			k.size(c.entry.Thread, t)
			k.evict(c.entry.Thread)
		}
	}
}

func (k *tails) drop(thread string) {
	if t := k.of[thread]; t != nil {
		k.bytes -= t.bytes
		delete(k.of, thread)
	}
}

// size bounds a tail and recounts its bytes.
func (k *tails) size(thread string, t *tail) {
	if over := len(t.list) - tailEntries; over > 0 {
		t.list, t.whole = slices.Delete(t.list, 0, over), false
	}
	k.bytes -= t.bytes
	t.bytes = 0
	for _, e := range t.list {
		t.bytes += entryBytes + len(e.Text) + len(e.Sources)
	}
	if k.bytes += t.bytes; t.bytes > tailBytes {
		k.drop(thread)
	}
}

// entryChange is what a transaction does to transcripts: an entry that is added, or everything if it has no thread.
type entryChange struct {
	entry bot.Entry
	after string // the entry is the answer to this one, and may replace an earlier answer
}

// apply changes the tail; false if it does not know enough.
func (t *tail) apply(c entryChange) bool {
	e := c.entry
	if i := t.index(e.ID); i >= 0 { // also if it was read between the commit and this
		if old := &t.list[i]; c.after != "" && !old.Deleted {
			old.Text, old.Run, old.Sources = e.Text, e.Run, e.Sources
		}
		return true
	}
	if c.after != "" { // an earlier answer would follow its question
		q := t.index(c.after)
		if q < 0 {
			return false
		}
		if at := t.list[q].At; at.After(e.At) {
			e.At = at
		}
	}
	i := len(t.list)
	for i > 0 && t.list[i-1].At.After(e.At) {
		i--
	}
	if i == 0 && !t.whole { // it may be before entries that are not here
		return false
	}
	t.list = slices.Insert(t.list, i, e)
	return true
}

func (t *tail) index(id string) int {
	return slices.IndexFunc(t.list, func(e bot.Entry) bool { return e.ID == id })
}

// changesEntries reports whether a statement changes transcripts.
func changesEntries(query string) bool {
	return strings.Contains(query, "UPDATE entries") || strings.Contains(query, "DELETE FROM entries") || strings.Contains(query, "INTO entries")
}
