package sqlitestore

import (
	"context"

	"maru/bot/definition"
	"maru/memory/scan"
)

var _ definition.Store = (*Store)(nil)

const definitionColumns = `id, n, text, saver, at, restores`

// SaveDefinition adds a version if it is the next one.
func (s *Store) SaveDefinition(ctx context.Context, v definition.Version) error {
	e, err := v.AuditEntry()
	if err != nil {
		return err
	}
	err = s.write.run(ctx, func(t *tx) error {
		now := s.cfg.Now()
		if v.At.IsZero() {
			v.At = now
		}
		n, err := t.exec(`INSERT INTO definitions (id, n, text, saver, at, restores) SELECT ?1, ?2, ?3, ?4, ?5, ?6
			WHERE ?2 = 1 + coalesce((SELECT max(n) FROM definitions WHERE id = ?1), 0)`, v.ID, v.N, v.Text, v.By, micros(v.At), v.Restores)
		if err != nil {
			return err
		}
		if n == 0 {
			return definition.ErrChanged
		}
		_, err = appendAudit(t, e, now)
		return err
	})
	return wrap("save definition", err)
}

// Definitions lists the newest version of every workflow.
func (s *Store) Definitions(ctx context.Context) ([]definition.Version, error) {
	return all(ctx, s, "definitions", scan.Definition, `SELECT `+definitionColumns+` FROM definitions d WHERE n = (SELECT max(n) FROM definitions WHERE id = d.id) ORDER BY id`)
}

// DefinitionVersions lists the versions of a workflow without their texts, newest first.
func (s *Store) DefinitionVersions(ctx context.Context, id string, limit int) ([]definition.Version, error) {
	return all(ctx, s, "versions of a definition", scan.Definition, `SELECT id, n, CASE text WHEN '' THEN '' ELSE '-' END, saver, at, restores FROM definitions
		WHERE id = ? ORDER BY n DESC LIMIT 0 + ?`, id, bound(limit))
}

// DefinitionVersion returns one version of a workflow.
func (s *Store) DefinitionVersion(ctx context.Context, id string, n int64) (definition.Version, error) {
	v, err := one(ctx, s, scan.Definition, `SELECT `+definitionColumns+` FROM definitions WHERE id = ? AND n = ?`, id, n)
	return v, wrap("version of a definition", err)
}
