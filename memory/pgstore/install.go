package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/memory/scan"
)

const installColumns = `platform, team, enterprise, org, name, bot_user, installer, scopes, secret, expires, state, why, installed, updated, version, on_leave`

// SaveInstallation writes an installation with optimistic concurrency: it fails if another writer changed it since it
// was read. A retry after a lost reply is recognised by its op.
func (s *Store) SaveInstallation(ctx context.Context, in bot.Installation) (bot.Installation, error) {
	if in.Platform == "" || in.Team == "" {
		return bot.Installation{}, errors.New("pgstore: save installation: it names no workspace")
	}
	op := newOp()
	var saved bool
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		tag, err := s.pool.Exec(ctx, `INSERT INTO installations AS i (`+installColumns+`, op)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, coalesce($13::timestamptz, now()), now(), $14, $15, $16)
			ON CONFLICT (platform, team) DO UPDATE SET enterprise = excluded.enterprise, org = excluded.org, name = excluded.name,
				bot_user = excluded.bot_user, installer = excluded.installer, scopes = excluded.scopes, secret = excluded.secret,
				expires = excluded.expires, state = excluded.state, why = excluded.why, installed = excluded.installed,
				updated = excluded.updated, version = excluded.version, on_leave = excluded.on_leave, op = excluded.op
			WHERE i.version = excluded.version - 1 OR i.op = excluded.op`,
			in.Platform, in.Team, in.Enterprise, in.Org, clean(in.Name), in.BotUser, in.By, clean(in.Scopes), in.Secret,
			stamp(in.Expires), string(in.State), clean(in.Why), stamp(in.Installed), in.Version+1, in.OnLeave, op)
		saved = tag.RowsAffected() == 1
		return err
	})
	if err != nil {
		return bot.Installation{}, fmt.Errorf("pgstore: save installation: %w", err)
	}
	stored, err := s.Installation(ctx, in.Platform, in.Team)
	if err == nil && !saved {
		err = fmt.Errorf("pgstore: save installation: %w", bot.ErrStale)
	}
	return stored, err
}

// Installation returns the installation in a workspace.
func (s *Store) Installation(ctx context.Context, platform, team string) (bot.Installation, error) {
	v, err := one(ctx, s, scan.Install, `SELECT `+installColumns+` FROM installations WHERE platform = $1 AND team = $2`, platform, team)
	return v, wrap("installation", err)
}

// Installations lists the installations of a platform, or with "" all.
func (s *Store) Installations(ctx context.Context, platform string) ([]bot.Installation, error) {
	list, err := all(ctx, s, scan.Install, `SELECT `+installColumns+` FROM installations WHERE $1 IN ('', platform) ORDER BY installed, platform, team`, platform)
	return list, wrap("installations", err)
}

// Vacate ends the leases of a workspace's threads and buries their items. It locks the threads first, since put and
// ask hold or need their rows: items put before the lock are buried, later ones wait for their turn. A thread created
// meanwhile keeps its item.
func (s *Store) Vacate(ctx context.Context, platform, team, why string) (int, error) {
	var n int64
	err := s.tx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE threads SET since = NULL, owner = '', until = '-infinity', op = '', token = nextval('lease_tokens')
			WHERE platform = $1 AND team = $2 AND (since IS NOT NULL OR owner <> '')`, platform, team)
		if err != nil {
			return err
		}
		n = tag.RowsAffected()
		if _, err := tx.Exec(ctx, `UPDATE items SET state = 2, why = $3, body = NULL, ended = now() WHERE state IN (0, 3) AND thread IN
			(SELECT key FROM threads WHERE platform = $1 AND team = $2 AND since IS NULL)`, platform, team, clean(why)); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE approvals SET state = $3, decided = clock_timestamp() WHERE state = 'pending' AND thread IN
			(SELECT key FROM threads WHERE platform = $1 AND team = $2)`, platform, team, string(bot.ApprovalRevoked))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("pgstore: vacate: %w", err)
	}
	return int(n), nil
}

// TeamThreads lists threads of a workspace by their keys.
func (s *Store) TeamThreads(ctx context.Context, platform, team string, limit int) ([]string, error) {
	keys, err := all(ctx, s, pgx.RowTo[string], `SELECT key FROM threads WHERE known AND platform = $1 AND team = $2 LIMIT $3`, platform, team, bound(limit))
	return keys, wrap("threads of a workspace", err)
}

// Purge removes a workspace's data other than its threads and the audit log.
func (s *Store) Purge(ctx context.Context, platform, team string) error {
	key := bot.Thread{Platform: platform, Team: team}.TeamKey()
	of := `SELECT id FROM memories WHERE workspace = $1`
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		b := &pgx.Batch{}
		for _, q := range []string{
			`DELETE FROM settings WHERE place = $1 OR starts_with(place, $1 || '/') OR starts_with(place, 'user:' || $1 || '/')`,
			`DELETE FROM memory_notes WHERE record IN (` + of + `)`, `DELETE FROM memory_uses WHERE record IN (` + of + `)`,
			`DELETE FROM memories WHERE workspace = $1`, `DELETE FROM jobs WHERE starts_with(person, $1 || '/')`, `DELETE FROM usage WHERE team = $1`,
			`DELETE FROM schedules WHERE team = $1`, `DELETE FROM outside_tokens WHERE team = $1`, `DELETE FROM outside_requests WHERE team = $1`, `DELETE FROM source_items WHERE source IN (SELECT name FROM sources WHERE team = $1)`, `DELETE FROM sources WHERE team = $1`, `DELETE FROM tool_servers WHERE team = $1`,
		} {
			b.Queue(q, key)
		}
		b.Queue(`DELETE FROM notes WHERE starts_with(key, $1 || '/') AND strpos(key || '/', '/' || $2 || '/') > 0 OR strpos(key, '/' || $3 || '/') > 0`,
			platform, team, key)
		return s.batch(ctx, b)
	})
	return wrap("purge", err)
}
