package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"maru/agent/autonomous"
	"maru/agent/tool/mcp"
	"maru/agent/workflow"
	"maru/bot"
	"maru/bot/parking"
	"maru/rag/library"
)

// examiner checks the parts of the running program.
type examiner struct{ botParts }

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
	all.Go(func() { parked = examineParked(ctx, e.record) })
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
	return slices.Concat(models, out, vectors, e.examineServers(), parked, examineWorkflows(e.agents.team), admins)
}

// examineParked reports the number of items parked after crashes.
func examineParked(ctx context.Context, s parking.Store) []bot.Finding {
	n, err := parking.Count(ctx, s)
	if err == nil && n == 0 {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%w: %d are parked because the program crashed on them; `/maru retry list` shows them, `/maru retry all` tries them again", bot.ErrLimited, n)
	}
	return []bot.Finding{{Part: "parked", Err: err}}
}

// examineWorkflows lists the team's own workflows and their broken files, because authors look at the console rather
// than the log.
func examineWorkflows(team *autonomous.Folder) []bot.Finding {
	faults, n := team.Faults(), len(team.IDs())
	if len(faults) == 0 && n == 0 {
		return nil
	}
	f := bot.Finding{Part: "workflows", Count: "bot.workflows.active", N: n}
	var broken []string
	for _, file := range slices.Sorted(maps.Keys(faults)) {
		what := "does not serve"
		if team.Keeps(file) {
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

// examinePDF reads a small PDF. Other documents are read where that does not work.
func (e examiner) examinePDF(ctx context.Context) bot.Finding {
	f := bot.Finding{Part: "pdf"}
	err := tryPDF(ctx, &e.cfg, e.log)
	if err != nil && ctx.Err() != nil {
		err = errors.New("preparing the reader takes this machine longer than a check may; the first PDF that is added, or `maru doctor`, does it once")
	}
	if err != nil {
		f.Err = fmt.Errorf("%w: %w", bot.ErrLimited, err)
	}
	return f
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
