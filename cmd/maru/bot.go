package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/chat"
	"maru/agent/demo"
	"maru/agent/guide"
	"maru/agent/metering"
	"maru/agent/orchestrator"
	"maru/agent/workflow/node"
	"maru/bot"
	"maru/bot/calendar"
	"maru/bot/linked"
	"maru/bot/service"
	"maru/cmd/maru/embedding"
	"maru/cmd/maru/provider"
	"maru/cmd/maru/sight"
	"maru/cmd/maru/trigger"
	"maru/config"
	"maru/memory/longterm"
	"maru/metrics"
	"maru/metrics/spans"
	"maru/rag/library"
)

// botParts are the bot's dependencies.
type botParts struct {
	base
	stores

	models  *provider.Models
	meter   *metering.Meter
	vectors *embedding.Embedders
	library *library.Library
	memory  *longterm.Memory // nil: switched off
	tools   *tools
	agents  *agents
	metrics *metrics.Recorder
	traces  *spans.Exporter // nil: none
}

// newBot builds the bot's services. The model decides whom a message addresses.
func newBot(p botParts, adapters []bot.Adapter) (*service.Bot, error) {
	model, cfg := p.models.One(), p.cfg
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("locate the executable for decoding pictures: %w", err)
	}
	ears, err := p.models.Transcriber()
	if err != nil {
		return nil, err
	}
	var traced func(context.Context, bot.Run, []agent.Event)
	if p.traces != nil {
		traced = p.traces.Add
	}
	return service.New(service.Config{
		Secrets: secrets(cfg), Issuer: cfg.HTTP.PublicURL, LinkAt: linkAt(cfg), Calls: node.NewHTTPClient(cfg.Workflows.Inside.Holds),
		Record: p.record, Runner: p.agents.runner, Library: p.library, Adapters: adapters, Log: p.log,
		Observe: metrics.Tools{Recorder: p.metrics, Known: p.tools.has}, CheckAnswer: checkAnswer, Events: p.events(),
		Toolbox: toolbox{p.tools.registry, p.tools.mcp}, ToolServers: toolServers(p.tools), Accounts: p.tools.accounts, Searches: p.tools.said, Examine: newExaminer(p).examine,
		Resolve: func(set []config.Entry) config.Resolved { return config.Resolve(p.live.Now(), set) }, Setup: p.live.Now,
		Workers: cfg.Run.Workers, LeaseTTL: cfg.Run.LeaseTTL, MaxFile: cfg.Documents.MaxFile, FetchTime: cfg.Documents.FetchTime,
		TraceURL: traceURL(cfg.HTTP), Listen: p.meter.Listen, Addressed: addressed(cfg, model), Covers: chat.Covers(p.library, threshold(cfg)), Zone: cfg.Place.Location(),
		Admins: cfg.Place.Admins, Models: cfg.ModelChoices(), Counted: cfg.AsksModels(), Sees: cfg.Sees(), Picture: sight.Reader([]string{self, pictureCommand}), Reads: p.library.Recognises(), Ears: ears, Links: links(cfg), Priced: len(cfg.Model.Prices) > 0,
		Memory: p.memory, MemoryAge: cfg.Memory.Retention, AuditAge: cfg.Place.AuditRetention, PromptAge: cfg.Place.Prompts, Reflect: reflect(cfg, model),
		Purge: purge(p.record, p.agents.caches), Traced: traced, Demo: demo.Name, Weak: needModel(cfg.Model),
		Workflows: func() map[string][]calendar.Trigger { return trigger.List(p.agents.team) },
	}), nil
}

// links returns the configuration for reading web links, nil if disabled.
func links(cfg config.Config) *linked.Config {
	inside := cfg.Workflows.Inside.Holds
	switch cfg.Documents.Links {
	case "off":
		return nil
	case "public":
		inside = nil
	}
	return &linked.Config{
		Client: node.NewHTTPClient(inside), Private: func(err error) bool { return errors.Is(err, node.ErrPrivate) }, Agent: "Maru/" + version(),
		Synced: library.Synced,
	}
}

// needModel lists the enabled agents that need a language model: those that plan, ask questions and write.
func needModel(cfg config.Model) []string {
	if cfg.On() {
		return nil
	}
	return []string{orchestrator.Name, guide.Name, autonomous.Name}
}
