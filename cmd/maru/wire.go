package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/chat"
	"maru/agent/contract"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/tool/builtin"
	"maru/agent/tool/mcp"
	"maru/agent/workflow"
	"maru/bot"
	"maru/bot/service"
	"maru/config"
	"maru/handbook"
	"maru/memory/longterm"
	"maru/memory/pgstore"
	"maru/memory/redisstore"
	"maru/memory/sqlitestore"
	"maru/rag/library"
	"maru/rag/local"
)

// fronts says which surfaces a subcommand wants.
type fronts struct {
	web       bool
	platforms bool          // Slack and Discord, where they are configured
	extra     []bot.Adapter // such as the terminal
}

// app is the whole program, wired.
type app struct {
	cfg       config.Config
	log       *slog.Logger
	started   time.Time
	record    record
	memories  longterm.Store    // in the record
	memory    *longterm.Memory  // nil if it is switched off
	redis     *redisstore.Store // nil without one
	library   *library.Library
	tools     *tool.Registry
	finder    *tool.Recommender // finds the few of them that a task may need
	mcp       *mcp.Pool
	missing   []builtin.Missing
	modelName string
	models    []llm.Model // the preferred one first, without retries: for trying them
	encoder   encoder     // on this machine; nil without
	questions *llm.VectorCache
	agents    *agent.Runner
	team      *autonomous.Folder // workflows of the team's own
	bot       *service.Bot
	metrics   *metrics
	health    *health
	adapters  []bot.Adapter
	mounters  []bot.Mounter
	platforms []string
	closers   []io.Closer                   // in the order they were opened
	purges    []func(context.Context) error // empty caches
}

// record is the place where nothing is lost, with the graphs' logs in it.
type record interface {
	bot.Record
	graph.Checkpointer
}

// wire builds everything from the settings. This is the map of the program: what
// exists, and what is handed to whom. The caller closes the app.
func wire(ctx context.Context, cfg config.Config, log *slog.Logger, want fronts) (_ *app, err error) {
	a := &app{cfg: cfg, log: log, started: time.Now()}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()

	// What must not be lost, and the fast copy of what is live.
	if a.record, err = a.openRecord(ctx); err != nil {
		return nil, err
	}
	hot, err := a.openHot(ctx)
	if err != nil {
		return nil, err
	}
	runtime := graph.NewRuntime(graph.Config{Checkpointer: a.record, Hot: hot, Check: workflow.CheckAnswer, Log: log})

	// Before whatever is counted: an index may embed as soon as it is open.
	a.metrics = newMetrics(func(ctx context.Context) (int, time.Time, error) { return a.record.Pending(ctx, "") }, a.record.PendingJobs, a.knowsTool)

	// What agents think with.
	each, err := a.newModels()
	if err != nil {
		return nil, err
	}
	a.models = each
	model := a.resilient(each)
	if err := a.openLibrary(ctx); err != nil {
		return nil, err
	}
	if err := a.newMemory(); err != nil {
		return nil, err
	}
	if err := a.newTools(ctx); err != nil {
		return nil, err
	}
	if err := a.newAgents(ctx, model, each, runtime); err != nil {
		return nil, err
	}

	// People and conversations.
	if err := a.newBot(ctx, model, want); err != nil {
		return nil, err
	}
	a.health = &health{check: a.ready}
	return a, nil
}

// close closes what was opened, the last first.
func (a *app) close() error {
	var errs []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		errs = append(errs, a.closers[i].Close())
	}
	a.closers = nil
	return errors.Join(errs...)
}

// inUse is the error of a second program on the embedded stores, with what to do
// instead.
type inUse struct {
	error
	instead string
}

// Error implements error.
func (e inUse) Error() string { return e.error.Error() + "; " + e.instead }

// Unwrap returns the store's own error.
func (e inUse) Unwrap() error { return e.error }

// whileServing says what to do instead of what a running program keeps from being
// done. Other errors stay as they are.
func whileServing(err error, instead string) error {
	var already inUse
	if errors.As(err, &already) {
		err = already.error
	}
	if !errors.Is(err, sqlitestore.ErrInUse) && !errors.Is(err, local.ErrInUse) {
		return err
	}
	return inUse{err, instead}
}

func (a *app) openRecord(ctx context.Context) (record, error) {
	if url := a.cfg.Store.DatabaseURL.Reveal(); url != "" {
		s, err := pgstore.Open(ctx, pgstore.Config{URL: url, Log: a.log})
		if err != nil {
			return nil, fmt.Errorf("DATABASE_URL: %w; see that PostgreSQL runs there and takes this login, or unset it to keep everything in a file under DATA_DIR", err)
		}
		a.closers = append(a.closers, s)
		a.memories = s.Memory()
		return s, nil
	}
	s, err := sqlitestore.Open(ctx, sqlitestore.Config{Path: a.recordPath(), Log: a.log})
	if errors.Is(err, sqlitestore.ErrInUse) {
		return nil, whileServing(err, "stop the other one, or give this one a folder of its own with --data-dir")
	}
	if errors.Is(err, sqlitestore.ErrDamaged) {
		return nil, fmt.Errorf("DATA_DIR is %q: %w; restore %s with its -wal from a backup, or name another folder with DATA_DIR or --data-dir", a.cfg.Store.DataDir, err, a.recordPath())
	}
	if path := new(fs.PathError); errors.As(err, &path) {
		return nil, fmt.Errorf("DATA_DIR is %q: %w; name a folder that this program may make and write to, with DATA_DIR or --data-dir", a.cfg.Store.DataDir, err)
	}
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, s)
	a.memories = s.Memory()
	return s, nil
}

// workflowDir is the folder of the team's own workflows.
func (a *app) workflowDir() string {
	if dir := a.cfg.Store.WorkflowDir; dir != "" {
		return dir
	}
	return filepath.Join(a.cfg.Store.DataDir, "workflows")
}

// recordPath is the file of the embedded record.
func (a *app) recordPath() string { return filepath.Join(a.cfg.Store.DataDir, "maru.db") }

// openHot opens the shared fast copy, if there is a Redis. Nothing depends on
// it: a Redis that is away is looked for again.
func (a *app) openHot(ctx context.Context) (graph.Hot, error) {
	url := a.cfg.Store.RedisURL.Reveal()
	if url == "" {
		return nil, nil //nolint:nilnil // no Redis: the copy in process serves
	}
	s, err := redisstore.Open(ctx, redisstore.Config{URL: url, Log: a.log})
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, s)
	a.redis = s
	if err := s.Ping(ctx); err != nil {
		a.log.WarnContext(ctx, "REDIS_URL: Redis does not answer; the program starts without it and takes it up when it does: see that it runs there and takes this login, or unset REDIS_URL",
			"err", err)
	}
	return s.Hot(), nil
}

// openLibrary opens the documents and indexes the handbook.
func (a *app) openLibrary(ctx context.Context) error {
	index, err := a.openIndex(ctx)
	if err != nil {
		return err
	}
	a.closers = append(a.closers, index)
	if err := a.useIndex(index); err != nil {
		return err
	}
	for _, b := range contract.Standards() {
		if _, err := a.library.AddBundled(ctx, contract.StandardScope, b.Name, b.Data); err != nil {
			return fmt.Errorf("index the standard contracts: %w", err)
		}
	}
	if !a.cfg.Documents.Handbook {
		return a.library.RemoveHandbook(ctx)
	}
	return a.library.AddHandbook(ctx, handbook.Files())
}

// useIndex makes the library of an index.
func (a *app) useIndex(index library.Index) error {
	loader, err := newLoader(&a.cfg, a.log)
	if err != nil {
		return err
	}
	a.library = newLibrary(a.cfg, index, loader)
	return nil
}

func (a *app) newTools(ctx context.Context) error {
	t := a.cfg.Tools
	tools, missing, err := builtin.All(ctx, builtin.Config{
		OpenWeatherKey: t.OpenWeatherKey.Reveal(), OpenWeatherBaseURL: t.OpenWeatherBaseURL,
		TavilyKey: t.TavilyKey.Reveal(), TavilyBaseURL: t.TavilyBaseURL,
		GoogleKey: t.GoogleKey.Reveal(), GoogleCSE: t.GoogleCSE, GoogleBaseURL: t.GoogleBaseURL,
		WikipediaBaseURL: t.WikipediaBaseURL,
		Python:           t.Python, PythonPath: t.PythonPath, PythonTimeout: t.PythonTimeout, PythonMemory: t.PythonMemory,
		Documents: a.library, Memory: a.remembers(), Proxy: http.ProxyFromEnvironment, TimeZone: a.cfg.Place.Location(), Timeout: t.Timeout, Disabled: t.Disabled,
	})
	if err != nil {
		return err
	}
	a.missing = missing
	if a.tools, err = tool.NewRegistry(tools...); err != nil {
		return err
	}
	embedder, err := a.newEmbedder(bot.SpentTools)
	if err != nil {
		return err
	}
	a.finder = tool.NewRecommender(embedder, a.log)
	a.finder.Add(a.tools.Specs()...)
	return a.newMCP()
}

// knowsTool reports whether there is such a tool now: those of MCP servers come and go.
func (a *app) knowsTool(name string) bool {
	_, _, err := a.tools.Lookup(name)
	return err == nil
}

// newBot builds what stands between people and agents, on the surfaces that are
// wanted. The model judges who is spoken to.
func (a *app) newBot(ctx context.Context, model llm.Model, want fronts) error {
	a.metrics.registry.MustRegister(newMCPCollector(a.mcp))
	adapters, err := a.newAdapters(ctx, want)
	if err != nil {
		return err
	}
	a.bot = service.New(service.Config{
		Record: a.record, Runner: a.agents, Library: a.library, Adapters: adapters, Log: a.log, Observe: a.metrics, CheckAnswer: checkAnswer, Events: a.liveEvents(),
		Toolbox: toolbox{a.tools, a.mcp}, Examine: a.examine,
		Resolve: func(set []config.Entry) config.Resolved { return config.Resolve(a.cfg, set) },
		Workers: a.cfg.Run.Workers, LeaseTTL: a.cfg.Run.LeaseTTL, MaxFile: a.cfg.Documents.MaxFile, FetchTime: a.cfg.Documents.FetchTime, TraceURL: a.traceURL(),
		Listen: a.meter().Listen, Addressed: a.addressed(model), Zone: a.cfg.Place.Location(), Admins: a.cfg.Place.Admins, Models: a.cfg.Model.Choices, Counted: a.cfg.Model.On(), Priced: len(a.cfg.Model.Prices) > 0,
		Memory: a.memory, MemoryAge: a.cfg.Memory.Retention, AuditAge: a.cfg.Place.AuditRetention, Reflect: a.reflect(model), Purge: a.purge,
	})
	return nil
}

// newAdapters builds the surfaces that are wanted and configured.
func (a *app) newAdapters(ctx context.Context, want fronts) ([]bot.Adapter, error) {
	adapters := want.extra
	add := func(ad bot.Adapter, err error) error {
		if err != nil {
			return err
		}
		adapters = append(adapters, ad)
		return nil
	}
	if want.web {
		if err := add(a.newWeb(ctx)); err != nil {
			return nil, err
		}
	}
	if want.platforms && a.cfg.Slack.On() {
		if err := add(a.newSlack()); err != nil {
			return nil, err
		}
	}
	if want.platforms && a.cfg.Discord.On() {
		if err := add(a.newDiscord()); err != nil {
			return nil, err
		}
	}
	a.adapters = adapters
	for _, ad := range adapters {
		a.platforms = append(a.platforms, ad.Platform())
		if m, ok := ad.(bot.Mounter); ok {
			a.mounters = append(a.mounters, m)
		}
	}
	return adapters, nil
}

var _ chat.Documents = (*library.Library)(nil)
