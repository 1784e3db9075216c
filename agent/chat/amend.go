package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"maru/agent/graph"
	"maru/memory"
)

// Amend implements agent.Amender. A deleted message leaves the window with what was
// answered to it, and the log behind it; an edited one is known by its new text. The
// summaries that either went into lose their words: what else they told is looked for in
// the thread's transcript, which has it as it reads now.
func (a *Agent) Amend(ctx context.Context, thread, message, text string, deleted bool) error {
	log := logOf(thread)
	res, err := a.cfg.Runtime.Peek(ctx, a.plan, log)
	if err != nil {
		return fmt.Errorf("chat: read thread: %w", err)
	}
	var writes []graph.Write
	messages := a.ch.messages.Get(res.State)
	i := slices.IndexFunc(messages, func(m memory.Message) bool { return m.ID == message })
	switch {
	case i >= 0 && deleted:
		writes = append(writes, a.ch.messages.Remove(memory.WithAnswer(messages, i)...))
	case i >= 0:
		m := messages[i]
		m.Text = text
		writes = append(writes, a.ch.messages.Add(m))
	}
	if kept, unsaid := memory.Unsay(a.ch.summaries.Get(res.State), message); unsaid {
		writes = append(writes, a.ch.summaries.Set(kept))
	}
	if len(writes) == 0 && (!deleted || res.Seq == 0) {
		return nil
	}
	if deleted && len(writes) > 0 { // it may be what the last turn was about
		writes = append(writes, a.ch.question.Set(""))
	}
	if len(writes) > 0 { // else the log behind the window may still hold it
		if _, err := a.cfg.Runtime.Update(ctx, a.plan, log, 0, writes...); err != nil {
			return fmt.Errorf("chat: amend thread: %w", err)
		}
	}
	if err := a.cfg.Runtime.Compact(ctx, a.plan, log, 0); err != nil {
		return fmt.Errorf("chat: compact thread: %w", err)
	}
	return nil
}

// Forget implements agent.Amender: it removes the thread's log.
func (a *Agent) Forget(ctx context.Context, thread string) error {
	err := a.cfg.Runtime.Delete(ctx, logOf(thread))
	if err != nil && !errors.Is(err, graph.ErrNoCheckpointer) {
		return fmt.Errorf("chat: forget thread: %w", err)
	}
	return nil
}
