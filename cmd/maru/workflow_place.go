package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"maru/agent/tool/builtin"
	"maru/agent/workflow"
	"maru/config"
)

// standardIDs lists the ids of the built-in agents.
func standardIDs() []string {
	var ids []string
	for _, d := range standards() {
		ids = append(ids, d.ID)
	}
	return ids
}

// idTaken tells that a file would not serve because of its id. Outside the team's folder
// that is a warning: it may be tried there.
func idTaken(cfg config.Config, path, id string) workflow.Problems {
	var owner string
	inside := sameFolder(filepath.Dir(path), workflowDir(cfg.Store))
	if inside {
		for _, other := range definitionFiles(filepath.Dir(path)) {
			if filepath.Base(other) == filepath.Base(path) {
				break
			}
			if d, _, err := workflow.ReadFile(other); err == nil && d.ID == id {
				owner = filepath.Base(other)
				break
			}
		}
	}
	taken := workflow.Taken(id, standardIDs(), owner)
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

// unknownTools warns of tools that no part of this program offers: a call of one fails when a
// run comes to it. Those of MCP servers are known only while these run.
func unknownTools(ctx context.Context, cfg config.Config, d workflow.Definition) workflow.Problems {
	types, _, err := teamTypes()
	if err != nil {
		return nil
	}
	known := builtin.Names(ctx)
	var found workflow.Problems
	for i, n := range d.Nodes {
		names, _ := workflow.Tools([]workflow.Definition{{Nodes: []workflow.Node{n}}}, types)
		for _, name := range names {
			if slices.Contains(known, name) || ofServer(cfg, name) {
				continue
			}
			hint := "`maru doctor` lists the tools; those of an MCP server begin with its name"
			if near := workflow.Nearest(name, known); len(near) > 0 {
				hint = "did you mean " + strings.Join(near, " or ") + "?"
			}
			found = append(found, workflow.Problem{
				Pointer: fmt.Sprintf("/nodes/%d/config/tool", i), Message: fmt.Sprintf("no tool has the name %q", name), Hint: hint,
				Stage: workflow.StageResolve, Warning: true,
			})
		}
	}
	return found
}

// ofServer reports whether a tool may be one of a configured MCP server.
func ofServer(cfg config.Config, tool string) bool {
	return slices.ContainsFunc(cfg.Tools.MCP, func(s config.MCPServer) bool { return strings.HasPrefix(tool, s.Name+"_") })
}
