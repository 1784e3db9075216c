//go:build !race

package web_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
)

var _ site.WorkflowEditor = (*staffed)(nil)

// savedTexts are the versions of the one workflow that a fake desk keeps.
type savedTexts []struct{ text, by string }

// SaveWorkflow stores a valid text that follows the newest version.
func (s *staffed) SaveWorkflow(_ context.Context, by bot.User, _ string, base int64, text string) (site.SavedWorkflow, error) {
	out := site.SavedWorkflow{Workflow: definition(text)}
	if !out.Runs() {
		return out, nil
	}
	return s.store(out, by, base, text), nil
}

func (s *staffed) store(out site.SavedWorkflow, by bot.User, base int64, text string) site.SavedWorkflow {
	s.mu.Lock()
	defer s.mu.Unlock()
	if base != int64(len(s.texts)) {
		out.Newer = s.version(len(s.texts))
		return out
	}
	s.texts = append(s.texts, struct{ text, by string }{text, by.ID})
	out.Saved, out.Newest = true, s.version(len(s.texts))
	return out
}

func (s *staffed) version(n int) site.WorkflowVersion {
	return site.WorkflowVersion{N: int64(n), By: s.texts[n-1].by, At: ranAt.Add(time.Duration(n) * time.Hour), Removed: s.texts[n-1].text == ""}
}

func (s *staffed) RestoreWorkflow(ctx context.Context, by bot.User, id string, base, n int64) (site.SavedWorkflow, error) {
	text, err := s.WorkflowText(ctx, by, id, n)
	return s.store(site.SavedWorkflow{Workflow: definition(text)}, by, base, text), err
}

func (s *staffed) RemoveWorkflow(_ context.Context, by bot.User, _ string, base int64) (site.SavedWorkflow, error) {
	return s.store(site.SavedWorkflow{Workflow: definition("")}, by, base, ""), nil
}

func (s *staffed) WorkflowVersions(context.Context, bot.User, string) (out []site.WorkflowVersion, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := len(s.texts); n > 0; n-- {
		out = append(out, s.version(n))
	}
	if out == nil {
		err = bot.ErrNotFound
	}
	return out, err
}

func (s *staffed) WorkflowText(_ context.Context, _ bot.User, _ string, n int64) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < 1 || n > int64(len(s.texts)) {
		return "", bot.ErrNotFound
	}
	return s.texts[n-1].text, nil
}

// CompleteWorkflow proposes two types behind a quote.
func (s *staffed) CompleteWorkflow(_ context.Context, _ bot.User, text string, at int) (site.Completion, error) {
	from := strings.LastIndex(text[:at], `"`)
	if from < 0 {
		return site.Completion{}, nil
	}
	out := site.Completion{From: from, To: at}
	for _, name := range []string{"llm_call", "retrieve"} {
		if strings.HasPrefix(name, text[from+1:at]) {
			out.List = append(out.List, site.Proposal{Label: name, About: "A type of node", Text: `"` + name + `"`})
		}
	}
	return out, nil
}

func (s *staffed) TryWorkflow(_ context.Context, _ bot.User, text, message string) (site.Trial, error) {
	out := site.Trial{Workflow: definition(text), Took: time.Second, Usage: bot.RunUsage{Calls: 1, Input: 10, Output: 5}}
	if out.Runs() {
		out.Answer = "About **" + message + "**: [1]"
		out.Sources = []bot.Source{{N: 1, Title: "Handbook", Quote: "Leave is 15 days."}}
		out.Asks = []site.TrialAsk{{Node: "confirm", Question: "May I?"}}
	}
	return out, nil
}

// newest returns the text that serves.
func (s *staffed) newest() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.texts) == 0 {
		return ""
	}
	return slices.Clone(s.texts)[len(s.texts)-1].text
}
