package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/chat"
	"maru/agent/contract"
	"maru/agent/graph"
	"maru/agent/guide"
	"maru/agent/llm"
	"maru/agent/orchestrator"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/memory"
	"maru/memory/history"
	"maru/memory/sqlitestore"
)

// cachedReplies is how many replies of the model are kept in this process.
const cachedReplies = 1024

// newAgents builds every agent, the built-in ones and those of the team's folder,
// on one runtime. chat asks model, which has its own fallbacks; the others have
// each model.
func (a *app) newAgents(ctx context.Context, model llm.Model, each []llm.Model, runtime *graph.Runtime) error {
	chatAgent, err := a.newChat(model, runtime)
	if err != nil {
		return err
	}
	loner := autonomous.Config{
		Models:    a.asks(each),
		Documents: a.library, Tools: a.tools, Runtime: runtime, HTTP: node.NewHTTPClient(a.cfg.Workflows.Inside.Holds), Log: a.log, Past: history.New(a.record),
	}
	autonomousAgent, err := autonomous.New(loner)
	if err != nil {
		return err
	}
	contractAgent, err := a.newContract(ctx, each, runtime)
	if err != nil {
		return err
	}
	guideAgent, err := a.newGuide(each, runtime)
	if err != nil {
		return err
	}
	orchestratorAgent, err := a.newOrchestrator(each, runtime)
	if err != nil {
		return err
	}
	a.agents = agent.NewRunner(a.log, a.cfg.Run.Timeout, time.Now, chatAgent, autonomousAgent, contractAgent, guideAgent, orchestratorAgent)
	if a.team, err = autonomous.Open(loner, a.workflowDir(), a.agents.Names()...); err != nil {
		return err
	}
	a.agents.Extend(a.team)
	a.agents.Prepare(means)
	a.agents.Charge(a.price)
	return nil
}

// asks is how every agent but chat asks the models.
func (a *app) asks(each []llm.Model) host.Models {
	return host.Models{
		Model: each[0], Fallbacks: each[1:], MaxRetries: retries(a.cfg), Patience: a.cfg.Model.Timeout, Random: rand.Float64, Now: time.Now,
	}
}

// newChat builds the chat agent.
func (a *app) newChat(model llm.Model, runtime *graph.Runtime) (*chat.Agent, error) {
	return chat.New(chat.Config{
		Model: model, Documents: a.library, Tools: a.tools, Finder: a.finder, Runtime: runtime,
		Limits: memory.Limits{
			MaxMessages: a.cfg.Thread.MaxMessages, KeepRecent: a.cfg.Thread.KeepRecent, MaxSummaries: a.cfg.Thread.MaxSummaries,
		},
		MaxRounds: a.cfg.Tools.Rounds, Passages: a.cfg.Documents.Passages, Threshold: a.threshold(), Log: a.log,
		Memory: a.recaller(), Known: a.memoryTokens(), Past: history.New(a.record),
	})
}

// newOrchestrator builds the agent that plans with tools.
func (a *app) newOrchestrator(each []llm.Model, runtime *graph.Runtime) (*orchestrator.Agent, error) {
	return orchestrator.New(orchestrator.Config{
		Models:    a.asks(each),
		Documents: a.library, Tools: a.tools, Recommend: a.finder, Runtime: runtime, Log: a.log, Memory: a.memory, Known: a.memoryTokens(),
		Past: history.New(a.record),
	})
}

// newContract builds the contract agent on the team's documents.
func (a *app) newContract(ctx context.Context, each []llm.Model, runtime *graph.Runtime) (*contract.Agent, error) {
	set := a.cfg.Contract
	if set.Checkpoints != "" && !a.isRecord(set.Checkpoints) {
		s, err := sqlitestore.Open(ctx, sqlitestore.Config{Path: set.Checkpoints, Log: a.log})
		if err != nil {
			err = fmt.Errorf("MARU_CONTRACT_CHECKPOINTS is %q: %w", set.Checkpoints, err)
			return nil, whileServing(err, "name a file that no other program has open, or unset it to keep the contract agent's steps in the record")
		}
		a.closers = append(a.closers, s)
		a.purges = append(a.purges, s.Scrub)
		runtime = graph.NewRuntime(graph.Config{Checkpointer: s, Check: workflow.CheckAnswer, Log: a.log})
	}
	c := contract.Config{
		Models:    a.asks(each),
		Documents: a.library, Runtime: runtime, MaxIterations: set.MaxIterations, Passages: a.cfg.Documents.Passages,
		Durability: durability(set.Persistence), Log: a.log, Past: history.New(a.record),
	}
	if set.Cache {
		c.Cache = a.replies()
	}
	return contract.New(c)
}

// isRecord reports whether a file is the record's own, under whatever name: who asks
// for it there has it, for this process has it open already.
func (a *app) isRecord(path string) bool {
	if a.cfg.Store.DatabaseURL.Reveal() != "" {
		return false
	}
	one, err1 := os.Stat(a.recordPath())
	other, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}

// newGuide builds the guide agent on its bundled knowledge and the team's
// documents.
func (a *app) newGuide(each []llm.Model, runtime *graph.Runtime) (*guide.Agent, error) {
	return guide.New(guide.Config{
		Models:    a.asks(each),
		Documents: a.library, Tools: a.tools, Runtime: runtime, Threshold: a.cfg.Guide.Threshold, MaxRounds: a.cfg.Guide.MaxRounds, Log: a.log,
		Memory: a.recaller(), Known: a.memoryTokens(), Past: history.New(a.record),
	})
}

// durability is when the steps of a graph are committed, by the setting's word.
func durability(mode string) graph.Durability {
	switch mode {
	case "grouped":
		return graph.Grouped
	case "exit":
		return graph.AtExit
	}
	return graph.Sync
}
