package service

import (
	"context"
	"encoding/json"

	"maru/agent"
	"maru/bot"
	"maru/bot/chore"
)

// audit appends to the audit log. What it reports has been committed already,
// so a failure is logged and does not undo it.
func (b *Bot) audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any) {
	raw, err := json.Marshal(detail)
	if err == nil {
		_, err = b.cfg.Record.AppendAudit(ctx, bot.AuditEntry{
			Team: t.TeamKey(), Who: u.ID, What: what, Detail: raw,
		})
	}
	if err != nil {
		b.log.ErrorContext(ctx, "audit entry lost", "what", what, "err", err)
	}
}

// auditCall notes, before it takes place, that a run calls a tool which does more
// than read. The arguments are in the run's trace; here they are only a digest,
// because the log outlives what people want to be forgotten.
func (b *Bot) auditCall(ctx context.Context, t turn, run string, e agent.Event) {
	switch e.Effect {
	case "", agent.EffectReads, agent.EffectSends:
		if !e.Lasting { // what searches elsewhere sends words, and leaves nothing behind
			return
		}
	}
	ctx, cancel := chore.AtTheEnd(ctx) // a stopped run may have called it all the same
	defer cancel()
	b.audit(ctx, t.m.Thread, t.m.User, "tool.called", map[string]any{"tool": e.Name, "effect": e.Effect, "run": run, "arguments": bot.Digest(e.Data)})
}
