package pgstore

import (
	"context"
	"maru/bot/audit"
	"time"

	"github.com/jackc/pgx/v5"
)

// pruneStep limits the audit entries removed in one transaction.
const pruneStep = 5000

// PruneAudit removes old entries from the beginning of a team's audit log.
func (s *Store) PruneAudit(ctx context.Context, team string, before time.Time) (audit.Pruned, error) {
	op := newOp()
	var p audit.Pruned
	err := s.tx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		prior, done, err := appended(ctx, tx, op)
		if err != nil {
			return err
		}
		if done {
			p, err = audit.ReadPruned(prior)
			return err
		}
		p, err = s.pruneAudit(ctx, tx, team, before, op)
		return err
	})
	return p, wrap("prune audit", err)
}

func (s *Store) pruneAudit(ctx context.Context, tx pgx.Tx, team string, before time.Time, op string) (audit.Pruned, error) {
	if err := s.lockAudit(ctx, tx, team); err != nil { // serialises replicas
		return audit.Pruned{}, err
	}
	p := audit.Pruned{Before: before.UTC()}
	worth := 0
	err := tx.QueryRow(ctx, `SELECT count(*), coalesce(max(seq), 0), count(*) FILTER (WHERE what <> $4) FROM (SELECT seq, what FROM audit
		WHERE team = $1 AND seq < coalesce((SELECT min(seq) FROM audit WHERE team = $1 AND at >= $2), 9223372036854775807) ORDER BY seq LIMIT $3) old`,
		team, before, pruneStep, audit.WhatPruned).Scan(&p.Entries, &p.Through, &worth)
	if err != nil || worth == 0 {
		return audit.Pruned{}, err
	}
	err = tx.QueryRow(ctx, `SELECT hash, coalesce((SELECT (detail->>'total')::bigint FROM audit WHERE team = $1 AND what = $3 ORDER BY seq DESC LIMIT 1), 0)
		FROM audit WHERE seq = $2`, team, p.Through, audit.WhatPruned).Scan(&p.Hash, &p.Total)
	if err != nil {
		return audit.Pruned{}, err
	}
	p.Total += p.Entries
	e, err := p.Entry(team)
	if err != nil {
		return audit.Pruned{}, err
	}
	if _, err := s.appendAudit(ctx, tx, e, op); err != nil { // first, since the others depend on it
		return audit.Pruned{}, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM audit WHERE team = $1 AND seq <= $2`, team, p.Through)
	return p, err
}

// lockAudit serialises changes of a team's chain over all replicas.
func (s *Store) lockAudit(ctx context.Context, tx pgx.Tx, team string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "maru/audit/"+s.cfg.Schema+"/"+team)
	return err
}
