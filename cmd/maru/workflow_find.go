package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"maru/agent/autonomous"
	"maru/agent/chat"
	"maru/agent/contract"
	"maru/agent/graph"
	"maru/agent/guide"
	"maru/agent/orchestrator"
	"maru/agent/workflow"
	"maru/config"
)

// standard is the workflow of a built-in agent, with what it is written with.
type standard struct {
	workflow.Definition

	types func() (*workflow.Registry, *graph.Schema, error)
}

// standards returns the built-in agents, the simplest first.
func standards() []standard {
	list := []struct {
		definition func() (workflow.Definition, error)
		types      func() (*workflow.Registry, *graph.Schema, error)
	}{
		{chat.Definition, func() (*workflow.Registry, *graph.Schema, error) { return chat.Types(), nil, nil }},
		{autonomous.Definition, teamTypes},
		{contract.Definition, contract.Types},
		{guide.Definition, guide.Types},
		{orchestrator.Definition, func() (*workflow.Registry, *graph.Schema, error) {
			types, schema := orchestrator.Types()
			return types, schema, nil
		}},
	}
	out := make([]standard, len(list))
	for i, one := range list {
		d, err := one.definition()
		if err != nil {
			panic(err) // a built-in definition that does not parse is a broken build
		}
		out[i] = standard{d, one.types}
	}
	return out
}

// teamTypes is what a team's definitions are written with.
func teamTypes() (*workflow.Registry, *graph.Schema, error) {
	types, schema := autonomous.Types()
	return types, schema, nil
}

// found is a definition that a subcommand was asked about.
type found struct {
	standard

	name string        // as it was asked for
	find workflow.Find // what it may run; nil: nothing
	own  bool          // it is a team's, not built in
	path string        // of its file, "" where it has none
	text []byte        // of that
}

// findWorkflow returns the definition of a built-in agent by its id, of a file by
// its path, or of the team's folder by its id. Where the text of a file is at fault
// the error is workflow.Problems, and what was found comes with it.
func findWorkflow(cfg config.Config, name string) (found, error) {
	all := standards()
	if i := slices.IndexFunc(all, func(b standard) bool { return b.ID == name }); i >= 0 {
		return found{standard: all[i], name: name}, nil
	}
	path, dir := name, filepath.Dir(name)
	d, text, err := workflow.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		dir = workflowDir(cfg.Store)
		var ok bool
		if path, ok = inFolder(dir, name); !ok {
			return found{}, fmt.Errorf("%q is neither an agent nor a file; `maru workflow list` shows the agents, those in %s included", name, dir)
		}
		d, text, err = workflow.ReadFile(path)
	}
	return found{standard{d, teamTypes}, name, neighbours(dir), true, path, text}, err
}

// check returns every problem of the definition.
func (f found) check() workflow.Problems {
	types, schema, err := f.types()
	if err != nil {
		return workflow.Problems{{Message: err.Error()}}
	}
	if f.text != nil {
		return workflow.CheckText(f.text, types, schema, f.find)
	}
	if schema == nil { // chat has channels that only it knows
		return workflow.Validate(f.Definition, types)
	}
	return workflow.Check(f.Definition, types, schema, f.find)
}

// neighbours finds the workflows of a folder by their ids: those are what a
// definition in it may run.
func neighbours(dir string) workflow.Find {
	return func(id string) (workflow.Definition, bool) {
		if path, ok := inFolder(dir, id); ok {
			d, _, err := workflow.ReadFile(path)
			return d, err == nil
		}
		return workflow.Definition{}, false
	}
}

// inFolder returns the file of a folder that defines the workflow of an id.
func inFolder(dir, id string) (path string, ok bool) {
	for _, path := range definitionFiles(dir) {
		if d, _, err := workflow.ReadFile(path); err == nil && d.ID == id {
			return path, true
		}
	}
	return "", false
}

// definitionFiles lists the files of a folder that may be definitions.
func definitionFiles(dir string) []string {
	entries, _ := os.ReadDir(dir) // a folder that cannot be read holds none
	var out []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".json" && e.Name()[0] != '.' && !e.IsDir() {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}
