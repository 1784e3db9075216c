package install

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"maru/bot"
)

// Ready returns nil once the served workspaces are known.
func (r *Registry) Ready(ctx context.Context) error {
	if r.fixed != nil {
		if _, err := r.fixed.Client().AskWho(ctx); err != nil {
			return fmt.Errorf("slack: auth.test: %w", err)
		}
		if err := r.fixed.Client().Refusal(); err != nil {
			return err
		}
	}
	r.mu.Lock()
	synced := r.synced
	r.mu.Unlock()
	if synced {
		return nil
	}
	return r.sync(ctx)
}

// Identify identifies the configured token, if there is one, retrying until Slack answers.
func (r *Registry) Identify(ctx context.Context) error {
	if r.fixed == nil {
		return nil
	}
	return r.fixed.Client().Identify(ctx)
}

// Healthy returns an ErrLimited while Slack refuses the tokens of some workspaces.
func (r *Registry) Healthy() error {
	r.mu.Lock()
	broken, all := r.broken, len(r.tenants)
	teams := slices.Sorted(maps.Keys(r.tenants))
	r.mu.Unlock()
	if broken > 0 {
		return fmt.Errorf("slack: %d of %d workspaces must install the app again, `maru installs` says which: %w", broken, all, bot.ErrLimited)
	}
	for _, team := range teams {
		if code := r.unrenewed(team); code != "" {
			return fmt.Errorf("slack: the token of %s was not renewed (%s), retrying: %w", team, code, bot.ErrLimited)
		}
	}
	return nil
}
