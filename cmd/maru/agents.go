package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/chat"
	"maru/agent/contract"
	"maru/agent/demo"
	"maru/agent/graph"
	"maru/agent/guide"
	"maru/agent/llm"
	"maru/agent/llm/scripted"
	"maru/agent/orchestrator"
	"maru/agent/tool/builtin"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/cmd/maru/console"
	"maru/cmd/maru/provider"
	"maru/config"
	"maru/memory"
	"maru/memory/history"
	"maru/memory/longterm"
	"maru/memory/sqlitestore"
	"maru/rag/library"
)

// cachedReplies is the size of this process's cache of model replies.
const cachedReplies = 1024

// agentParts are the dependencies of every agent.
type agentParts struct {
	base

	models  *provider.Models
	library *library.Library
	tools   *tools
	memory  *longterm.Memory // nil: switched off
	record  record
	runtime *graph.Runtime
	client  *http.Client // for requests of workflows, nil: the network
}

// agents holds all agents of the program.
type agents struct {
	runner *agent.Runner
	team   *autonomous.Folder            // workflows of the team's own
	caches []func(context.Context) error // clear caches that may contain a person's words
	trial  console.Trial
}

// newAgents builds every agent, built-in or from the team's folder, on one runtime.
func newAgents(ctx context.Context, p agentParts) (*agents, error) {
	chatAgent, err := p.newChat()
	if err != nil {
		return nil, err
	}
	loner := p.autonomous()
	autonomousAgent, err := autonomous.New(loner)
	if err != nil {
		return nil, err
	}
	checkpoints, err := openContractStore(ctx, p)
	if err != nil {
		return nil, err
	}
	contractAgent, err := p.newContract(checkpoints)
	if err != nil {
		return nil, err
	}
	guideAgent, err := p.newGuide()
	if err != nil {
		return nil, err
	}
	orchestratorAgent, err := p.newOrchestrator()
	if err != nil {
		return nil, err
	}
	demoAgent, err := demo.New(demo.Config{
		Model: llm.Metered(scripted.New(), time.Now), LookUp: scripted.LookUp, Calculator: builtin.NewCalculator(), Runtime: p.runtime, Log: p.log,
	})
	if err != nil {
		return nil, err
	}
	out := &agents{runner: agent.NewRunner(p.log, p.cfg.Run.Timeout, time.Now, chatAgent, autonomousAgent, contractAgent, guideAgent, orchestratorAgent, demoAgent)}
	if out.team, err = autonomous.Open(loner, workflowDir(p.cfg.Store), console.Saved(p.record), out.runner.All()...); err != nil {
		return nil, err
	}
	out.runner.Extend(out.team)
	out.trial = p.trial()
	out.runner.Charge(price(p.live))
	if checkpoints != nil {
		out.caches = append(out.caches, checkpoints.Scrub)
	}
	return out, nil
}

// newChat builds the chat agent. It asks one model, which has its own fallbacks;
// the other agents have each model.
func (p agentParts) newChat() (*chat.Agent, error) {
	return chat.New(chat.Config{
		Model: p.models.One(), Documents: p.library, Tools: p.tools.registry, Finder: p.tools.finder, Runtime: p.runtime,
		Limits: threadLimits(p.cfg), MaxRounds: p.cfg.Tools.Rounds, Passages: p.cfg.Documents.Passages, Rerank: p.cfg.Reranks(), Threshold: threshold(p.cfg), Log: p.log,
		Memory: recaller(p.memory), Known: memoryTokens(p.cfg), Past: history.New(p.record), Tasks: orchestrator.Name,
	})
}

// threadLimits returns the limits of a thread's window.
func threadLimits(cfg config.Config) memory.Limits {
	return memory.Limits{MaxMessages: cfg.Thread.MaxMessages, KeepRecent: cfg.Thread.KeepRecent, MaxSummaries: cfg.Thread.MaxSummaries}
}

// autonomous returns the dependencies of the autonomous agent and the team's own.
func (p agentParts) autonomous() autonomous.Config {
	client := p.client
	if client == nil {
		client = node.NewHTTPClient(p.cfg.Workflows.Inside.Holds)
	}
	return autonomous.Config{
		Models: p.models.Asks(), Documents: p.library, Tools: p.tools.registry, Runtime: p.runtime, HTTP: client, Log: p.log, Past: history.New(p.record),
	}
}

// newOrchestrator builds the agent that plans with tools.
func (p agentParts) newOrchestrator() (*orchestrator.Agent, error) {
	return orchestrator.New(orchestrator.Config{
		Models: p.models.Asks(), Documents: p.library, Tools: p.tools.registry, Recommend: p.tools.finder, Runtime: p.runtime, Log: p.log,
		Memory: p.memory, Known: memoryTokens(p.cfg), Past: history.New(p.record),
	})
}

// newGuide builds the guide agent on its bundled knowledge, the team's own services and
// documents.
func (p agentParts) newGuide() (*guide.Agent, error) {
	var services []byte
	if file := p.cfg.Guide.Services; file != "" {
		var err error
		if services, err = os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("MARU_GUIDE_SERVICES: %w", err)
		}
	}
	return guide.New(guide.Config{
		Services: services, Models: p.models.Asks(), Documents: p.library, Tools: p.tools.registry, Runtime: p.runtime,
		Threshold: p.cfg.Guide.Threshold, MaxRounds: p.cfg.Guide.MaxRounds, Log: p.log,
		Memory: recaller(p.memory), Known: memoryTokens(p.cfg), Past: history.New(p.record),
	})
}

// newContract builds the contract agent on the team's documents. checkpoints is a separate store for its steps,
// nil for the record.
func (p agentParts) newContract(checkpoints *sqlitestore.Store) (*contract.Agent, error) {
	set, runtime := p.cfg.Contract, p.runtime
	if checkpoints != nil {
		runtime = graph.NewRuntime(graph.Config{Checkpointer: checkpoints, Check: workflow.CheckAnswer, Log: p.log})
	}
	c := contract.Config{
		Models: p.models.Asks(), Documents: p.library, Runtime: runtime, MaxIterations: set.MaxIterations, Passages: p.cfg.Documents.Passages,
		Durability: durability(set.Persistence), Log: p.log, Past: history.New(p.record),
	}
	if set.Cache {
		c.Cache = replies(p.record)
	}
	return contract.New(c)
}

// openContractStore opens the contract agent's own store of checkpoints, nil if
// none is configured.
func openContractStore(ctx context.Context, p agentParts) (*sqlitestore.Store, error) {
	path := p.cfg.Contract.Checkpoints
	if path == "" || isRecord(p.cfg.Store, path) {
		return nil, nil //nolint:nilnil // its steps are in the record
	}
	s, err := sqlitestore.Open(ctx, sqlitestore.Config{Path: path, Log: p.log})
	if err != nil {
		err = fmt.Errorf("MARU_CONTRACT_CHECKPOINTS is %q: %w", path, err)
		return nil, whileServing(err, "name a file that no other program has open, or unset it to keep the contract agent's steps in the record")
	}
	p.opened.add(s)
	return s, nil
}

// isRecord reports whether a file is the record's own, under any name: this process has it open already.
func isRecord(s config.Store, path string) bool {
	if s.DatabaseURL.Reveal() != "" {
		return false
	}
	one, err1 := os.Stat(recordPath(s))
	other, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}

// durability converts the setting's value.
func durability(mode string) graph.Durability {
	switch mode {
	case "grouped":
		return graph.Grouped
	case "exit":
		return graph.AtExit
	}
	return graph.Sync
}
