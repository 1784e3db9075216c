package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Entry is one record of a thread's history, for people and tools.
type Entry struct {
	Seq      int64
	Kind     RecordKind
	Turn     string
	Step     int
	Plan     string
	At       time.Time
	Channels []string // that the record wrote
	Next     []string // nodes that run after it
	Bytes    int      // of its body
	From     *Origin  // of a fork: where it branched off
}

// historyPage is how many records are read at once.
const historyPage = 256

// History returns a thread's records between two sequence numbers (to 0: up to the newest), at most limit entries (0:
// all).
func (r *Runtime) History(ctx context.Context, thread string, from, to int64, limit int) ([]Entry, error) {
	if r.log == nil {
		return nil, ErrNoCheckpointer
	}
	if to == 0 {
		head, err := r.log.Head(ctx, thread, "")
		if err != nil {
			return nil, fmt.Errorf("graph: head of thread %q: %w", thread, err)
		}
		to = head
	}
	records, err := r.log.History(ctx, thread, "", from, to, limit)
	if err != nil {
		return nil, fmt.Errorf("graph: history of thread %q: %w", thread, err)
	}
	out := make([]Entry, 0, len(records))
	for _, rec := range records {
		e, err := describe(rec)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func describe(r Record) (Entry, error) {
	b, err := decodeBody(r.Body)
	if err != nil {
		return Entry{}, &RecordError{r.Thread, r.NS, r.Seq, "", err}
	}
	e := Entry{Seq: r.Seq, Kind: r.Kind, Turn: r.Turn, Step: r.Step, Plan: r.Plan, At: r.At, Bytes: len(r.Body)}
	note := func(updates []update) {
		for _, u := range updates {
			if !slices.Contains(e.Channels, u.channel) {
				e.Channels = append(e.Channels, u.channel)
			}
		}
	}
	note(b.Updates)
	for _, t := range b.Tasks {
		note(t.updates)
	}
	for _, t := range b.Next {
		e.Next = append(e.Next, t.name)
	}
	if b.Head != nil {
		e.From = b.Head.From
	}
	return e, nil
}

// Peek returns the position of a thread without running anything. A thread that
// does not exist has the zero Result with an empty state.
func (r *Runtime) Peek(ctx context.Context, p *Plan, thread string) (Result, error) {
	return r.PeekUnder(ctx, p, thread, 0)
}

// PeekUnder is Peek for a run that follows under the lease with that fencing token, which need not
// compare its copy with the log again: under one lease there is no other writer.
func (r *Runtime) PeekUnder(ctx context.Context, p *Plan, thread string, fence int64) (Result, error) {
	if r.log == nil {
		return Result{}, ErrNoCheckpointer
	}
	if h := r.cache.look(thread, p); h != nil {
		seq, err := r.log.Head(ctx, thread, "")
		if err != nil {
			return Result{}, fmt.Errorf("graph: head of thread %q: %w", thread, err)
		}
		if seq == h.seq {
			if fence != 0 {
				r.cache.trust(thread, p, seq, fence)
			}
			return (&run{plan: p, head: h}).result(nil), nil
		}
	}
	h, err := r.replay(ctx, p, thread, "")
	if err != nil {
		return Result{}, err
	}
	return (&run{plan: p, head: h}).result(nil), nil
}

// StateAt returns the state of a thread after the record seq. The records back
// to the snapshot before it must not have been pruned.
func (r *Runtime) StateAt(ctx context.Context, p *Plan, thread string, seq int64) (State, error) {
	h, err := r.headAt(ctx, p, thread, seq)
	if err != nil {
		return State{}, err
	}
	return State{schema: p.schema, vals: h.vals}, nil
}

// headAt replays the log up to seq, from the newest snapshot before it.
func (r *Runtime) headAt(ctx context.Context, p *Plan, thread string, seq int64) (*head, error) {
	if r.log == nil {
		return nil, ErrNoCheckpointer
	}
	if seq < 1 {
		return nil, fmt.Errorf("graph: thread %q has no record %d", thread, seq)
	}
	var records []Record
	for to := seq; to >= 1; to -= historyPage {
		page, err := r.log.History(ctx, thread, "", max(1, to-historyPage+1), to, 0)
		if err != nil {
			return nil, fmt.Errorf("graph: history of thread %q: %w", thread, err)
		}
		records = slices.Concat(page, records)
		if len(page) < historyPage || newestSnapshot(page) > 0 || page[0].Kind == RecordSnapshot {
			break
		}
	}
	if len(records) == 0 || records[len(records)-1].Seq != seq {
		return nil, fmt.Errorf("graph: thread %q has no record %d", thread, seq)
	}
	records = records[newestSnapshot(records):]
	if first := records[0]; first.Seq != 1 && first.Kind != RecordSnapshot {
		return nil, fmt.Errorf("graph: thread %q: the records that led to %d were pruned", thread, seq)
	}
	h := p.newHead()
	for _, rec := range records {
		if err := p.replay(h, rec); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// Delete removes a thread: its log with all namespaces and its hot copies. It
// may be called twice.
func (r *Runtime) Delete(ctx context.Context, thread string) error {
	leave, err := r.claim(ctx, thread)
	if err != nil {
		return err
	}
	defer leave()
	r.cache.drop(thread)
	var errs []error
	if r.log != nil {
		errs = append(errs, r.log.Delete(ctx, thread))
	}
	if r.shared != nil {
		errs = append(errs, r.shared.Drop(ctx, thread))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("graph: delete thread %q: %w", thread, err)
	}
	return nil
}
