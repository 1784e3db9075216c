package sqlitestore

import (
	"context"
	"errors"
	"fmt"

	"maru/bot"
	"maru/memory/scan"
)

const installColumns = `platform, team, enterprise, org, name, bot_user, installer, scopes, secret, expires, state, why, installed, updated, version, on_leave`

// SaveInstallation writes an installation with optimistic concurrency: it fails if another writer changed it since it was read.
func (s *Store) SaveInstallation(ctx context.Context, in bot.Installation) (bot.Installation, error) {
	if in.Platform == "" || in.Team == "" {
		return bot.Installation{}, errors.New("sqlitestore: save installation: it names no workspace")
	}
	now := s.cfg.Now()
	if in.Installed.IsZero() {
		in.Installed = now
	}
	err := s.write.run(ctx, func(t *tx) error {
		n, err := t.exec(`INSERT INTO installations (`+installColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (platform, team) DO UPDATE SET enterprise = excluded.enterprise, org = excluded.org, name = excluded.name,
				bot_user = excluded.bot_user, installer = excluded.installer, scopes = excluded.scopes, secret = excluded.secret,
				expires = excluded.expires, state = excluded.state, why = excluded.why, installed = excluded.installed,
				updated = excluded.updated, version = excluded.version, on_leave = excluded.on_leave WHERE version = excluded.version - 1`,
			in.Platform, in.Team, in.Enterprise, flag(in.Org), in.Name, in.BotUser, in.By, in.Scopes, in.Secret,
			micros(in.Expires), string(in.State), in.Why, micros(in.Installed), micros(now), in.Version+1, in.OnLeave)
		if err != nil {
			return err
		}
		if n == 0 {
			return bot.ErrStale
		}
		return nil
	})
	if err != nil && !errors.Is(err, bot.ErrStale) {
		return bot.Installation{}, fmt.Errorf("sqlitestore: save installation: %w", err)
	}
	stored, rerr := s.Installation(ctx, in.Platform, in.Team)
	if rerr != nil {
		return bot.Installation{}, rerr
	}
	if err != nil {
		return stored, fmt.Errorf("sqlitestore: save installation: %w", err)
	}
	return stored, nil
}

// Installation returns the installation in a workspace.
func (s *Store) Installation(ctx context.Context, platform, team string) (bot.Installation, error) {
	v, err := one(ctx, s, scan.Install, `SELECT `+installColumns+` FROM installations WHERE platform = ? AND team = ?`, platform, team)
	return v, wrap("installation", err)
}

// Installations lists the installations of a platform, or with "" all.
func (s *Store) Installations(ctx context.Context, platform string) ([]bot.Installation, error) {
	return all(ctx, s, "installations", scan.Install, `SELECT `+installColumns+` FROM installations WHERE ? IN ('', platform) ORDER BY installed, platform, team`, platform)
}

// Vacate ends the leases of a workspace's threads and buries their items.
func (s *Store) Vacate(ctx context.Context, platform, team, why string) (int, error) {
	if err := s.stock(ctx); err != nil {
		return 0, err
	}
	var n int64
	err := s.write.run(ctx, func(t *tx) error {
		token, err := s.tokens.take()
		if err != nil {
			return err
		}
		now := micros(s.cfg.Now())
		if _, err := t.exec(`UPDATE items SET state = 2, why = ?, body = NULL, ended = ? WHERE state IN (0, 3) AND thread IN
			(SELECT key FROM threads WHERE platform = ? AND team = ?)`, why, now, platform, team); err != nil {
			return err
		}
		if _, err := t.exec(`UPDATE approvals SET state = ?, decided = ? WHERE state = 'pending' AND thread IN
			(SELECT key FROM threads WHERE platform = ? AND team = ?)`, string(bot.ApprovalRevoked), now, platform, team); err != nil {
			return err
		}
		n, err = t.exec(`UPDATE threads SET since = NULL, owner = '', until = 0, token = ? WHERE platform = ? AND team = ?
			AND (since IS NOT NULL OR owner <> '')`, token, platform, team)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: vacate: %w", err)
	}
	return int(n), nil
}

// TeamThreads lists threads of a workspace by their keys.
func (s *Store) TeamThreads(ctx context.Context, platform, team string, limit int) ([]string, error) {
	return all(ctx, s, "threads of a workspace", scanText, `SELECT key FROM threads WHERE known = 1 AND platform = ? AND team = ? LIMIT 0 + ?`, platform, team, bound(limit))
}

// Purge removes a workspace's data other than its threads and the audit log.
func (s *Store) Purge(ctx context.Context, platform, team string) error {
	key := bot.Thread{Platform: platform, Team: team}.TeamKey()
	of := `SELECT id FROM memories WHERE workspace = ?1`
	err := s.write.run(ctx, func(t *tx) error {
		for _, q := range []string{
			`DELETE FROM settings WHERE place = ?1 OR place >= ?1 || '/' AND place < ?1 || '0'
				OR place >= 'user:' || ?1 || '/' AND place < 'user:' || ?1 || '0'`, // "0" follows "/"
			`DELETE FROM memory_terms WHERE record IN (` + of + `)`, `DELETE FROM memory_notes WHERE record IN (` + of + `)`,
			`DELETE FROM memory_uses WHERE record IN (` + of + `)`, `DELETE FROM memories WHERE workspace = ?1`,
			`DELETE FROM jobs WHERE person >= ?1 || '/' AND person < ?1 || '0'`,
			`DELETE FROM usage WHERE team = ?1`, `DELETE FROM schedules WHERE team = ?1`, `DELETE FROM outside_tokens WHERE team = ?1`, `DELETE FROM outside_requests WHERE team = ?1`, `DELETE FROM source_items WHERE source IN (SELECT name FROM sources WHERE team = ?1)`, `DELETE FROM sources WHERE team = ?1`, `DELETE FROM tool_servers WHERE team = ?1`,
		} {
			if _, err := t.exec(q, key); err != nil {
				return err
			}
		}
		_, err := t.exec(`DELETE FROM notes WHERE substr(key, 1, length(?1) + 1) = ?1 || '/' AND instr(key || '/', '/' || ?2 || '/') > 0
			OR instr(key, '/' || ?3 || '/') > 0`, platform, team, key)
		return err
	})
	return wrap("purge", err)
}
