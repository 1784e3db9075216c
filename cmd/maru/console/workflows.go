package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"maru/adapters/web/site"
	"maru/agent/catalog"
	"maru/agent/workflow"
	"maru/bot"
	"maru/phrase"
)

var _ site.Workflows = (*Desk)(nil)

// ListWorkflows implements site.Workflows: the built-in ones, then the team's.
func (d *Desk) ListWorkflows(ctx context.Context, by bot.User) ([]site.Workflow, error) {
	if err := allowed(by); err != nil {
		return nil, err
	}
	s, err := d.shelf(ctx)
	if err != nil {
		return nil, err
	}
	return s.list(by.Locale), nil
}

// list lists the workflows without their texts.
func (s shelf) list(language string) []site.Workflow {
	var out []site.Workflow
	for _, b := range catalog.Builtin() {
		w := shown(language, b.Definition)
		w.Description = described(language, w)
		out = append(out, w)
	}
	for _, f := range s.Files() {
		w := s.stamp(shown(language, f.Definition))
		w.Own = true
		if f.Err != nil {
			w.Problems = problems(language, f.Err)
		}
		out = append(out, w)
	}
	return out
}

// described describes a built-in agent in the reader's language. Definitions have their own text in one language; in another one
// it is the text by which settings offer the agent.
func described(language string, w site.Workflow) string {
	if text, ok := strings.CutPrefix(phrase.Say(language, "setting.agent."+w.ID), w.ID+": "); ok && language != phrase.Fallback {
		return text
	}
	return w.Description
}

// Workflow implements site.Workflows.
func (d *Desk) Workflow(ctx context.Context, by bot.User, id string) (site.Workflow, error) {
	if err := allowed(by); err != nil {
		return site.Workflow{}, err
	}
	s, err := d.shelf(ctx)
	if err != nil {
		return site.Workflow{}, err
	}
	for _, w := range s.list(by.Locale) {
		if w.ID != id { // a path of this machine is not a source
			continue
		}
		found, err := s.Find(id)
		var wrong workflow.Problems
		if err != nil && !errors.As(err, &wrong) {
			return site.Workflow{}, fmt.Errorf("find workflow: %w", err)
		}
		w.Problems, w.Replaces = problems(by.Locale, found.Check().Stored()), s.replaces(d.cfg.Workflows, id)
		if w.Text = string(found.Text); w.Text == "" {
			text, err := json.MarshalIndent(found.Definition, "", "  ")
			if err != nil {
				return site.Workflow{}, fmt.Errorf("encode workflow: %w", err)
			}
			w.Text = string(text)
		}
		if w.Own {
			w.Problems = append(w.Problems, s.misused(by.Locale, found.Definition, w.Text)...)
		}
		return w, nil
	}
	return site.Workflow{}, bot.ErrNotFound
}

// CheckWorkflow implements site.Workflows. A built-in definition is checked with the types of its agent.
func (d *Desk) CheckWorkflow(ctx context.Context, by bot.User, text string) (site.Workflow, error) {
	if err := allowed(by); err != nil {
		return site.Workflow{}, err
	}
	s, err := d.shelf(ctx)
	if err != nil {
		return site.Workflow{}, err
	}
	def, wrong := workflow.Parse([]byte(text))
	if wrong == nil {
		for _, b := range catalog.Builtin() {
			if b.ID == def.ID {
				w := shown(by.Locale, def)
				w.Problems = problems(by.Locale, catalog.Found{Entry: catalog.Entry{Definition: def, Types: b.Types}}.Check())
				return w, nil
			}
		}
	}
	w := s.check(by.Locale, "", text)
	w.Name = cmp.Or(w.Name, w.ID, "workflow.json")
	return w, nil
}

// shown describes a definition to readers of a language.
func shown(language string, d workflow.Definition) site.Workflow {
	return site.Workflow{
		ID: d.ID, Name: cmp.Or(d.Name, d.ID), Description: d.Description, Version: d.Version, Nodes: len(d.Nodes), Drawing: workflow.Inline(catalog.Labelled(d, language), workflow.Marks{}),
	}
}

// problems returns the problems in an error in a language, or the error as one.
func problems(language string, err error) []site.WorkflowProblem {
	var list workflow.Problems
	if err == nil {
		return nil
	}
	if !errors.As(err, &list) {
		return []site.WorkflowProblem{{Where: "/", Message: err.Error()}}
	}
	var out []site.WorkflowProblem
	for _, p := range list {
		one := site.WorkflowProblem{Where: p.Where(language), Warning: p.Warning}
		one.Message, one.Hint = p.Said(language)
		if p.Line > 0 {
			one.Where += fmt.Sprintf(" %d:%d", p.Line, p.Column)
		}
		out = append(out, one)
	}
	return out
}
