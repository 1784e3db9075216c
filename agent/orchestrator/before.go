package orchestrator

import (
	"context"
	"maps"

	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory"
	"maru/phrase/fit"
)

// saidLong bounds a message of the conversation in prompts about a part of a task, in letters.
const saidLong = 1000

// before is what prompts about a part of a task are told of the thread: its messages
// before the task, since "that" and "the other one" mean what they say, and what was
// said long ago. more is what else the prompt says.
func (k kit) before(ctx context.Context, s graph.State, x *workflow.Exec, more map[string]any) map[string]any {
	shown := k.shown(s)
	said := append([]memory.Message(nil), host.Earlier(x.Request, shown)...)
	for i := range said {
		said[i].Text = fit.Clip(said[i].Text, saidLong)
	}
	data := map[string]any{"Said": memory.Transcript(said), "Earlier": host.LongAgo(ctx, x, k.cfg.Log, shown)}
	maps.Copy(data, more)
	return data
}
