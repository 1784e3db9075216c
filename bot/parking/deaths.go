package parking

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"maru/bot"
	"maru/bot/shared"
)

const (
	need     = 2                // deaths that park an item
	needJob  = 3                // for a job: the items beside it are unknown
	needMost = 6                // maximum for a job: a poison item beside it is parked before
	storm    = 10 * time.Minute // within which other deaths speak for an item
	stormy   = 2                // deaths in company within storm, from which on one more is asked for
	keep     = 50               // deaths of processes that are remembered
	keepOwn  = 20               // and of one item
	takeBack = 2 * time.Minute  // for which a lease that was lost alive is taken back: another replica may note it late
)

// Deaths counts the deaths of processes against the items that were in hand. It is safe for
// concurrent use.
type Deaths struct {
	Store Store
	Notes bot.Notes
	Owner string // this process
	Now   func() time.Time
	Log   *slog.Logger

	lists    sync.Mutex  // held while a list in a note is changed
	noneRest atomic.Bool // no item was parked as of the last look
	rested   atomic.Bool // something did in this process

	mu    sync.Mutex
	noted map[int64]bool  // leases whose end is noted
	alive time.Time       // last time that this process let a lease expire
	jobs  map[string]bool // jobs whose end this process could not commit
}

// death is the crash of a process that was processing an item. It counts while the process is listed as crashed.
type death struct {
	Owner  string    `json:"owner,omitempty"`
	At     time.Time `json:"at"`
	Others int       `json:"others,omitempty"` // other items being processed
	Steps  int64     `json:"steps,omitempty"`  // number of committed steps, as [Held.Steps]
	Past   bool      `json:"past,omitempty"`   // a later life committed more: it does not count
}

// process is the crash of a process, with or without items.
type process struct {
	Owner string    `json:"owner"`
	At    time.Time `json:"at"`
	Items int       `json:"items"`
	Cause string    `json:"cause,omitempty"` // the item that was parked for it: it speaks against no other
}

// Names of notes.
const (
	noteProcesses = "deaths"
	noteItem      = "deaths/"
	noteJob       = "deaths/job/"
	noteResting   = "resting/" // and a thread: items, separated by spaces
	noteSomeRest  = "resting"  // set as soon as anything rests
)

// Look records the crashes since the last look. It must precede the take-over of expired leases.
func (d *Deaths) Look(ctx context.Context) {
	if err := d.look(ctx); err != nil && ctx.Err() == nil {
		d.extend()
		d.Log.WarnContext(ctx, "detect crashed processes", "err", err)
	}
}

func (d *Deaths) look(ctx context.Context) error {
	d.lists.Lock()
	defer d.lists.Unlock()
	if err := d.refute(ctx); err != nil {
		return err
	}
	if err := d.lookForResting(ctx); err != nil {
		return fmt.Errorf("read the resting items: %w", err)
	}
	held, err := d.Store.InHand(ctx)
	if err != nil {
		return err
	}
	if err := d.lateClicks(ctx, held); err != nil {
		return fmt.Errorf("retry what was clicked: %w", err)
	}
	lapsed := d.fresh(held)
	if len(lapsed) == 0 {
		return nil
	}
	inHand := map[string]int{}
	for _, h := range held {
		inHand[h.Owner]++
	}
	var died []process
	err = amend(ctx, d.Notes, noteProcesses, func(all []process) []process {
		for _, h := range lapsed {
			if i := slices.IndexFunc(all, func(p process) bool { return p.Owner == h.Owner }); i >= 0 {
				all[i].Items = max(all[i].Items, inHand[h.Owner])
			} else {
				all = append(all, process{Owner: h.Owner, At: d.Now(), Items: inHand[h.Owner]})
				d.Log.WarnContext(ctx, "process crashed with open items", "owner", h.Owner, "items", inHand[h.Owner])
			}
		}
		died = all
		return all[max(0, len(all)-keep):]
	})
	if err != nil {
		return err
	}
	for _, h := range lapsed {
		i := slices.IndexFunc(died, func(p process) bool { return p.Owner == h.Owner })
		if err := d.add(ctx, h, died[i].Items-1); err != nil {
			return err
		}
		d.setNoted(h.Token)
	}
	return nil
}

// fresh returns the expired leases of others that are not recorded yet.
func (d *Deaths) fresh(held []Held) (list []Held) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, h := range held {
		if h.Lapsed && h.Owner != d.Owner && !d.noted[h.Token] {
			list = append(list, h)
		}
	}
	return list
}

func (d *Deaths) setNoted(token int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.noted == nil || len(d.noted) > 10_000 {
		d.noted = map[int64]bool{}
	}
	d.noted[token] = true
}

// add notes a death against the item that was in hand, once.
func (d *Deaths) add(ctx context.Context, h Held, others int) error {
	return amend(ctx, d.Notes, noteItem+h.Item, func(deaths []death) []death {
		if slices.ContainsFunc(deaths, func(o death) bool { return o.Owner == h.Owner }) {
			return deaths
		}
		for i := range deaths {
			deaths[i].Past = deaths[i].Past || deaths[i].Steps != h.Steps
		}
		deaths = append(deaths, death{Owner: h.Owner, At: d.Now(), Others: others, Steps: h.Steps})
		return deaths[max(0, len(deaths)-keepOwn):]
	})
}

// Survived notes that this process lost a lease, or failed to release one, without crashing. If another replica
// records a crash for it, that is revoked.
func (d *Deaths) Survived() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.alive = d.Now()
}

// extend prolongs the time for revoking a crash by that of an outage: while this process cannot look, it cannot
// revoke a crash recorded by another replica.
func (d *Deaths) extend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := d.Now(); !d.alive.IsZero() && now.Sub(d.alive) <= takeBack {
		d.alive = now
	}
}

// refute removes this process from the list of crashed ones.
func (d *Deaths) refute(ctx context.Context) error {
	d.mu.Lock()
	since := d.alive
	d.mu.Unlock()
	if since.IsZero() || d.Now().Sub(since) > takeBack {
		return nil
	}
	return without(ctx, d.Notes, noteProcesses, func(p process) bool { return p.Owner == d.Owner })
}

// Parks reports whether an item rests from now on. Then it explains its deaths: they do not count against others that were
// in hand at them.
func (d *Deaths) Parks(ctx context.Context, it bot.Item) (bool, error) {
	if it.Attempts == 0 {
		return false, nil
	}
	d.lists.Lock()
	defer d.lists.Unlock()
	own, err := list[death](ctx, d.Notes, noteItem+it.ID)
	if err != nil || len(own) < need {
		return false, err
	}
	died, err := list[process](ctx, d.Notes, noteProcesses)
	if err != nil {
		return false, err
	}
	died = slices.DeleteFunc(died, func(p process) bool { // explained by other items, or before a retry
		return p.Cause != "" && (p.Cause != it.ID || !slices.ContainsFunc(own, func(o death) bool { return o.Owner == p.Owner }))
	})
	if !enough(own, died, d.Now()) { // it is tried again, which is what a click asks for
		by, err := d.Notes.Note(ctx, noteRetry+it.ID)
		if err == nil && by != "" {
			err = d.Notes.SetNote(ctx, noteRetry+it.ID, "")
		}
		return false, err
	}
	return true, explain(ctx, d.Notes, it.ID)
}

// enough reports whether an item's crashes suffice to park it: two if it was alone at each. It adds one if other
// items were being processed at a crash, one if several processes recently crashed with several items, and one for
// each recent crash without this item, which has another cause.
func enough(own []death, died []process, now time.Time) bool {
	asked, company := need, 0
	for _, p := range died {
		switch with := slices.ContainsFunc(own, func(o death) bool { return o.Owner == p.Owner }); {
		case now.Sub(p.At) > storm:
		case !with:
			asked++
		case p.Items > 1:
			company++
		}
	}
	if company >= stormy {
		asked++
	}
	own = slices.DeleteFunc(own, func(o death) bool {
		return o.Past || !slices.ContainsFunc(died, func(p process) bool { return p.Owner == o.Owner })
	})
	if slices.ContainsFunc(own, func(o death) bool { return o.Others > 0 }) {
		asked++
	}
	return len(own) >= asked
}

// explain names an item as the cause of its deaths that have none yet.
func explain(ctx context.Context, notes bot.Notes, item string) error {
	own, err := list[death](ctx, notes, noteItem+item)
	if err != nil {
		return err
	}
	return amend(ctx, notes, noteProcesses, func(died []process) []process {
		for i, p := range died {
			if p.Cause == "" && slices.ContainsFunc(own, func(o death) bool { return o.Owner == p.Owner }) {
				died[i].Cause = item
			}
		}
		return died
	})
}

// clear empties a list of crashes. It writes nothing if there is no note.
func (d *Deaths) clear(ctx context.Context, note string) error {
	return without(ctx, d.Notes, note, func(death) bool { return true })
}

// JobDied counts a death of a process with a job in hand, and reports whether the job rests from now on. Each process that
// died lately with items in hand asks for one more: an item may have killed it.
func (d *Deaths) JobDied(ctx context.Context, j bot.Job) (bool, error) {
	d.mu.Lock()
	mine := d.jobs[j.ID]
	delete(d.jobs, j.ID)
	d.mu.Unlock()
	if mine {
		return false, nil
	}
	died, err := list[process](ctx, d.Notes, noteProcesses)
	if err != nil {
		return false, err
	}
	asked := needJob
	for _, p := range died {
		if d.Now().Sub(p.At) <= storm {
			asked++
		}
	}
	var deaths int
	err = amend(ctx, d.Notes, noteJob+j.ID, func(all []death) []death {
		all = append(all, death{At: d.Now()})
		deaths = len(all)
		return all[max(0, deaths-keepOwn):]
	})
	return deaths >= min(asked, needMost), err
}

// JobReturned is told that a job came back from its worker, done or not, and whether that is committed.
// Only a job that was tried before can have deaths.
func (d *Deaths) JobReturned(ctx context.Context, j bot.Job, committed bool) {
	if !committed {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.jobs == nil || len(d.jobs) > 10_000 {
			d.jobs = map[string]bool{}
		}
		d.jobs[j.ID] = true
		return
	}
	if j.Attempts == 0 {
		return
	}
	if err := d.clear(ctx, noteJob+j.ID); err != nil && ctx.Err() == nil {
		d.Log.WarnContext(ctx, "return of a job not noted", "job", j.ID, "err", err)
	}
}

// list reads a note that holds a list. One that cannot be read holds none.
func list[T any](ctx context.Context, notes bot.Notes, key string) (all []T, err error) {
	text, err := notes.Note(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("read deaths: %w", err)
	}
	return decoded[T](text), nil
}

func decoded[T any](text string) (all []T) {
	if text == "" || json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	return all
}

// amend changes the list of a note, which another process may change meanwhile: change may run again. An empty list
// removes the note.
func amend[T any](ctx context.Context, notes bot.Notes, key string, change func([]T) []T) error {
	err := shared.Amend(ctx, notes, key, func(was string) (string, error) {
		all := change(decoded[T](was))
		if len(all) == 0 {
			return "", nil
		}
		raw, err := json.Marshal(all)
		return string(raw), err
	})
	if err != nil {
		return fmt.Errorf("note deaths: %w", err)
	}
	return nil
}

// without removes elements of a note's list.
func without[T any](ctx context.Context, notes bot.Notes, key string, drop func(T) bool) error {
	return amend(ctx, notes, key, func(all []T) []T { return slices.DeleteFunc(all, drop) })
}
