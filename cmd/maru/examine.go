package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"maru/agent/tool/mcp"
	"maru/bot"
	"maru/cmd/maru/checkup"
	"maru/rag/library"
)

// examiner checks the parts of the running program.
type examiner struct {
	botParts

	pdf *checkup.Check
}

// prompt is the longest wait for the PDF reader, which is compiled for this machine once.
const prompt = time.Second

func newExaminer(p botParts) examiner {
	e := examiner{p, checkup.New(prompt, func(ctx context.Context) error { return tryPDF(ctx, &p.cfg, p.log) })}
	p.opened.add(e.pdf)
	return e
}

// examine checks, for `/maru doctor`, the parts of the running program that the bot itself does not know. [doctor]
// checks a program that is not running.
func (e examiner) examine(ctx context.Context) []bot.Finding {
	var models, vectors, parked, admins []bot.Finding
	checks := []func(context.Context) bot.Finding{e.examineDocuments, e.examinePDF}
	if e.redis != nil {
		checks = append(checks, func(ctx context.Context) bot.Finding {
			return bot.Finding{Part: degradable, Err: e.redis.Ping(ctx)}
		})
	}
	out := make([]bot.Finding, len(checks))
	var all sync.WaitGroup
	all.Go(func() { models = e.examineModels(ctx) }) // all in parallel: a slow part would use up the time of the others
	all.Go(func() { parked = checkup.Parked(ctx, e.record) })
	all.Go(func() { admins = examineAdmins(ctx, e.cfg.Place.Admins, e.record) })
	all.Go(func() {
		for part, err := range coverage(e.cfg.Model, e.library.Index)(ctx) {
			vectors = append(vectors, bot.Finding{Part: part, Err: err})
		}
	})
	for i, check := range checks {
		all.Go(func() { out[i] = check(ctx) })
	}
	all.Wait()
	return slices.Concat(models, out, vectors, e.examineServers(), parked, checkup.Workflows(e.agents.team), admins)
}

// examinePDF reads a small PDF. Other documents are read where that does not work.
func (e examiner) examinePDF(ctx context.Context) bot.Finding {
	known, err := e.pdf.Result(ctx)
	if err != nil {
		err = fmt.Errorf("%w: %w", bot.ErrLimited, err)
	}
	return bot.Finding{Part: "pdf", Pending: !known, Err: err}
}

// refusedNamed limits the files that `/maru doctor` names.
const refusedNamed = 20

func (e examiner) examineDocuments(ctx context.Context) bot.Finding {
	docs, err := e.library.Documents(ctx, []string{bot.ScopePublic})
	f := bot.Finding{Part: "documents", Err: err}
	if err == nil {
		f.Count, f.N = "bot.docs.public_count", len(docs)
	}
	refused := e.library.RefusedFiles()
	for _, d := range docs {
		if d.By != library.ByFolder {
			continue
		}
		for _, u := range d.Unread {
			refused = append(refused, u.In(d.Source))
		}
	}
	if err == nil && len(refused) > 0 {
		f.Err = fmt.Errorf("%w: %d files of MARU_DOCUMENTS_DIR cannot be read, `/maru docs` says why: %s",
			bot.ErrLimited, len(refused), strings.Join(refused[:min(len(refused), refusedNamed)], ", "))
	}
	return f
}

// examineServers reports the state of the MCP servers, which are monitored continuously.
func (e examiner) examineServers() []bot.Finding {
	var out []bot.Finding
	for _, s := range e.tools.mcp.Status() {
		f := bot.Finding{Part: "MCP " + s.Server, Count: "bot.tools.count", N: len(s.Tools)}
		switch {
		case s.State != mcp.Ready:
			f.Err = fmt.Errorf("%s: %s", s.State, s.Err)
		case len(s.Changes) > 0:
			f.Err = fmt.Errorf("%w: %d changed tools wait to be accepted", bot.ErrLimited, len(s.Changes))
		}
		out = append(out, f)
	}
	return out
}
