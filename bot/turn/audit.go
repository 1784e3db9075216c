package turn

import (
	"context"

	"maru/agent"
	"maru/bot"
	"maru/bot/chore"
)

// auditCall writes an audit entry before a run calls a tool with lasting effects. The entry has only a
// digest of the arguments, which are in the run's trace: the audit log survives requests to forget data.
func (ts *Turns) auditCall(ctx context.Context, t turn, run string, e agent.Event) {
	if !e.Lasting && (e.Effect == "" || e.Effect == agent.EffectReads || e.Effect == agent.EffectSends) { // searches change nothing
		return
	}
	ctx, cancel := chore.AtTheEnd(ctx) // even if the run is stopped meanwhile, the call may take place
	defer cancel()
	ts.cfg.Rules.Audit(ctx, t.m.Thread, t.m.User, "tool.called", map[string]any{"tool": e.Name, "effect": e.Effect, "run": run, "arguments": bot.Digest(e.Data)})
}
