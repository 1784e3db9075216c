package sqlitestore

import (
	"context"
	"io/fs"
)

// RaiseFence makes the thread's lease as new as fence, for graphtest.Fencer.
func (s *Store) RaiseFence(ctx context.Context, thread string, fence int64) error {
	return s.write.run(ctx, func(t *tx) error {
		_, err := t.exec(`INSERT INTO threads (key, platform, team, channel, id, direct, known, title, created, updated, owner, token, until)
			VALUES (?, '', '', '', '', 0, 1, '', 0, 0, 'w', ?, 0) ON CONFLICT (key) DO UPDATE SET token = excluded.token`, conversation(thread), fence)
		return err
	})
}

// WithSteps returns a configuration with other migrations than the program's own.
func (c Config) WithSteps(steps fs.FS) Config {
	c.steps = steps
	return c
}

// Migrations returns the program's own.
func Migrations() fs.FS { return migrations }

// Fill leaves the file no room to grow.
func (s *Store) Fill(ctx context.Context) error {
	return s.write.run(ctx, func(t *tx) error {
		_, err := t.exec("PRAGMA max_page_count = 1") // never below what there is
		return err
	})
}
