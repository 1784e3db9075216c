package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
)

// maxOffered bounds the tools that one prompt describes.
const maxOffered = 12

// said is one reply of the model in words or calls, as it is recorded.
type said struct {
	Text   string         `json:"text"`
	Calls  []llm.ToolCall `json:"calls,omitempty"`
	Failed string         `json:"failed,omitempty"` // class of a failure that the run does without
	Usage  llm.Usage      `json:"usage,omitzero"`
}

// say asks the model once under this name in this visit. give takes the pieces
// of the reply, nil for none; those of a reply that turns out to call tools are
// taken back.
func (k kit) say(ctx context.Context, x *workflow.Exec, name string, req llm.Request, give func(string)) (said, error) {
	return graph.Once(ctx, name, func(ctx context.Context, _ string) (said, error) {
		given := false
		var take func(string)
		if give != nil {
			take = func(piece string) {
				given = true
				give(piece)
			}
		}
		resp, _, err := x.ResilientInvoke(ctx, req, take)
		out := said{Usage: resp.Usage}
		if err != nil {
			if ctx.Err() == nil && (workflow.Soft(err) || llm.ClassOf(err) == llm.BadRequest) {
				out.Failed, err = string(llm.ClassOf(err)), nil
			}
			return out, err
		}
		out.Text = strings.TrimSpace(resp.Message.Content)
		for i, c := range resp.Message.ToolCalls {
			c.ID = fmt.Sprintf("call_%s_%d", strings.ReplaceAll(name, "/", "_"), i) // endpoints number calls anew in every reply
			if len(c.Arguments) == 0 {
				c.Arguments = json.RawMessage("{}")
			}
			out.Calls = append(out.Calls, c)
		}
		if given && len(out.Calls) > 0 { // thinking aloud is not the answer
			x.Emit(agent.Event{Kind: agent.EventReset})
		}
		return out, nil
	})
}

// offered describes tools to the model.
func offered(x *workflow.Exec, specs []tool.Spec) []llm.Tool {
	if x.Tools == nil || len(specs) == 0 {
		return nil
	}
	names := make(map[string]bool, len(specs))
	for _, s := range specs {
		names[s.Name] = true
	}
	return x.Tools.OfferIf(func(s tool.Spec) bool { return names[s.Name] })
}
