package inbox

import (
	"slices"
	"strings"
	"sync"
)

// What one person in a place, a place and a workspace may have of the workers: so many for each
// that stays free for the others. Of 96 workers a place has 72 at most and a person there 64, and
// where others have them too, fewer.
const (
	personShare = 2
	placeShare  = 3
	teamShare   = 7
)

// lentMost bounds the threads whose workers are lent, as a multiple of the workers.
const lentMost = 2

// queue holds the keys of threads that have work, each once, and hands them to workers.
// Of one person in a place the first in is the first out; persons and places take turns, and
// none has so many workers that none is left: where all runs of one wait, for a model that hangs
// on what is asked there or a platform that does not take the answers, the others are served on.
// An idle thread costs nothing.
type queue struct {
	workers int

	mu      sync.Mutex
	keys    map[string][]string // by lane: a place and who asks there
	turn    []string            // lanes that have keys, the next one first
	asker   map[string]string   // of threads that wait or are worked on, where it is known here
	waiting map[string]bool     // in keys
	working map[string]bool     // a worker has it
	again   map[string]bool     // more came while a worker had it
	busy    int                 // workers that have a thread
	held    map[string]int      // of them, those of a lane, a place and a workspace
	lent    int                 // threads at work whose workers have others
	team    string              // of the first thread that was seen
	several bool                // workspaces have threads here
	signal  chan struct{}       // holds a token when there may be something to take
}

func newQueue(workers int) *queue {
	return &queue{
		workers: workers, keys: map[string][]string{}, held: map[string]int{}, asker: map[string]string{},
		waiting: map[string]bool{}, working: map[string]bool{}, again: map[string]bool{},
		signal: make(chan struct{}, 1),
	}
}

// within is the place that a thread's key names, and the workspace that a place does.
func within(name string) string { return name[:max(strings.LastIndexByte(name, '/'), 0)] }

// laneOf is the place of a thread and who asks there, "" if that is not known.
func (q *queue) laneOf(key string) string { return within(key) + "\n" + q.asker[key] }

// parted is the place and the asker of a lane.
func parted(lane string) (place, asker string) {
	place, asker, _ = strings.Cut(lane, "\n")
	return place, asker
}

// add queues a thread; if it is being worked on, it comes back afterwards.
func (q *queue) add(key string) { q.addOf(key, "") }

// addOf is add for a thread in which somebody asks.
func (q *queue) addOf(key, asker string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if asker != "" && !q.working[key] && !q.waiting[key] {
		q.asker[key] = asker
	}
	q.put(key)
}

// put is add. The caller holds mu.
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

// take returns the next thread for which there is a worker, now being worked on.
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

// may reports whether there is a worker for a thread of a lane.
func (q *queue) may(lane string) bool {
	place, asker := parted(lane)
	own := q.held[lane]
	return q.mayPlace(place) && (asker == "" || own == 0 || own < personShare*(q.workers-q.busy))
}

// mayPlace reports whether there is one for a thread of a place. The last one is for a place that
// has none, and where several workspaces have threads, a few are for those that have none.
func (q *queue) mayPlace(place string) bool {
	free, here, there := q.workers-q.busy, q.held[place], q.held[within(place)]
	alone := !q.several || there == 0
	if here == 0 {
		return free > 0 && (alone || free > q.spare())
	}
	return free > 1 && here < placeShare*free && (alone || there < teamShare*free)
}

// spare is how many workers are left to workspaces that have none.
func (q *queue) spare() int { return max(q.workers/16, 1) }

// start gives a thread a worker.
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

// begin gives a worker to a thread that is claimed without the queue; false if one
// has it, or will have it next, or there is none for it.
func (q *queue) begin(key string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.beginOf(key, "")
}

// beginOf is begin for a thread in which somebody asks. The caller holds mu.
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

// reserve is begin for a thread whose first item is not put yet. In a burst it gives
// no worker: events are let in first, see [burst]. Nor while others wait for one.
func (q *queue) reserve(key, asker string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.busy < intakeFree && len(q.turn) == 0 && q.beginOf(key, asker)
}

// room reports whether there is a worker for forgotten threads, and in which places and
// workspaces not: where there are too many already, and where others wait for one.
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
		case strings.Contains(name, "\n"): // who asks in what is forgotten is not known
		case place && !q.mayPlace(name), !place && q.several && q.workers-q.busy <= q.spare():
			full = append(full, name)
		}
	}
	slices.Sort(full)
	full = slices.Compact(full)
	return full, true
}

// atWork is how many workers have a thread.
func (q *queue) atWork() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.busy
}

// lend gives a thread's worker to others until back is called: while the thread waits for its
// platform there is nothing to do but to wait. There are bounds to that, too.
func (q *queue) lend(key string) (back func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.working[key] || q.lent >= lentMost*q.workers {
		return func() {}
	}
	q.lent++
	q.count(key, -1)
	q.ring()
	return func() { // what is left to do does not wait for a worker
		q.mu.Lock()
		defer q.mu.Unlock()
		q.lent--
		q.count(key, 1)
	}
}

// busyWith reports whether a thread is being worked on here, or will be next.
func (q *queue) busyWith(key string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.working[key] || q.waiting[key]
}

// done takes a thread's worker back.
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
