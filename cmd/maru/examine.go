package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"maru/agent/tool/mcp"
	"maru/agent/workflow"
	"maru/bot"
	"maru/rag/library"
)

// examine tries the parts of the running program that the bot does not know
// itself, for `/maru doctor`. [doctor] is the same for a program that does not
// run.
func (a *app) examine(ctx context.Context) []bot.Finding {
	var models []bot.Finding
	checks := []func(context.Context) bot.Finding{a.examineDocuments, a.examinePDFium}
	if a.redis != nil {
		checks = append(checks, func(ctx context.Context) bot.Finding {
			return bot.Finding{Part: degradable, Err: a.redis.Ping(ctx)}
		})
	}
	out := make([]bot.Finding, len(checks))
	var all sync.WaitGroup
	all.Go(func() { models = a.examineModels(ctx) })
	for i, check := range checks {
		all.Go(func() { out[i] = check(ctx) })
	}
	all.Wait()
	return slices.Concat(models, out, a.examineServers(), a.examineWorkflows(), a.examineAdmins(ctx))
}

// examineWorkflows tells of the team's own workflows, and which of their files are
// broken: whoever changed one looks where they work, not into the log.
func (a *app) examineWorkflows() []bot.Finding {
	faults, n := a.team.Faults(), len(a.team.IDs())
	if len(faults) == 0 && n == 0 {
		return nil
	}
	f := bot.Finding{Part: "workflows", Count: "bot.own_workflows", N: n}
	var broken []string
	for _, file := range slices.Sorted(maps.Keys(faults)) {
		what := "does not serve"
		if a.team.Keeps(file) {
			what = "serves as it was before"
		}
		var first workflow.Problems
		if errors.As(faults[file], &first) {
			i := max(0, slices.IndexFunc(first, func(p workflow.Problem) bool { return !p.Warning }))
			what += ": " + first[i].String()
		}
		broken = append(broken, file+" is broken and "+what)
	}
	if len(broken) > 0 {
		f.Err = fmt.Errorf("%w: %s", bot.ErrLimited, strings.Join(broken, "; "))
	}
	return []bot.Finding{f}
}

// examinePDFium tries what reads PDFs. Where it does not work the program's own extractor does, so
// that documents are read in part.
func (a *app) examinePDFium(ctx context.Context) bot.Finding {
	f := bot.Finding{Part: "pdfium", Off: a.cfg.Documents.PDFium == ""}
	if f.Off {
		return f
	}
	if _, err := tryPDFium(ctx, &a.cfg); err != nil {
		f.Err = fmt.Errorf("%w: %w", bot.ErrLimited, err)
	}
	return f
}

// refusedNamed bounds the files that `/maru doctor` names.
const refusedNamed = 20

func (a *app) examineDocuments(ctx context.Context) bot.Finding {
	docs, err := a.library.Documents(ctx, []string{bot.ScopePublic})
	f := bot.Finding{Part: "documents", Err: err}
	if err == nil {
		f.Count, f.N = "bot.public_documents", len(docs)
	}
	refused := a.library.RefusedFiles()
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

// examineServers tells how the MCP servers are: they are watched all the time.
func (a *app) examineServers() []bot.Finding {
	var out []bot.Finding
	for _, s := range a.mcp.Status() {
		f := bot.Finding{Part: "MCP " + s.Server, Count: "bot.tools_of_server", N: len(s.Tools)}
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
