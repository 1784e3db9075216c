package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"maru/agent/llm"
	"maru/agent/tool"
	"maru/memory"
	"maru/phrase/fit"
)

// findTools is the agent's own tool to search for tools if not all fit in a prompt. Tools found are offered for
// the rest of the turn.
const findTools = "find_tools"

var findToolsSpec = llm.Tool{
	Name:        findTools,
	Description: "Finds more tools than those that are offered here, by what is to be done. What it finds can be called after it.",
	Parameters:  json.RawMessage(`{"type":"object","properties":{"task":{"type":"string","description":"what is to be done, in a few words"}},"required":["task"],"additionalProperties":false}`),
}

// maxFound limits the tools that one search returns.
const maxFound = 8

// soughtTools returns the tasks for which a run has searched tools, newest first.
func soughtTools(messages []memory.Message, run string) []string {
	var out []string
	for _, m := range messages {
		if !strings.HasPrefix(m.ID, run+"/") {
			continue
		}
		for _, c := range m.Calls {
			if task := soughtTask(c); task != "" {
				out = append([]string{task}, out...)
			}
		}
	}
	return out
}

func soughtTask(c memory.Call) string {
	var args struct {
		Task string `json:"task"`
	}
	if c.Name != findTools || json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return ""
	}
	return strings.TrimSpace(args.Task)
}

// foundTools returns the result of a search: descriptions of the tools offered next.
func (r *round) foundTools(ctx context.Context, c memory.Call) string {
	task := soughtTask(c)
	if task == "" {
		return failedCall + "bad_argument): find_tools wants a task, in a few words."
	}
	var out strings.Builder
	for _, t := range r.cfg.Finder.Narrow(ctx, []string{task}, allowed(r.x), tool.Room{Most: maxFound, Bytes: tool.RoomBeside.Bytes}) {
		fmt.Fprintf(&out, "- %s: %s\n", t.Name, fit.Clip(fit.OneLine(t.Description), 200))
	}
	return "These can be called now, if they fit:\n" + out.String()
}
