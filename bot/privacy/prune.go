package privacy

import (
	"context"
	"fmt"
	"time"
)

// sweepAudit prunes audit entries older than auditAge. The cut-off is a whole day, so that
// all replicas together write one prune entry a day for each workspace.
func (kp *Keeper) sweepAudit(ctx context.Context) error {
	if kp.auditAge <= 0 {
		return nil
	}
	before := kp.now().UTC().Add(-kp.auditAge).Truncate(24 * time.Hour)
	teams, err := kp.record.AuditTeams(ctx)
	if err != nil {
		return fmt.Errorf("teams of the audit log: %w", err)
	}
	for _, team := range teams {
		for {
			p, err := kp.record.PruneAudit(ctx, team, before)
			if err != nil {
				return fmt.Errorf("prune the audit log: %w", err)
			}
			if p.Entries == 0 {
				break
			}
			kp.log.InfoContext(ctx, "audit log pruned", "team", team, "entries", p.Entries, "through", p.Through)
		}
	}
	return nil
}

// sweepExchanges deletes prompts and replies that are older than promptAge.
func (kp *Keeper) sweepExchanges(ctx context.Context) error {
	if kp.exchanges == nil {
		return nil
	}
	for {
		n, err := kp.exchanges.PruneExchanges(ctx, kp.now().Add(-kp.promptAge))
		if err != nil || n == 0 {
			return err
		}
		kp.log.InfoContext(ctx, "prompts and replies pruned", "count", n)
	}
}
