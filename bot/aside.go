package bot

import (
	"context"
	"fmt"

	"maru/agent"
)

// aside names the log of a run that is asked for while another run of its thread
// waits for people: in the thread's own log it would end that one. The name is
// kept, so that the run goes on there after a crash.
func (b *Bot) aside(ctx context.Context, m Message) (string, error) {
	log := m.Thread.Key() + "#aside-" + m.run()
	if err := b.cfg.Record.SetNote(ctx, asideNote(m), log); err != nil {
		return "", fmt.Errorf("note an aside: %w", err)
	}
	return log, nil
}

// asidePrefix begins the notes that name the logs of asides, by their run.
const asidePrefix = "aside/"

func asideNote(m Message) string { return asidePrefix + m.run() }

// asideTurns bounds what an aside is told of the thread.
const asideTurns = 20

// recent is what was said in a thread, for a run that has no log of it.
func (b *Bot) recent(ctx context.Context, m Message) ([]agent.Turn, error) {
	entries, err := b.cfg.Record.Transcript(ctx, m.Thread.Key(), asideTurns)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	var turns []agent.Turn
	for _, e := range entries {
		if e.ID != m.Key() && !e.Deleted && e.Text != "" {
			turns = append(turns, agent.Turn{Author: e.Author, Own: e.Own, Text: e.Text, At: e.At})
		}
	}
	return turns, nil
}
