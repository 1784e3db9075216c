package catalog

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"maru/agent/workflow"
	"maru/phrase"
)

// Taken returns the problem of a file that would not serve because of its id. Outside the team's folder
// that is a warning: it may be tried there.
func (c Catalog) Taken(path, id string) workflow.Problems {
	var owner string
	inside := sameFolder(filepath.Dir(path), c.dir)
	if f := c.open(c.dir); inside && f != nil && f.Owner(id) < filepath.Base(path) { // a file behind it gives way to it
		owner = f.Owner(id)
	}
	taken := workflow.Taken(id, IDs(), owner)
	for i := range taken {
		taken[i].Warning = !inside
	}
	return taken
}

func sameFolder(a, b string) bool {
	one, err := filepath.Abs(a)
	other, wrong := filepath.Abs(b)
	return err == nil && wrong == nil && one == other
}

// UnknownTools warns of tools that no part of the program offers: a call of one fails
// when a run comes to it. known are the program's own. served reports whether a tool
// may be one of an MCP server: those are known only while the servers run.
func UnknownTools(d workflow.Definition, known []string, served func(tool string) bool) workflow.Problems {
	types, _, err := TeamTypes()
	if err != nil {
		return nil
	}
	var found workflow.Problems
	for i, n := range d.Nodes {
		names, _ := workflow.Tools([]workflow.Definition{{Nodes: []workflow.Node{n}}}, types)
		for _, name := range names {
			if slices.Contains(known, name) || served(name) {
				continue
			}
			hint := phrase.Of("definition.no_tool.do")
			if near := workflow.Nearest(name, known); len(near) > 0 {
				hint = phrase.Of("definition.did_you_mean", strings.Join(near, ", "))
			}
			found.Warn(workflow.StageResolve, fmt.Sprintf("/nodes/%d/config/tool", i), hint, "definition.no_tool", name)
		}
	}
	return found
}
