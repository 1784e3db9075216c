package turn

import (
	"context"

	"maru/agent"
	"maru/bot"
	"maru/bot/chore"
)

// auditCall notes, before it takes place, that a run calls a tool which does more
// than read. The arguments are in the run's trace; here they are only a digest,
// because the log outlives what people want to be forgotten.
func (ts *Turns) auditCall(ctx context.Context, t turn, run string, e agent.Event) {
	switch e.Effect {
	case "", agent.EffectReads, agent.EffectSends:
		if !e.Lasting { // what searches elsewhere sends words, and leaves nothing behind
			return
		}
	}
	ctx, cancel := chore.AtTheEnd(ctx) // a stopped run may have called it all the same
	defer cancel()
	ts.rules.Audit(ctx, t.m.Thread, t.m.User, "tool.called", map[string]any{"tool": e.Name, "effect": e.Effect, "run": run, "arguments": bot.Digest(e.Data)})
}
