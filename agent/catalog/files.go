package catalog

import (
	"os"
	"path/filepath"

	"maru/agent/workflow"
)

// File is a file of the team's folder.
type File struct {
	Path       string
	Definition workflow.Definition
	Err        error // why it cannot serve
}

// Files reads and checks the files of the team's folder.
func (c Catalog) Files() []File {
	var out []File
	owner := map[string]string{}
	for _, path := range definitionFiles(c.dir) {
		f := File{Path: path}
		var text []byte
		f.Definition, text, f.Err = workflow.ReadFile(path)
		if f.Err == nil {
			f.Err = workflow.Taken(f.Definition.ID, IDs(), owner[f.Definition.ID]).Err()
		}
		if f.Err == nil {
			owner[f.Definition.ID] = filepath.Base(path)
			f.Err = Found{Entry: Entry{f.Definition, TeamTypes}, Find: neighbours(c.dir), Text: text}.Check().Err()
		}
		out = append(out, f)
	}
	return out
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

// neighbours maps the ids of a folder's workflows to their files: a definition in it may run those.
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
