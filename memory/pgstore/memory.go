package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/memory/longterm"
)

var _ longterm.Store = (*Memory)(nil)

// Memory is the long-term memory in the record's database. Whoever changes what
// is known of a person waits for others who do, over all replicas.
type Memory struct{ s *Store }

// Memory returns the long-term memory that lives in the record.
func (s *Store) Memory() *Memory { return &Memory{s} }

const memoryColumns = `id, workspace, person, scope, kind, key, text, data, terms, raw, samples, first, last, muted, uses, used, used_in`

// scanMemory reads the columns of a record, and its vector where there is one.
func (m *Memory) scanMemory(r pgx.CollectableRow) (longterm.Record, error) {
	var v longterm.Record
	var data []byte
	var used *time.Time
	dest := []any{&v.ID, &v.Workspace, &v.Person, &v.Scope, &v.Kind, &v.Key, &v.Text, &data, &v.Terms, &v.Raw, &v.Samples,
		&v.First, &v.Last, &v.Muted, &v.Uses, &used, &v.UsedIn}
	var vector *string
	if m.s.vectors != "" {
		dest = append(dest, &vector)
	}
	err := r.Scan(dest...)
	v.Data, v.First, v.Last, v.Used = data, v.First.UTC(), v.Last.UTC(), when(used)
	if err == nil && vector != nil {
		v.Vector, err = parseVector(*vector)
	}
	return v, err
}

// columns are the columns of a record.
func (m *Memory) columns() string {
	if m.s.vectors == "" {
		return memoryColumns
	}
	return memoryColumns + `, embedding::text`
}

// sqlFind selects what a query may use; what chooses among it follows.
const sqlFind = ` FROM memories WHERE person = @person AND (NOT muted OR @muted::boolean) AND (@anywhere::boolean OR scope = ANY(@scopes::text[]))
	AND (cardinality(@kinds::text[]) = 0 OR kind = ANY(@kinds::text[]))`

// Find returns the records that a query may use: those that hold one of its
// words and, with a vector and pgvector, the nearest ones.
func (m *Memory) Find(ctx context.Context, q longterm.Query, muted bool) ([]longterm.Record, error) {
	limit := q.Limit
	if limit <= 0 || limit > longterm.MaxFound {
		limit = longterm.MaxFound
	}
	kinds := make([]string, len(q.Kinds))
	for i, k := range q.Kinds {
		kinds[i] = string(k)
	}
	args := pgx.NamedArgs{"person": clean(q.Person), "muted": muted, "anywhere": q.Anywhere, "scopes": cleanAll(q.Scopes), "kinds": kinds, "limit": limit, "words": cleanAll(q.Words)}
	which := ""
	if len(q.Words) > 0 {
		which = ` AND terms && @words::text[]`
	}
	query := `SELECT ` + m.columns() + sqlFind + which + ` ORDER BY last DESC, id LIMIT @limit`
	if m.s.vectors != "" && len(q.Vector) > 0 && len(q.Words) > 0 {
		args["vector"], args["dims"] = formatVector(q.Vector), len(q.Vector)
		query = `(` + query + `) UNION (SELECT ` + m.columns() + sqlFind + fmt.Sprintf(` AND embedding IS NOT NULL AND %[1]s.vector_dims(embedding) = @dims
			ORDER BY embedding OPERATOR(%[1]s.<=>) @vector::%[1]s.vector LIMIT least(@limit, %[2]d))`, m.s.vectors, nearest)
	}
	var found []longterm.Record
	err := m.s.try(ctx, func(ctx context.Context, _ bool) error {
		rows, err := m.s.pool.Query(ctx, query, args)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, m.scanMemory)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("pgstore: find memory: %w", err)
	}
	return found, nil
}

// nearest is how many records come by their vectors alone.
const nearest = 50

// cleanAll cleans a list; it is never NULL.
func cleanAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = clean(s)
	}
	return out
}

// scanNote reads the columns of a note.
func scanNote(r pgx.CollectableRow) (longterm.Note, error) {
	var n longterm.Note
	var data []byte
	err := r.Scan(&n.Session, &n.At, &n.Message, &data)
	n.At, n.Data = n.At.UTC(), data
	return n, err
}

// Notes returns a record's notes, oldest first.
func (m *Memory) Notes(ctx context.Context, person, id string) ([]longterm.Note, error) {
	notes, err := all(ctx, m.s, scanNote, `SELECT session, at, message, data FROM memory_notes WHERE record = $1 AND person = $2 ORDER BY at, session`, id, person)
	if err != nil {
		return nil, fmt.Errorf("pgstore: notes: %w", err)
	}
	if len(notes) == 0 {
		return nil, fmt.Errorf("pgstore: notes: %w", longterm.ErrNotFound)
	}
	return notes, nil
}

// change does work in a transaction that has the person's memory for itself.
// Work is done again when the connection is lost; what it does twice is in
// effect once.
func (m *Memory) change(ctx context.Context, what, person string, work func(ctx context.Context, tx pgx.Tx) error) error {
	err := m.s.try(ctx, func(ctx context.Context, _ bool) error {
		return pgx.BeginFunc(ctx, m.s.pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "maru/memory/"+m.s.cfg.Schema+"/"+person); err != nil {
				return err
			}
			return work(ctx, tx)
		})
	})
	if err != nil {
		return fmt.Errorf("pgstore: %s memory: %w", what, err)
	}
	return nil
}

// Learn adds a note to its record and folds it.
func (m *Memory) Learn(ctx context.Context, r longterm.Record, n longterm.Note, fold longterm.Fold) (bool, error) {
	var added bool
	err := m.change(ctx, "learn", r.Person, func(ctx context.Context, tx pgx.Tx) error {
		// Whoever withdraws the message meanwhile waits, and then finds the note.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 1))`, m.messageLock(n.Message)); err != nil {
			return err
		}
		// xmax is 0 in a row that was inserted and not updated.
		err := tx.QueryRow(ctx, `INSERT INTO memory_notes AS n (record, session, person, at, message, data)
			SELECT $1, $2, $3, $4, $5, $6 WHERE NOT EXISTS (
				SELECT 1 FROM memory_forgotten WHERE (person = $3 AND record IN ('', $1) OR person = '' AND record = $5) AND at >= $4::timestamptz)
			ON CONFLICT (record, session) DO UPDATE SET at = excluded.at, message = excluded.message, data = excluded.data
				WHERE (excluded.at, excluded.data) < (n.at, n.data)
			RETURNING xmax = 0`, r.ID, clean(n.Session), r.Person, n.At, clean(n.Message), []byte(n.Data)).Scan(&added)
		if errors.Is(err, pgx.ErrNoRows) { // known, or not wanted any more
			added = false
			return nil
		}
		if err != nil {
			return err
		}
		return m.refold(ctx, tx, r, fold)
	})
	return added, err
}

// refold computes a record from its notes; one without notes goes. r names the
// record if it is new.
func (m *Memory) refold(ctx context.Context, tx pgx.Tx, r longterm.Record, fold longterm.Fold) error {
	have, err := m.records(ctx, tx, `WHERE id = $1`, r.ID)
	if err != nil {
		return err
	}
	if len(have) == 1 {
		r = have[0]
	}
	rows, err := tx.Query(ctx, `SELECT * FROM (SELECT session, at, message, data FROM memory_notes WHERE record = $1
		ORDER BY at DESC, session DESC LIMIT $2) AS newest ORDER BY at, session`, r.ID, longterm.MaxNotes)
	if err != nil {
		return err
	}
	notes, err := pgx.CollectRows(rows, scanNote)
	if err != nil {
		return err
	}
	if len(notes) == 0 {
		_, _, err := dropMemory(ctx, tx, r.ID)
		return err
	}
	if r, err = fold(r, notes); err != nil {
		return err
	}
	r.First, r.Last = notes[0].At, notes[len(notes)-1].At
	return m.put(ctx, tx, r)
}

// records reads records within a transaction.
func (m *Memory) records(ctx context.Context, tx pgx.Tx, where string, args ...any) ([]longterm.Record, error) {
	rows, err := tx.Query(ctx, `SELECT `+m.columns()+` FROM memories `+where, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, m.scanMemory)
}

// put writes a record.
func (m *Memory) put(ctx context.Context, tx pgx.Tx, r longterm.Record) error {
	_, err := tx.Exec(ctx, `INSERT INTO memories (`+memoryColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
		ON CONFLICT (id) DO UPDATE SET text = excluded.text, data = excluded.data, terms = excluded.terms, raw = excluded.raw,
			samples = excluded.samples, first = excluded.first, last = excluded.last, muted = excluded.muted,
			uses = excluded.uses, used = excluded.used, used_in = excluded.used_in`,
		r.ID, r.Workspace, r.Person, r.Scope, string(r.Kind), r.Key, clean(r.Text), []byte(r.Data), cleanAll(r.Terms), r.Raw, r.Samples,
		r.First, r.Last, r.Muted, r.Uses, stamp(r.Used), r.UsedIn)
	if err != nil || m.s.vectors == "" || len(r.Vector) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE memories SET embedding = $2::text::`+m.s.vectors+`.vector WHERE id = $1`, r.ID, formatVector(r.Vector))
	return err
}

// dropMemory removes a record with everything that belongs to it.
func dropMemory(ctx context.Context, tx pgx.Tx, id string) (notes, uses int, err error) {
	if _, err := tx.Exec(ctx, `DELETE FROM memories WHERE id = $1`, id); err != nil {
		return 0, 0, err
	}
	n, err := tx.Exec(ctx, `DELETE FROM memory_notes WHERE record = $1`, id)
	if err != nil {
		return 0, 0, err
	}
	u, err := tx.Exec(ctx, `DELETE FROM memory_uses WHERE record = $1`, id)
	return int(n.RowsAffected()), int(u.RowsAffected()), err
}

// Mute changes whether records are used.
func (m *Memory) Mute(ctx context.Context, person string, ids []string, muted bool) (int, error) {
	n := 0
	err := m.change(ctx, "mute", person, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE memories SET muted = $3 WHERE person = $1 AND id = ANY($2) AND muted <> $3`, person, cleanAll(ids), muted)
		n = int(tag.RowsAffected())
		return err
	})
	return n, err
}

// Move puts records into another scope.
func (m *Memory) Move(ctx context.Context, person string, ids []string, scope string, fold longterm.Fold) (int, error) {
	n := 0
	err := m.change(ctx, "move", person, func(ctx context.Context, tx pgx.Tx) error {
		found, err := m.records(ctx, tx, `WHERE person = $1 AND id = ANY($2) AND scope <> $3`, person, cleanAll(ids), scope)
		if err != nil {
			return err
		}
		n = len(found)
		for _, r := range found {
			if err := m.move(ctx, tx, r, r.In(scope), fold); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// move joins one record with what is known under to's name.
func (m *Memory) move(ctx context.Context, tx pgx.Tx, from, to longterm.Record, fold longterm.Fold) error {
	for _, q := range []string{
		`INSERT INTO memory_notes (record, session, person, at, message, data)
			SELECT $1, session, person, at, message, data FROM memory_notes WHERE record = $2 ON CONFLICT DO NOTHING`,
		`INSERT INTO memory_uses (record, run, scope, at) SELECT $1, run, scope, at FROM memory_uses WHERE record = $2 ON CONFLICT DO NOTHING`,
	} {
		if _, err := tx.Exec(ctx, q, to.ID, from.ID); err != nil {
			return err
		}
	}
	if _, _, err := dropMemory(ctx, tx, from.ID); err != nil {
		return err
	}
	if err := m.refold(ctx, tx, to, fold); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE memories SET muted = muted OR $2 WHERE id = $1`, to.ID, from.Muted); err != nil {
		return err
	}
	return countUses(ctx, tx, []string{to.ID})
}

// countUses brings records' uses up to date.
func countUses(ctx context.Context, tx pgx.Tx, ids []string) error {
	_, err := tx.Exec(ctx, `UPDATE memories m SET uses = (SELECT count(*) FROM memory_uses WHERE record = m.id),
		used = (SELECT max(at) FROM memory_uses WHERE record = m.id),
		used_in = coalesce((SELECT scope FROM memory_uses WHERE record = m.id ORDER BY at DESC LIMIT 1), '') WHERE id = ANY($1)`, ids)
	return err
}

// Use counts uses.
func (m *Memory) Use(ctx context.Context, person string, uses []longterm.Use) error {
	return m.change(ctx, "note uses of", person, func(ctx context.Context, tx pgx.Tx) error {
		var ids []string
		for _, u := range uses {
			tag, err := tx.Exec(ctx, `INSERT INTO memory_uses (record, run, scope, at) SELECT id, $1, $2, $3 FROM memories WHERE id = $4 AND person = $5
				ON CONFLICT DO NOTHING`, clean(u.Run), clean(u.Scope), u.At, u.Record, person)
			if err != nil {
				return err
			}
			if tag.RowsAffected() > 0 {
				ids = append(ids, u.Record)
			}
		}
		return countUses(ctx, tx, ids)
	})
}

// Forget removes records, all of the person's if ids is nil, with the lessons
// that wait to be taken in.
func (m *Memory) Forget(ctx context.Context, person string, ids []string, at time.Time) (longterm.Receipt, error) {
	var rec longterm.Receipt
	err := m.change(ctx, "forget", person, func(ctx context.Context, tx pgx.Tx) error {
		rec = longterm.Receipt{Records: map[longterm.Kind]int{}}
		found, err := m.records(ctx, tx, `WHERE person = $1 AND ($2 OR id = ANY($3))`, person, ids == nil, cleanAll(ids))
		if err != nil {
			return err
		}
		marks := []string{""}
		if ids != nil {
			marks = nil
			rows, err := tx.Query(ctx, `SELECT DISTINCT u.run FROM memory_uses u JOIN memories m ON m.id = u.record
				WHERE m.person = $1 AND m.id = ANY($2) ORDER BY u.run`, person, cleanAll(ids))
			if err != nil {
				return err
			}
			if rec.Runs, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
				return err
			}
		}
		for _, r := range found {
			notes, uses, err := dropMemory(ctx, tx, r.ID)
			if err != nil {
				return err
			}
			rec.Records[r.Kind]++
			rec.Notes += notes
			rec.Uses += uses
			if ids != nil {
				marks = append(marks, r.ID)
			}
		}
		if ids == nil {
			tag, err := tx.Exec(ctx, `DELETE FROM jobs WHERE person = $1`, person)
			if err != nil {
				return err
			}
			rec.Jobs = int(tag.RowsAffected())
		}
		_, err = tx.Exec(ctx, `INSERT INTO memory_forgotten AS f (person, record, at) SELECT $1, unnest($2::text[]), $3
			ON CONFLICT (person, record) DO UPDATE SET at = greatest(f.at, excluded.at)`, person, marks, at)
		return err
	})
	return rec, err
}

// Unlearn removes what a message taught.
func (m *Memory) Unlearn(ctx context.Context, message string, at time.Time, fold longterm.Fold) (int, error) {
	if message == "" {
		return 0, nil
	}
	err := m.s.try(ctx, func(ctx context.Context, _ bool) error {
		b := &pgx.Batch{}
		b.Queue(`SELECT pg_advisory_xact_lock(hashtextextended($1, 1))`, m.messageLock(message))
		b.Queue(`INSERT INTO memory_forgotten AS f (person, record, at) VALUES ('', $1, $2)
			ON CONFLICT (person, record) DO UPDATE SET at = greatest(f.at, excluded.at)`, clean(message), at)
		return m.s.batch(ctx, b)
	})
	if err != nil {
		return 0, fmt.Errorf("pgstore: withdraw a message: %w", err)
	}
	return m.strike(ctx, fold, `SELECT DISTINCT record, person FROM memory_notes WHERE message = $1 AND at <= $2`, []any{clean(message), at},
		`DELETE FROM memory_notes WHERE record = $1 AND message = $2 AND at <= $3`, clean(message), at)
}

// Sweep removes notes older than before.
func (m *Memory) Sweep(ctx context.Context, before time.Time, limit int, fold longterm.Fold) (int, error) {
	if _, err := m.s.changeJobs(ctx, "sweep marks of", `DELETE FROM memory_forgotten WHERE at < $1`, before); err != nil {
		return 0, err
	}
	return m.strike(ctx, fold, fmt.Sprintf(`SELECT DISTINCT record, person FROM memory_notes WHERE at < $1 LIMIT %d`, max(limit, 1)), []any{before},
		`DELETE FROM memory_notes WHERE record = $1 AND at < $2`, before)
}

// SweepPart removes notes older than before from a part of what is known.
func (m *Memory) SweepPart(ctx context.Context, p longterm.Part, before time.Time, limit int, fold longterm.Fold) (int, error) {
	return m.strike(ctx, fold, fmt.Sprintf(`SELECT DISTINCT n.record, n.person FROM memory_notes n JOIN memories r ON r.id = n.record
		WHERE n.at < $1 AND $2 IN ('', r.workspace) AND $3 IN ('', r.person) AND $4 IN ('', r.scope)
			AND r.workspace <> ALL(coalesce($5::text[], '{}')) AND r.scope <> ALL(coalesce($6::text[], '{}')) LIMIT %d`, max(limit, 1)),
		[]any{before, p.Workspace, p.Person, p.Scope, p.NotWorkspaces, p.NotScopes},
		`DELETE FROM memory_notes WHERE record = $1 AND at < $2`, before)
}

// strike removes the notes that which finds, person by person, and folds what is
// left of their records.
func (m *Memory) strike(ctx context.Context, fold longterm.Fold, which string, args []any, remove string, values ...any) (int, error) {
	type owned struct{ Record, Person string }
	found, err := all(ctx, m.s, pgx.RowToStructByPos[owned], which, args...)
	if err != nil {
		return 0, fmt.Errorf("pgstore: unlearn: %w", err)
	}
	for i, o := range found {
		err := m.change(ctx, "unlearn", o.Person, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, remove, append([]any{o.Record}, values...)...); err != nil {
				return err
			}
			return m.refold(ctx, tx, longterm.Record{ID: o.Record}, fold)
		})
		if err != nil {
			return i, err
		}
	}
	return len(found), nil
}

// messageLock names the lock of what a message taught.
func (m *Memory) messageLock(message string) string {
	return "maru/message/" + m.s.cfg.Schema + "/" + message
}

// formatVector writes a vector as pgvector reads it.
func formatVector(v []float32) string {
	return strings.ReplaceAll(fmt.Sprint(v), " ", ",")
}
