package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"maru/bot"
	"maru/rag"
	"maru/rag/eval"
	"maru/rag/local"
)

// evalFlags are the flags of `maru eval` beside the settings.
type evalFlags struct {
	json      bool
	wrong     bool
	against   string
	documents list
	scopes    list
	every     int
	skip      int // questions of a set before the first that counts
	memory    bool
	removed   bool
	vectors   bool
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
	f := flags("eval")
	f.BoolVar(&opt.json, "json", false, "")
	f.BoolVar(&opt.wrong, "wrong", false, "")
	f.StringVar(&opt.against, "against", "", "")
	f.Var(&opt.documents, "documents", "")
	f.Var(&opt.scopes, "scope", "")
	f.IntVar(&opt.every, "every", 1, "")
	f.IntVar(&opt.skip, "skip", 0, "")
	f.BoolVar(&opt.memory, "memory", false, "")
	f.BoolVar(&opt.removed, "removed", false, "")
	f.BoolVar(&opt.vectors, "vectors", false, "")
	sets, err := parse(f, inv.args)
	if err != nil {
		return err
	}
	if len(opt.scopes) == 0 {
		opt.scopes = list{bot.ScopePublic}
	}
	if len(sets) == 0 {
		return usageError{"it wants a file of questions, or folders with corpus.jsonl, queries.jsonl and qrels.tsv"}
	}
	if opt.memory {
		return evaluateMemory(inv.stdout, sets, opt.every, opt.json)
	}
	if opt.removed {
		return evaluateRemoved(ctx, inv, sets, opt)
	}
	info, err := os.Stat(sets[0])
	switch {
	case err != nil:
		return fmt.Errorf("%s: no such file or folder", sets[0])
	case !info.IsDir() && len(sets) > 1:
		return usageError{"it takes one file of questions at a time"}
	case !info.IsDir():
		return evaluateQuestions(ctx, inv, sets[0], opt)
	case opt.against != "" || opt.wrong || len(opt.documents) > 0:
		return usageError{"--against, --wrong and --documents are for a file of questions; a folder brings its own passages"}
	}
	var reports []eval.Report
	for _, dir := range sets {
		more, err := evaluateSet(ctx, dir, opt)
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

// evaluateSet measures keywords alone, and with --vectors also beside pretended vectors of
// every quality: none may bring the ranking below that of keywords.
func evaluateSet(ctx context.Context, dir string, opt evalFlags) ([]eval.Report, error) {
	set, err := eval.ReadSet(dir)
	if err != nil {
		return nil, err
	}
	set.Queries = set.Queries[min(max(opt.skip, 0), len(set.Queries)):]
	r, err := evaluateIndex(ctx, set, local.Config{}, opt.every)
	reports := []eval.Report{r}
	if opt.vectors {
		for _, q := range eval.Pretended() {
			r, more := evaluateIndex(ctx, set, local.Config{Embed: eval.Pretend(set, q), EmbedModel: q.Name}, opt.every)
			r.Set += ", " + q.Name + " vectors"
			reports, err = append(reports, r), errors.Join(err, more)
		}
	}
	return reports, err
}

// evaluateIndex fills an index in memory with a set and asks its questions.
func evaluateIndex(ctx context.Context, set *eval.Set, cfg local.Config, every int) (r eval.Report, err error) {
	index, err := local.Open(ctx, cfg)
	if err != nil {
		return eval.Report{}, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	start := time.Now()
	err = eval.Fill(ctx, set, putInto(index))
	if err == nil && cfg.Embed != nil {
		if err = index.EmbedNow(ctx); err == nil {
			err = eval.Teach(ctx, index, set, every)
		}
	}
	indexing := time.Since(start)
	if err == nil {
		r, err = eval.Evaluate(ctx, index, set, every, time.Now)
		r.Indexing = indexing.Seconds()
	}
	return r, err
}

// putInto stores a set's passages in an index.
func putInto(index *local.Index) eval.Put {
	return func(ctx context.Context, docs []rag.Document, chunks [][]rag.Chunk) error {
		entries := make([]local.Entry, len(docs))
		for i := range docs {
			entries[i] = local.Entry{Document: docs[i], Chunks: chunks[i]}
		}
		return index.PutAll(ctx, entries)
	}
}

// evaluateMemory is `maru eval --memory`: each set is a folder of conversations.
func evaluateMemory(out io.Writer, dirs []string, every int, asJSON bool) error {
	for _, dir := range dirs {
		set, err := eval.ReadSet(dir)
		if err != nil {
			return err
		}
		r, err := eval.MeasureMemory(set, max(every, 1))
		if errors.Is(err, eval.ErrNoConversations) {
			return usageError{fmt.Sprintf("%s: %v", dir, err)}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		if err := r.Write(out, asJSON); err != nil {
			return err
		}
	}
	return nil
}
