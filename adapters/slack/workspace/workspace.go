// Package workspace finds who serves a Slack workspace.
//
// The adapter serves one workspace or all that installed the app. What the bot asks
// of it names a team; [In] finds the part of that team's workspace which answers.
// The package knows neither installations nor what the parts do.
package workspace

import (
	"context"
	"time"
)

// In finds a part of the workspace that serves a team. The error names the operation
// op and is a *bot.DeliveryError: nobody serves the team, or that cannot be known now.
type In[P any] func(ctx context.Context, op, team string) (P, error)

// Only is for an adapter of one workspace.
func Only[P any](p P) In[P] {
	return func(context.Context, string, string) (P, error) { return p, nil }
}

// Part finds a part of what in finds.
func Part[W, P any](in In[W], part func(W) P) In[P] {
	return func(ctx context.Context, op, team string) (p P, err error) {
		w, err := in(ctx, op, team)
		if err != nil {
			return p, err
		}
		return part(w), nil
	}
}

// Spawn runs f beside what called it, for at most a time and beyond its caller's end.
type Spawn func(ctx context.Context, limit time.Duration, f func(context.Context))
