package parking_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/parking"
)

// record is what parking needs of a record, in memory.
type record struct {
	mu     sync.Mutex
	notes  map[string]string
	held   []parking.Held
	parked []parking.Item
	jobs   []bot.Job
	again  []string // items that were retried, pending since
	late   bool     // an item in hand is parked when it is looked for
	clock  time.Time
	away   error
	meet   func() // after a note was read
}

func (r *record) Note(_ context.Context, key string) (string, error) {
	r.mu.Lock()
	text, meet := r.notes[key], r.meet
	r.mu.Unlock()
	if meet != nil {
		meet()
	}
	return text, r.away
}

func (r *record) SetNote(_ context.Context, key, value string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes[key] = value
	return nil
}

func (r *record) SwapNote(_ context.Context, key, before, value string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.notes[key] != before && r.notes[key] != value {
		return false, nil
	}
	r.notes[key] = value
	return true, nil
}

func (r *record) InHand(context.Context) ([]parking.Held, error) {
	if r.late {
		for _, h := range r.held {
			r.parked = append(r.parked, parking.Item{ID: h.Item, Thread: h.Thread})
		}
		r.held, r.late = nil, false
	}
	return r.held, nil
}

func (r *record) ParkedItems(context.Context, string, int) ([]parking.Item, error) {
	return r.parked, nil
}

func (r *record) RetryItem(_ context.Context, id string) (bool, error) {
	r.again = append(r.again, id)
	r.parked = slices.DeleteFunc(r.parked, func(it parking.Item) bool { return it.ID == id })
	return true, nil
}

func (r *record) Unfinished(_ context.Context, id string) (bool, error) {
	return slices.Contains(r.again, id) || slices.ContainsFunc(r.parked, func(it parking.Item) bool { return it.ID == id }), nil
}

func (r *record) ParkedJobs(_ context.Context, limit int) ([]bot.Job, error) {
	if limit > 0 && limit < len(r.jobs) {
		return r.jobs[:limit], nil
	}
	return r.jobs, nil
}
func (r *record) RetryJob(context.Context, string) (bool, error) { return true, nil }
func (r *record) process(owner string) *parking.Deaths {
	return &parking.Deaths{Store: r, Notes: r, Owner: owner, Now: func() time.Time { return r.clock }, Log: slog.New(slog.DiscardHandler)}
}
