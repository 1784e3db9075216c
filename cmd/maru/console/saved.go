package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"maru/adapters/web/site"
	"maru/agent/catalog"
	"maru/agent/tool"
	"maru/agent/tool/builtin"
	"maru/agent/workflow"
	"maru/agent/workflow/complete"
	"maru/bot"
	"maru/bot/definition"
	"maru/phrase"
)

var _ site.WorkflowEditor = (*Desk)(nil)

// Saved returns the texts of the workflows that are saved in a record, by their catalog.SavedName.
func Saved(store definition.Store) func(context.Context) (map[string][]byte, error) {
	return func(ctx context.Context) (map[string][]byte, error) {
		list, err := store.Definitions(ctx)
		if err != nil {
			return nil, fmt.Errorf("list workflows: %w", err)
		}
		out := make(map[string][]byte, len(list))
		for _, v := range list {
			if !v.Removed() {
				out[catalog.SavedName(v.ID)] = []byte(v.Text)
			}
		}
		return out, nil
	}
}

// shelf is the definitions that there are now.
type shelf struct {
	catalog.Catalog

	saved  map[string]definition.Version // newest versions, removed ones included
	tools  map[string]json.RawMessage    // schemas of the arguments of tools that definitions may call, nil for unknown ones
	served []string                      // names of the MCP servers, which begin those of their tools
}

func (d *Desk) shelf(ctx context.Context) (shelf, error) {
	list, err := d.cfg.Record.Definitions(ctx)
	if err != nil {
		return shelf{}, fmt.Errorf("list workflows: %w", err)
	}
	s := shelf{saved: make(map[string]definition.Version, len(list))}
	texts := make(map[string][]byte, len(list))
	for _, v := range list {
		s.saved[v.ID] = v
		if !v.Removed() {
			texts[catalog.SavedName(v.ID)] = []byte(v.Text)
		}
	}
	s.Catalog = catalog.New(d.cfg.Workflows).With(texts)
	s.tools = builtin.Parameters(ctx)
	for _, t := range toolsOf(d) {
		s.tools[t.Name] = t.Parameters
	}
	rows, err := d.cfg.Record.ToolServers(ctx)
	if err != nil {
		return shelf{}, fmt.Errorf("list tool servers: %w", err)
	}
	for _, r := range rows {
		s.served = append(s.served, r.Name+"_")
	}
	if d.cfg.Toolbox != nil {
		for _, one := range d.cfg.Toolbox.Servers() {
			s.served = append(s.served, one.Name+"_")
		}
	}
	return s, nil
}

// toolsOf lists the tools that definitions may call.
func toolsOf(d *Desk) []tool.Spec {
	if d.cfg.Tools == nil {
		return nil
	}
	return d.cfg.Tools()
}

// misused warns of tools that nothing offers, and of arguments that a tool does not take, with their places in a text.
func (s shelf) misused(language string, def workflow.Definition, text string) (out []site.WorkflowProblem) {
	served := func(tool string) bool {
		return slices.ContainsFunc(s.served, func(prefix string) bool { return strings.HasPrefix(tool, prefix) })
	}
	for _, p := range catalog.UnknownTools(def, s.tools, served).Place([]byte(text)) {
		out = append(out, problems(language, workflow.Problems{p})...)
	}
	return out
}

// stamp adds to a workflow which version it is.
func (s shelf) stamp(w site.Workflow) site.Workflow {
	if v, ok := s.saved[w.ID]; ok {
		w.Saved, w.Newest = !v.Removed(), version(v)
	}
	return w
}

func version(v definition.Version) site.WorkflowVersion {
	return site.WorkflowVersion{N: v.N, By: v.By, At: v.At, Restores: v.Restores, Removed: v.Removed()}
}

// mostSaved bounds the workflows that are saved at once.
const mostSaved = 200

// SaveWorkflow implements site.WorkflowEditor.
func (d *Desk) SaveWorkflow(ctx context.Context, by bot.User, id string, base int64, text string) (site.SavedWorkflow, error) {
	if err := allowed(by); err != nil {
		return site.SavedWorkflow{}, err
	}
	s, err := d.shelf(ctx)
	if err != nil {
		return site.SavedWorkflow{}, err
	}
	out := site.SavedWorkflow{Workflow: s.check(by.Locale, id, text)}
	newest := s.saved[out.ID]
	if out.ID != id { // it is saved under another id, which nobody may have
		out.Problems = append(out.Problems, s.inUse(by.Locale, out.ID)...)
		base = newest.N
	}
	if len(s.saved) >= mostSaved && newest.N == 0 {
		out.Problems = append(out.Problems, site.WorkflowProblem{Where: "/", Message: phrase.Say(by.Locale, "definition.most_saved", mostSaved)})
	}
	if !out.Runs() {
		return out, nil
	}
	if newest.N > 0 && newest.Text == text { // a second click, or two people with one idea
		out.Saved, out.Newest = true, version(newest)
		return out, nil
	}
	return d.save(ctx, out, definition.Version{ID: out.ID, N: base + 1, Text: text, By: by.ID})
}

// save stores a version and makes this process serve it; other replicas notice it by themselves.
func (d *Desk) save(ctx context.Context, out site.SavedWorkflow, v definition.Version) (site.SavedWorkflow, error) {
	err := d.cfg.Record.SaveDefinition(ctx, v)
	if errors.Is(err, definition.ErrChanged) {
		list, err := d.cfg.Record.DefinitionVersions(ctx, v.ID, 1)
		if err != nil || len(list) == 0 {
			return out, errors.Join(fmt.Errorf("find the newer version of %s", v.ID), err)
		}
		out.Newer = version(list[0])
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("save workflow: %w", err)
	}
	out.Saved, out.Newest = true, version(v)
	if d.cfg.Changed != nil {
		d.cfg.Changed(ctx)
	}
	return out, nil
}

// check checks a text that is to be the team's own.
func (s shelf) check(language, id, text string) site.Workflow {
	id = cmp.Or(id, "workflow")
	def, wrong := catalog.Parse(id, []byte(text))
	w := shown(language, def)
	if w.Problems = problems(language, wrong); wrong != nil {
		return w
	}
	found := catalog.Found{Entry: catalog.Entry{Definition: def, Types: catalog.TeamTypes}, Find: s.Neighbours(), Path: catalog.SavedName(id), Text: []byte(text)}
	w.Problems = append(problems(language, found.Check()), problems(language, workflow.Taken(def.ID, catalog.IDs(), "").Err())...)
	w.Problems = append(w.Problems, s.misused(language, def, text)...)
	return w
}

// inUse tells that an id belongs to another workflow of the team.
func (s shelf) inUse(language, id string) []site.WorkflowProblem {
	taken := slices.ContainsFunc(s.Files(), func(f catalog.File) bool { return f.Definition.ID == id })
	if !taken {
		return nil
	}
	return []site.WorkflowProblem{{Where: "/id", Message: phrase.Say(language, "definition.in_use", id), Hint: phrase.Say(language, "definition.in_use.do")}}
}

// RestoreWorkflow implements site.WorkflowEditor.
func (d *Desk) RestoreWorkflow(ctx context.Context, by bot.User, id string, base, n int64) (site.SavedWorkflow, error) {
	if err := allowed(by); err != nil {
		return site.SavedWorkflow{}, err
	}
	old, err := d.cfg.Record.DefinitionVersion(ctx, id, n)
	if err != nil {
		return site.SavedWorkflow{}, fmt.Errorf("read version: %w", err)
	}
	s, err := d.shelf(ctx)
	if err != nil {
		return site.SavedWorkflow{}, err
	}
	out := site.SavedWorkflow{Workflow: site.Workflow{ID: id, Name: id}}
	if !old.Removed() { // what ran then may not run any more
		if out.Workflow = s.check(by.Locale, id, old.Text); !out.Runs() {
			return out, nil
		}
	}
	return d.save(ctx, out, definition.Version{ID: id, N: base + 1, Text: old.Text, By: by.ID, Restores: n})
}

// RemoveWorkflow implements site.WorkflowEditor.
func (d *Desk) RemoveWorkflow(ctx context.Context, by bot.User, id string, base int64) (site.SavedWorkflow, error) {
	if err := allowed(by); err != nil {
		return site.SavedWorkflow{}, err
	}
	return d.save(ctx, site.SavedWorkflow{Workflow: site.Workflow{ID: id, Name: id}}, definition.Version{ID: id, N: base + 1, By: by.ID})
}

// mostVersions bounds the versions that are listed: the newest.
const mostVersions = 200

// WorkflowVersions implements site.WorkflowEditor.
func (d *Desk) WorkflowVersions(ctx context.Context, by bot.User, id string) ([]site.WorkflowVersion, error) {
	if err := allowed(by); err != nil {
		return nil, err
	}
	list, err := d.cfg.Record.DefinitionVersions(ctx, id, mostVersions)
	if err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	if len(list) == 0 {
		return nil, bot.ErrNotFound
	}
	out := make([]site.WorkflowVersion, len(list))
	for i, v := range list {
		out[i] = version(v)
	}
	return out, nil
}

// WorkflowText implements site.WorkflowEditor.
func (d *Desk) WorkflowText(ctx context.Context, by bot.User, id string, n int64) (string, error) {
	if err := allowed(by); err != nil {
		return "", err
	}
	v, err := d.cfg.Record.DefinitionVersion(ctx, id, n)
	if err != nil {
		return "", fmt.Errorf("read version: %w", err)
	}
	return v.Text, nil
}

// CompleteWorkflow implements site.WorkflowEditor.
func (d *Desk) CompleteWorkflow(ctx context.Context, by bot.User, text string, at int) (site.Completion, error) {
	if err := allowed(by); err != nil {
		return site.Completion{}, err
	}
	s, err := d.shelf(ctx)
	if err != nil {
		return site.Completion{}, err
	}
	types, _, err := catalog.TeamTypes()
	if err != nil {
		return site.Completion{}, fmt.Errorf("node types: %w", err)
	}
	k := complete.Known{Types: types}
	for _, f := range s.Files() {
		if f.Err == nil {
			k.Workflows = append(k.Workflows, f.Definition.ID)
		}
	}
	for _, t := range toolsOf(d) {
		k.Tools = append(k.Tools, t.Name)
	}
	p, err := complete.At(text, at, k)
	if err != nil {
		return site.Completion{}, err
	}
	out := site.Completion{From: p.From, To: p.To}
	for _, one := range p.List {
		out.List = append(out.List, site.Proposal(one))
	}
	return out, nil
}

// replaces returns the name of the folder's file that a saved workflow takes precedence over, "" if there is none.
func (s shelf) replaces(dir, id string) string {
	if v, ok := s.saved[id]; !ok || v.Removed() {
		return ""
	}
	found, err := catalog.New(dir).Find(id)
	if err != nil || found.Path == "" || !strings.HasPrefix(found.Path, dir) {
		return ""
	}
	return filepath.Base(found.Path)
}

// definitionOf returns the definition that a run followed: the version that was the newest when it began, else what its
// agent has now.
func (d *Desk) definitionOf(ctx context.Context, run bot.RunView) (workflow.Definition, bool) {
	list, err := d.cfg.Record.DefinitionVersions(ctx, run.Agent, mostVersions)
	i := slices.IndexFunc(list, func(v definition.Version) bool { return !v.At.After(run.Started) })
	if err == nil && i >= 0 && !list[i].Removed() {
		v, err := d.cfg.Record.DefinitionVersion(ctx, run.Agent, list[i].N)
		if def, wrong := catalog.Parse(v.ID, []byte(v.Text)); err == nil && wrong == nil {
			return def, true
		}
	}
	s, err := d.shelf(ctx)
	if err != nil {
		return workflow.Definition{}, false
	}
	found, err := s.Find(run.Agent)
	return found.Definition, err == nil
}
