package turn

import (
	"context"
	"fmt"
	"slices"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
)

// asideLog returns the log name of a run that starts while another run of the thread waits for
// people or is parked; in the thread's own log it would end that run. The name is stored, so that
// the run resumes there after a crash.
func (ts *Turns) asideLog(ctx context.Context, m bot.Message) (string, error) {
	log := m.Thread.Key() + "#aside-" + m.Run()
	if err := ts.cfg.Record.SetNote(ctx, bot.NoteAside+m.Run(), log); err != nil {
		return "", fmt.Errorf("note an aside: %w", err)
	}
	return log, nil
}

// remindsOf reports whether an answer mentions the pending questions of its thread: only if its reader may
// decide one of them.
func (ts *Turns) remindsOf(ctx context.Context, m bot.Message, rows []bot.Approval) (bool, error) {
	theirs, err := ts.cfg.Questions.For(ctx, m, rows)
	return len(theirs) > 0, err
}

// asideTurns limits the transcript entries given to an aside.
const asideTurns = 20

// recent returns the last messages of a thread, for a run that has no log of them.
func (ts *Turns) recent(ctx context.Context, m bot.Message) ([]agent.Turn, error) {
	entries, err := ts.cfg.Record.Transcript(ctx, m.Thread.Key(), 2*asideTurns)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	var parked []string
	if ts.cfg.Deaths != nil {
		if parked, err = ts.cfg.Deaths.Resting(ctx, m.Thread.Key()); err != nil {
			return nil, err
		}
	}
	var turns []agent.Turn
	for _, e := range withoutDeleted(entries) {
		if slices.Contains(parked, e.ID) { // what killed its processes may kill others
			continue
		}
		if e.ID != m.Key() && e.Text != "" {
			turns = append(turns, agent.Turn{ID: e.ID, Author: e.Author, Own: e.Own, Text: e.Text, At: e.At})
		}
	}
	return turns[max(len(turns)-asideTurns, 0):], nil
}

// withoutDeleted returns a transcript without deleted messages and their answers, which may
// quote them.
func withoutDeleted(entries []bot.Entry) []bot.Entry {
	gone := map[string]bool{} // by run
	for _, e := range entries {
		if e.Deleted && !e.Own {
			gone[bot.RunID(e.ID)] = true
		}
	}
	return slices.DeleteFunc(entries, func(e bot.Entry) bool { return e.Deleted || e.Own && gone[e.Run] })
}

// LogsOf returns the names of the agents' logs of a thread: its own and those of asides that wait for
// people, which contain messages of the thread.
func (ts *Turns) LogsOf(ctx context.Context, thread string) ([]string, error) {
	rows, err := ts.cfg.Record.PendingApprovals(ctx, thread, approval.MaxAsked)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	logs := []string{thread}
	for _, row := range rows {
		if a, err := approval.Read(row); err == nil && a.About.Log != "" && !slices.Contains(logs, a.About.Log) { // an unreadable approval cannot resume
			logs = append(logs, a.About.Log)
		}
	}
	return logs, nil
}
