package autonomous

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/memory"
)

type contextGuardConfig struct {
	Threshold   float64 `json:"threshold"`
	Keep        int     `json:"keep"`
	MaxMessages int     `json:"max_messages"`
}

func (k kit) contextGuard() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "context_guard", Summary: "Keeps the conversation within the model's window: older messages become a summary.",
		Doc:   "Counts the tokens of messages, summaries, memories and passages. Above the threshold, or with too many messages, all but the newest are summarised, and passages that do not fit are left out. If the model cannot summarise, the messages stay and every call is cut to the window.",
		Reads: []string{"messages", "summaries", "memory_refs", "passages"}, Writes: []string{"messages", "summaries", "passages", "context_budget", "fallback", "current_step"},
		Config: json.RawMessage(`{"type":"object","properties":{
			"threshold": {"type":"number","exclusiveMinimum":0,"maximum":1,"description":"part of the window that may be used; default 0.75"},
			"keep": {"type":"integer","minimum":1,"description":"newest messages that stay; default 6"},
			"max_messages": {"type":"integer","minimum":2,"description":"default 30"}},
			"additionalProperties":false}`),
	}, k.guard, nil)
}

func (k kit) guard(ctx context.Context, s graph.State, x *workflow.Exec, c contextGuardConfig) ([]graph.Write, error) {
	c.Threshold = cmp.Or(c.Threshold, 0.75)
	c.Keep = cmp.Or(c.Keep, 6)
	c.MaxMessages = cmp.Or(c.MaxMessages, 30)
	if x.Guard == nil {
		return k.step("context_guard", nil), nil
	}
	room := int(float64(x.Guard.Room()) * c.Threshold)
	passages, used := k.count(s, x.Guard, room)
	budget := workflow.Budget{Window: x.Guard.Window(), Used: used}
	var writes []graph.Write
	if len(passages) < len(k.st.Passages.Get(s)) {
		writes = append(writes, k.st.Passages.Set(passages))
	}
	var switches []workflow.Switch
	messages := k.st.Messages.Get(s)
	limits := memory.Limits{MaxMessages: c.MaxMessages, KeepRecent: c.Keep, MaxSummaries: 3}
	if used > room {
		limits.MaxMessages = min(c.MaxMessages, max(len(messages)-1, 1))
	}
	if old, _ := memory.Split(messages, limits); len(old) > 0 {
		compact, noted, err := k.compact(ctx, s, x, old, limits)
		if err != nil {
			return nil, err
		}
		if switches = noted; len(compact) > 0 {
			budget.Compacted = len(old)
			writes = append(writes, compact...)
		}
	}
	return k.step("context_guard", switches, append(writes, k.st.ContextBudget.Set(budget))...), nil
}

// count returns the tokens of the conversation, and the passages that fit in the remaining room.
func (k kit) count(s graph.State, g *workflow.Guard, room int) (passages []agent.Source, used int) {
	used = g.CountMessages(node.Talk(k.st.Messages.Get(s))) + g.Count(memory.Numbered(k.st.Summaries.Get(s)))
	for _, m := range k.st.MemoryRefs.Get(s) {
		used += g.Count(m.Title) + g.Count(m.Text)
	}
	for _, p := range k.st.Passages.Get(s) {
		n := g.Count(p.Quote) + 20
		if used+n > room && len(passages) > 0 {
			break
		}
		used += n
		passages = append(passages, p)
	}
	return passages, used
}

// compact summarises old messages. If the model fails, they are kept.
func (k kit) compact(ctx context.Context, s graph.State, x *workflow.Exec, old []memory.Message, l memory.Limits) ([]graph.Write, []workflow.Switch, error) {
	x.Doing("autonomous.tidying")
	before := k.st.Summaries.Get(s)
	text, err := k.prompt("summary", s, x, nil)
	if err != nil {
		return nil, nil, err
	}
	req := llm.Request{Purpose: llm.ForSummary, Messages: system(text, llm.Message{Role: llm.User, Content: memory.Transcript(old)})}
	done, err := graph.Repeatable(ctx, "summary", func(ctx context.Context, _ string) (host.Reply, error) {
		resp, switches, err := x.ResilientInvoke(ctx, req, nil)
		summary := strings.TrimSpace(resp.Message.Content)
		if err == nil && summary == "" {
			err = errEmptySummary
		}
		return host.Reply{Text: summary, Switches: switches}, err
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		k.log.WarnContext(ctx, "summary failed, keeping the messages", "run", x.Request.Run, "err", err)
		return nil, nil, nil
	}
	ids := make([]string, len(old))
	for i, m := range old {
		ids[i] = m.ID
	}
	return []graph.Write{
		k.st.Messages.Remove(ids...),
		k.st.Summaries.Set(memory.Slide(before, memory.Summary{Text: done.Text, At: x.Request.Now.UTC(), Of: ids}, l)),
	}, done.Switches, nil
}

var errEmptySummary = errors.New("the model returned an empty summary")
