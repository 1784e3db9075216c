//go:build !race

package web_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/adapters/web"
	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/overview"
)

// staffed is an echo whose desk has pages about the whole program.
type staffed struct {
	*echo
	plans
	synced
	kit
	recall
	crowd
	stagehand

	unnamed atomic.Bool // places have no names now
	mu      sync.Mutex
	runs    []overview.Run // newest first
	waiting []site.Waiting
	rulings []bot.Ruling
	saved   []map[string]string // settings
	library []site.Document     // newest first
	found   []site.Probed
	texts   savedTexts // versions of the workflow "triage"
}

var (
	_ site.Runs      = (*staffed)(nil)
	_ site.Approvals = (*staffed)(nil)
	_ site.Documents = (*staffed)(nil)
	_ site.Settings  = (*staffed)(nil)
	_ site.Workflows = (*staffed)(nil)
	_ site.Usage     = (*staffed)(nil)
	_ site.Audit     = (*staffed)(nil)
	_ site.Health    = (*staffed)(nil)
	_ site.Exchanges = (*staffed)(nil)
	_ web.Explainer  = (*staffed)(nil)
)

// startStaffed serves a console with every page.
func startStaffed(t testing.TB, s *staffed, change ...func(*web.Config)) *console {
	t.Helper()
	s.echo = newEcho()
	return startDesk(t, s.echo, s, change...)
}

// ranAt is the start of the newest of manyRuns.
var ranAt = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// manyRuns makes runs of two agents, a second apart.
func manyRuns(n int) []overview.Run {
	out := make([]overview.Run, n)
	for i := range out {
		out[i] = overview.Run{
			ID: fmt.Sprintf("r%d", n-i), Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: fmt.Sprintf("C%d", i%3), ID: "1"},
			Title: fmt.Sprintf("Question %d: what about the travel policy?", n-i), Agent: []string{"chat", "orchestrator"}[i%2], User: "U1", Name: "alice",
			Status: []string{bot.RunDone, bot.RunDone, bot.RunWaiting, bot.RunFailed}[i%4], Started: ranAt.Add(-time.Duration(i) * time.Second),
			Worked: 1400 * time.Millisecond, Usage: bot.RunUsage{Calls: 2, Input: 12_345, Output: 67, Cost: 0.0123},
		}
	}
	return out
}

func (s *staffed) ListRuns(_ context.Context, _ bot.User, _ bot.Thread, q overview.RunQuery) ([]overview.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []overview.Run
	for _, r := range s.runs {
		before := q.Before.ID == "" || r.Started.Before(q.Before.Started)
		if before && (q.Agent == "" || r.Agent == q.Agent) && (q.Status == "" || r.Status == q.Status) &&
			(q.Channel == "" || r.Thread.Channel == q.Channel) && (q.User == "" || r.User == q.User) && len(out) < q.Limit {
			out = append(out, r)
		}
	}
	return out, nil
}

func (s *staffed) begin(r overview.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = slices.Insert(s.runs, 0, r)
}

// Trace returns that of the echo, whose last call has words.
func (s *staffed) Trace(ctx context.Context, by bot.User, run string) (bot.RunView, error) {
	v, err := s.echo.Trace(ctx, by, run)
	calls := 0
	for i, e := range v.Events {
		if e.Kind == "model_call" {
			calls++
			v.Events[i].Call = fmt.Sprintf("call%d", calls)
		}
	}
	return v, err
}

// Exchange returns the text of every call except the first, which is pruned.
func (s *staffed) Exchange(_ context.Context, _ bot.User, _ bot.Thread, _, call string) (site.Exchange, error) {
	if call != "call2" && call != "call3" {
		return site.Exchange{}, bot.ErrNotFound
	}
	out := site.Exchange{Purpose: "answer", Model: "gpt-4.1-mini", At: ranAt, Took: time.Second, Usage: bot.RunUsage{Input: 1840, Output: 62}, N: 1, Of: 2, After: "call3", Words: bot.RunExchange{
		Prompt: []bot.RunSpoken{{Role: "system", Text: "Answer from the passages.\n<b>Never</b> guess."}, {Role: "user", Text: "7년 다니면 연차는 며칠이야?"}, {Role: "tool", Name: "calculator", Text: "18"}},
		Tools:  []string{"calculator", "search_documents"}, Reply: bot.RunSpoken{Role: "assistant", Text: "연차는 18일이에요 [1]."},
	}}
	if call == "call3" {
		out.N, out.Before, out.After = 2, "call2", ""
	}
	return out, nil
}

func (s *staffed) Explain(_ context.Context, _ bot.User, run bot.RunView) (web.Explained, error) {
	if run.ID == "r8" { // another answer, without the passage
		return web.Explained{Answer: "It is **15 days**."}, nil
	}
	return web.Explained{
		Drawing: `<svg viewBox="0 0 200 80" role="img"><title>Chat</title><rect class="end been done" x="10" y="10" width="80" height="44"/><rect class="box" x="110" y="10" width="80" height="44"/><text class="name" x="50" y="36" text-anchor="middle">router</text></svg>`,
		Answer:  "It is **18 days** [1].", Read: map[string]string{"h#12": "no"}, Redo: []string{"Look up the policy", "Send the summary"},
	}, nil
}

// openQuestions returns a plan that the owner may decide, and a question that another person must answer.
func openQuestions() []site.Waiting {
	th := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	return []site.Waiting{
		{
			ID: "a1", Run: "r7", Digest: "3f9ac1d2e4b5a6978812", Thread: th, Title: "Trip to Jeju", Question: "Shall I carry out this plan?", Steps: []string{"Look up the travel policy", "Send the summary to #trips"},
			Asker: "alice", Others: []string{"@admins"}, Agreed: 1, Needs: 2, Created: ranAt, Expires: ranAt.Add(24 * time.Hour),
			Actions: []site.WaitingAction{
				{Verb: "accept", Label: "Carry out", Style: "primary"}, {Verb: "reject", Label: "Do not", Style: "danger"},
				{Verb: "edit", Label: "Change", Words: true, Inputs: []bot.Input{{ID: "steps", Label: "Steps", Long: true, Value: "1. Look up"}}},
			},
		},
		{ID: "a2", Run: "r8", Digest: "aa", Thread: th, Title: "Order chairs", Question: "Which colour?", Asker: "bob", Created: ranAt},
	}
}

func (s *staffed) Waiting(context.Context, bot.User, bot.Thread) ([]site.Waiting, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.waiting), nil
}

// Rule decides a question that is still open.
func (s *staffed) Rule(_ context.Context, r bot.Ruling) (bot.Ruled, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rulings = append(s.rulings, r)
	i := slices.IndexFunc(s.waiting, func(w site.Waiting) bool { return w.ID == r.Approval })
	if i < 0 {
		return bot.Ruled{Approval: r.Approval, State: bot.ApprovalDecided}, &bot.Error{Code: bot.CodeStale}
	}
	s.waiting = slices.Delete(s.waiting, i, i+1)
	return bot.Ruled{Approval: r.Approval, Run: r.Run, State: bot.ApprovalDecided}, nil
}

// manyDocuments makes documents of everybody and of two channels.
func manyDocuments(n int) []site.Document {
	out := make([]site.Document, n)
	for i := range out {
		scope := []string{bot.ScopePublic, "channel:slack/T1/C1", "channel:web/local/home"}[i%3]
		out[i] = site.Document{Scope: scope, DocumentInfo: bot.DocumentInfo{
			ID: fmt.Sprintf("doc%d", i), Title: fmt.Sprintf("Rule %d", i), Name: fmt.Sprintf("rule-%d.md", i), Passages: 12, Size: 4000, Added: ranAt,
			Tags: []string{[]string{"hr", "travel"}[i%2]}, Public: scope == bot.ScopePublic, Removable: true,
		}}
	}
	return out
}

func (s *staffed) AllDocuments(context.Context, bot.User, bot.Thread) ([]site.Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.library), nil
}

func (s *staffed) RemoveDocuments(_ context.Context, _ bot.User, _ bot.Thread, list []site.Chosen) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.library)
	s.library = slices.DeleteFunc(s.library, func(d site.Document) bool { return slices.Contains(list, site.Chosen{Scope: d.Scope, ID: d.ID}) })
	return before - len(s.library), nil
}

func (s *staffed) MoveDocuments(_ context.Context, _ bot.User, _ bot.Thread, list []site.Chosen, to string) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, d := range s.library {
		if slices.Contains(list, site.Chosen{Scope: d.Scope, ID: d.ID}) {
			s.library[i].Scope = to
			n++
		}
	}
	return n, nil
}

func (s *staffed) Probe(context.Context, bot.User, bot.Thread, string, string) ([]site.Probed, error) {
	return s.found, nil
}
