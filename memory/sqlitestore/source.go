package sqlitestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"maru/memory/scan"
	"maru/rag/source"
)

var _ source.Store = (*Store)(nil)

const sourceColumns = `name, version, team, body, progress`

// PutSource stores a source if the row is at its version.
func (s *Store) PutSource(ctx context.Context, r source.Row) (int64, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: put source: %w", err)
	}
	err = s.write.run(ctx, func(t *tx) error {
		query, args := `INSERT INTO sources (version, team, body, name, progress) VALUES (?, ?, ?, ?, '{}') ON CONFLICT (name) DO NOTHING`,
			[]any{r.Version + 1, r.Team, body, r.Name}
		if r.Version > 0 {
			query, args = `UPDATE sources SET version = ?, team = ?, body = ? WHERE name = ? AND version = ?`, append(args, r.Version)
		}
		n, err := t.exec(query, args...)
		if err == nil && n == 0 {
			err = source.ErrChanged
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: put source: %w", err)
	}
	return r.Version + 1, nil
}

// Sources lists all sources.
func (s *Store) Sources(ctx context.Context) ([]source.Row, error) {
	return all(ctx, s, "sources", scan.Source, `SELECT `+sourceColumns+` FROM sources ORDER BY name`)
}

// LeaseSource gives or renews the lease of a source.
func (s *Store) LeaseSource(ctx context.Context, name, owner string, now, until time.Time) (row source.Row, got bool, err error) {
	err = s.write.run(ctx, func(t *tx) error {
		n, err := t.exec(`UPDATE sources SET owner = ?, until = ? WHERE name = ? AND (owner = ? OR until <= ?)`, owner, micros(until), name, owner, micros(now))
		got = n == 1
		if err != nil || !got {
			return err
		}
		return t.each(func(r scanner) (err error) {
			row, err = scan.Source(r)
			return err
		}, `SELECT `+sourceColumns+` FROM sources WHERE name = ?`, name)
	})
	if err != nil {
		return source.Row{}, false, fmt.Errorf("sqlitestore: lease source: %w", err)
	}
	return row, got, nil
}

// FreeSource releases the lease of a source.
func (s *Store) FreeSource(ctx context.Context, name, owner string) error {
	_, err := s.change(ctx, "free source", `UPDATE sources SET owner = '', until = 0 WHERE name = ? AND owner = ?`, name, owner)
	return err
}

// leased performs a write of the lease holder of a source.
func (s *Store) leased(ctx context.Context, what, name, owner string, do func(*tx) error) error {
	err := s.write.run(ctx, func(t *tx) error {
		var n int
		if err := t.get(`SELECT count(*) FROM sources WHERE name = ? AND owner = ?`, []any{name, owner}, &n); err != nil {
			return err
		}
		if n == 0 {
			return source.ErrLost
		}
		return do(t)
	})
	if err != nil {
		return fmt.Errorf("sqlitestore: %s: %w", what, err)
	}
	return nil
}

// DropSource removes a source with its items.
func (s *Store) DropSource(ctx context.Context, name, owner string) error {
	return s.leased(ctx, "drop source", name, owner, func(t *tx) error {
		for _, q := range []string{`DELETE FROM source_items WHERE source = ?`, `DELETE FROM sources WHERE name = ?`} {
			if _, err := t.exec(q, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// SaveSource stores the progress of a source.
func (s *Store) SaveSource(ctx context.Context, name, owner string, p source.Progress, put []source.Entry, drop []string) error {
	progress, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("sqlitestore: save source: %w", err)
	}
	bodies := make([][]byte, len(put))
	for i, e := range put {
		if bodies[i], err = json.Marshal(e); err != nil {
			return fmt.Errorf("sqlitestore: save source: %w", err)
		}
	}
	return s.leased(ctx, "save source", name, owner, func(t *tx) error {
		if _, err := t.exec(`UPDATE sources SET progress = ? WHERE name = ?`, progress, name); err != nil {
			return err
		}
		for i, e := range put {
			if _, err := t.exec(`INSERT INTO source_items (source, id, sweep, state, due, body) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (source, id)
				DO UPDATE SET sweep = excluded.sweep, state = excluded.state, due = excluded.due, body = excluded.body`,
				name, e.ID, e.Sweep, string(e.State), micros(e.Due), bodies[i]); err != nil {
				return err
			}
		}
		for _, id := range drop {
			if _, err := t.exec(`DELETE FROM source_items WHERE source = ? AND id = ?`, name, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// ReviveItems makes items of some states pending.
func (s *Store) ReviveItems(ctx context.Context, name, owner string, states []source.State) error {
	list, err := json.Marshal(states)
	if err != nil {
		return fmt.Errorf("sqlitestore: revive items: %w", err)
	}
	return s.leased(ctx, "revive items", name, owner, func(t *tx) error {
		_, err := t.exec(`UPDATE source_items SET state = 'pending', due = 0 WHERE source = ? AND state IN (SELECT value FROM json_each(?))`, name, string(list))
		return err
	})
}

// SourceItems lists items of a source.
func (s *Store) SourceItems(ctx context.Context, name string, q source.Query) ([]source.Entry, error) {
	where, args := `source = ? AND id > ?`, []any{name, q.After}
	among := func(column string, list any) error {
		text, err := json.Marshal(list)
		where, args = where+` AND `+column+` IN (SELECT value FROM json_each(?))`, append(args, string(text))
		return err
	}
	var err error
	if q.IDs != nil {
		err = among("id", q.IDs)
	}
	if len(q.States) > 0 {
		err = errors.Join(err, among("state", q.States))
	}
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: source items: %w", err)
	}
	if q.Before != 0 {
		where, args = where+` AND sweep < ?`, append(args, q.Before)
	}
	if !q.Due.IsZero() {
		where, args = where+` AND due <= ?`, append(args, micros(q.Due))
	}
	return all(ctx, s, "source items", scan.SourceItem, `SELECT id, sweep, state, due, body FROM source_items WHERE `+where+` ORDER BY id LIMIT 0 + ?`, append(args, bound(q.Limit))...)
}

// CountItems counts the items of a source by their states.
func (s *Store) CountItems(ctx context.Context, name string) (map[source.State]int, error) {
	out := map[source.State]int{}
	_, err := all(ctx, s, "count items", func(r scanner) (struct{}, error) {
		var state string
		var n int
		err := r.Scan(&state, &n)
		out[source.State(state)] = n
		return struct{}{}, err
	}, `SELECT state, count(*) FROM source_items WHERE source = ? GROUP BY state`, name)
	if err != nil {
		return nil, err
	}
	return out, nil
}
