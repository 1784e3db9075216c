package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"maru/agent/catalog"
	"maru/config"
)

// takeHups keeps SIGHUP from terminating the program, from its start on.
func (inv *invocation) takeHups() (undo func()) {
	hups := make(chan os.Signal, 1)
	signal.Notify(hups, syscall.SIGHUP)
	inv.hups = hups
	return func() { signal.Stop(hups) }
}

// reloads reloads the settings at every SIGHUP until ctx ends. It logs what changed and what needs a restart.
func (a *app) reloads(ctx context.Context, inv invocation) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-inv.hups:
		}
		got, err := a.live.Reload(config.Source{Args: inv.process.args, Environ: inv.environ, Read: inv.readFile}, func(c *config.Config) error {
			return c.WithAgents(nil, catalog.New(workflowDir(c.Store)).AgentIDs(c.Place.Agent))
		})
		if err != nil {
			a.log.ErrorContext(ctx, "reload settings, keeping the previous ones", "err", err)
			continue
		}
		inv.level.Set(a.live.Now().Log.Level)
		a.log.InfoContext(ctx, "settings reloaded", "changed", got.Changed, "needs_restart", got.Restart)
	}
}
