package tryout

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/rehearsal"
)

// How rehearsals are looked after.
const (
	look     = time.Second      // between looks for one to play
	beating  = 2 * time.Second  // between pulses
	stale    = 15 * time.Second // without a new pulse for so long, its process counts as dead
	sweeping = time.Hour
)

// observation is the last known activity of a process, and since when it has not changed.
type observation struct {
	what  string
	since time.Time
}

// Why a rehearsal is played no more.
var (
	errStopped = errors.New("tryout: somebody stopped it")
	errLost    = errors.New("tryout: another process plays it")
)

// Work plays the rehearsals that were started, one after the other, until ctx ends.
func (m *Room) Work(ctx context.Context) {
	var swept time.Time
	for ctx.Err() == nil {
		if now := m.cfg.Now(); now.Sub(swept) >= sweeping {
			swept = now
			m.note(ctx, "sweep rehearsals", m.sweep(ctx))
		}
		m.note(ctx, "play rehearsals", m.round(ctx))
		select {
		case <-ctx.Done():
		case <-m.wake:
		case <-time.After(look):
		}
	}
}

// note logs an error that the next round may not have.
func (m *Room) note(ctx context.Context, doing string, err error) {
	if err != nil && ctx.Err() == nil && m.cfg.Log != nil {
		m.cfg.Log.WarnContext(ctx, doing, "err", err)
	}
}

// sweep forgets old rehearsals, those that a crash left half forgotten, and outcomes of questions that were deleted.
func (m *Room) sweep(ctx context.Context) error {
	all, err := m.notes.list(ctx)
	if err != nil {
		return err
	}
	for _, r := range all {
		_, _, gone := m.notes.one(ctx, r.ID)
		if r.State != site.RehearsalRuns && m.cfg.Now().Sub(r.At) > keptFor || errors.Is(gone, bot.ErrNotFound) {
			err = errors.Join(err, m.expire(ctx, r.ID))
			continue
		}
		err = errors.Join(err, m.notes.prune(ctx, r))
	}
	return errors.Join(err, m.sweepShadows(ctx, all))
}

// program is the actor that restores documents when nobody discards a rehearsal.
var program = bot.User{ID: "maru", Name: "Maru", Bot: true}

// expire discards an old rehearsal, or finishes one that is half forgotten. One that refuses stays until the documents in its way are gone.
func (m *Room) expire(ctx context.Context, id string) error {
	m.acts.Lock()
	defer m.acts.Unlock()
	r, c, err := m.notes.one(ctx, id)
	switch {
	case errors.Is(err, bot.ErrNotFound) && r.ID != "":
		return m.forget(ctx, r)
	case errors.Is(err, bot.ErrNotFound), err == nil && r.State == site.RehearsalRuns:
		return nil
	case err != nil:
		return err
	}
	_, err = m.discard(ctx, program, bot.Thread{Platform: "web", Team: "local"}, r, c)
	return err
}

// round plays each rehearsal that waits for a process.
func (m *Room) round(ctx context.Context) error {
	all, err := m.notes.list(ctx)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.State != site.RehearsalRuns {
			continue
		}
		lease, before, err := m.claim(ctx, r)
		if err != nil {
			return err
		}
		if lease > 0 {
			if err := m.play(ctx, r, before); err != nil {
				return err
			}
		}
	}
	return nil
}

// claim leases a rehearsal that nobody plays; 0 if somebody does, or may. A lease is a note that only one process can write first.
// before is the last pulse of the stint.
func (m *Room) claim(ctx context.Context, r row) (lease int, before pulse, err error) {
	ok, err := m.notes.read(ctx, partKey(r.ID, "pulse"), &before)
	if err != nil {
		return 0, before, err
	}
	next, holder := before.Lease+1, ""
	for {
		h, err := m.cfg.Record.Note(ctx, leaseKey(r.ID, next))
		if err != nil {
			return 0, before, err
		}
		if h == "" {
			break
		}
		holder, ok, next = h, false, next+1
	}
	free := ok && before.Ended || !ok && holder == "" || m.cfg.Alone
	if what := fmt.Sprint(before, next); !free {
		if o := m.seen[r.ID]; o.what != what {
			m.seen[r.ID] = observation{what, m.cfg.Now()}
		} else if m.cfg.Now().Sub(o.since) >= stale {
			free = true
		}
	}
	if !free {
		return 0, before, nil
	}
	delete(m.seen, r.ID)
	me := m.cfg.Me + "/" + strconv.Itoa(next)
	first, err := m.cfg.Record.FirstNote(ctx, leaseKey(r.ID, next), me)
	if err != nil || first != me {
		return 0, before, err
	}
	if before.Stint != r.Stint { // it was started again
		before.Took, before.Stint = 0, r.Stint
	}
	before.Lease, before.Ended = next, false
	return next, before, nil
}

// play plays a rehearsal until it ends, and says how.
func (m *Room) play(ctx context.Context, r row, p pulse) error {
	playing, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b := &heart{room: m, id: r.ID, pulse: p, began: m.cfg.Now(), took: p.Took}
	if err := b.beat(ctx); err != nil {
		return err
	}
	beats := make(chan struct{})
	go func() {
		defer close(beats)
		b.run(playing, cancel)
	}()
	why, err := m.perform(playing, &r, b)
	cause := context.Cause(playing)
	cancel(nil)
	<-beats
	if errors.Is(cause, errLost) {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	b.end()
	if playing.Err() != nil && cause != nil && !errors.Is(cause, errStopped) { // the program stops: another process, or the next start, goes on
		return b.beat(ctx)
	}
	m.acts.Lock()
	defer m.acts.Unlock()
	now, _, e := m.notes.one(ctx, r.ID)
	if e != nil { // it was discarded
		return e
	}
	now.Runs, now.Chosen, now.State, now.Why = r.Runs, r.Chosen, site.RehearsalEnded, why
	if err != nil {
		now.State, now.Why = site.RehearsalFailed, "failed"
		m.note(ctx, "a rehearsal failed", err)
	}
	return errors.Join(m.notes.save(ctx, now), m.notes.drop(ctx, partKey(r.ID, "stop")), b.beat(ctx))
}

// perform replays the questions. why says why some are left.
func (m *Room) perform(ctx context.Context, r *row, b *heart) (why string, err error) {
	_, c, err := m.notes.one(ctx, r.ID)
	if err != nil {
		return "", err
	}
	if !r.Chosen {
		team, channel, _ := placeOf(r.Bounds.Channel) // was checked when it was started
		if r.Runs, err = rehearsal.Last(ctx, m.cfg.Record, team, channel, r.Bounds.Last); err != nil {
			return "", err
		}
		r.Chosen = true
		if err := m.notes.save(ctx, *r); err != nil {
			return "", err
		}
	}
	stage, err := m.open(ctx, c.setup(r.ID, r.Bounds))
	if err != nil {
		return "", fmt.Errorf("prepare: %w", err)
	}
	defer func() { m.note(ctx, "close a rehearsal's stage", stage.close()) }()
	j, err := m.notes.journal(ctx, *r)
	if err != nil {
		return "", err
	}
	plan := rehearsal.Plan{
		Record: m.cfg.Record, Runs: r.Runs, After: stage.after, Base: stage.base, Grade: stage.grade, Journal: counted{j, b}, Cost: r.Bounds.Cost,
		Time: max(time.Duration(r.Bounds.Minutes)*time.Minute-b.took, time.Nanosecond), Now: m.cfg.Now,
	}
	b.count(j)
	switch err := plan.Run(ctx); {
	case err == nil:
		return "", nil
	case errors.Is(err, rehearsal.ErrCost):
		return "cost", nil
	case errors.Is(err, rehearsal.ErrTime):
		return "time", nil
	case errors.Is(err, errStopped):
		return "stopped", nil
	default:
		return "", err
	}
}

// counted tells the heart of every outcome.
type counted struct {
	*journal
	heart *heart
}

// Add implements rehearsal.Journal.
func (c counted) Add(o rehearsal.Outcome) error {
	if err := c.journal.Add(o); err != nil {
		return err
	}
	c.heart.count(c.journal)
	return nil
}
