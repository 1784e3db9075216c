// Package catalog knows every workflow definition that the program may run: those
// of the built-in agents and those of the team's folder. It finds and checks them
// without running any. It must not know models, tools or settings.
package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"maru/agent/autonomous"
	"maru/agent/chat"
	"maru/agent/contract"
	"maru/agent/graph"
	"maru/agent/guide"
	"maru/agent/orchestrator"
	"maru/agent/workflow"
)

// Entry is a definition with the node types and state channels that it is written
// with.
type Entry struct {
	workflow.Definition

	Types func() (*workflow.Registry, *graph.Schema, error)
}

// Builtin returns the definitions of the built-in agents, the simplest first.
func Builtin() []Entry {
	list := []struct {
		definition func() (workflow.Definition, error)
		types      func() (*workflow.Registry, *graph.Schema, error)
	}{
		{chat.Definition, func() (*workflow.Registry, *graph.Schema, error) { return chat.Types(), nil, nil }},
		{autonomous.Definition, TeamTypes},
		{contract.Definition, contract.Types},
		{guide.Definition, guide.Types},
		{orchestrator.Definition, func() (*workflow.Registry, *graph.Schema, error) {
			types, schema := orchestrator.Types()
			return types, schema, nil
		}},
	}
	out := make([]Entry, len(list))
	for i, one := range list {
		d, err := one.definition()
		if err != nil {
			panic(err) // a built-in definition that does not parse is a broken build
		}
		out[i] = Entry{d, one.types}
	}
	return out
}

// IDs lists the ids of the built-in agents.
func IDs() []string {
	return []string{chat.Name, autonomous.Name, contract.Name, guide.Name, orchestrator.Name}
}

// TeamTypes returns the step registry of team definitions.
func TeamTypes() (*workflow.Registry, *graph.Schema, error) {
	types, schema := autonomous.Types()
	return types, schema, nil
}

// Catalog is the built-in agents, a team's folder of definitions, and those that were saved in the console.
type Catalog struct {
	dir   string
	saved map[string][]byte // by [SavedName]
}

// New returns the catalog with the team's folder dir. It reads nothing yet.
func New(dir string) Catalog { return Catalog{dir: dir} }

// SavedName returns the name of a definition that was saved in the console, where others have the path of their file.
func SavedName(id string) string { return savedDir + id + ".json" }

// savedDir is the folder in the name of a saved definition.
const savedDir = "saved/"

// isSaved reports whether a name is one of [SavedName].
func isSaved(name string) bool { return strings.HasPrefix(name, savedDir) }

// Parse reads a definition that was saved or is to be: an id that it lacks is that of its page, as with a file and its
// name.
func Parse(id string, text []byte) (workflow.Definition, error) {
	d, err := workflow.Parse(text)
	d.ID = cmp.Or(d.ID, id)
	d.Name, d.Version = cmp.Or(d.Name, d.ID), cmp.Or(d.Version, "1")
	return d, err
}

// With returns the catalog with definitions that were saved in the console, by their [SavedName]. Each goes before a file
// of its id.
func (c Catalog) With(saved map[string][]byte) Catalog {
	c.saved = saved
	return c
}

// Found is a loaded definition.
type Found struct {
	Entry

	Find workflow.Find // agents that it may run; nil: none
	Own  bool          // it is a team's, not built in
	Path string        // of its file, "" where it has none
	Text []byte        // of that
}

// Find returns the definition of a built-in agent by its id, a saved one by its id, that of a file by its path, or one of
// the team's folder by its id. An invalid file returns workflow.Problems together with the definition.
func (c Catalog) Find(name string) (Found, error) {
	all := Builtin()
	if i := slices.IndexFunc(all, func(b Entry) bool { return b.ID == name }); i >= 0 {
		return Found{Entry: all[i]}, nil
	}
	if text, ok := c.saved[SavedName(name)]; ok {
		path := SavedName(name)
		d, err := Parse(name, text)
		return Found{Entry{d, TeamTypes}, c.neighbours(c.dir), true, path, text}, err
	}
	path, dir := name, filepath.Dir(name)
	d, text, err := workflow.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		dir = c.dir
		var ok bool
		if path, ok = c.inFolder(dir, name); !ok {
			return Found{}, fmt.Errorf("%q is neither an agent nor a file; `maru workflow list` shows the agents, those in %s included", name, dir)
		}
		d, text, err = workflow.ReadFile(path)
	}
	return Found{Entry{d, TeamTypes}, c.neighbours(dir), true, path, text}, err
}

// Neighbours maps the ids of the team's workflows to their definitions, for one that runs some of them.
func (c Catalog) Neighbours() workflow.Find { return c.neighbours(c.dir) }

// Check returns every problem of the definition.
func (f Found) Check() workflow.Problems {
	types, schema, err := f.Types()
	if err != nil {
		return workflow.Problems{{Message: err.Error()}}
	}
	if f.Text != nil {
		return workflow.CheckFile(f.Path, f.Text, types, schema, f.Find)
	}
	if schema == nil { // chat has channels that only it knows
		return workflow.Validate(f.Definition, types)
	}
	return workflow.Check(f.Definition, types, schema, f.Find)
}
