package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"maru/adapters/web/site"
	"maru/agent/catalog"
	"maru/agent/workflow"
	"maru/bot"
)

var _ site.Workflows = (*Desk)(nil)

// ListWorkflows implements site.Workflows: the built-in ones, then the team's.
func (d *Desk) ListWorkflows(_ context.Context, by bot.User) ([]site.Workflow, error) {
	if err := allowed(by); err != nil {
		return nil, err
	}
	var out []site.Workflow
	for _, b := range catalog.Builtin() {
		out = append(out, shown(b.Definition))
	}
	for _, f := range catalog.New(d.cfg.Workflows).Files() {
		w := shown(f.Definition)
		w.Own = true
		if f.Err != nil {
			w.Problems = problems(f.Err)
		}
		out = append(out, w)
	}
	return out, nil
}

// Workflow implements site.Workflows.
func (d *Desk) Workflow(ctx context.Context, by bot.User, id string) (site.Workflow, error) {
	list, err := d.ListWorkflows(ctx, by)
	if err != nil {
		return site.Workflow{}, err
	}
	for _, w := range list {
		if w.ID != id { // a path of this machine is none
			continue
		}
		found, err := catalog.New(d.cfg.Workflows).Find(id)
		var wrong workflow.Problems
		if err != nil && !errors.As(err, &wrong) {
			return site.Workflow{}, fmt.Errorf("find workflow: %w", err)
		}
		w.Problems = problems(found.Check())
		if w.Text = string(found.Text); w.Text == "" {
			text, err := json.MarshalIndent(found.Definition, "", "  ")
			if err != nil {
				return site.Workflow{}, fmt.Errorf("encode workflow: %w", err)
			}
			w.Text = string(text)
		}
		return w, nil
	}
	return site.Workflow{}, bot.ErrNotFound
}

// CheckWorkflow implements site.Workflows. A built-in definition is checked with the types of its agent.
func (d *Desk) CheckWorkflow(_ context.Context, by bot.User, text string) (site.Workflow, error) {
	if err := allowed(by); err != nil {
		return site.Workflow{}, err
	}
	def, wrong := workflow.Parse([]byte(text))
	found := catalog.Found{Entry: catalog.Entry{Definition: def, Types: catalog.TeamTypes}, Path: "workflow.json", Text: []byte(text)}
	for _, b := range catalog.Builtin() {
		if b.ID == def.ID {
			found.Types, found.Text = b.Types, nil
		}
	}
	w := shown(def)
	w.Name = cmp.Or(w.Name, w.ID, "workflow.json")
	if w.Problems = problems(wrong); wrong == nil {
		w.Problems = problems(found.Check())
	}
	return w, nil
}

// shown describes a definition.
func shown(d workflow.Definition) site.Workflow {
	return site.Workflow{
		ID: d.ID, Name: cmp.Or(d.Name, d.ID), Description: d.Description, Version: d.Version, Nodes: len(d.Nodes), Drawing: workflow.Inline(d, workflow.Marks{}),
	}
}

// problems are the problems in an error, or the error as one.
func problems(err error) []site.WorkflowProblem {
	var list workflow.Problems
	if err == nil {
		return nil
	}
	if !errors.As(err, &list) {
		return []site.WorkflowProblem{{Where: "/", Message: err.Error()}}
	}
	var out []site.WorkflowProblem
	for _, p := range list {
		one := site.WorkflowProblem{Where: cmp.Or(p.Pointer, "/"), Message: p.Message, Hint: p.Hint, Warning: p.Warning}
		if p.Line > 0 {
			one.Where += fmt.Sprintf(" %d:%d", p.Line, p.Column)
		}
		out = append(out, one)
	}
	return out
}
