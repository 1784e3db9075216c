package sqlitestore

import (
	"context"
	"time"

	"maru/bot/audit"
)

// pruneStep limits the audit entries removed at a time, so that no other writer waits for long.
const pruneStep = 5000

// PruneAudit removes old entries from the beginning of a team's audit log.
func (s *Store) PruneAudit(ctx context.Context, team string, before time.Time) (audit.Pruned, error) {
	var p audit.Pruned
	err := s.write.run(ctx, func(t *tx) (err error) {
		p, err = pruneAudit(t, team, before, s.cfg.Now())
		return err
	})
	return p, wrap("prune audit", err)
}

func pruneAudit(t *tx, team string, before, now time.Time) (audit.Pruned, error) {
	p := audit.Pruned{Before: before.UTC()}
	worth := 0
	err := t.get(`SELECT count(*), coalesce(max(seq), 0), coalesce(sum(what <> ?4), 0) FROM (SELECT seq, what FROM audit
		WHERE team = ?1 AND seq < coalesce((SELECT min(seq) FROM audit WHERE team = ?1 AND at >= ?2), 9223372036854775807) ORDER BY seq LIMIT 0 + ?3)`,
		[]any{team, micros(before), pruneStep, audit.WhatPruned}, &p.Entries, &p.Through, &worth)
	if err != nil || worth == 0 {
		return audit.Pruned{}, err
	}
	err = t.get(`SELECT hash, coalesce((SELECT json_extract(CAST(detail AS TEXT), '$.total') FROM audit WHERE team = ?1 AND what = ?3 ORDER BY seq DESC LIMIT 1), 0)
		FROM audit WHERE seq = ?2`, []any{team, p.Through, audit.WhatPruned}, &p.Hash, &p.Total)
	if err != nil {
		return audit.Pruned{}, err
	}
	p.Total += p.Entries
	e, err := p.Entry(team)
	if err != nil {
		return audit.Pruned{}, err
	}
	if _, err := appendAudit(t, e, now); err != nil { // first, since the others depend on it
		return audit.Pruned{}, err
	}
	_, err = t.exec(`DELETE FROM audit WHERE team = ? AND seq <= ?`, team, p.Through)
	return p, err
}
