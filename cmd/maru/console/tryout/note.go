package tryout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/rehearsal"
)

// Bounds of what is kept.
const (
	mostKept = 20
	keptFor  = 7 * 24 * time.Hour // answers may quote documents and people
)

// errFull says that no more rehearsals can be kept.
var errFull = errors.New("tryout: too many rehearsals are kept")

// row is one rehearsal. It is kept in one of [mostKept] slots.
type row struct {
	ID     string               `json:"id"`
	Kind   string               `json:"kind"`
	Name   string               `json:"name"`
	By     string               `json:"by"`
	At     time.Time            `json:"at"`
	State  string               `json:"state"`
	Why    string               `json:"why,omitempty"`
	Bounds site.RehearsalBounds `json:"bounds"`
	Runs   []string             `json:"runs,omitempty"`
	Chosen bool                 `json:"chosen,omitempty"` // Runs are the questions, also if there are none
	Stint  int                  `json:"stint,omitempty"`  // how often it was started
	N      int64                `json:"n,omitempty"`      // version of the workflow that accepting saved

	slot int
}

// pulse is the heartbeat of the process that plays a rehearsal.
type pulse struct {
	Lease int           `json:"lease"`
	Beat  int           `json:"beat"`
	Done  int           `json:"done"`
	Spent float64       `json:"spent"`
	Took  time.Duration `json:"took"` // of this stint
	Stint int           `json:"stint"`
	Ended bool          `json:"ended,omitempty"` // the process plays it no more
}

// leaving is the state of a rehearsal that is being forgotten.
const leaving = "leaving"

// notes keep rehearsals in the record: "rehearsal/slot/N", and below "rehearsal/ID/" its change, the leases of those who played it,
// the pulse, the wish to stop, and an outcome for each question.
type notes struct{ record Record }

func slotKey(n int) string                                 { return "rehearsal/slot/" + strconv.Itoa(n) }
func partKey(id, part string) string                       { return "rehearsal/" + id + "/" + part }
func leaseKey(id string, n int) string                     { return partKey(id, "lease/"+strconv.Itoa(n)) }
func outcomeKey(id, run string) string                     { return partKey(id, "run/"+run) }
func (n notes) drop(ctx context.Context, key string) error { return n.record.SetNote(ctx, key, "") }

// read reads a note; ok is false if there is none, or none that this program can read.
func (n notes) read(ctx context.Context, key string, into any) (ok bool, err error) {
	text, err := n.record.Note(ctx, key)
	if err != nil || text == "" {
		return false, err
	}
	return json.Unmarshal([]byte(text), into) == nil, nil
}

func (n notes) write(ctx context.Context, key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", key, err)
	}
	return n.record.SetNote(ctx, key, string(text))
}

// list lists the rehearsals, newest first.
func (n notes) list(ctx context.Context) ([]row, error) {
	keys := make([]string, mostKept)
	for i := range keys {
		keys[i] = slotKey(i)
	}
	kept, err := n.record.NotesOf(ctx, keys) // at once: every process looks every few seconds
	if err != nil {
		return nil, fmt.Errorf("list rehearsals: %w", err)
	}
	var out []row
	for i, key := range keys {
		r := row{slot: i}
		if text := kept[key]; text != "" && json.Unmarshal([]byte(text), &r) == nil {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b row) int { return b.At.Compare(a.At) })
	return out, nil
}

// one returns a rehearsal. For one that is half forgotten, it returns the row with bot.ErrNotFound.
func (n notes) one(ctx context.Context, id string) (row, change, error) {
	all, err := n.list(ctx)
	if err != nil {
		return row{}, change{}, err
	}
	i := slices.IndexFunc(all, func(r row) bool { return r.ID == id })
	if i < 0 {
		return row{}, change{}, bot.ErrNotFound
	}
	var c change
	ok, err := n.read(ctx, partKey(id, "change"), &c)
	if err == nil && (!ok || all[i].State == leaving) {
		err = bot.ErrNotFound
	}
	return all[i], c, err
}

// add keeps a new rehearsal in a free slot. The oldest that was never started gives way.
func (n notes) add(ctx context.Context, r row, c change) error {
	if err := n.write(ctx, partKey(r.ID, "change"), c); err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode rehearsal: %w", err)
	}
	for range 2 {
		for i := range mostKept {
			stands, err := n.record.FirstNote(ctx, slotKey(i), string(text))
			if err != nil || stands == string(text) {
				return err
			}
		}
		all, err := n.list(ctx)
		if err != nil {
			return err
		}
		for _, old := range slices.Backward(all) {
			if old.State == site.RehearsalDraft || old.State == leaving {
				err = n.forget(ctx, old)
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(errFull, n.drop(ctx, partKey(r.ID, "change")))
}

func (n notes) save(ctx context.Context, r row) error { return n.write(ctx, slotKey(r.slot), r) }

// leave begins to forget a rehearsal. Nobody sees it any more, and after a crash the sweep forgets the rest.
func (n notes) leave(ctx context.Context, r row) error {
	r.State = leaving
	return n.save(ctx, r)
}

// forget removes all notes of a rehearsal. After a crash in between, the next call still finds the rest: the leases
// from the first one on, and the slot.
func (n notes) forget(ctx context.Context, r row) error {
	keys := []string{partKey(r.ID, "change"), partKey(r.ID, "pulse"), partKey(r.ID, "stop")}
	for _, run := range r.Runs {
		keys = append(keys, outcomeKey(r.ID, run))
	}
	var leases []string
	for i := 1; ; i++ {
		holder, err := n.record.Note(ctx, leaseKey(r.ID, i))
		if err != nil {
			return err
		}
		if holder == "" {
			break
		}
		leases = append(leases, leaseKey(r.ID, i))
	}
	slices.Reverse(leases)
	for _, key := range slices.Concat(keys, leases, []string{slotKey(r.slot)}) {
		if err := n.drop(ctx, key); err != nil {
			return fmt.Errorf("forget rehearsal: %w", err)
		}
	}
	return nil
}

// prune removes the outcomes of questions that were deleted.
func (n notes) prune(ctx context.Context, r row) error {
	for _, run := range r.Runs {
		text, err := n.record.Note(ctx, outcomeKey(r.ID, run))
		if err != nil {
			return err
		}
		if text == "" {
			continue
		}
		_, stands, err := rehearsal.Load(ctx, n.record, run)
		if err == nil && !stands {
			err = n.drop(ctx, outcomeKey(r.ID, run))
		}
		if err != nil {
			return fmt.Errorf("prune rehearsal: %w", err)
		}
	}
	return nil
}

// journal keeps the outcomes of one rehearsal.
type journal struct {
	ctx   func() context.Context
	notes notes
	id    string
	done  map[string]rehearsal.Outcome
}

var _ rehearsal.Journal = (*journal)(nil)

func (n notes) journal(ctx context.Context, r row) (*journal, error) {
	j := &journal{func() context.Context { return context.WithoutCancel(ctx) }, n, r.ID, map[string]rehearsal.Outcome{}}
	for _, run := range r.Runs {
		var o rehearsal.Outcome
		ok, err := n.read(ctx, outcomeKey(r.ID, run), &o)
		if err != nil {
			return nil, fmt.Errorf("read outcomes: %w", err)
		}
		if ok {
			j.done[run] = o
		}
	}
	return j, nil
}

// Done implements rehearsal.Journal.
func (j *journal) Done() map[string]rehearsal.Outcome { return j.done }

// Add implements rehearsal.Journal.
func (j *journal) Add(o rehearsal.Outcome) error {
	j.done[o.Run] = o
	return j.notes.write(j.ctx(), outcomeKey(j.id, o.Run), o)
}
