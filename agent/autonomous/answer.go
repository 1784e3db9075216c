package autonomous

import (
	"context"
	"encoding/json"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
)

type answerConfig struct {
	Tools *bool `json:"tools"`
}

// usesTools returns the tools of a node's config; all is true unless the config limits them.
func usesTools(config json.RawMessage) (names []string, all bool) {
	var c answerConfig
	return nil, json.Unmarshal(config, &c) != nil || c.Tools == nil || *c.Tools
}

const answerSchema = `{"type":"object","properties":{"tools": {"type":"boolean","description":"the model may call tools that only read; default true"}},"additionalProperties":false}`

func (k kit) directAnswer() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "direct_answer", Summary: "Answers at once; people see the answer as it comes.",
		Reads: []string{"input", "messages", "summaries", "memory_refs", "passages"}, Writes: []string{"answer", "final_answer", "last_output", "fallback", "current_step"},
		Config: json.RawMessage(answerSchema), Tools: usesTools,
	}, func(ctx context.Context, s graph.State, x *workflow.Exec, c answerConfig) ([]graph.Write, error) {
		reply, err := k.draft(ctx, s, x, c)
		if err != nil {
			return nil, err
		}
		return k.step("direct_answer", reply.Switches,
			k.st.Answer.Set(reply.Text), k.st.FinalAnswer.Set(reply.Text), k.st.LastOutput.Set(reply.Text)), nil
	}, nil)
}

func (k kit) answer() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "answer", Summary: "Drafts the answer, or drafts it again with the reviewer's feedback.",
		Doc:    "People see the draft as it comes; a new draft takes its place.",
		Reads:  []string{"input", "messages", "summaries", "memory_refs", "passages", "answer", "review_feedback", "review_count"},
		Writes: []string{"answer", "last_output", "fallback", "current_step"}, Config: json.RawMessage(answerSchema), Tools: usesTools,
	}, func(ctx context.Context, s graph.State, x *workflow.Exec, c answerConfig) ([]graph.Write, error) {
		if k.st.ReviewCount.Get(s) > 0 {
			x.Emit(agent.Event{Kind: agent.EventReset})
			x.Doing("autonomous.rewriting")
		}
		reply, err := k.draft(ctx, s, x, c)
		if err != nil {
			return nil, err
		}
		return k.step("answer", reply.Switches, k.st.Answer.Set(reply.Text), k.st.LastOutput.Set(reply.Text)), nil
	}, nil)
}

// draft generates an answer to the input.
func (k kit) draft(ctx context.Context, s graph.State, x *workflow.Exec, c answerConfig) (host.Reply, error) {
	text, err := k.prompt("answer", s, x, map[string]any{"Earlier": host.LongAgo(ctx, x, k.log, k.st.Messages.Get(s))})
	if err != nil {
		return host.Reply{}, err
	}
	passages := k.st.Passages.Get(s)
	reply, err := k.converse(ctx, x, conversation{
		read: k.read(s, x), purpose: llm.ForAnswer, messages: system(text+node.ShowPassages(passages), k.talk(s)...), passages: passages,
		stream: true, tools: c.Tools == nil || *c.Tools,
	})
	if err == nil && reply.Text == "" {
		reply.Text = wordless(x, reply)
	}
	return reply, err
}
