package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/chat/chateval"
	"maru/agent/metering"
	"maru/bot/operate"
	"maru/cmd/maru/provider"
	"maru/config"
	"maru/phrase"
	"maru/rag/eval"
	"maru/rag/eval/grade"
	"maru/rag/library"
)

// evaluateQuestions asks a file of questions of one configuration, or of two in turn: both may use the same folder.
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
	if opt.html != "" {
		return grade.Page(opt.html, compared)
	}
	if opt.json {
		return compared.WriteJSON(inv.stdout)
	}
	return compared.WriteTable(inv.stdout, opt.wrong)
}

// evaluateLabels has the model grade what people labelled.
func evaluateLabels(ctx context.Context, inv invocation, path string) (err error) {
	_, log := terminal(inv)
	b := newBase(inv.cfg, log)
	defer func() { err = errors.Join(err, b.opened.Close()) }()
	models, err := provider.New(b.cfg, b.refusals, b.log, nil)
	if err != nil {
		return err
	}
	return grade.Labels(ctx, models.One(), path, inv.stdout)
}

// withFile loads the settings of another YAML file, without the command line's; the environment counts for both.
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

// examineQuestions asks the questions of one configuration: its documents (or those of --documents), its model, and the
// chat agent, without tools, memory or a record.
func (inv invocation) examineQuestions(ctx context.Context, cfg config.Config, cases []eval.Case, opt evalFlags) (out eval.Examination, err error) {
	_, log := terminal(inv)
	b := newBase(cfg, log)
	defer func() { err = errors.Join(err, b.opened.Close()) }()
	meter, err := openMeter(ctx, b)
	if err != nil {
		return out, err
	}
	ctx = meter.Evaluation(ctx)
	lib, err := openEvaluated(ctx, b, newEmbedders(b, meter), opt)
	if err != nil {
		return out, err
	}
	if err := eval.Check(ctx, lib, opt.scopes, cases); err != nil {
		return out, fmt.Errorf("the questions name passages that the documents do not have:\n%w", err)
	}
	return inv.ask(ctx, b, meter, lib, cases, opt)
}

// openEvaluated opens the configured documents, or a library in memory with the files of --documents alone.
func openEvaluated(ctx context.Context, b base, e *embedders, opt evalFlags) (*library.Library, error) {
	if len(opt.documents) == 0 {
		return openLibrary(ctx, b, e)
	}
	return openFilesLibrary(ctx, b, e, opt.scopes[0], opt.documents)
}

// ask has the chat agent answer the cases from a library.
func (inv invocation) ask(ctx context.Context, b base, meter *metering.Meter, lib *library.Library, cases []eval.Case, opt evalFlags) (out eval.Examination, err error) {
	models, err := provider.New(b.cfg, b.refusals, b.log, nil)
	if err != nil {
		return out, err
	}
	bar := operate.Bar{Out: inv.stderr, Total: len(cases), Live: isTerminal(inv.stderr)}
	asker, err := chateval.New(chateval.Config{
		Chat: chat.Config{
			Model: models.One(), Documents: lib, Passages: b.cfg.Documents.Passages, Threshold: threshold(b.cfg), Limits: threadLimits(b.cfg), Known: memoryTokens(b.cfg), Log: b.log,
		},
		Scopes: opt.scopes, Language: spokenIn(b.cfg), TimeZone: zoneName(b.cfg), Now: time.Now,
		Sink: func(e agent.Event) { meter.EvaluationRun(ctx, e) }, Progress: bar.Show,
	})
	if err != nil {
		return out, err
	}
	e := eval.Examiner{Index: lib, Scopes: opt.scopes, Answerer: asker, Now: time.Now}
	if out, err = e.Run(ctx, cases); err != nil {
		return out, err
	}
	if opt.grade {
		err = grade.All(ctx, models.One(), cases, &out)
	}
	out.Name, out.Model = cmp.Or(b.cfg.File, "settings"), models.Name()
	return out, err
}

// spokenIn is the language of answers, "" for that of each question.
func spokenIn(cfg config.Config) string {
	if lang, ok := phrase.Match(cfg.Place.Language); ok {
		return lang
	}
	return ""
}
