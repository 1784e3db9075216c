package turn

import (
	"context"

	"maru/agent"
	"maru/bot/place"
)

// holdRestricted stores the restricted documents that a run may use. It ends a resumed run whose audience has lost the
// right to read documents that the run has used.
func holdRestricted(ctx context.Context, rules *place.Rules, t turn, req agent.Request) error {
	var from []string
	if len(t.decisions) > 0 || t.item.Attempts > 0 || t.handed {
		from = append(from, req.Run)
	}
	if t.redo.Run != "" {
		from = append(from, t.redo.Run)
	}
	return rules.HoldRestricted(ctx, t.m.Thread, t.m.User, req.Run, from, req.Scopes, t.lang)
}
