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

// trialTime bounds a trial of a workflow: somebody waits for the page.
const trialTime = time.Minute

// trial makes agents that try a definition of the console: only tools that read are offered, no HTTP request is sent,
// and the state goes with the process.
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

// reloadWorkflows has a workflow that was just saved serve at once.
func (a *app) reloadWorkflows(ctx context.Context) {
	if _, err := a.team.Scan(ctx); err != nil {
		a.log.WarnContext(ctx, "a saved workflow serves a little later", "err", err)
	}
}
