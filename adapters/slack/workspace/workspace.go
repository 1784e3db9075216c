// Package workspace resolves the site that serves a Slack workspace.
//
// The adapter serves one workspace or all that installed the app. The bot's calls name a
// team; [In] resolves the part of that team's site that handles them. The package knows
// neither installations nor the parts.
package workspace

import (
	"context"
	"time"
)

// In resolves a part of the site that serves a team. The error names the operation op and is
// a *bot.DeliveryError: nobody serves the team, or the look-up failed.
type In[P any] func(ctx context.Context, op, team string) (P, error)

// Only returns the In of an adapter with one workspace.
func Only[P any](p P) In[P] {
	return func(context.Context, string, string) (P, error) { return p, nil }
}

// Part derives the In of a part.
func Part[W, P any](in In[W], part func(W) P) In[P] {
	return func(ctx context.Context, op, team string) (p P, err error) {
		w, err := in(ctx, op, team)
		if err != nil {
			return p, err
		}
		return part(w), nil
	}
}

// Spawn runs f in a goroutine, for at most limit and beyond its caller's end.
type Spawn func(ctx context.Context, limit time.Duration, f func(context.Context))
