package service

import (
	"context"
	"fmt"
	"time"
)

// sweepAudit prunes what has been in the audit log for longer than it is kept. It
// goes by whole days, so that a team's log has one entry of it a day, whoever of
// several replicas comes first.
func (b *Bot) sweepAudit(ctx context.Context) error {
	if b.cfg.AuditAge <= 0 {
		return nil
	}
	before := b.cfg.Now().UTC().Add(-b.cfg.AuditAge).Truncate(24 * time.Hour)
	teams, err := b.cfg.Record.AuditTeams(ctx)
	if err != nil {
		return fmt.Errorf("teams of the audit log: %w", err)
	}
	for _, team := range teams {
		for {
			p, err := b.cfg.Record.PruneAudit(ctx, team, before)
			if err != nil {
				return fmt.Errorf("prune the audit log: %w", err)
			}
			if p.Entries == 0 {
				break
			}
			b.log.InfoContext(ctx, "audit log pruned", "team", team, "entries", p.Entries, "through", p.Through)
		}
	}
	return nil
}
