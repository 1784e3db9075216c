// Package longtermtest provides an in-process [longterm.Store] for tests of code that uses long-term memory. It
// passes memory/memtest as the real stores do and must not know databases.
package longtermtest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"maru/memory/longterm"
)

// Store keeps memory in process. The zero value is not ready: use [NewStore].
type Store struct {
	mu        sync.Mutex
	records   map[string]longterm.Record
	notes     map[string][]longterm.Note
	uses      map[longterm.Use]string // (record, run) to the person
	forgotten map[string]time.Time    // by person, or person and record
}

var _ longterm.Store = (*Store)(nil)

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{
		records: map[string]longterm.Record{}, notes: map[string][]longterm.Note{},
		uses: map[longterm.Use]string{}, forgotten: map[string]time.Time{},
	}
}

// Learn implements longterm.Store.
func (s *Store) Learn(_ context.Context, r longterm.Record, n longterm.Note, fold longterm.Fold) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range []string{r.Person, r.Person + "\x00" + r.ID, "\x00" + n.Message} {
		if at, ok := s.forgotten[key]; ok && !n.At.After(at) {
			return false, nil
		}
	}
	if have, ok := s.records[r.ID]; ok {
		r = have
	}
	list := slices.Clone(s.notes[r.ID])
	added := true
	if i := slices.IndexFunc(list, func(o longterm.Note) bool { return o.Session == n.Session }); i >= 0 {
		if cmp.Or(n.At.Compare(list[i].At), strings.Compare(string(n.Data), string(list[i].Data))) >= 0 {
			return false, nil
		}
		list[i], added = n, false
	} else {
		list = append(list, n)
	}
	return added, s.refold(r, list, fold)
}

// refold writes a record and its notes; without notes it goes.
func (s *Store) refold(r longterm.Record, list []longterm.Note, fold longterm.Fold) error {
	if len(list) == 0 {
		s.drop(r.ID)
		return nil
	}
	slices.SortFunc(list, func(a, b longterm.Note) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Session, b.Session))
	})
	newest := list[max(0, len(list)-longterm.MaxNotes):]
	r.First, r.Last = list[0].At, list[len(list)-1].At
	r, err := fold(r, newest)
	if err != nil {
		return err
	}
	s.records[r.ID], s.notes[r.ID] = r, list
	return nil
}

func (s *Store) drop(id string) (notes, uses int) {
	for u := range s.uses {
		if u.Record == id {
			delete(s.uses, u)
			uses++
		}
	}
	notes = len(s.notes[id])
	delete(s.records, id)
	delete(s.notes, id)
	return notes, uses
}

// Find implements longterm.Store.
func (s *Store) Find(_ context.Context, q longterm.Query, muted bool) ([]longterm.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []longterm.Record
	for _, r := range s.records {
		switch {
		case r.Person != q.Person, !q.Anywhere && !slices.Contains(q.Scopes, r.Scope), r.Muted && !muted:
		case len(q.Kinds) > 0 && !slices.Contains(q.Kinds, r.Kind):
		case len(q.Words) > 0 && !holdsOne(r, q.Words) && (q.Vector == nil || r.Vector == nil):
		default:
			out = append(out, s.used(r))
		}
	}
	slices.SortFunc(out, func(a, b longterm.Record) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.ID, b.ID))
	})
	limit := q.Limit
	if limit <= 0 || limit > longterm.MaxFound {
		limit = longterm.MaxFound
	}
	return out[:min(len(out), limit)], nil
}

func holdsOne(r longterm.Record, words []string) bool {
	return slices.ContainsFunc(r.Terms, func(t string) bool { return slices.Contains(words, t) })
}

// used fills in the users of a record.
func (s *Store) used(r longterm.Record) longterm.Record {
	for u := range s.uses {
		if u.Record != r.ID {
			continue
		}
		r.Uses++
		if u.At.After(r.Used) {
			r.Used, r.UsedIn = u.At, u.Scope
		}
	}
	return r
}

// Notes implements longterm.Store.
func (s *Store) Notes(_ context.Context, person, id string) ([]longterm.Note, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records[id].Person != person {
		return nil, longterm.ErrNotFound
	}
	return slices.Clone(s.notes[id]), nil
}

// Mute implements longterm.Store.
func (s *Store) Mute(_ context.Context, person string, ids []string, muted bool) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, id := range ids {
		if r, ok := s.records[id]; ok && r.Person == person && r.Muted != muted {
			r.Muted = muted
			s.records[id] = r
			n++
		}
	}
	return n, nil
}

// Move implements longterm.Store.
func (s *Store) Move(_ context.Context, person string, ids []string, scope string, fold longterm.Fold) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, id := range ids {
		from, ok := s.records[id]
		if !ok || from.Person != person || from.Scope == scope {
			continue
		}
		to := from.In(scope)
		list := slices.Clone(s.notes[to.ID])
		if have, ok := s.records[to.ID]; ok {
			to = have
			to.Muted = to.Muted || from.Muted
		}
		for _, note := range s.notes[id] {
			if !slices.ContainsFunc(list, func(o longterm.Note) bool { return o.Session == note.Session }) {
				list = append(list, note)
			}
		}
		if err := s.refold(to, list, fold); err != nil {
			return n, err
		}
		for u, who := range s.uses {
			if u.Record == id {
				u.Record = to.ID
				s.uses[u] = who
			}
		}
		s.drop(id)
		n++
	}
	return n, nil
}

// Use implements longterm.Store.
func (s *Store) Use(_ context.Context, person string, uses []longterm.Use) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range uses {
		known := false
		for have := range s.uses {
			known = known || have.Record == u.Record && have.Run == u.Run
		}
		if !known && s.records[u.Record].Person == person {
			s.uses[u] = person
		}
	}
	return nil
}

// Forget implements longterm.Store.
func (s *Store) Forget(_ context.Context, person string, ids []string, at time.Time) (longterm.Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec := longterm.Receipt{Records: map[longterm.Kind]int{}}
	if ids == nil {
		s.forgotten[person] = at
	}
	for id, r := range s.records {
		if r.Person != person || ids != nil && !slices.Contains(ids, id) {
			continue
		}
		s.forgotten[person+"\x00"+id] = at
		for u := range s.uses {
			if ids != nil && u.Record == id {
				rec.Runs = append(rec.Runs, u.Run)
			}
		}
		notes, uses := s.drop(id)
		rec.Records[r.Kind]++
		rec.Notes += notes
		rec.Uses += uses
	}
	slices.Sort(rec.Runs)
	rec.Runs = slices.Compact(rec.Runs)
	return rec, nil
}

// Unlearn implements longterm.Store.
func (s *Store) Unlearn(_ context.Context, message string, at time.Time, fold longterm.Fold) (int, error) {
	if message == "" {
		return 0, nil
	}
	s.mu.Lock()
	s.forgotten["\x00"+message] = at
	s.mu.Unlock()
	return s.strike(0, fold, func(_ longterm.Record, n longterm.Note) bool { return n.Message == message && !n.At.After(at) })
}

// Sweep implements longterm.Store.
func (s *Store) Sweep(_ context.Context, before time.Time, limit int, fold longterm.Fold) (int, error) {
	return s.strike(limit, fold, func(_ longterm.Record, n longterm.Note) bool { return n.At.Before(before) })
}

// SweepPart implements longterm.Store.
func (s *Store) SweepPart(_ context.Context, p longterm.Part, before time.Time, limit int, fold longterm.Fold) (int, error) {
	return s.strike(limit, fold, func(r longterm.Record, n longterm.Note) bool {
		return n.At.Before(before) && (p.Workspace == "" || r.Workspace == p.Workspace) && (p.Person == "" || r.Person == p.Person) &&
			(p.Scope == "" || r.Scope == p.Scope) && !slices.Contains(p.NotWorkspaces, r.Workspace) && !slices.Contains(p.NotScopes, r.Scope)
	})
}

// strike removes notes and folds the rest of their records.
func (s *Store) strike(limit int, fold longterm.Fold, gone func(longterm.Record, longterm.Note) bool) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for id, r := range s.records {
		list := slices.DeleteFunc(slices.Clone(s.notes[id]), func(note longterm.Note) bool { return gone(r, note) })
		if len(list) == len(s.notes[id]) {
			continue
		}
		if err := s.refold(r, list, fold); err != nil {
			return n, err
		}
		if n++; n == limit {
			break
		}
	}
	return n, nil
}
