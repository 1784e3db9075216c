package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"maru/agent"
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

// questions asks a file of questions of one configuration, or of two in turn: both may use the same folder.
func (c Command) questions(ctx context.Context, path string, opt flags) error {
	cases, err := eval.ReadCases(path)
	if err != nil {
		return err
	}
	compared := eval.Comparison{File: filepath.Base(path)}
	for _, named := range []string{"", opt.against} {
		if named == "" && len(compared.Configurations) > 0 {
			break
		}
		cfg := c.Config
		if named != "" {
			if cfg, err = config.Against(named, c.Environ, c.ReadFile); err != nil {
				return err
			}
		}
		var e eval.Examination
		if e, err = c.examineQuestions(ctx, c.Open(cfg), cases, opt); err != nil && len(e.Outcomes) == 0 {
			return err
		}
		if compared.Configurations = append(compared.Configurations, e); err != nil {
			fmt.Fprintf(c.Stderr, "stopped after %d of %d questions\n", len(e.Outcomes), len(cases))
			break
		}
	}
	return errors.Join(err, c.write(compared, opt))
}

// write writes the figures, also of what was asked before a fault.
func (c Command) write(compared eval.Comparison, opt flags) error {
	if opt.html != "" {
		if err := grade.Page(opt.html, compared); err != nil || !opt.json {
			return err
		}
	}
	if opt.json {
		return compared.WriteJSON(c.Stdout)
	}
	return compared.WriteTable(c.Stdout, opt.wrong)
}

// labels has the model grade answers that people labelled.
func (c Command) labels(ctx context.Context, path string) (err error) {
	p := c.Open(c.Config)
	defer func() { err = errors.Join(err, p.Close()) }()
	models, err := provider.New(p.Config, p.Refusals, p.Log, nil)
	if err != nil {
		return err
	}
	return grade.Labels(ctx, models.One(), path, c.Stdout)
}

// examineQuestions asks the questions of one configuration: its documents (or those of --documents), its model, and the
// chat agent, without tools, memory or a record.
func (c Command) examineQuestions(ctx context.Context, p Program, cases []eval.Case, opt flags) (out eval.Examination, err error) {
	defer func() { err = errors.Join(err, p.Close()) }()
	meter, err := p.Meter(ctx)
	if err != nil {
		return out, err
	}
	ctx = meter.Evaluation(ctx)
	lib, err := p.opened(ctx, meter, opt)
	if err != nil {
		return out, err
	}
	if err := eval.Check(ctx, lib, opt.scopes, cases); err != nil {
		return out, fmt.Errorf("the questions name passages that the documents do not have:\n%w", err)
	}
	return c.ask(ctx, p, meter, lib, cases, opt)
}

// opened opens the configured documents, or a library in memory with the files of --documents alone.
func (p Program) opened(ctx context.Context, meter *metering.Meter, opt flags) (*library.Library, error) {
	if len(opt.documents) == 0 {
		return p.Library(ctx, meter)
	}
	return p.files(ctx, meter, opt.scopes[0], opt.documents)
}

// ask has the chat agent answer the cases from a library.
func (c Command) ask(ctx context.Context, p Program, meter *metering.Meter, lib *library.Library, cases []eval.Case, opt flags) (out eval.Examination, err error) {
	models, err := provider.New(p.Config, p.Refusals, p.Log, nil)
	if err != nil {
		return out, err
	}
	bar := operate.Bar{Out: c.Stderr, Total: len(cases), Live: c.Live}
	asked := p.Chat
	asked.Model, asked.Documents = models.One(), lib
	asker, err := chateval.New(chateval.Config{
		Chat: asked, Scopes: opt.scopes, Language: spokenIn(p.Config), TimeZone: p.TimeZone, Now: time.Now,
		Sink: func(e agent.Event) { meter.EvaluationRun(ctx, e) }, Progress: bar.Show,
	})
	if err != nil {
		return out, err
	}
	e := eval.Examiner{Index: lib, Scopes: opt.scopes, Answerer: asker, Now: time.Now}
	if out, err = e.Run(ctx, cases); err == nil && opt.grade {
		err = grade.All(ctx, models.One(), cases, &out)
	}
	out.Name, out.Model = cmp.Or(p.Config.File, "settings"), models.Name()
	return out, err
}

// spokenIn returns the language of answers, "" for that of each question.
func spokenIn(cfg config.Config) string {
	if lang, ok := phrase.Match(cfg.Place.Language); ok {
		return lang
	}
	return ""
}
