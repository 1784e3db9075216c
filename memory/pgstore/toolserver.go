package pgstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"maru/agent/tool/attached"
	"maru/memory/scan"
)

var _ attached.Store = (*Store)(nil)

// PutToolServer stores an MCP server if the row is at its version.
func (s *Store) PutToolServer(ctx context.Context, r attached.Row) (int64, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("pgstore: put tool server: %w", err)
	}
	insert := `INSERT INTO tool_servers (name, version, team, body, op) VALUES (@name, @version::bigint + 1, @team, @body, @op) ON CONFLICT (name) DO NOTHING`
	stored, err := s.putVersioned(ctx, "tool_servers", insert, r.Version, named{"name": r.Name, "team": r.Team, "body": body})
	if err == nil && !stored {
		err = attached.ErrChanged
	}
	if err != nil {
		return 0, fmt.Errorf("pgstore: put tool server: %w", err)
	}
	return r.Version + 1, nil
}

// putVersioned stores a row with a name, team and body if it is at its version, the first one with insert, and reports whether
// it is stored. A retry after a lost reply is recognised by its op.
func (s *Store) putVersioned(ctx context.Context, table, insert string, version int64, row named) (bool, error) {
	query := `UPDATE ` + table + ` SET version = @version::bigint + 1, team = @team, body = @body, op = @op WHERE name = @name AND version = @version`
	if version == 0 {
		query = insert
	}
	op := newOp()
	row["version"], row["op"] = version, op
	var last string
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		tag, err := s.pool.Exec(ctx, query, row)
		if last = op; err != nil || tag.RowsAffected() == 1 {
			return err
		}
		last = ""
		err = s.pool.QueryRow(ctx, `SELECT op FROM `+table+` WHERE name = $1`, row["name"]).Scan(&last)
		if errors.Is(err, pgx.ErrNoRows) {
			err = nil
		}
		return err
	})
	return last == op, err
}

// ToolServers lists the MCP servers that admins added.
func (s *Store) ToolServers(ctx context.Context) ([]attached.Row, error) {
	list, err := all(ctx, s, scan.ToolServer, `SELECT name, version, team, body FROM tool_servers ORDER BY name`)
	return list, wrap("tool servers", err)
}

// DropToolServer removes an MCP server if it is at this version. It is idempotent, so a retry after a lost reply
// succeeds.
func (s *Store) DropToolServer(ctx context.Context, name string, version int64) error {
	var n int64
	again := false
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		tag, err := s.pool.Exec(ctx, `DELETE FROM tool_servers WHERE name = $1 AND version = $2`, name, version)
		if n = tag.RowsAffected(); err == nil && n == 0 && again {
			var left bool
			err = s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM tool_servers WHERE name = $1)`, name).Scan(&left)
			if !left {
				n = 1
			}
		}
		again = true
		return err
	})
	if err == nil && n == 0 {
		err = attached.ErrChanged
	}
	return wrap("drop tool server", err)
}
