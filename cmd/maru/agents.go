package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"maru/agent/contract"
	"maru/agent/graph"
	"maru/agent/guide"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/memory/sqlitestore"
)

// cachedReplies is how many replies of the model are kept in this process.
const cachedReplies = 1024

// newContract builds the contract agent on the team's documents.
func (a *app) newContract(ctx context.Context, each []llm.Model, runtime *graph.Runtime) (*contract.Agent, error) {
	set := a.cfg.Contract
	if set.Checkpoints != "" {
		s, err := sqlitestore.Open(ctx, sqlitestore.Config{Path: set.Checkpoints, Log: a.log})
		if err != nil {
			return nil, fmt.Errorf("MARU_CONTRACT_CHECKPOINTS: %w", err)
		}
		a.closers = append(a.closers, s)
		a.purges = append(a.purges, s.Scrub)
		runtime = graph.NewRuntime(graph.Config{Checkpointer: s, Check: workflow.CheckAnswer, Log: a.log})
	}
	c := contract.Config{
		Model: each[0], Fallbacks: each[1:], MaxRetries: retries(a.cfg), Patience: a.cfg.Model.Timeout, Random: rand.Float64, Now: time.Now,
		Documents: a.library, Runtime: runtime, MaxIterations: set.MaxIterations, Passages: a.cfg.Documents.Passages,
		Durability: durability(set.Persistence), Log: a.log,
	}
	if set.Cache {
		c.Cache = a.replies()
	}
	return contract.New(c)
}

// newGuide builds the guide agent on its bundled knowledge and the team's
// documents.
func (a *app) newGuide(each []llm.Model, runtime *graph.Runtime) (*guide.Agent, error) {
	return guide.New(guide.Config{
		Model: each[0], Fallbacks: each[1:], MaxRetries: retries(a.cfg), Patience: a.cfg.Model.Timeout, Random: rand.Float64, Now: time.Now,
		Documents: a.library, Tools: a.tools, Runtime: runtime, Threshold: a.cfg.Guide.Threshold, MaxRounds: a.cfg.Guide.MaxRounds, Log: a.log,
		Memory: a.recaller(), Known: a.memoryTokens(),
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
