package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

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
	op := newOp()
	err = s.tx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, done, err := appended(ctx, tx, op); err != nil || done {
			return err
		}
		tag, err := tx.Exec(ctx, `INSERT INTO definitions (id, n, text, saver, at, restores) SELECT @id, @n, @text, @by, coalesce(@at::timestamptz, now()), @restores
			WHERE @n::bigint = 1 + coalesce((SELECT max(n) FROM definitions WHERE id = @id), 0)`,
			named{"id": v.ID, "n": v.N, "text": v.Text, "by": v.By, "at": stamp(v.At), "restores": v.Restores})
		if isUnique(err) || err == nil && tag.RowsAffected() == 0 { // of two concurrent saves the second waits and then conflicts
			return definition.ErrChanged
		}
		if err != nil {
			return err
		}
		_, err = s.appendAudit(ctx, tx, e, op)
		return err
	})
	return wrap("save definition", err)
}

// Definitions lists the newest version of every workflow.
func (s *Store) Definitions(ctx context.Context) ([]definition.Version, error) {
	list, err := all(ctx, s, scan.Definition, `SELECT DISTINCT ON (id) `+definitionColumns+` FROM definitions ORDER BY id, n DESC`)
	return list, wrap("definitions", err)
}

// DefinitionVersions lists the versions of a workflow without their texts, newest first.
func (s *Store) DefinitionVersions(ctx context.Context, id string, limit int) ([]definition.Version, error) {
	list, err := all(ctx, s, scan.Definition, `SELECT id, n, CASE text WHEN '' THEN '' ELSE '-' END, saver, at, restores FROM definitions
		WHERE id = $1 ORDER BY n DESC LIMIT $2`, id, limit)
	return list, wrap("versions of a definition", err)
}

// DefinitionVersion returns one version of a workflow.
func (s *Store) DefinitionVersion(ctx context.Context, id string, n int64) (definition.Version, error) {
	v, err := one(ctx, s, scan.Definition, `SELECT `+definitionColumns+` FROM definitions WHERE id = $1 AND n = $2`, id, n)
	return v, wrap("version of a definition", err)
}
