package main

import (
	"context"
	"time"

	"github.com/google/uuid"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/bot/rehearsal"
	"maru/cmd/maru/console"
	"maru/cmd/maru/console/tryout"
	"maru/cmd/maru/rehearse"
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

// tryouts returns the console's desk for rehearsals, which use the present settings.
func (a *app) tryouts() *tryout.Desk {
	return tryout.Over(a.desk(), tryout.Config{
		Record: a.record, Library: a.library, MaxFile: a.cfg.Documents.MaxFile, Settings: a.live.Now, Alone: a.cfg.Store.DatabaseURL.Reveal() == "", Me: uuid.NewString(), Log: a.log,
		Stage: func() (tryout.Build, func() error) {
			b := a.base
			b.cfg, b.opened = a.live.Now(), &closers{}
			on := stage{b, a.record, a.library, a.tools}
			return func(ctx context.Context, c rehearse.Change) (*rehearsal.Stage, llm.Model, error) {
				return on.build(ctx, c)
			}, b.opened.Close
		},
	})
}
