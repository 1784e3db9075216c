package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/tool/replay"
	"maru/agent/workflow"
	"maru/bot/definition"
	"maru/bot/rehearsal"
	"maru/cmd/maru/embedding"
	"maru/cmd/maru/evaluate"
	"maru/cmd/maru/provider"
	"maru/cmd/maru/rehearse"
	"maru/config"
	"maru/rag/library"
)

// settle limits the wait of rehearsals for the tools of MCP servers.
const settle = 10 * time.Second

// stage holds the open parts of the program that rehearsals use.
type stage struct {
	base

	record  record
	library *library.Library
	tools   *tools
}

// rehearsed is `maru rehearse`. A running program that has the record or the documents open runs the rehearsal.
func rehearsed(ctx context.Context, inv invocation) (err error) {
	args, err := rehearse.Absolute(inv.args)
	if err != nil {
		return err
	}
	_, log := terminal(inv)
	b := newBase(inv.cfg, log)
	defer func() { err = errors.Join(err, b.opened.Close()) }()
	s, err := openStage(ctx, b)
	if err != nil {
		return inv.orGive(ctx, "rehearse", args, whileServing(err, "stop it first"))
	}
	return s.tools.withServers(ctx, func() error {
		s.tools.registry.Settle(ctx, settle)
		return s.rehearse(ctx, inv, args, inv.stdout, inv.stderr)
	})
}

func openStage(ctx context.Context, b base) (s stage, err error) {
	s.base = b
	if s.record, _, err = openRecord(ctx, b); err != nil {
		return s, err
	}
	vectors := newEmbedders(b, newMeter(b, s.record, nil))
	if s.library, err = openLibrary(ctx, b, vectors); err != nil {
		return s, err
	}
	s.tools, err = newTools(ctx, b, s.library, nil, vectors, s.record)
	return s, err
}

// rehearse carries out the command on the open parts.
func (s stage) rehearse(ctx context.Context, inv invocation, args []string, out, progress io.Writer) error {
	c, _ := terminal(inv)
	return rehearse.Command{
		Args: args, Environ: inv.environ, ReadFile: inv.readFile, Stdout: out, Progress: progress, Live: isTerminal(progress), Language: c.Language,
		Config: s.cfg, Folder: filepath.Join(s.cfg.Store.DataDir, "rehearsals"), Record: s.record, Stage: s.build, Now: time.Now,
		Price: s.cfg.Model.Cost, Tools: s.tools.registry.Names(),
	}.Run(ctx)
}

// build builds the agents of a configuration for replays: tool results come from the record, new runs stay in this
// process, and only models receive requests.
func (s stage) build(ctx context.Context, c rehearse.Change) (*rehearsal.Stage, llm.Model, error) {
	b := s.base
	b.cfg, b.live = c.Config, config.NewLive(c.Config)
	b.cfg.Contract.Checkpoints, b.cfg.Contract.Cache = "", false
	models, err := provider.New(b.cfg, b.refusals, b.log, nil)
	if err != nil {
		return nil, nil, err
	}
	desk := &replay.Desk{}
	registry, err := desk.Registry(s.tools.registry, effectless)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range b.cfg.Tools.Disabled {
		registry.Remove(name)
	}
	meter := newMeter(b, s.record, nil)
	lib, err := s.documents(ctx, b, newEmbedders(b, meter), c)
	if err != nil {
		return nil, nil, err
	}
	agents, err := newAgents(ctx, agentParts{
		base: b, models: models, library: lib, tools: &tools{registry: registry, finder: s.tools.finder}, record: tried{s.record, c.Workflows},
		runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory(), Check: workflow.CheckAnswer, Log: b.log}),
		client:  &http.Client{Transport: desk},
	})
	if err != nil {
		return nil, nil, err
	}
	return &rehearsal.Stage{
		Runner: agents.runner, Desk: desk, Resolve: func(set []config.Entry) config.Resolved { return config.Resolve(b.cfg, set) }, Zone: zoneName(b.cfg), Now: time.Now,
		Heard: func(e agent.Event) { meter.EvaluationRun(ctx, e) },
	}, models.One(), nil
}

// documents returns the documents of a change, searched with its settings.
func (s stage) documents(ctx context.Context, b base, e *embedding.Embedders, c rehearse.Change) (*library.Library, error) {
	if len(c.Documents) > 0 {
		return filesAlone(ctx, b, e, c.Documents)
	}
	index, other := s.library.Index, b.cfg.Documents.Synonyms != s.cfg.Documents.Synonyms || zoneName(b.cfg) != zoneName(s.cfg)
	if c.Anew != nil {
		of, err := e.Vectors()
		if err != nil {
			return nil, err
		}
		v := evaluate.Vectors{Embed: of.Embed, Model: of.Model}
		empty, err := openSetIndex(ctx, b, v)
		if err != nil {
			return nil, err
		}
		b.opened.add(empty)
		if err := c.Anew.Limit(ctx, func(ctx context.Context) error { return evaluate.Refill(ctx, index, empty, v, c.Anew.Start) }); err != nil {
			return nil, err
		}
		index, other = empty, true
	}
	index, changed, err := c.Index(ctx, index)
	if err != nil || !changed && !other {
		return s.library, err
	}
	loader, err := newLoader(&b.cfg, b.log)
	if err != nil {
		return nil, err
	}
	lib := newLibrary(b, index, loader)
	return lib, lib.CheckSynonyms()
}

// effectless reports whether a tool may run in a replay: it computes, or reads the present documents.
func effectless(s tool.Spec) bool {
	return s.Name == "calculator" || s.Name == "current_time" || s.Name == "read_file"
}

// tried is the record with the workflows under trial.
type tried struct {
	record

	workflows map[string][]byte // by ID
}

// Definitions implements definition.Store.
func (t tried) Definitions(ctx context.Context) ([]definition.Version, error) {
	list, err := t.record.Definitions(ctx)
	return rehearse.Tried(list, t.workflows), err
}
