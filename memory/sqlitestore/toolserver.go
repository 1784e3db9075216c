package sqlitestore

import (
	"context"
	"encoding/json"
	"fmt"

	"maru/agent/tool/attached"
	"maru/memory/scan"
)

var _ attached.Store = (*Store)(nil)

// PutToolServer stores an MCP server if the row is at its version.
func (s *Store) PutToolServer(ctx context.Context, r attached.Row) (int64, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: put tool server: %w", err)
	}
	query, args := `INSERT INTO tool_servers (version, team, body, name) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`, []any{r.Version + 1, r.Team, body, r.Name}
	if r.Version > 0 {
		query, args = `UPDATE tool_servers SET version = ?, team = ?, body = ? WHERE name = ? AND version = ?`, append(args, r.Version)
	}
	if err := s.changeToolServer(ctx, query, args...); err != nil {
		return 0, fmt.Errorf("sqlitestore: put tool server: %w", err)
	}
	return r.Version + 1, nil
}

// ToolServers lists the MCP servers that admins added.
func (s *Store) ToolServers(ctx context.Context) ([]attached.Row, error) {
	return all(ctx, s, "tool servers", scan.ToolServer, `SELECT name, version, team, body FROM tool_servers ORDER BY name`)
}

// DropToolServer removes an MCP server if it is at this version.
func (s *Store) DropToolServer(ctx context.Context, name string, version int64) error {
	if err := s.changeToolServer(ctx, `DELETE FROM tool_servers WHERE name = ? AND version = ?`, name, version); err != nil {
		return fmt.Errorf("sqlitestore: drop tool server: %w", err)
	}
	return nil
}

// changeToolServer runs a statement that changes one row, or returns attached.ErrChanged.
func (s *Store) changeToolServer(ctx context.Context, query string, args ...any) error {
	return s.write.run(ctx, func(t *tx) error {
		n, err := t.exec(query, args...)
		if err == nil && n == 0 {
			err = attached.ErrChanged
		}
		return err
	})
}
