package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	tty "maru/adapters/console"
	"maru/agent/autonomous"
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/bot"
	"maru/bot/command"
	"maru/bot/privacy"
	"maru/bot/service"
	"maru/cmd/maru/console"
	"maru/cmd/maru/provider"
	"maru/cmd/maru/sources"
	"maru/cmd/maru/telemetry"
	"maru/config"
	"maru/metrics"
	"maru/metrics/push"
	"maru/metrics/spans"
	"maru/rag/library"
)

// app is the whole program. [wire] builds it complete.
type app struct {
	base

	started  time.Time
	record   record
	library  *library.Library
	sources  *sources.Sources
	tools    *tools
	team     *autonomous.Folder // workflows of the team's own
	trial    console.Trial
	bot      *service.Bot
	metrics  *metrics.Recorder
	health   *health
	traces   *spans.Exporter // nil: none
	push     *push.Exporter  // of metrics, nil: none
	adapters []bot.Adapter
	door     *tty.Door // for maru ask beside it; nil: none
	model    string    // name of the preferred one
}

// wire builds everything from the settings. This is the map of the program: the parts and their connections. The
// caller closes the app.
func wire(ctx context.Context, cfg config.Config, log *slog.Logger, want fronts) (_ *app, err error) {
	started, b := time.Now(), newBase(cfg, log)
	defer func() {
		if err != nil {
			err = errors.Join(err, b.opened.Close())
		}
	}()

	// The durable store, and the shared cache of live state.
	kept, err := openStores(ctx, b)
	if err != nil {
		return nil, err
	}
	runtime := graph.NewRuntime(graph.Config{Checkpointer: kept.record, Hot: kept.hot(), Check: workflow.CheckAnswer, Log: log})

	// The dependencies of agents. An index may embed as soon as it is open, so the meter comes first.
	m := metrics.New(version(), func(ctx context.Context) (int, time.Time, error) { return kept.record.Pending(ctx, "") }, kept.record.PendingJobs, telemetry.Provider(cfg.Model))
	meter := newMeter(b, kept.record, m.ModelCall)
	models, err := provider.New(b.cfg, b.refusals, b.log, kept.calls())
	if err != nil {
		return nil, err
	}
	vectors := newEmbedders(b, meter)
	vectors.Queued = models.Embedder
	lib, err := openLibrary(ctx, b, vectors)
	if err != nil {
		return nil, err
	}
	memory, err := newMemory(cfg.Memory.On, kept.memories, vectors)
	if err != nil {
		return nil, err
	}
	tools, err := newTools(ctx, b, lib, memory, vectors, kept.record)
	if err != nil {
		return nil, err
	}
	agents, err := newAgents(ctx, agentParts{b, models, lib, tools, memory, kept.record, runtime, nil})
	if err != nil {
		return nil, err
	}

	// People and conversations.
	m.Servers(serverMetrics(tools.mcp))
	adapters, err := surfaces{b, kept, lib.Recognises()}.adapters(ctx, want)
	if err != nil {
		return nil, err
	}
	traces := telemetry.Traces(cfg.Telemetry, version(), log)
	people, err := newBot(botParts{b, kept, models, meter, vectors, lib, memory, tools, agents, m, traces}, adapters)
	if err != nil {
		return nil, err
	}
	check := ready(people, kept.redis, lib.Index)
	m.Parts(check)
	kin := newSources(b, kept.record, lib, tools.mcp)
	return &app{
		base: b, started: started, record: kept.record, library: lib, sources: kin, tools: tools, team: agents.team, trial: agents.trial, bot: people, metrics: m,
		health: &health{check: check, detail: kin.Detail(coverage(b.cfg.Model, lib.Index))}, adapters: adapters, model: models.Name(), traces: traces, push: telemetry.Metrics(cfg.Telemetry, m, version(), log),
	}, nil
}

// close closes the opened resources in reverse order.
func (a *app) close() error { return a.opened.Close() }

var (
	_ chat.Documents   = (*library.Library)(nil)
	_ command.Follower = (*library.Library)(nil)
	_ command.Rereader = (*library.Library)(nil)
	_ privacy.Purger   = (*library.Library)(nil)
)
