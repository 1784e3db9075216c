package pgvector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"maru/rag"
	"maru/rag/rank"
	"maru/rag/vec"
)

// passage is a chunk's row.
type passage struct {
	id     string
	length int
	key    vec.Key
	terms  []int64
	times  []int16
	names  []int64
	record []byte
}

// hash returns a term's key in the tables.
func hash(term string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(term)) // a hash does not fail
	return int64(h.Sum64())      //nolint:gosec // G115: the bits count, not the sign
}

// Put adds a document or replaces the one with the same ID, in one transaction.
func (x *Index) Put(ctx context.Context, doc rag.Document, chunks []rag.Chunk) error {
	if err := x.usable(ctx); err != nil {
		return err
	}
	if err := rag.Check(doc, chunks); err != nil {
		return fmt.Errorf("rag/pgvector: put %s: %w", doc.ID, err)
	}
	doc.Chunks = len(chunks)
	record, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("rag/pgvector: put %s: %w", doc.ID, err)
	}
	rows, err := analyse(doc, chunks)
	if err != nil {
		return fmt.Errorf("rag/pgvector: put %s: %w", doc.ID, err)
	}
	err = x.tx(ctx, func(tx pgx.Tx) error { return x.put(ctx, tx, doc, record, rows) })
	if err != nil {
		return fmt.Errorf("rag/pgvector: put %s: %w", doc.ID, err)
	}
	x.nudge()
	return nil
}

func analyse(doc rag.Document, chunks []rag.Chunk) ([]passage, error) {
	var a rag.Analyzer
	rows := make([]passage, len(chunks))
	for i, c := range chunks {
		record, err := json.Marshal(c)
		if err != nil {
			return nil, fmt.Errorf("passage %d: %w", i, err)
		}
		p := passage{id: c.ID, key: vec.KeyOf(rank.Text(doc, c)), record: record}
		at, names := map[int64]int{}, map[int64]bool{}
		p.length = rank.Analyse(&a, doc, c, func(term []byte) {
			h := hash(string(term))
			if rag.IsKey(term) {
				names[h] = true
			}
			n, seen := at[h]
			if !seen {
				n = len(p.terms)
				at[h], p.terms, p.times = n, append(p.terms, h), append(p.times, 0)
			}
			if p.times[n] < math.MaxInt16 {
				p.times[n]++
			}
		})
		p.names = slices.Sorted(maps.Keys(names))
		rows[i] = p
	}
	return rows, nil
}

// put writes the document's row first: its lock serialises writers of one document. Scope counts come last, in order,
// which keeps waits short and prevents deadlocks.
func (x *Index) put(ctx context.Context, tx pgx.Tx, doc rag.Document, record []byte, rows []passage) error {
	_, err := tx.Exec(ctx, x.in(`INSERT INTO {s}.rag_index_documents (id, scope, added, tags, record) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (id) DO UPDATE SET scope = excluded.scope, added = excluded.added, tags = excluded.tags, record = excluded.record`),
		doc.ID, doc.Scope, doc.At, append([]string{}, rag.Tags(doc.Tags)...), record)
	if err != nil {
		return err
	}
	change, err := x.drop(ctx, tx, doc.ID)
	if err != nil {
		return err
	}
	in := change[doc.Scope]
	for _, p := range rows {
		in.passages++
		in.tokens += p.length
	}
	change[doc.Scope] = in
	const batch = 100 // rows of one statement: eleven parameters each, and a statement has 65,535
	for at := 0; at < len(rows); at += batch {
		if err := x.insert(ctx, tx, doc, rows[at:min(at+batch, len(rows))], at); err != nil {
			return err
		}
	}
	return x.count(ctx, tx, change)
}

// insert writes passages in one statement. COPY would be faster, but not every pooler and PostgreSQL supports it.
func (x *Index) insert(ctx context.Context, tx pgx.Tx, doc rag.Document, rows []passage, first int) error {
	var sql strings.Builder
	sql.WriteString(`INSERT INTO {s}.rag_index_passages (document, scope, analyser, position, id, length, key, terms, times, names, record) VALUES `)
	args := []any{doc.ID, doc.Scope, rag.AnalyzerVersion}
	for i, p := range rows {
		if i > 0 {
			sql.WriteByte(',')
		}
		n := len(args)
		fmt.Fprintf(&sql, "($1,$2,$3,$%d,$%d,$%d,$%d,$%d,$%d,$%d,$%d)", n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8)
		args = append(args, first+i, p.id, p.length, p.key[:], none(p.terms), none(p.times), none(p.names), p.record)
	}
	_, err := tx.Exec(ctx, x.in(sql.String()), args...)
	return err
}

// none returns an empty list rather than SQL's NULL.
func none[T any](list []T) []T { return append([]T{}, list...) }

// tally is a change's difference to a scope's counts.
type tally struct{ passages, tokens int }

// drop removes a document's passages and returns the scopes' differences.
func (x *Index) drop(ctx context.Context, tx pgx.Tx, id string) (map[string]tally, error) {
	rows, err := tx.Query(ctx, x.in(`WITH gone AS (DELETE FROM {s}.rag_index_passages WHERE document = $1 RETURNING scope, length)
		SELECT scope, count(*), sum(length) FROM gone GROUP BY scope`), id)
	if err != nil {
		return nil, err
	}
	change := map[string]tally{}
	var scope string
	var passages, tokens int
	_, err = pgx.ForEachRow(rows, []any{&scope, &passages, &tokens}, func() error {
		change[scope] = tally{-passages, -tokens}
		return nil
	})
	return change, err
}

// count applies differences to the scopes.
func (x *Index) count(ctx context.Context, tx pgx.Tx, change map[string]tally) error {
	for _, scope := range slices.Sorted(maps.Keys(change)) {
		_, err := tx.Exec(ctx, x.in(`INSERT INTO {s}.rag_index_scopes AS t (scope, version, passages, tokens) VALUES ($1, 1, $2, $3)
			ON CONFLICT (scope) DO UPDATE SET version = t.version + 1, passages = t.passages + excluded.passages, tokens = t.tokens + excluded.tokens`),
			scope, change[scope].passages, change[scope].tokens)
		if err != nil {
			return err
		}
	}
	return nil
}

// Delete removes a document and reports whether it existed.
func (x *Index) Delete(ctx context.Context, scope, id string) (bool, error) {
	if err := x.usable(ctx); err != nil {
		return false, err
	}
	gone := false
	err := x.tx(ctx, func(tx pgx.Tx) error {
		var one int
		err := tx.QueryRow(ctx, x.in(`SELECT 1 FROM {s}.rag_index_documents WHERE id = $1 AND scope = $2 FOR UPDATE`), id, scope).Scan(&one)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		change, err := x.drop(ctx, tx, id)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, x.in(`DELETE FROM {s}.rag_index_documents WHERE id = $1`), id); err != nil {
			return err
		}
		gone = true
		return x.count(ctx, tx, change)
	})
	if err != nil {
		return false, fmt.Errorf("rag/pgvector: delete %s: %w", id, err)
	}
	return gone, nil
}
