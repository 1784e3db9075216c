package tryout

import (
	"context"
	"sync"
	"time"
)

// heart tells other processes, and the page, that a rehearsal is being played.
type heart struct {
	room  *Room
	id    string
	began time.Time
	took  time.Duration // before

	mu    sync.Mutex
	pulse pulse
}

// count counts what is done.
func (h *heart) count(j *journal) {
	spent := 0.0
	for _, o := range j.done {
		spent += o.Spent
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pulse.Done, h.pulse.Spent = len(j.done), spent
}

// end has the next beat say that the process plays it no more.
func (h *heart) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pulse.Ended = true
}

// beat writes the pulse.
func (h *heart) beat(ctx context.Context) error {
	h.mu.Lock()
	h.pulse.Beat++
	h.pulse.Took = h.took + h.room.cfg.Now().Sub(h.began)
	p := h.pulse
	h.mu.Unlock()
	return h.room.notes.write(ctx, partKey(h.id, "pulse"), p)
}

// run beats until ctx ends, which it ends itself when somebody wants it to stop or another process has taken over.
func (h *heart) run(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(beating)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if cause := h.check(ctx); cause != nil {
			cancel(cause)
			return
		}
	}
}

// check returns why the rehearsal must not continue. It continues while the record is away, and stores its outcomes
// later.
func (h *heart) check(ctx context.Context) error {
	record := h.room.cfg.Record
	if other, err := record.Note(ctx, leaseKey(h.id, h.pulse.Lease+1)); err == nil && other != "" {
		return errLost
	}
	if stop, err := record.Note(ctx, partKey(h.id, "stop")); err == nil && stop != "" {
		return errStopped
	}
	h.room.note(ctx, "a rehearsal's pulse is not kept", h.beat(ctx))
	return nil
}
