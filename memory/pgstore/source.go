package pgstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/memory/scan"
	"maru/rag/source"
)

var _ source.Store = (*Store)(nil)

const sourceColumns = `name, version, team, body, progress`

// PutSource stores a source if the row is at its version.
func (s *Store) PutSource(ctx context.Context, r source.Row) (int64, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("pgstore: put source: %w", err)
	}
	insert := `INSERT INTO sources (name, version, team, body, progress, op) VALUES (@name, @version::bigint + 1, @team, @body, '{}', @op) ON CONFLICT (name) DO NOTHING`
	stored, err := s.putVersioned(ctx, "sources", insert, r.Version, named{"name": r.Name, "team": r.Team, "body": body})
	if err == nil && !stored {
		err = source.ErrChanged
	}
	if err != nil {
		return 0, fmt.Errorf("pgstore: put source: %w", err)
	}
	return r.Version + 1, nil
}

// Sources lists all sources.
func (s *Store) Sources(ctx context.Context) ([]source.Row, error) {
	list, err := all(ctx, s, scan.Source, `SELECT `+sourceColumns+` FROM sources ORDER BY name COLLATE "C"`)
	return list, wrap("sources", err)
}

// LeaseSource gives or renews the lease of a source.
func (s *Store) LeaseSource(ctx context.Context, name, owner string, now, until time.Time) (row source.Row, got bool, err error) {
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		rows, err := s.pool.Query(ctx, `UPDATE sources SET owner = $2, until = $4 WHERE name = $1 AND (owner = $2 OR until IS NULL OR until <= $3)
			RETURNING `+sourceColumns, name, owner, now, until)
		if err != nil {
			return err
		}
		list, err := pgx.CollectRows(rows, scan.Source)
		if got = err == nil && len(list) == 1; got {
			row = list[0]
		}
		return err
	})
	if err != nil {
		return source.Row{}, false, fmt.Errorf("pgstore: lease source: %w", err)
	}
	return row, got, nil
}

// FreeSource releases the lease of a source.
func (s *Store) FreeSource(ctx context.Context, name, owner string) error {
	return s.exec(ctx, "free source", `UPDATE sources SET owner = '', until = NULL WHERE name = $1 AND owner = $2`, name, owner)
}

// leased performs writes of the lease holder of a source. The row is locked, so that the lease cannot change
// meanwhile.
func (s *Store) leased(ctx context.Context, what, name, owner string, b *pgx.Batch) error {
	lost := false
	err := s.try(ctx, func(ctx context.Context, again bool) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			var has string
			err := tx.QueryRow(ctx, `SELECT owner FROM sources WHERE name = $1 FOR UPDATE`, name).Scan(&has)
			if errors.Is(err, pgx.ErrNoRows) && again && what == dropSource { // an earlier attempt dropped it, and its reply was lost
				return nil
			}
			if err != nil && !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
			if lost = err != nil || has != owner; lost {
				return nil
			}
			return tx.SendBatch(ctx, b).Close()
		})
	})
	if err == nil && lost {
		err = source.ErrLost
	}
	if err != nil {
		return fmt.Errorf("pgstore: %s: %w", what, err)
	}
	return nil
}

const dropSource = "drop source"

// DropSource removes a source with its items.
func (s *Store) DropSource(ctx context.Context, name, owner string) error {
	b := &pgx.Batch{}
	b.Queue(`DELETE FROM source_items WHERE source = $1`, name)
	b.Queue(`DELETE FROM sources WHERE name = $1`, name)
	return s.leased(ctx, dropSource, name, owner, b)
}

// SaveSource stores the progress of a source.
func (s *Store) SaveSource(ctx context.Context, name, owner string, p source.Progress, put []source.Entry, drop []string) error {
	progress, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("pgstore: save source: %w", err)
	}
	b := &pgx.Batch{}
	b.Queue(`UPDATE sources SET progress = $2 WHERE name = $1`, name, progress)
	for _, e := range put {
		body, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("pgstore: save source: %w", err)
		}
		b.Queue(`INSERT INTO source_items (source, id, sweep, state, due, body) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (source, id)
			DO UPDATE SET sweep = excluded.sweep, state = excluded.state, due = excluded.due, body = excluded.body`,
			name, clean(e.ID), e.Sweep, string(e.State), stamp(e.Due), body)
	}
	for _, id := range drop {
		b.Queue(`DELETE FROM source_items WHERE source = $1 AND id = $2`, name, clean(id))
	}
	return s.leased(ctx, "save source", name, owner, b)
}

// ReviveItems makes items of some states pending.
func (s *Store) ReviveItems(ctx context.Context, name, owner string, states []source.State) error {
	b := &pgx.Batch{}
	b.Queue(`UPDATE source_items SET state = 'pending', due = NULL WHERE source = $1 AND state = ANY($2::text[])`, name, texts(states))
	return s.leased(ctx, "revive items", name, owner, b)
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// SourceItems lists items of a source.
func (s *Store) SourceItems(ctx context.Context, name string, q source.Query) ([]source.Entry, error) {
	var ids, states []string // nil: any
	if q.IDs != nil {
		ids = texts(q.IDs)
	}
	if len(q.States) > 0 {
		states = texts(q.States)
	}
	list, err := all(ctx, s, scan.SourceItem, `SELECT id, sweep, state, due, body FROM source_items WHERE source = $1 AND id > $2
		AND ($3::text[] IS NULL OR id = ANY($3)) AND ($4::text[] IS NULL OR state = ANY($4)) AND ($5::bigint = 0 OR sweep < $5)
		AND ($6::timestamptz IS NULL OR due IS NULL OR due <= $6) ORDER BY id LIMIT $7`,
		name, q.After, ids, states, q.Before, stamp(q.Due), bound(q.Limit))
	return list, wrap("source items", err)
}

// CountItems counts the items of a source by their states.
func (s *Store) CountItems(ctx context.Context, name string) (map[source.State]int, error) {
	out := map[source.State]int{}
	_, err := all(ctx, s, func(r pgx.CollectableRow) (struct{}, error) {
		var state string
		var n int
		err := r.Scan(&state, &n)
		out[source.State(state)] = n
		return struct{}{}, err
	}, `SELECT state, count(*)::int FROM source_items WHERE source = $1 GROUP BY state`, name)
	return out, wrap("count items", err)
}
