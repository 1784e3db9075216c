package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"maru/memory/longterm"
)

// Learn adds a note to its record and folds it.
func (m *Memory) Learn(ctx context.Context, r longterm.Record, n longterm.Note, fold longterm.Fold) (bool, error) {
	var added bool
	err := m.s.write.run(ctx, func(t *tx) error {
		added = false
		var gone int64
		err := t.get(`SELECT coalesce(max(at), 0) FROM memory_forgotten WHERE person = ? AND record IN ('', ?) OR person = '' AND record = ?`,
			[]any{r.Person, r.ID, n.Message}, &gone)
		if err != nil || micros(n.At) <= gone {
			return err
		}
		changed, err := putNote(t, r, n)
		if err != nil || changed == unchanged {
			return err
		}
		added = changed == grown
		return refold(t, r, fold)
	})
	if err != nil {
		return false, fmt.Errorf("sqlitestore: learn: %w", err)
	}
	return added, nil
}

// change is the effect on the number of notes.
type change int

const (
	unchanged change = iota
	replaced
	grown
)

// putNote stores a note unless its session already has one that takes precedence.
func putNote(t *tx, r longterm.Record, n longterm.Note) (change, error) {
	var at int64
	var data []byte
	err := t.get(`SELECT at, data FROM memory_notes WHERE record = ? AND session = ?`, []any{r.ID, n.Session}, &at, &data)
	what := replaced
	if errors.Is(err, sql.ErrNoRows) {
		what = grown
	} else if err != nil {
		return unchanged, err
	} else if micros(n.At) > at || micros(n.At) == at && string(n.Data) >= string(data) {
		return unchanged, nil
	}
	_, err = t.exec(`INSERT INTO memory_notes (record, session, person, at, message, data) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (record, session) DO UPDATE SET at = excluded.at, message = excluded.message, data = excluded.data`,
		r.ID, n.Session, r.Person, micros(n.At), n.Message, []byte(n.Data))
	return what, err
}

// refold computes a record from its notes and removes it if none are left. r identifies the record if it is new.
func refold(t *tx, r longterm.Record, fold longterm.Fold) error {
	err := t.each(func(row scanner) (err error) {
		r, err = scanMemory(row)
		return err
	}, `SELECT `+memoryColumns+` FROM memories WHERE id = ?`, r.ID)
	if err != nil {
		return err
	}
	var notes []longterm.Note
	err = t.each(func(row scanner) error {
		n, err := scanNote(row)
		notes = append(notes, n)
		return err
	}, `SELECT * FROM (SELECT session, at, message, data FROM memory_notes WHERE record = ? ORDER BY at DESC, session DESC LIMIT 0 + ?) ORDER BY at, session`,
		r.ID, longterm.MaxNotes)
	if err != nil {
		return err
	}
	if len(notes) == 0 {
		_, _, err := dropMemory(t, r.ID)
		return err
	}
	if r, err = fold(r, notes); err != nil {
		return err
	}
	r.First, r.Last = notes[0].At, notes[len(notes)-1].At
	return putMemory(t, r)
}

// putMemory writes a record with its terms.
func putMemory(t *tx, r longterm.Record) error {
	_, err := t.exec(`INSERT INTO memories (`+memoryColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET text = excluded.text, data = excluded.data, terms = excluded.terms, vector = excluded.vector,
			raw = excluded.raw, samples = excluded.samples, first = excluded.first, last = excluded.last, muted = excluded.muted,
			uses = excluded.uses, used = excluded.used, used_in = excluded.used_in`,
		r.ID, r.Workspace, r.Person, r.Scope, string(r.Kind), r.Key, r.Text, []byte(r.Data), strings.Join(r.Terms, "\n"), asVector(r.Vector),
		r.Raw, r.Samples, micros(r.First), micros(r.Last), flag(r.Muted), r.Uses, micros(r.Used), r.UsedIn)
	if err != nil {
		return err
	}
	if _, err := t.exec(`DELETE FROM memory_terms WHERE record = ?`, r.ID); err != nil {
		return err
	}
	_, err = t.exec(`INSERT OR IGNORE INTO memory_terms (person, term, record) SELECT ?, value, ? FROM json_each(?)`, r.Person, r.ID, list(r.Terms))
	return err
}

// countUses updates the use counts of a record.
func countUses(t *tx, id string) error {
	_, err := t.exec(`UPDATE memories SET uses = (SELECT count(*) FROM memory_uses WHERE record = memories.id),
		used = coalesce((SELECT max(at) FROM memory_uses WHERE record = memories.id), 0),
		used_in = coalesce((SELECT scope FROM memory_uses WHERE record = memories.id ORDER BY at DESC LIMIT 1), '') WHERE id = ?`, id)
	return err
}

// Use counts uses.
func (m *Memory) Use(ctx context.Context, person string, uses []longterm.Use) error {
	err := m.s.write.run(ctx, func(t *tx) error {
		for _, u := range uses {
			n, err := t.exec(`INSERT INTO memory_uses (record, run, scope, at) SELECT id, ?, ?, ? FROM memories WHERE id = ? AND person = ?
				ON CONFLICT (record, run) DO NOTHING`, u.Run, u.Scope, micros(u.At), u.Record, person)
			if err != nil {
				return err
			}
			if n > 0 {
				if err := countUses(t, u.Record); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return wrap("note uses of memory", err)
}
