package bot

import (
	"context"
	"encoding/json"
)

// audit appends to the audit log. What it reports has been committed already,
// so a failure is logged and does not undo it.
func (b *Bot) audit(ctx context.Context, t Thread, u User, what string, detail map[string]any) {
	raw, err := json.Marshal(detail)
	if err == nil {
		_, err = b.cfg.Record.AppendAudit(ctx, AuditEntry{
			Team: t.TeamKey(), Who: u.ID, What: what, Detail: raw,
		})
	}
	if err != nil {
		b.log.ErrorContext(ctx, "audit entry lost", "what", what, "err", err)
	}
}
