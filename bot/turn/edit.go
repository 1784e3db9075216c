package turn

import (
	"context"
	"errors"
	"fmt"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/wording"
	"maru/config"
	"maru/phrase"
)

// People may edit a question at any time. A run that has not started uses the new text. A run that is
// active or waits for people restarts with it in the same reply. The channel's setting on_edit decides
// whether an answered question is answered again. See bot/README.md.

// Reword restarts the active run of an edited message if the channel's on_edit setting asks for
// it.
func (ts *Turns) Reword(ctx context.Context, c bot.Change) {
	set, err := ts.cfg.Rules.Settings(ctx, c.Thread, c.User)
	if err != nil || set.Decisions.OnEdit == config.EditKeep {
		if err != nil { // keep the run and its original text
			ts.cfg.Log.WarnContext(ctx, "settings of an edited message", "err", err)
		}
		return
	}
	thread, run := c.Thread.Key(), bot.Message{ID: c.Message, Thread: c.Thread}.Run()
	ts.cfg.Runs.EndRun(ctx, thread, run, bot.StopEdited)
	rows, err := ts.cfg.Record.RunApprovals(ctx, thread, run, approval.MaxAsked)
	if err != nil {
		ts.cfg.Log.WarnContext(ctx, "read approvals of an edited message", "run", run, "err", err)
	}
	for _, row := range rows {
		if row.State == bot.ApprovalPending && !approval.IsOffer(row.Kind) {
			ts.cfg.Questions.Close(ctx, row, bot.ApprovalRevoked)
		}
	}
}

// withPresentText returns the turn with the present text of its question. The error is
// errUnasked if the question was deleted.
func (ts *Turns) withPresentText(ctx context.Context, t turn) (turn, error) {
	e, err := ts.cfg.Record.Entry(ctx, t.m.Thread.Key(), t.m.Key())
	switch {
	case errors.Is(err, bot.ErrNotFound): // a command is not part of the transcript
		return t, nil
	case err != nil:
		return t, fmt.Errorf("read the question: %w", err)
	case e.Deleted:
		return t, errUnasked
	case e.Text == t.m.EntryText(), e.Text == t.m.Text:
		return t, nil
	case len(t.decisions) > 0 && t.set.Decisions.OnEdit == config.EditKeep:
		return t, nil
	}
	t.m.Text, t.m.Revision, t.m.Worded = e.Text, wording.Of(e.Text), ts.cfg.Now()
	t.lang = phrase.LanguageOf(t.set.Language, e.Text, t.m.User.Locale)
	return t.withoutDecisions(), nil
}

// withoutDecisions returns the turn without the decisions about its earlier text.
func (t turn) withoutDecisions() turn {
	t.reworded = t.reworded || len(t.decisions) > 0
	t.decisions, t.history, t.spoken = nil, nil, false
	return t
}

// errUnasked is errWithdrawn for a question whose run has not started.
var errUnasked = fmt.Errorf("before its turn: %w", errWithdrawn)

// attemptID returns the ID of the agent's turn for one text of a message. Each edited text is a
// separate turn in the agent's log.
func attemptID(run string, m bot.Message) string {
	if m.Revision == "" {
		return run
	}
	return run + "." + m.Revision
}

// restartEdited restarts a turn whose question was edited during its run.
func (ts *Turns) restartEdited(ctx context.Context, l bot.Lease, it bot.Item, c conclusion) error {
	if err := errors.Join(c.p.DropFiles(ctx), ts.undo(ctx, it.Thread, c.turn)); err != nil {
		return err
	}
	c.p.Again(phrase.Say(c.lang, "bot.edited.restarting"))
	for _, e := range []agent.Event{{Kind: agent.EventReset}, {Kind: agent.EventPlan, Data: []byte(`{}`)}} {
		ts.cfg.Follows.Event(c.p.Run, e)
	}
	ts.cfg.Runs.expect(c.p.Run, false)
	t, err := ts.withPresentText(ctx, c.withoutDecisions())
	next := conclusion{turn: t, p: c.p, extras: c.extras, trace: c.trace, err: err}
	switch {
	case err == nil:
		return ts.runOnce(ctx, l, it, next)
	case errors.Is(err, errUnasked): // deleted after the edit
		return ts.conclude(ctx, l, it, next)
	}
	return err
}

// undo removes a turn from the agents' logs.
func (ts *Turns) undo(ctx context.Context, thread string, t turn) error {
	if t.log != "" {
		thread = t.log
	}
	if err := ts.cfg.Runner.Amend(ctx, thread, t.m.Key(), "", true); err != nil {
		return fmt.Errorf("forget an earlier wording: %w", err)
	}
	return nil
}

// reworded returns the restarted turn if the question was edited while its run waited for people;
// the result is false if it was not. The error is errUnasked if it was deleted.
func (ts *Turns) reworded(ctx context.Context, a approval.Asked) (turn, bool, error) {
	m := a.About.Message
	set, err := ts.cfg.Rules.Settings(ctx, m.Thread, m.User)
	if err != nil {
		return turn{}, false, err
	}
	t, err := ts.withPresentText(ctx, turn{m: m, set: set, lang: a.About.Lang, log: a.About.Log, reworded: true})
	return t, err == nil && t.m.Revision != m.Revision && set.Decisions.OnEdit != config.EditKeep, err
}

// restartWaiting restarts a waiting run whose question was edited, unless the resume item of another
// question of the run has done so.
func (ts *Turns) restartWaiting(ctx context.Context, l bot.Lease, it bot.Item, a approval.Asked, t turn) error {
	rows, err := ts.cfg.Record.RunApprovals(ctx, a.Row.Thread, a.Row.Run, approval.MaxAsked)
	if err != nil {
		return fmt.Errorf("read approvals: %w", err)
	}
	for _, row := range rows {
		if other, err := approval.Read(row); !approval.IsOffer(row.Kind) && err == nil && other.About.Message.Revision == t.m.Revision {
			return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
		}
	}
	if t.left, err = ts.cfg.Rules.BudgetOf(ctx, t.m.Thread, t.m.User, t.set, agent.Usage{}); err != nil {
		return err
	}
	if it.Attempts == 0 { // on a retry, the log may already contain the new text
		if err := errors.Join(ts.cfg.Record.KeepFiles(ctx, l, a.Row.Run, 0, nil), ts.undo(ctx, t.m.Thread.Key(), t)); err != nil {
			return err
		}
	}
	return ts.runTurn(ctx, l, it, t)
}

// reanswer finishes a change item. If the on_edit setting asks for it, it answers a question
// again that was edited after its answer.
func (ts *Turns) reanswer(ctx context.Context, l bot.Lease, it bot.Item, c bot.Change) error {
	m := bot.Message{ID: c.Message, Thread: c.Thread, User: c.User, Reach: bot.ReachFollow, Text: c.Text, At: c.At, Files: c.Files, Quoted: c.Quoted, Channels: c.Channels}
	set, err := ts.cfg.Rules.Settings(ctx, c.Thread, c.User)
	if err != nil {
		return err
	}
	again := set.Decisions.OnEdit == config.EditAgain && !c.Deleted
	if again {
		again, err = wording.Unanswered(ctx, ts.cfg.Record, it, c)
	}
	switch {
	case err != nil:
		return err
	case !again:
		return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
	}
	if it.Attempts == 0 { // move the question to the end of the log, without its first answer
		if err := ts.undo(ctx, m.Thread.Key(), turn{m: m}); err != nil {
			return err
		}
	}
	m.Revision, m.Worded, m.Again = wording.Of(c.Text), ts.cfg.Now(), it.ID
	return ts.answerAgain(ctx, l, it, turn{m: m, set: set, lang: phrase.LanguageOf(set.Language, m.Text, m.User.Locale)})
}

// applyChange removes or updates an edited message in the agents' logs.
func (ts *Turns) applyChange(ctx context.Context, l bot.Lease, it bot.Item, c bot.Change) error {
	key := bot.Message{ID: c.Message, Thread: c.Thread}.Key()
	logs, err := ts.LogsOf(ctx, it.Thread)
	if err != nil {
		return err
	}
	for _, log := range logs {
		if err := ts.cfg.Runner.Amend(ctx, log, key, c.Text, c.Deleted); err != nil {
			return fmt.Errorf("amend memory: %w", err)
		}
	}
	if err := ts.cfg.Learner.Unlearn(ctx, key, c, it.At, ts.cfg.Now()); err != nil {
		return err
	}
	if c.Deleted {
		if err := ts.cfg.Notes.Withdraw(ctx, c.Thread, c.User, key); err != nil {
			return err
		}
	}
	return ts.reanswer(ctx, l, it, c)
}
