package inbox

import (
	"slices"
	"strings"
	"sync"
)

// Fair-share limits: a user, a channel and a workspace may each hold at most this many workers per
// idle worker. Of 96 workers, a channel alone gets at most 72 and a user alone at most 64.
const (
	personShare = 2
	placeShare  = 3
	teamShare   = 7
)

// lentMost limits the threads that have lent their worker, as a multiple of the number of workers.
const lentMost = 2

// queue holds the keys of threads that have items, each once, and hands them to workers:
// round-robin over (channel, user) lanes, FIFO within a lane. No user, channel or workspace may
// take the last free worker, so a hanging model or an unavailable platform in one of them delays
// no other. An idle thread takes no memory.
type queue struct {
	workers int

	mu      sync.Mutex
	keys    map[string][]string // waiting threads by lane
	turn    []string            // lanes with waiting threads, the next one first
	asker   map[string]string   // users of waiting and active threads, as far as known here
	waiting map[string]bool     // threads in keys
	working map[string]bool     // threads that a worker processes
	again   map[string]bool     // active threads that got new items
	busy    int                 // workers in use
	held    map[string]int      // workers in use by lane, by channel and by workspace
	lent    int                 // active threads that have lent their worker
	team    string              // workspace of the first thread seen
	several bool                // threads of several workspaces were seen
	signal  chan struct{}       // holds a token when take may succeed
}

func newQueue(workers int) *queue {
	return &queue{
		workers: workers, keys: map[string][]string{}, held: map[string]int{}, asker: map[string]string{},
		waiting: map[string]bool{}, working: map[string]bool{}, again: map[string]bool{},
		signal: make(chan struct{}, 1),
	}
}

// within returns the parent of a key: a thread's channel, or a channel's workspace.
func within(name string) string { return name[:max(strings.LastIndexByte(name, '/'), 0)] }

// laneOf returns the lane of a thread: its channel and its user, "" if unknown.
func (q *queue) laneOf(key string) string { return within(key) + "\n" + q.asker[key] }

// parted splits a lane into channel and user.
func parted(lane string) (place, asker string) {
	place, asker, _ = strings.Cut(lane, "\n")
	return place, asker
}

// add queues a thread. One that is being processed is queued again when it is done.
func (q *queue) add(key string) { q.addOf(key, "") }

// addOf is add for a thread whose user is known.
func (q *queue) addOf(key, asker string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if asker != "" && !q.working[key] && !q.waiting[key] {
		q.asker[key] = asker
	}
	q.put(key)
}

// put is add with mu held.
func (q *queue) put(key string) {
	switch {
	case q.working[key]:
		q.again[key] = true
	case !q.waiting[key]:
		q.waiting[key] = true
		lane := q.laneOf(key)
		q.keys[lane] = append(q.keys[lane], key)
		if len(q.keys[lane]) == 1 {
			q.turn = append(q.turn, lane)
		}
		q.ring()
	}
}

func (q *queue) ring() {
	select {
	case q.signal <- struct{}{}:
	default:
	}
}

// take assigns a worker to the next eligible thread and returns it.
func (q *queue) take() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.turn, q.may)
	if i < 0 {
		return "", false
	}
	lane := q.turn[i]
	q.turn = slices.Delete(q.turn, i, i+1)
	key := q.keys[lane][0]
	if q.keys[lane] = q.keys[lane][1:]; len(q.keys[lane]) > 0 {
		q.turn = append(q.turn, lane)
	} else {
		delete(q.keys, lane)
	}
	delete(q.waiting, key)
	q.start(key)
	if len(q.turn) > 0 {
		q.ring()
	}
	return key, true
}

// may reports whether a thread of the lane may get a worker.
func (q *queue) may(lane string) bool {
	place, asker := parted(lane)
	own := q.held[lane]
	return q.mayPlace(place) && (asker == "" || own == 0 || own < personShare*(q.workers-q.busy))
}

// mayPlace reports whether a thread of the channel may get a worker. The last free worker is reserved for channels
// without one; with several workspaces, a few more are reserved for workspaces without one.
func (q *queue) mayPlace(place string) bool {
	free, here, there := q.workers-q.busy, q.held[place], q.held[within(place)]
	alone := !q.several || there == 0
	if here == 0 {
		return free > 0 && (alone || free > q.spare())
	}
	return free > 1 && here < placeShare*free && (alone || there < teamShare*free)
}

// spare returns the number of workers reserved for workspaces that have none.
func (q *queue) spare() int { return max(q.workers/16, 1) }

// start assigns a worker to a thread.
func (q *queue) start(key string) {
	q.working[key] = true
	q.count(key, 1)
	team := within(within(key))
	if q.team == "" {
		q.team = team
	}
	q.several = q.several || q.team != team
}

func (q *queue) count(key string, n int) {
	place := within(key)
	q.busy += n
	for _, name := range []string{q.laneOf(key), place, within(place)} {
		if q.held[name] += n; q.held[name] == 0 {
			delete(q.held, name)
		}
	}
}

// begin assigns a worker to a thread that was claimed without the queue. It returns false if the
// thread is queued or active already, or may not get a worker.
func (q *queue) begin(key string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.beginOf(key, "")
}

// beginOf is begin for a thread whose user is known, with mu held.
func (q *queue) beginOf(key, asker string) bool {
	if q.working[key] || q.waiting[key] {
		return false
	}
	if asker != "" {
		q.asker[key] = asker
	}
	if !q.may(q.laneOf(key)) {
		delete(q.asker, key)
		return false
	}
	q.start(key)
	return true
}

// reserve is begin for a thread whose first item is not committed yet. It returns false during
// a [burst] and while other threads wait.
func (q *queue) reserve(key, asker string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.busy < intakeFree && len(q.turn) == 0 && q.beginOf(key, asker)
}

// room reports whether a worker is free for unclaimed threads, and returns the channels and workspaces
// that may not get it: those at their limit, and those with threads waiting in the queue.
func (q *queue) room() (full []string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.workers <= q.busy {
		return nil, false
	}
	for _, lane := range q.turn {
		place, _ := parted(lane)
		full = append(full, place)
	}
	for name := range q.held {
		switch place := strings.Count(name, "/") > 1; {
		case strings.Contains(name, "\n"): // a lane; the user of an unclaimed thread is unknown
		case place && !q.mayPlace(name), !place && q.several && q.workers-q.busy <= q.spare():
			full = append(full, name)
		}
	}
	slices.Sort(full)
	full = slices.Compact(full)
	return full, true
}

// atWork returns the number of workers in use.
func (q *queue) atWork() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.busy
}

// lend frees a thread's worker until back is called, at most lentMost times the number of workers at
// a time.
func (q *queue) lend(key string) (back func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.working[key] || q.lent >= lentMost*q.workers {
		return func() {}
	}
	q.lent++
	q.count(key, -1)
	q.ring()
	return func() { // may exceed the number of workers: the rest of the turn does not wait for one
		q.mu.Lock()
		defer q.mu.Unlock()
		q.lent--
		q.count(key, 1)
	}
}

// busyWith reports whether a thread is queued or active.
func (q *queue) busyWith(key string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.working[key] || q.waiting[key]
}

// done releases a thread's worker.
func (q *queue) done(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.working, key)
	q.count(key, -1)
	if q.again[key] {
		delete(q.again, key)
		q.put(key)
	} else {
		delete(q.asker, key)
	}
	q.ring()
}
