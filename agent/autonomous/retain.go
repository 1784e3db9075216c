package autonomous

import (
	"context"
	"fmt"

	"maru/agent"
	"maru/agent/workflow"
)

var _ agent.Keeper = (*Agent)(nil)

// Retain implements agent.Keeper.
func (a *Agent) Retain(ctx context.Context, thread string) error {
	if err := workflow.Retain(ctx, a.cfg.Runtime, a.plan, a.logOf(thread)); err != nil {
		return fmt.Errorf("%s: %w", a.name, err)
	}
	return nil
}
