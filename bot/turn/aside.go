package turn

import (
	"context"
	"fmt"
	"slices"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
)

// aside names the log of a run that is asked for while another run of its thread
// waits for people, or is parked: in the thread's own log it would end that one. The name
// is kept, so that the run goes on there after a crash.
func (ts *Turns) aside(ctx context.Context, m bot.Message) (string, error) {
	log := m.Thread.Key() + "#aside-" + m.Run()
	if err := ts.record.SetNote(ctx, bot.NoteAside+m.Run(), log); err != nil {
		return "", fmt.Errorf("note an aside: %w", err)
	}
	return log, nil
}

// remindsOf reports whether an answer beside questions that wait says that they do: to
// somebody who may decide one of them. Whoever may not could do nothing about it.
func (ts *Turns) remindsOf(ctx context.Context, m bot.Message, rows []bot.Approval) (bool, error) {
	theirs, err := ts.questions.For(ctx, m, rows)
	return len(theirs) > 0, err
}

// asideTurns bounds what an aside is told of the thread.
const asideTurns = 20

// recent is what was said in a thread, for a run that has no log of it.
func (ts *Turns) recent(ctx context.Context, m bot.Message) ([]agent.Turn, error) {
	entries, err := ts.record.Transcript(ctx, m.Thread.Key(), 2*asideTurns)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	parked := ""
	if ts.deaths != nil {
		if parked, err = ts.deaths.Resting(ctx, m.Thread.Key()); err != nil {
			return nil, err
		}
	}
	var turns []agent.Turn
	for _, e := range standing(entries) {
		if e.ID == parked { // what killed its processes may kill others
			continue
		}
		if e.ID != m.Key() && e.Text != "" {
			turns = append(turns, agent.Turn{ID: e.ID, Author: e.Author, Own: e.Own, Text: e.Text, At: e.At})
		}
	}
	return turns[max(len(turns)-asideTurns, 0):], nil
}

// standing is a transcript without what was deleted, and what was answered to it:
// that may quote it.
func standing(entries []bot.Entry) []bot.Entry {
	gone := map[string]bool{} // runs
	for _, e := range entries {
		if e.Deleted && !e.Own {
			gone[bot.RunID(e.ID)] = true
		}
	}
	return slices.DeleteFunc(entries, func(e bot.Entry) bool { return e.Deleted || e.Own && gone[e.Run] })
}

// LogsOf are the logs that agents keep of a thread: its own, and those of the asides
// that wait for people, which were told what others had said.
func (ts *Turns) LogsOf(ctx context.Context, thread string) ([]string, error) {
	rows, err := ts.record.PendingApprovals(ctx, thread, approval.MaxAsked)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	logs := []string{thread}
	for _, row := range rows {
		if a, err := approval.Read(row); err == nil && a.About.Log != "" && !slices.Contains(logs, a.About.Log) { // what cannot be read runs no more
			logs = append(logs, a.About.Log)
		}
	}
	return logs, nil
}
