package pgstore

import (
	"context"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

// RaiseFence makes the thread's lease as new as fence, for graphtest.Fencer.
func (s *Store) RaiseFence(ctx context.Context, thread string, fence int64) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO threads (key, platform, team, channel, id, direct, known, created, updated, owner, token)
		VALUES ($1, '', '', '', '', false, true, now(), now(), 'w', $2) ON CONFLICT (key) DO UPDATE SET token = excluded.token`, conversation(thread), fence)
	return err
}

// PIDs returns the server's processes behind the connections that are idle.
func (s *Store) PIDs(ctx context.Context) []uint32 {
	var pids []uint32
	for _, c := range s.pool.AcquireAllIdle(ctx) {
		pids = append(pids, c.Conn().PgConn().PID())
		c.Release()
	}
	return pids
}

// WithSteps returns a configuration with other migrations than the program's own.
func (c Config) WithSteps(steps fs.FS) Config {
	c.steps = steps
	return c
}

// Migrations returns the program's own.
func Migrations() fs.FS { return migrations }

// Prepared returns the statements that idle connections have sent, with the types of
// their parameters.
func (s *Store) Prepared(ctx context.Context) map[string][]string {
	out := map[string][]string{}
	for _, c := range s.pool.AcquireAllIdle(ctx) {
		rows, err := c.Query(ctx, `SELECT statement, parameter_types::text[] FROM pg_prepared_statements WHERE NOT from_sql`)
		if err == nil {
			var sql string
			var types []string
			_, err = pgx.ForEachRow(rows, []any{&sql, &types}, func() error {
				out[sql] = types
				return nil
			})
		}
		c.Release()
		if err != nil {
			panic(err)
		}
	}
	return out
}
