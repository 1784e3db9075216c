package turn

import (
	"context"

	"maru/agent"
	"maru/bot/place"
)

// holdRestricted keeps which documents with readers of their own a run is given, and ends one that goes on from what its
// audience may not read any more.
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
