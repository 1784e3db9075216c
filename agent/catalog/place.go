package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
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
// when a run comes to it. It also warns of arguments that a tool does not take, and of missing ones. known are the
// program's own, with the JSON Schemas of their arguments, nil for an unknown one. served reports whether a tool may be
// one of an MCP server: those are known only while the servers run.
func UnknownTools(d workflow.Definition, known map[string]json.RawMessage, served func(tool string) bool) workflow.Problems {
	types, _, err := TeamTypes()
	if err != nil {
		return nil
	}
	var found workflow.Problems
	for i, n := range d.Nodes {
		names, _ := workflow.Tools([]workflow.Definition{{Nodes: []workflow.Node{n}}}, types)
		for _, name := range names {
			if parameters, ok := known[name]; ok || served(name) {
				arguments(&found, fmt.Sprintf("/nodes/%d/config", i), n.Config, parameters)
				continue
			}
			hint := phrase.Of("definition.no_tool.do")
			if near := workflow.Nearest(name, slices.Sorted(maps.Keys(known))); len(near) > 0 {
				hint = phrase.Of("definition.did_you_mean", strings.Join(near, ", "))
			}
			found.Warn(workflow.StageResolve, fmt.Sprintf("/nodes/%d/config/tool", i), hint, "definition.no_tool", name)
		}
	}
	return found
}

// pointerEscape escapes a name in a JSON pointer.
var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// arguments warns of the names in a call's arguments that the tool does not take, and of those it needs. at is the place
// of the node's config.
func arguments(found *workflow.Problems, at string, config, parameters json.RawMessage) {
	var takes struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	var call struct {
		Arguments map[string]json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(parameters, &takes) != nil || json.Unmarshal(config, &call) != nil {
		return
	}
	taken := slices.Sorted(maps.Keys(takes.Properties))
	for _, name := range slices.Sorted(maps.Keys(call.Arguments)) {
		if slices.Contains(taken, name) {
			continue
		}
		hint := phrase.Of("definition.takes_nothing")
		if len(taken) > 0 {
			hint = phrase.Of("definition.takes", strings.Join(taken, ", "))
		}
		if near := workflow.Nearest(name, taken); len(near) > 0 {
			hint = phrase.Of("definition.did_you_mean", strings.Join(near, ", "))
		}
		found.Warn(workflow.StageResolve, at+"/arguments/"+pointerEscape.Replace(name), hint, "definition.no_argument")
	}
	for _, name := range takes.Required {
		if _, given := call.Arguments[name]; !given {
			found.Warn(workflow.StageResolve, at, phrase.Of("definition.lacks.do"), "definition.lacks_argument", name)
		}
	}
}
