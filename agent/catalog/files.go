package catalog

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"maru/agent/workflow"
)

// File is a file of the team's folder, or a saved definition.
type File struct {
	Path       string // [isSaved] tells a saved definition
	Definition workflow.Definition
	Err        error // why it cannot serve
}

// Files reads and checks the saved definitions and the files of the team's folder. A file that a saved definition goes
// before is not listed.
func (c Catalog) Files() []File {
	var out []File
	paths := definitionFiles(c.dir)
	if len(paths)+len(c.saved) == 0 {
		return nil
	}
	faults := map[string]error{}
	if folder := c.open(c.dir); folder != nil {
		faults = folder.Faults()
	}
	for _, name := range slices.Sorted(maps.Keys(c.saved)) {
		f := File{Path: name, Err: faults[name]}
		f.Definition, _ = Parse(strings.TrimSuffix(filepath.Base(name), ".json"), c.saved[name]) // its fault is among those of the folder
		out = append(out, f)
	}
	for _, path := range paths {
		f := File{Path: path}
		f.Err = faults[filepath.Base(path)]
		if f.Definition, _, _ = workflow.ReadFile(path); f.Definition.ID == "" && f.Err == nil { // gone in between
			continue
		}
		if _, replaced := c.saved[SavedName(f.Definition.ID)]; replaced && f.Err == nil {
			continue
		}
		out = append(out, f)
	}
	return out
}

// open checks the definitions of a folder; nil for one that cannot be read.
func (c Catalog) open(dir string) *workflow.Folder[struct{}] {
	types, schema, err := TeamTypes()
	if err != nil {
		return nil
	}
	f, err := workflow.OpenFolder(workflow.FolderConfig[struct{}]{
		Dir: dir, Reserved: IDs(), Saved: func(context.Context) (map[string][]byte, error) { return c.saved, nil },
		Build: func(d workflow.Definition, find workflow.Find) (struct{}, error) {
			return struct{}{}, workflow.Check(d, types, schema, find).Stored().Err()
		},
	})
	if err != nil {
		return nil
	}
	return f
}

// AgentIDs lists the agents that a channel may be given: the built-in ones and those
// of the team's folder. A file that cannot serve may define any, chosen included: a
// program that runs goes on when a file breaks, so one that starts does not refuse
// to, and serves the agent once the file is mended.
func (c Catalog) AgentIDs(chosen string) []string {
	ids := IDs()
	for _, f := range c.Files() {
		if f.Err != nil {
			f.Definition.ID = chosen
		}
		ids = append(ids, f.Definition.ID)
	}
	return ids
}

// neighbours maps the ids of a folder's workflows to their definitions: one in it may run those. Where no file
// of an id compiles the first that can be read stands for it, so that the fault is named.
func (c Catalog) neighbours(dir string) workflow.Find {
	folder := sync.OnceValue(func() *workflow.Folder[struct{}] { return c.open(dir) })
	return func(id string) (workflow.Definition, bool) {
		if f := folder(); f != nil {
			if d, ok := f.Definition(id); ok {
				return d, true
			}
		}
		path, ok := c.inFolder(dir, id)
		if !ok {
			return workflow.Definition{}, false
		}
		d, _, err := workflow.ReadFile(path)
		return d, err == nil
	}
}

// inFolder returns the file of a folder that defines the workflow of an id: the one that serves it, else the
// first that can be read.
func (c Catalog) inFolder(dir, id string) (path string, ok bool) {
	if f := c.open(dir); f != nil && f.Owner(id) != "" && !isSaved(f.Owner(id)) {
		return filepath.Join(dir, f.Owner(id)), true
	}
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
