package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"maru/bot"
	"maru/bot/operate"
	"maru/rag/eval"
	"maru/rag/local"
)

// evalFlags are the flags of `maru eval` beside the settings.
type evalFlags struct {
	json, wrong, grade, labels bool
	against, html              string
	documents, scopes          list
	every                      int
	skip                       int // questions of a set before the first that counts
	memory, removed, vectors   bool
}

// list is a flag that may be given several times.
type list []string

func (l *list) String() string { return "" }

func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// evaluate is `maru eval`. A file is a question set over the documents, answered by the whole product; a folder is a
// set in BEIR layout, on which it measures retrieval alone, with --memory the memory of conversations, or with
// --removed how well it declines when the answer is gone.
func evaluate(ctx context.Context, inv invocation) error {
	var opt evalFlags
	f := operate.Flags("eval")
	f.BoolVar(&opt.json, "json", false, "")
	f.BoolVar(&opt.wrong, "wrong", false, "")
	f.BoolVar(&opt.grade, "grade", false, "")
	f.BoolVar(&opt.labels, "labels", false, "")
	f.StringVar(&opt.html, "html", "", "")
	f.StringVar(&opt.against, "against", "", "")
	f.Var(&opt.documents, "documents", "")
	f.Var(&opt.scopes, "scope", "")
	f.IntVar(&opt.every, "every", 1, "")
	f.IntVar(&opt.skip, "skip", 0, "")
	f.BoolVar(&opt.memory, "memory", false, "")
	f.BoolVar(&opt.removed, "removed", false, "")
	f.BoolVar(&opt.vectors, "vectors", false, "")
	sets, err := operate.Parse(f, inv.args)
	if err != nil {
		return err
	}
	if len(opt.scopes) == 0 {
		opt.scopes = list{bot.ScopePublic}
	}
	if len(sets) == 0 {
		return usageError{Text: "it wants a file of questions, or folders with corpus.jsonl, queries.jsonl and qrels.tsv"}
	}
	if opt.memory {
		return eval.WriteMemory(inv.stdout, sets, opt.every, opt.json)
	}
	if opt.removed {
		return evaluateRemoved(ctx, inv, sets, opt)
	}
	info, err := os.Stat(sets[0])
	switch {
	case err != nil:
		return fmt.Errorf("%s: no such file or folder", sets[0])
	case !info.IsDir() && len(sets) > 1:
		return usageError{Text: "it takes one file of questions at a time"}
	case opt.labels:
		return evaluateLabels(ctx, inv, sets[0])
	case !info.IsDir():
		return evaluateQuestions(ctx, inv, sets[0], opt)
	case opt.against != "" || opt.wrong || len(opt.documents) > 0:
		return usageError{Text: "--against, --wrong and --documents are for a file of questions; a folder brings its own passages"}
	}
	var reports []eval.Report
	for _, dir := range sets {
		more, err := evaluateSet(ctx, inv, dir, opt)
		if err != nil {
			return err
		}
		reports = append(reports, more...)
	}
	if opt.json {
		return eval.WriteJSON(inv.stdout, reports...)
	}
	return eval.WriteTable(inv.stdout, reports...)
}

// evaluateSet measures keywords alone, on the configured index with the configured embedding model, if there is one, and
// with --vectors beside pretended vectors of every quality: none may bring the ranking below that of keywords.
func evaluateSet(ctx context.Context, inv invocation, dir string, opt evalFlags) ([]eval.Report, error) {
	set, err := eval.ReadSet(dir)
	if err != nil {
		return nil, err
	}
	set.Queries = set.Queries[min(max(opt.skip, 0), len(set.Queries)):]
	_, log := terminal(inv)
	b := newBase(inv.cfg, log)
	defer func() { err = errors.Join(err, b.opened.Close()) }()
	measures := []vectors{{}}
	if b.cfg.Model.Embeds() {
		e := embedders{cfg: b.cfg.Model}
		model, err := e.remote(b.cfg.Model.Embedding.Model)
		if err != nil {
			return nil, err
		}
		measures = append(measures, vectors{embed: passagesOf(model), model: model.Name()})
	}
	var reports []eval.Report
	for _, v := range measures {
		r, err := evaluateIndex(ctx, set, func() (setIndex, error) { return openSetIndex(ctx, b, v) }, v, opt.every)
		if err != nil {
			return reports, err
		}
		reports = append(reports, r)
	}
	if !opt.vectors {
		return reports, nil
	}
	for _, q := range eval.Pretended() {
		v := vectors{embed: eval.Pretend(set, q), model: q.Name}
		r, more := evaluateIndex(ctx, set, func() (setIndex, error) {
			return local.Open(ctx, local.Config{Embed: v.embed, EmbedModel: v.model})
		}, v, opt.every)
		r.Set += " (pretended)"
		reports, err = append(reports, r), errors.Join(err, more)
	}
	return reports, err
}

// evaluateIndex fills an index with a set and asks its questions.
func evaluateIndex(ctx context.Context, set *eval.Set, open func() (setIndex, error), v vectors, every int) (r eval.Report, err error) {
	index, err := open()
	if err != nil {
		return eval.Report{}, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	start := time.Now()
	err = eval.Fill(ctx, set, putInto(index))
	if err == nil && v.embed != nil {
		if err = embedAll(ctx, index); err == nil {
			err = eval.Teach(ctx, index, set, every)
		}
	}
	indexing := time.Since(start)
	if err == nil {
		r, err = eval.Evaluate(ctx, index, set, every, time.Now)
		r.Indexing = indexing.Seconds()
		if v.model != "" {
			r.Set += ", vectors of " + v.model
		}
	}
	return r, err
}
