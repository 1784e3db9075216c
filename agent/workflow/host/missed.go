package host

import (
	"context"
	"log/slog"
	"slices"

	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/memory"
)

// missedMost is the maximum number of missed messages that an agent is given. A window has bounds of its own.
const missedMost = 10

// missedMessages returns what was said in the run's thread to other agents, or answered by a fixed rule, since the newest
// message that this agent has among its messages or summaries. The messages keep their IDs, so that forgetting and editing
// reach them. If the past cannot be read, the agent answers without it.
func missedMessages(ctx context.Context, x *workflow.Exec, log *slog.Logger, messages []memory.Message, summaries []memory.Summary) []memory.Message {
	r := x.Request
	if x.Past == nil || r.Message == "" || r.Aside != "" || r.Redo.Run != "" || len(r.Context) > 0 { // who has just joined is told by the request
		return nil
	}
	known := func(id string) bool {
		return slices.ContainsFunc(messages, func(m memory.Message) bool { return m.ID == id }) ||
			slices.ContainsFunc(summaries, func(s memory.Summary) bool { return slices.Contains(s.Of, id) })
	}
	said, err := x.Past.Missed(ctx, r.Thread, r.Message, known, missedMost)
	if err != nil {
		if log != nil {
			log.WarnContext(ctx, "messages to other agents cannot be read, answering without them", "run", r.Run, "err", err)
		}
		return nil
	}
	var out []memory.Message
	for _, s := range said {
		own := !s.Own && s.By == r.User.ID && !r.User.Stranger // who of the others is a guest is not known
		m := memory.Message{ID: s.ID, Role: string(llm.User), Author: s.Author, Text: s.Text, At: r.User.Clock(s.At), By: s.By, Outsiders: !own}
		if s.Own {
			m.Role, m.Author, m.At = string(llm.Assistant), "", s.At.UTC()
		}
		out = append(out, m)
	}
	return out
}
