package host

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
)

// Reply is a reply in words, or a wish to call tools, as it is recorded.
type Reply struct {
	Text     string            `json:"text"`
	Calls    []llm.ToolCall    `json:"calls,omitempty"`
	Failed   string            `json:"failed,omitempty"` // class of a soft failure
	Switches []workflow.Switch `json:"switches,omitempty"`
	Usage    llm.Usage         `json:"usage,omitzero"`
	Origin   string            `json:"origin,omitempty"` // as the [llm.Message] has it
	Extra    json.RawMessage   `json:"extra,omitempty"`
}

// Message returns the reply as a message of the prompts that follow.
func (r Reply) Message() llm.Message {
	return llm.Message{Role: llm.Assistant, Content: r.Text, ToolCalls: r.Calls, Origin: r.Origin, Extra: r.Extra}
}

// Custom sends an agent's own progress: data as JSON under a name.
func Custom(x *workflow.Exec, name string, data any) {
	raw, err := json.Marshal(data)
	if err != nil { // of our own plain structs: never
		raw = nil
	}
	x.Emit(agent.Event{Kind: agent.EventCustom, Name: name, Data: raw})
}

// Talk asks the model, once in this visit of the node under this name. With stream, people see the reply as it comes.
// IDs of tool calls are derived from the name, since endpoints number them from the beginning in every reply. A soft
// failure is not an error, see [workflow.Soft].
func Talk(ctx context.Context, x *workflow.Exec, name string, req llm.Request, stream bool) (Reply, error) {
	return graph.Repeatable(ctx, name, func(ctx context.Context, _ string) (Reply, error) {
		out, err := reply(ctx, x, name, req, stream)
		if workflow.Soft(err) || llm.ClassOf(err) == llm.BadRequest {
			x.Without(ctx, req.Purpose, err)
			return Reply{Failed: string(llm.ClassOf(err)), Usage: out.Usage}, nil
		}
		return out, err
	})
}

// Choose is Talk for callers that ask which tools to call and can do without: a reply that cannot be read, such as an
// empty one, is a soft failure too.
func Choose(ctx context.Context, x *workflow.Exec, name string, req llm.Request) (Reply, error) {
	out, err := Talk(ctx, x, name, req, false)
	if llm.ClassOf(err) == llm.Garbage {
		x.Without(ctx, req.Purpose, err)
		return Reply{Failed: string(llm.Garbage), Usage: out.Usage}, nil
	}
	return out, err
}

// Insist is Talk for callers that need a reply: a soft failure is an error too, and the node may ask again when it
// runs again.
func Insist(ctx context.Context, x *workflow.Exec, name string, req llm.Request, stream bool) (Reply, error) {
	return graph.Repeatable(ctx, name, func(ctx context.Context, _ string) (Reply, error) { return reply(ctx, x, name, req, stream) })
}

func reply(ctx context.Context, x *workflow.Exec, name string, req llm.Request, stream bool) (Reply, error) {
	resp, switches, given, err := x.Say(ctx, req, stream)
	out := Reply{Text: strings.TrimSpace(resp.Message.Content), Usage: resp.Usage, Switches: switches}
	if err != nil {
		return out, err
	}
	out.Origin, out.Extra = resp.Message.Origin, resp.Message.Extra
	for i, c := range resp.Message.ToolCalls {
		c.ID = fmt.Sprintf("%s_%d", strings.ReplaceAll(name, "/", "_"), i)
		if len(c.Arguments) == 0 {
			c.Arguments = []byte("{}")
		}
		out.Calls = append(out.Calls, c)
	}
	if given && len(out.Calls) > 0 { // thinking aloud is not the answer
		x.Emit(agent.Event{Kind: agent.EventReset})
	}
	return out, nil
}
