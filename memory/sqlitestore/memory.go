package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"maru/memory/longterm"
)

var _ longterm.Store = (*Memory)(nil)

// Memory is the long-term memory in the record's file.
type Memory struct{ s *Store }

// Memory returns the long-term memory that lives in the record.
func (s *Store) Memory() *Memory { return &Memory{s} }

const memoryColumns = `id, workspace, person, scope, kind, key, text, data, terms, vector, raw, samples, first, last, muted, uses, used, used_in`

// scanMemory reads the columns of a record.
func scanMemory(r scanner) (longterm.Record, error) {
	var v longterm.Record
	var data, vector []byte
	var terms string
	var first, last, used int64
	err := r.Scan(&v.ID, &v.Workspace, &v.Person, &v.Scope, &v.Kind, &v.Key, &v.Text, &data, &terms, &vector, &v.Raw, &v.Samples,
		&first, &last, &v.Muted, &v.Uses, &used, &v.UsedIn)
	v.Data, v.Vector = data, fromVector(vector)
	v.First, v.Last, v.Used = fromMicros(first), fromMicros(last), fromMicros(used)
	if terms != "" {
		v.Terms = strings.Split(terms, "\n")
	}
	return v, err
}

// asVector stores a vector; none is NULL.
func asVector(v []float32) any {
	if v == nil {
		return nil
	}
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// fromVector reverses asVector.
func fromVector(b []byte) []float32 {
	if len(b) == 0 {
		return nil
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// list passes a list to json_each.
func list[T ~string](values []T) string {
	if values == nil {
		values = []T{}
	}
	b, _ := json.Marshal(values) // strings always encode
	return string(b)
}

// Find returns the records that a query may use.
func (m *Memory) Find(ctx context.Context, q longterm.Query, muted bool) ([]longterm.Record, error) {
	limit := q.Limit
	if limit <= 0 || limit > longterm.MaxFound {
		limit = longterm.MaxFound
	}
	where := `WHERE person = ? AND (muted = 0 OR ?) AND (? OR scope IN (SELECT value FROM json_each(?))) AND (? OR kind IN (SELECT value FROM json_each(?)))`
	args := []any{q.Person, flag(muted), flag(q.Anywhere), list(q.Scopes), flag(len(q.Kinds) == 0), list(q.Kinds)}
	if len(q.Words) > 0 {
		where += ` AND (id IN (SELECT record FROM memory_terms WHERE person = ? AND term IN (SELECT value FROM json_each(?))) OR vector IS NOT NULL AND ?)`
		args = append(args, q.Person, list(q.Words), flag(q.Vector != nil))
	}
	found, err := all(ctx, m.s, scanMemory, `SELECT `+memoryColumns+` FROM memories `+where+` ORDER BY last DESC, id LIMIT ?`, append(args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: find memory: %w", err)
	}
	return found, nil
}

// scanNote reads the columns of a note.
func scanNote(r scanner) (longterm.Note, error) {
	var n longterm.Note
	var data []byte
	var at int64
	err := r.Scan(&n.Session, &at, &n.Message, &data)
	n.At, n.Data = fromMicros(at), data
	return n, err
}

// Notes returns a record's notes, oldest first.
func (m *Memory) Notes(ctx context.Context, person, id string) ([]longterm.Note, error) {
	notes, err := all(ctx, m.s, scanNote, `SELECT session, at, message, data FROM memory_notes WHERE record = ? AND person = ? ORDER BY at, session`, id, person)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: notes: %w", err)
	}
	if len(notes) == 0 {
		return nil, fmt.Errorf("sqlitestore: notes: %w", longterm.ErrNotFound)
	}
	return notes, nil
}

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

// change is what became of the number of notes.
type change int

const (
	unchanged change = iota
	replaced
	grown
)

// putNote stores a note unless its session has one that comes first.
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

// refold computes a record from its notes; one without notes goes. r names the
// record if it is new.
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
	}, `SELECT * FROM (SELECT session, at, message, data FROM memory_notes WHERE record = ? ORDER BY at DESC, session DESC LIMIT ?) ORDER BY at, session`,
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

// dropMemory removes a record with everything that belongs to it.
func dropMemory(t *tx, id string) (notes, uses int, err error) {
	for _, q := range []string{`DELETE FROM memories WHERE id = ?`, `DELETE FROM memory_terms WHERE record = ?`} {
		if _, err := t.exec(q, id); err != nil {
			return 0, 0, err
		}
	}
	n, err := t.exec(`DELETE FROM memory_notes WHERE record = ?`, id)
	if err != nil {
		return 0, 0, err
	}
	u, err := t.exec(`DELETE FROM memory_uses WHERE record = ?`, id)
	return int(n), int(u), err
}

// named reads those of a person's records that ids name; all of them if ids is
// nil.
func named(t *tx, person string, ids []string) ([]longterm.Record, error) {
	var found []longterm.Record
	err := t.each(func(row scanner) error {
		r, err := scanMemory(row)
		found = append(found, r)
		return err
	}, `SELECT `+memoryColumns+` FROM memories WHERE person = ? AND (? OR id IN (SELECT value FROM json_each(?)))`, person, flag(ids == nil), list(ids))
	return found, err
}

// Mute changes whether records are used.
func (m *Memory) Mute(ctx context.Context, person string, ids []string, muted bool) (int, error) {
	var n int64
	err := m.s.write.run(ctx, func(t *tx) (err error) {
		n, err = t.exec(`UPDATE memories SET muted = ? WHERE person = ? AND muted <> ? AND id IN (SELECT value FROM json_each(?))`,
			flag(muted), person, flag(muted), list(ids))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: mute memory: %w", err)
	}
	return int(n), nil
}

// Move puts records into another scope.
func (m *Memory) Move(ctx context.Context, person string, ids []string, scope string, fold longterm.Fold) (int, error) {
	n := 0
	err := m.s.write.run(ctx, func(t *tx) error {
		n = 0
		found, err := named(t, person, append([]string{}, ids...))
		if err != nil {
			return err
		}
		for _, r := range found {
			if r.Scope == scope {
				continue
			}
			if err := move(t, r, r.In(scope), fold); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: move memory: %w", err)
	}
	return n, nil
}

// move joins one record with what is known under to's name.
func move(t *tx, from, to longterm.Record, fold longterm.Fold) error {
	for _, q := range []string{
		`UPDATE OR IGNORE memory_notes SET record = ? WHERE record = ?`,
		`UPDATE OR IGNORE memory_uses SET record = ? WHERE record = ?`,
	} {
		if _, err := t.exec(q, to.ID, from.ID); err != nil {
			return err
		}
	}
	if _, _, err := dropMemory(t, from.ID); err != nil {
		return err
	}
	if err := refold(t, to, fold); err != nil {
		return err
	}
	if _, err := t.exec(`UPDATE memories SET muted = max(muted, ?) WHERE id = ?`, flag(from.Muted), to.ID); err != nil {
		return err
	}
	return countUses(t, to.ID)
}

// countUses brings a record's uses up to date.
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
	if err != nil {
		return fmt.Errorf("sqlitestore: note uses of memory: %w", err)
	}
	return nil
}

// Forget removes records, all of the person's if ids is nil, with the lessons
// that wait to be taken in.
func (m *Memory) Forget(ctx context.Context, person string, ids []string, at time.Time) (longterm.Receipt, error) {
	var rec longterm.Receipt
	err := m.s.write.run(ctx, func(t *tx) error {
		rec = longterm.Receipt{Records: map[longterm.Kind]int{}}
		found, err := named(t, person, ids)
		if err != nil {
			return err
		}
		for _, r := range found {
			if ids != nil {
				if err := t.each(func(row scanner) error {
					run, err := scanText(row)
					rec.Runs = append(rec.Runs, run)
					return err
				}, `SELECT run FROM memory_uses WHERE record = ? ORDER BY run`, r.ID); err != nil {
					return err
				}
			}
			notes, uses, err := dropMemory(t, r.ID)
			if err != nil {
				return err
			}
			rec.Records[r.Kind]++
			rec.Notes += notes
			rec.Uses += uses
			if ids != nil {
				if err := markForgotten(t, person, r.ID, at); err != nil {
					return err
				}
			}
		}
		if ids != nil {
			slices.Sort(rec.Runs)
			rec.Runs = slices.Compact(rec.Runs)
			return nil
		}
		jobs, err := t.exec(`DELETE FROM jobs WHERE person = ?`, person)
		if err != nil {
			return err
		}
		rec.Jobs = int(jobs)
		return markForgotten(t, person, "", at)
	})
	if err != nil {
		return longterm.Receipt{}, fmt.Errorf("sqlitestore: forget memory: %w", err)
	}
	return rec, nil
}

func markForgotten(t *tx, person, record string, at time.Time) error {
	_, err := t.exec(`INSERT INTO memory_forgotten (person, record, at) VALUES (?, ?, ?)
		ON CONFLICT (person, record) DO UPDATE SET at = max(at, excluded.at)`, person, record, micros(at))
	return err
}

// Unlearn removes what a message taught.
func (m *Memory) Unlearn(ctx context.Context, message string, at time.Time, fold longterm.Fold) (int, error) {
	if message == "" {
		return 0, nil
	}
	err := m.s.write.run(ctx, func(t *tx) error { return markForgotten(t, "", message, at) })
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: unlearn: %w", err)
	}
	return m.strike(ctx, fold, `SELECT DISTINCT record FROM memory_notes WHERE message = ? AND at <= ?`, []any{message, micros(at)},
		`DELETE FROM memory_notes WHERE record = ? AND message = ? AND at <= ?`, message, micros(at))
}

// Sweep removes notes older than before.
func (m *Memory) Sweep(ctx context.Context, before time.Time, limit int, fold longterm.Fold) (int, error) {
	n, err := m.strike(ctx, fold, fmt.Sprintf(`SELECT DISTINCT record FROM memory_notes WHERE at < ? LIMIT %d`, max(limit, 1)), []any{micros(before)},
		`DELETE FROM memory_notes WHERE record = ? AND at < ?`, micros(before))
	if err != nil {
		return 0, err
	}
	err = m.s.write.run(ctx, func(t *tx) error {
		_, err := t.exec(`DELETE FROM memory_forgotten WHERE at < ?`, micros(before))
		return err
	})
	return n, err
}

// SweepPart removes notes older than before from a part of what is known.
func (m *Memory) SweepPart(ctx context.Context, p longterm.Part, before time.Time, limit int, fold longterm.Fold) (int, error) {
	return m.strike(ctx, fold, fmt.Sprintf(`SELECT DISTINCT n.record FROM memory_notes n JOIN memories r ON r.id = n.record
		WHERE n.at < ? AND ? IN ('', r.workspace) AND ? IN ('', r.person) AND ? IN ('', r.scope)
			AND r.workspace NOT IN (SELECT value FROM json_each(?)) AND r.scope NOT IN (SELECT value FROM json_each(?)) LIMIT %d`, max(limit, 1)),
		[]any{micros(before), p.Workspace, p.Person, p.Scope, list(p.NotWorkspaces), list(p.NotScopes)},
		`DELETE FROM memory_notes WHERE record = ? AND at < ?`, micros(before))
}

// strike removes the notes that a query finds and folds what is left of their
// records.
func (m *Memory) strike(ctx context.Context, fold longterm.Fold, which string, args []any, remove string, values ...any) (int, error) {
	n := 0
	err := m.s.write.run(ctx, func(t *tx) error {
		var ids []string
		err := t.each(func(row scanner) error {
			var id string
			err := row.Scan(&id)
			ids = append(ids, id)
			return err
		}, which, args...)
		if err != nil {
			return err
		}
		n = len(ids)
		for _, id := range ids {
			if _, err := t.exec(remove, append([]any{id}, values...)...); err != nil {
				return err
			}
			if err := refold(t, longterm.Record{ID: id}, fold); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: unlearn: %w", err)
	}
	return n, nil
}
