package main

import (
	"context"
	"time"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/cmd/maru/console"
)

// trialTime limits a trial of a workflow, for which a person waits.
const trialTime = time.Minute

// trial returns a factory of agents for trying a definition in the console: they have only reading tools, send no
// HTTP requests and keep their state in memory.
func (p agentParts) trial() console.Trial {
	return func(d workflow.Definition, find workflow.Find) (*agent.Runner, []string, error) {
		cfg := p.autonomous()
		cfg.HTTP, cfg.Past = nil, nil
		cfg.Runtime = graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory(), Check: workflow.CheckAnswer, Log: p.log})
		team, err := autonomous.NewTeam(cfg, d, find)
		if err != nil {
			return nil, nil, err
		}
		var without []string
		for _, s := range p.tools.registry.Specs() {
			if s.Policy.Effect() != agent.EffectReads || s.Policy.Personal {
				without = append(without, agent.Without(s.Name))
			}
		}
		runner := agent.NewRunner(p.log, trialTime, time.Now, team)
		runner.Charge(price(p.live))
		return runner, without, nil
	}
}

// reloadWorkflows activates a workflow that was just saved.
func (a *app) reloadWorkflows(ctx context.Context) {
	if _, err := a.team.Scan(ctx); err != nil {
		a.log.WarnContext(ctx, "reload workflows after a save, will retry", "err", err)
	}
}
