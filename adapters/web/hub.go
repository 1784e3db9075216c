package web

import (
	"slices"
	"sync"
	"time"

	"maru/bot"
)

// Bounds of what the hub keeps: it is a picture of what is going on, not the
// record.
const (
	maxRooms = 200 // threads without a reader beyond this are forgotten, oldest first
	maxItems = 200 // messages of a thread; the oldest final ones go first
)

// hub holds, for every thread that is alive in this process, the newest state of
// its messages, and wakes those who watch it.
//
// A watcher is never sent anything: it is woken and asks what has changed since
// the revision it knows. So a slow one holds up nobody, skips the pictures in
// between, and one that comes back after a break takes the same path.
type hub struct {
	epoch string // names this process's revisions
	now   func() time.Time

	mu    sync.Mutex
	rev   uint64 // counts every change in this process
	rooms map[string]*room
}

// room is a thread's state.
type room struct {
	thread  bot.Thread
	rev     uint64 // of the newest change
	lost    uint64 // changes up to this one can no longer be told one by one
	items   []*item
	watched map[chan struct{}]struct{}
	used    time.Time
}

// item is a message, a card or a mark of one that is gone. It is never changed,
// only replaced.
type item struct {
	ID   string
	Rev  uint64
	At   time.Time
	Card *bot.Card // an own message
	Text string    // a person's message
	Note *note     // something that happened
	Gone bool
}

// note is a quiet line in a thread: a document that was added.
type note struct {
	Document bot.DocumentInfo
}

func newHub(epoch string, now func() time.Time) *hub {
	return &hub{epoch: epoch, now: now, rooms: make(map[string]*room)}
}

// put replaces the item with that id or appends it.
func (h *hub) put(t bot.Thread, it item) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.room(t)
	h.rev++
	r.rev, it.Rev = h.rev, h.rev
	if i := r.index(it.ID); i >= 0 {
		it.At = r.items[i].At
		r.items[i] = &it
	} else {
		r.items = append(r.items, &it)
		r.trim()
	}
	for wake := range r.watched {
		select {
		case wake <- struct{}{}:
		default: // it has not looked since the last time
		}
	}
}

func (h *hub) putCard(t bot.Thread, id string, c bot.Card, at time.Time) {
	h.put(t, item{ID: id, Card: &c, At: at})
}

func (h *hub) has(t bot.Thread, id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rooms[t.Key()]
	return r != nil && r.index(id) >= 0
}

// watch returns a channel that holds a token whenever the thread has changed,
// and what ends the watch.
func (h *hub) watch(t bot.Thread) (wake <-chan struct{}, leave func()) {
	ch := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.room(t)
	r.watched[ch] = struct{}{}
	return ch, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(r.watched, ch)
	}
}

// since returns the items that changed after revision rev of epoch, and the
// revision the thread has now. ok is false when that can no longer be told; then
// the watcher needs the whole thread.
func (h *hub) since(t bot.Thread, epoch string, rev uint64) (changed []item, now uint64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.room(t)
	if epoch != h.epoch || rev > r.rev || rev < r.lost {
		return nil, r.rev, false
	}
	for _, it := range r.items {
		if it.Rev > rev {
			changed = append(changed, *it)
		}
	}
	slices.SortFunc(changed, func(a, b item) int { return int(int64(a.Rev) - int64(b.Rev)) }) //nolint:gosec // G115: revisions count edits, far below 2^63
	return changed, r.rev, true
}

// all returns what the thread shows now.
func (h *hub) all(t bot.Thread) (items []item, rev uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.room(t)
	for _, it := range r.items {
		if !it.Gone {
			items = append(items, *it)
		}
	}
	return items, r.rev
}

// forget drops a thread's state; who watches it is told to look again.
func (h *hub) forget(t bot.Thread) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.room(t)
	h.rev++
	r.rev, r.lost, r.items = h.rev, h.rev, nil
	for wake := range r.watched {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// room returns the thread's room, making one if need be. The caller holds mu.
func (h *hub) room(t bot.Thread) *room {
	key := t.Key()
	r := h.rooms[key]
	if r == nil {
		h.evict()
		r = &room{thread: t, rev: h.rev, lost: h.rev, watched: make(map[chan struct{}]struct{})}
		h.rooms[key] = r
	}
	r.used = h.now()
	return r
}

// evict makes place for one more room.
func (h *hub) evict() {
	if len(h.rooms) < maxRooms {
		return
	}
	oldest := ""
	for key, r := range h.rooms {
		if len(r.watched) > 0 || r.busy() {
			continue
		}
		if oldest == "" || r.used.Before(h.rooms[oldest].used) {
			oldest = key
		}
	}
	if oldest != "" {
		delete(h.rooms, oldest)
	}
}

func (r *room) index(id string) int {
	return slices.IndexFunc(r.items, func(it *item) bool { return it.ID == id })
}

// busy reports whether a message is still being written.
func (r *room) busy() bool {
	return slices.ContainsFunc(r.items, func(it *item) bool { return it.Card != nil && !it.Card.Final })
}

// trim drops the oldest items that will not change any more.
func (r *room) trim() {
	for len(r.items) > maxItems {
		i := slices.IndexFunc(r.items, func(it *item) bool { return it.Card == nil || it.Card.Final })
		if i < 0 {
			i = 0
		}
		r.lost = max(r.lost, r.items[i].Rev)
		r.items = slices.Delete(r.items, i, i+1)
	}
}
