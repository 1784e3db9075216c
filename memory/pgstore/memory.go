package pgstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/memory/longterm"
)

var _ longterm.Store = (*Memory)(nil)

// Memory is the long-term memory in the record's database. Changes to one person's records are serialised over all
// replicas.
type Memory struct{ s *Store }

// Memory returns the long-term memory in the record.
func (s *Store) Memory() *Memory { return &Memory{s} }

const memoryColumns = `id, workspace, person, scope, kind, key, text, data, terms, raw, samples, first, last, muted, uses, used, used_in`

// scanMemory reads the columns of a record, and its vector if there is one.
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

// columns returns the columns of a record.
func (m *Memory) columns() string {
	if m.s.vectors == "" {
		return memoryColumns
	}
	return memoryColumns + `, embedding::text`
}

// sqlFind selects the usable records of a query; an ORDER BY clause follows.
const sqlFind = ` FROM memories WHERE person = @person AND (NOT muted OR @muted::boolean) AND (@anywhere::boolean OR scope = ANY(@scopes::text[]))
	AND (cardinality(@kinds::text[]) = 0 OR kind = ANY(@kinds::text[]))`

// Find returns the usable records for a query: those with one of its words and, with a vector and pgvector, the
// nearest ones.
func (m *Memory) Find(ctx context.Context, q longterm.Query, muted bool) ([]longterm.Record, error) {
	limit := q.Limit
	if limit <= 0 || limit > longterm.MaxFound {
		limit = longterm.MaxFound
	}
	kinds := make([]string, len(q.Kinds))
	for i, k := range q.Kinds {
		kinds[i] = string(k)
	}
	args := named{"person": clean(q.Person), "muted": muted, "anywhere": q.Anywhere, "scopes": cleanAll(q.Scopes), "kinds": kinds, "limit": limit, "words": cleanAll(q.Words)}
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
	return found, wrap("find memory", err)
}

// nearest is the number of records found by vector only.
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

// formatVector formats a vector for pgvector.
func formatVector(v []float32) string {
	return strings.ReplaceAll(fmt.Sprint(v), " ", ",")
}
