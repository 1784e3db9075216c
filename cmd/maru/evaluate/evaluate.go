// Package evaluate is `maru eval`: it measures answers to a file of questions, agents on files of tasks, and retrieval
// on folders of a set. The parts of the program that it measures are opened by cmd/maru.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"maru/agent/chat"
	"maru/agent/llm/openai"
	"maru/agent/metering"
	"maru/bot"
	"maru/bot/operate"
	"maru/cmd/maru/evaluate/task"
	"maru/config"
	"maru/rag"
	"maru/rag/eval"
	"maru/rag/library"
	"maru/rag/local"
	"maru/rag/vec"
)

// Command is one call of `maru eval`.
type Command struct {
	Args           []string
	Environ        []string
	ReadFile       func(string) ([]byte, error)
	Stdout, Stderr io.Writer
	Live           bool // Stderr is a terminal
	Config         config.Config
	Open           func(config.Config) Program
	Gaps           func(ctx context.Context, channel string) error // writes what a channel asked in vain
}

// Program opens parts of the program under one configuration. Every part is closed by Close.
type Program struct {
	Config   config.Config
	Chat     chat.Config // the settings of the chat agent
	TimeZone string      // of the asker, "" if unknown
	Log      *slog.Logger
	Refusals *openai.Refusals
	Meter    func(context.Context) (*metering.Meter, error)
	Library  func(context.Context, *metering.Meter) (*library.Library, error)               // of the configured documents
	Empty    func(context.Context, *metering.Meter) (*library.Library, *local.Index, error) // a library in memory
	Embedder func() (Vectors, error)                                                        // without a meter
	Index    func(context.Context, Vectors) (Index, error)                                  // an empty index of the configured kind, dropped when closed
	Close    func() error
}

// Vectors are how an index embeds; the zero value searches by keywords alone.
type Vectors struct {
	Embed rag.Embed
	Model string
}

// Index is an index of one measurement or rehearsal.
type Index interface {
	library.Index
	vec.Covered
}

// flags are the flags of `maru eval` beside the settings.
type flags struct {
	json, wrong, grade, labels bool
	against, html, from        string
	documents, scopes          list
	every                      int
	skip                       int // questions of a set before the first that counts
	memory, removed, vectors   bool
}

// list is a flag that may be given several times.
type list []string

// String implements flag.Value.
func (l *list) String() string { return "" }

// Set implements flag.Value.
func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// Run measures a file of questions over the documents, answered by the whole product, a file of tasks or a folder of
// such files, which agents carry out, or a folder in BEIR layout, on which it measures retrieval alone, with --memory the memory of conversations, or with --removed how well it declines
// when the answer is gone.
func (c Command) Run(ctx context.Context) error {
	var opt flags
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
	f.StringVar(&opt.from, "from-channel", "", "")
	sets, err := operate.Parse(f, c.Args)
	if err != nil {
		return err
	}
	if opt.from != "" {
		return c.Gaps(ctx, opt.from)
	}
	if len(opt.scopes) == 0 {
		opt.scopes = list{bot.ScopePublic}
	}
	if len(sets) == 0 {
		return operate.Misuse{Text: "it wants a file of questions or tasks, or folders with corpus.jsonl, queries.jsonl and qrels.tsv"}
	}
	if opt.memory {
		return eval.WriteMemory(c.Stdout, sets, opt.every, opt.json)
	}
	if opt.removed {
		return c.removed(ctx, sets, opt)
	}
	info, err := os.Stat(sets[0])
	switch {
	case err != nil:
		return fmt.Errorf("%s: no such file or folder", sets[0])
	case !info.IsDir() && len(sets) > 1:
		return operate.Misuse{Text: "it takes one file of questions at a time"}
	case opt.labels:
		return c.labels(ctx, sets[0])
	case task.Holds(sets[0]):
		return c.agents(ctx, sets[0], opt)
	case !info.IsDir():
		return c.questions(ctx, sets[0], opt)
	case opt.against != "" || opt.wrong || len(opt.documents) > 0:
		return operate.Misuse{Text: "--against, --wrong and --documents are for a file of questions; a folder brings its own passages"}
	}
	var reports []eval.Report
	for _, dir := range sets {
		more, err := c.set(ctx, dir, opt)
		if err != nil {
			return err
		}
		reports = append(reports, more...)
	}
	if opt.json {
		return eval.WriteJSON(c.Stdout, reports...)
	}
	return eval.WriteTable(c.Stdout, reports...)
}

// set measures keywords alone, on the configured index with the configured embedding model, if there is one, and
// with --vectors beside pretended vectors of every quality: none may bring the ranking below that of keywords.
func (c Command) set(ctx context.Context, dir string, opt flags) (reports []eval.Report, err error) {
	set, err := eval.ReadSet(dir)
	if err != nil {
		return nil, err
	}
	set.Queries = set.Queries[min(max(opt.skip, 0), len(set.Queries)):]
	p := c.Open(c.Config)
	defer func() { err = errors.Join(err, p.Close()) }()
	measures := []Vectors{{}}
	if p.Config.Model.Embeds() {
		v, err := p.Embedder()
		if err != nil {
			return nil, err
		}
		measures = append(measures, v)
	}
	for _, v := range measures {
		r, err := measure(ctx, set, func() (Index, error) { return p.Index(ctx, v) }, v, opt.every)
		if err != nil {
			return reports, err
		}
		reports = append(reports, r)
	}
	if !opt.vectors {
		return reports, nil
	}
	for _, q := range eval.Pretended() {
		v := Vectors{Embed: eval.Pretend(set, q), Model: q.Name}
		r, more := measure(ctx, set, func() (Index, error) {
			return local.Open(ctx, local.Config{Embed: v.Embed, EmbedModel: v.Model})
		}, v, opt.every)
		r.Set += " (pretended)"
		reports, err = append(reports, r), errors.Join(err, more)
	}
	return reports, err
}

// measure fills an index with a set and asks its questions.
func measure(ctx context.Context, set *eval.Set, open func() (Index, error), v Vectors, every int) (r eval.Report, err error) {
	index, err := open()
	if err != nil {
		return eval.Report{}, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	start := time.Now()
	err = eval.Fill(ctx, set, putInto(index))
	if err == nil && v.Embed != nil {
		if err = embedAll(ctx, index); err == nil {
			err = eval.Teach(ctx, index, set, every)
		}
	}
	indexing := time.Since(start)
	if err == nil {
		r, err = eval.Evaluate(ctx, index, set, every, time.Now)
		r.Indexing = indexing.Seconds()
		if v.Model != "" {
			r.Set += ", vectors of " + v.Model
		}
	}
	return r, err
}
