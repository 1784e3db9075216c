package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/config"
	"maru/memory"
	"maru/phrase"
	"maru/rag"
	"maru/rag/eval"
	"maru/rag/library"
	"maru/rag/local"
)

// evaluateQuestions asks a file of questions of one configuration or of two, one
// after the other, for both may use the same folder.
func evaluateQuestions(ctx context.Context, inv invocation, path string, opt evalFlags) error {
	cases, err := eval.ReadCases(path)
	if err != nil {
		return err
	}
	compared := eval.Comparison{File: filepath.Base(path)}
	for _, named := range []string{"", opt.against} {
		if named == "" && len(compared.Configurations) > 0 {
			break
		}
		cfg := inv.cfg
		if named != "" {
			if cfg, err = inv.withFile(named); err != nil {
				return err
			}
		}
		e, err := inv.examineQuestions(ctx, cfg, cases, opt)
		if err != nil {
			return err
		}
		compared.Configurations = append(compared.Configurations, e)
	}
	if opt.json {
		return compared.WriteJSON(inv.stdout)
	}
	return compared.WriteTable(inv.stdout, opt.wrong)
}

// withFile loads the settings of another YAML file. What the command line sets
// belongs to the first configuration; the environment counts for both.
func (inv invocation) withFile(path string) (config.Config, error) {
	environ := make([]string, 0, len(inv.environ)+1)
	for _, line := range inv.environ {
		if !strings.HasPrefix(line, "MARU_CONFIG=") {
			environ = append(environ, line)
		}
	}
	cfg, _, err := config.Load(config.Source{Environ: append(environ, "MARU_CONFIG="+path), Read: inv.readFile})
	if err != nil {
		return cfg, fmt.Errorf("--against %s: the settings are not right:\n%w", path, err)
	}
	return cfg, nil
}

// examineQuestions asks the questions of one configuration: its documents (or
// those of --documents), its model, and the chat agent, without tools, memory
// or a record.
func (inv invocation) examineQuestions(ctx context.Context, cfg config.Config, cases []eval.Case, opt evalFlags) (out eval.Examination, err error) {
	_, log := terminal(inv)
	a := &app{cfg: cfg, log: log}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.openSums(ctx); err != nil {
		return out, err
	}
	ctx = a.meter().Evaluation(ctx)
	if err := a.openEvaluated(ctx, opt); err != nil {
		return out, err
	}
	if err := eval.Check(ctx, a.library, opt.scopes, cases); err != nil {
		return out, fmt.Errorf("the questions name passages that the documents do not have:\n%w", err)
	}
	return inv.ask(ctx, a, cases, opt.scopes)
}

// ask has the chat agent answer the cases from the documents that a has opened.
func (inv invocation) ask(ctx context.Context, a *app, cases []eval.Case, scopes []string) (out eval.Examination, err error) {
	model, err := a.newModel()
	if err != nil {
		return out, err
	}
	asker, err := newQuestioner(a, model, scopes, a.log)
	if err != nil {
		return out, err
	}
	asker.spend = func(e agent.Event) { a.meter().EvaluationRun(ctx, e) }
	asker.bar = progressBar{out: inv.stderr, total: len(cases), live: isTerminal(inv.stderr)}
	e := eval.Examiner{Index: a.library, Scopes: scopes, Answerer: asker, Now: time.Now}
	if out, err = e.Run(ctx, cases); err != nil {
		return out, err
	}
	out.Name, out.Model = cmp.Or(a.cfg.File, "settings"), a.modelName
	return out, nil
}

// openEvaluated opens the configured documents, or an index in memory with the
// files of --documents alone, with vectors where an embedding model is configured.
func (a *app) openEvaluated(ctx context.Context, opt evalFlags) error {
	if len(opt.documents) == 0 {
		return a.openLibrary(ctx)
	}
	files, err := library.FindFiles(opt.documents)
	if err != nil {
		return err
	}
	index, err := a.openMemoryIndex(ctx)
	if err != nil {
		return err
	}
	for _, f := range files {
		if _, _, err := a.library.AddFile(ctx, library.Filing{Scope: opt.scopes[0], By: library.ByOperator}, f); err != nil {
			return fmt.Errorf("%s: %s", f.Path, library.Sentence(err, phrase.Fallback))
		}
	}
	return embedAll(ctx, index)
}

// openMemoryIndex makes an empty index in memory the library.
func (a *app) openMemoryIndex(ctx context.Context) (*local.Index, error) {
	v, err := a.newVectors()
	if err != nil {
		return nil, err
	}
	index, err := local.Open(ctx, local.Config{Threshold: a.cfg.Documents.Threshold, Embed: v.embed, EmbedModel: v.model, Log: a.log})
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, index)
	return index, a.useIndex(index)
}

// embedAll waits until every passage has its vector: figures of half a collection
// would say nothing.
func embedAll(ctx context.Context, index *local.Index) error {
	if err := index.EmbedNow(ctx); err != nil {
		return fmt.Errorf("embed the documents (without OPENAI_EMBEDDING_MODEL keywords alone are used): %w", err)
	}
	return nil
}

// questioner answers questions as a person's are answered: through the chat
// agent. It implements [eval.Answerer].
type questioner struct {
	agent  *chat.Agent
	heard  *overheard
	scopes []string
	cfg    config.Config
	asked  int
	bar    progressBar
	spend  agent.Sink // hears what an answer costs
}

func newQuestioner(a *app, model llm.Model, scopes []string, log *slog.Logger) (*questioner, error) {
	q := &questioner{heard: &overheard{Documents: a.library}, scopes: scopes, cfg: a.cfg, bar: progressBar{out: io.Discard}}
	var err error
	q.agent, err = chat.New(chat.Config{
		Model: model, Documents: q.heard, Passages: a.cfg.Documents.Passages, Threshold: a.threshold(), Log: log,
		Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory(), Check: workflow.CheckAnswer, Log: log}),
		Limits: memory.Limits{
			MaxMessages: a.cfg.Thread.MaxMessages, KeepRecent: a.cfg.Thread.KeepRecent, MaxSummaries: a.cfg.Thread.MaxSummaries,
		},
	})
	return q, err
}

// Answer implements [eval.Answerer]. Each question has a thread of its own.
func (q *questioner) Answer(ctx context.Context, c eval.Case) (eval.Reply, error) {
	q.bar.show(q.asked, c.Question)
	q.asked++
	q.heard.query = ""
	name := fmt.Sprint("eval/", q.asked)
	req := agent.Request{
		Run: name, Thread: name, Text: c.Question, User: agent.User{ID: "eval", TimeZone: zoneName(q.cfg)}, Now: time.Now(),
		Scopes: q.scopes, Home: q.scopes[0], NoMemory: true, Language: spokenIn(q.cfg, c.Question),
	}
	for _, t := range c.Conversation {
		req.Context = append(req.Context, agent.Turn{Own: t.Role == "assistant", Text: t.Text, At: req.Now})
	}
	res, err := q.agent.Run(ctx, req, q.spend)
	if err != nil {
		return eval.Reply{}, err
	}
	reply := eval.Reply{Text: res.Text, Query: q.heard.query}
	for _, s := range res.Sources {
		reply.Cited = append(reply.Cited, s.Chunk)
	}
	return reply, nil
}

// overheard remembers what the agent searched for first.
type overheard struct {
	chat.Documents
	query string
}

func (o *overheard) Search(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	if o.query == "" {
		o.query = q.Text
	}
	return o.Documents.Search(ctx, q)
}

// spokenIn is the language of an answer: the place's, or that of the question.
func spokenIn(cfg config.Config, question string) string {
	if lang, ok := phrase.Match(cfg.Place.Language); ok {
		return lang
	}
	return phrase.Spoken(question, "")
}
