package chat

import (
	"context"
	"fmt"
	"strings"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory"
)

// summaryWords limits a summary, in words; three summaries fit beside any window.
const summaryWords = 180

// memory keeps the window small. Above the limit it has the model summarise all but the recent messages, and
// removes them from the window. Usually the router's call has produced the summary already. If summarising fails,
// the messages stay and the next turn tries again.
func (a *Agent) memory(ctx context.Context, s graph.State) ([]graph.Write, error) {
	messages := a.ch.messages.Get(s)
	old, _ := memory.Split(messages, a.cfg.Limits)
	if len(old) == 0 {
		return nil, nil
	}
	x := workflow.ExecOf(s)
	before := a.ch.summaries.Get(s)
	text := a.ch.draft.Get(s)
	if text == "" {
		var err error
		if text, err = a.summarise(ctx, x, old, before); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			a.cfg.Log.WarnContext(ctx, "summary failed, keeping the messages", "run", x.Request.Run, "err", err)
			return nil, nil
		}
	}
	ids := make([]string, len(old))
	for i, m := range old {
		ids[i] = m.ID
	}
	summary := memory.Summary{Text: text, At: x.Request.Now.UTC(), Of: ids, Outsiders: outsiders(old, before)}
	return []graph.Write{
		a.ch.messages.Remove(ids...),
		a.ch.summaries.Set(memory.Slide(before, summary, a.cfg.Limits)),
	}, nil
}

func (a *Agent) summarise(ctx context.Context, x *workflow.Exec, old []memory.Message, before []memory.Summary) (string, error) {
	system, err := host.Render(prompts(), promptMemory, map[string]any{"Words": summaryWords, "Before": memory.Numbered(before)})
	if err != nil {
		return "", err
	}
	resp, err := x.Bind(a.cfg.Model).Generate(ctx, llm.Request{
		Purpose: llm.ForSummary,
		Messages: []llm.Message{
			{Role: llm.System, Content: system},
			{Role: llm.User, Content: memory.Transcript(old)},
		},
	}, nil)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(resp.Message.Content)
	if text == "" {
		return "", fmt.Errorf("the model returned an empty summary")
	}
	return text, nil
}
