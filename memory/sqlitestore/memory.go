package sqlitestore

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"maru/memory/longterm"
)

var _ longterm.Store = (*Memory)(nil)

// Memory is the long-term memory in the record's file.
type Memory struct{ s *Store }

// Memory returns the long-term memory in the record.
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

// asVector converts a vector for a column; an empty one is NULL.
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
	b, _ := json.Marshal(values) // cannot fail for strings
	return string(b)
}

// Find returns the records that a query may use.
func (m *Memory) Find(ctx context.Context, q longterm.Query, muted bool) ([]longterm.Record, error) {
	if none, err := m.s.blank(ctx, q.Person, `SELECT EXISTS (SELECT 1 FROM memories WHERE person = ?)`, q.Person); err != nil || none {
		return nil, err
	}
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
	return all(ctx, m.s, "find memory", scanMemory, `SELECT `+memoryColumns+` FROM memories `+where+` ORDER BY last DESC, id LIMIT 0 + ?`, append(args, limit)...)
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
	notes, err := all(ctx, m.s, "notes", scanNote, `SELECT session, at, message, data FROM memory_notes WHERE record = ? AND person = ? ORDER BY at, session`, id, person)
	if err == nil && len(notes) == 0 {
		return nil, fmt.Errorf("sqlitestore: notes: %w", longterm.ErrNotFound)
	}
	return notes, err
}
