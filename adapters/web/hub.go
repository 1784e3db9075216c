package web

import (
	"slices"
	"sync"
	"time"

	"maru/bot"
)

// Bounds of the hub, which holds current activity, not the record.
const (
	maxRooms = 200 // beyond this, threads without a reader are evicted, oldest first
	maxItems = 200 // messages of a thread; the oldest final ones are evicted first
)

// hub holds the newest state of the messages of every active thread, and wakes its watchers.
//
// A watcher is only woken, and then reads the changes since its revision. A slow one
// therefore delays nobody and skips intermediate states, and one that reconnects takes the
// same path.
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
	lost    uint64 // changes up to this revision are no longer known one by one
	items   []*item
	watched map[chan struct{}]struct{}
	used    time.Time
}

// item is a message, a card or a tombstone. It is immutable: changes replace it.
type item struct {
	ID   string
	Rev  uint64
	At   time.Time
	Card *bot.Card // an own message
	Text string    // a person's message
	Note *note     // an event
	Gone bool
}

// note is an event in a thread: an added document.
type note struct {
	Document bot.DocumentInfo
}

func newHub(epoch string, now func() time.Time) *hub {
	return &hub{epoch: epoch, now: now, rooms: make(map[string]*room)}
}

// put replaces the item with the same ID or appends it.
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
		default: // a wake-up is already pending
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

// watch returns a channel that receives after the thread has changed, and the function that
// ends the watch.
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

// since returns the items that changed after revision rev of epoch, and the current revision.
// ok is false when they are no longer known; the watcher then needs the whole thread.
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

// all returns the thread's items.
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

// forget drops a thread's state and wakes its watchers.
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

// room returns the thread's room, creating it if necessary. The caller holds mu.
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

// evict makes room for one more thread.
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

// busy reports whether a message is still growing.
func (r *room) busy() bool {
	return slices.ContainsFunc(r.items, func(it *item) bool { return it.Card != nil && !it.Card.Final })
}

// trim drops the oldest final items.
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
