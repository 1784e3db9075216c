package place

import (
	"context"
	"encoding/json"

	"maru/bot"
	"maru/bot/audit"
)

// Audit appends to the audit log. The audited change is committed already, so a failure
// is only logged.
func (r *Rules) Audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any) {
	raw, err := json.Marshal(detail)
	if err == nil {
		_, err = r.cfg.Record.AppendAudit(ctx, audit.Entry{
			Team: t.TeamKey(), Who: u.ID, What: what, Detail: raw,
		})
	}
	if err != nil {
		r.cfg.Log.ErrorContext(ctx, "audit entry lost", "what", what, "err", err)
	}
}
