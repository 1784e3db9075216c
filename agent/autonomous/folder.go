package autonomous

import (
	"context"

	"maru/agent"
	"maru/agent/workflow"
)

// Folder serves a team's workflows from files and reloads changed ones. It is an agent.Roster: the
// Runner finds its agents by id.
type Folder struct{ *workflow.Folder[*Agent] }

var _ agent.Roster = (*Folder)(nil)

// Open reads a folder of definitions and those that saved returns, by id; saved may be nil. reserved are the names of
// built-in agents. Broken files are logged and listed by Faults; they are not an error. Watch reloads changed files.
func Open(cfg Config, dir string, saved func(context.Context) (map[string][]byte, error), reserved ...string) (*Folder, error) {
	f, err := workflow.OpenFolder(workflow.FolderConfig[*Agent]{
		Dir: dir, Reserved: reserved, Saved: saved, Log: cfg.Log,
		Build: func(d workflow.Definition, find workflow.Find) (*Agent, error) {
			a, err := NewTeam(cfg, d, find)
			if err == nil && cfg.Log != nil {
				for _, p := range a.Warnings() {
					cfg.Log.Warn("workflow warning", "workflow", d.ID, "version", d.Version, "what", p.String())
				}
			}
			return a, err
		},
	})
	if err != nil {
		return nil, err
	}
	return &Folder{f}, nil
}

// Lookup implements agent.Roster. A running thread keeps the agent it started with.
func (f *Folder) Lookup(name string) (agent.Agent, bool) {
	a, ok := f.Get(name)
	if !ok {
		return nil, false
	}
	return a, true
}

// Names implements agent.Roster.
func (f *Folder) Names() []string { return f.IDs() }
