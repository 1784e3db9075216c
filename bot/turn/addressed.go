package turn

import (
	"context"
	"fmt"
	"slices"

	"maru/agent"
	"maru/bot"
	"maru/phrase/intent"
)

// overheardTurns is the number of transcript entries read to find a message's addressee.
const overheardTurns = 12

// addressed reports whether an overheard message is for the bot. It asks the model if there is one and applies
// inConversation otherwise. An undecided model counts as no, and so does a message that was stopped.
func (ts *Turns) addressed(ctx context.Context, it bot.Item, m bot.Message) (bool, error) {
	if it.Stopped != "" {
		return false, nil
	}
	past, err := ts.cfg.Record.Transcript(ctx, m.Thread.Key(), overheardTurns)
	if err != nil {
		return false, fmt.Errorf("read transcript: %w", err)
	}
	var turns []agent.Turn
	if i := slices.IndexFunc(past, func(e bot.Entry) bool { return e.ID == m.Key() }); i >= 0 {
		past = past[:i]
	}
	past = withoutDeleted(past)
	for _, e := range past {
		turns = append(turns, agent.Turn{Author: e.Author, Own: e.Own, Text: e.Text, At: e.At})
	}
	set, err := ts.cfg.Rules.Settings(ctx, m.Thread, m.User)
	if err != nil {
		return false, err
	}
	if ts.cfg.Addressed != nil {
		yes, err := ts.cfg.Addressed(ts.cfg.Rules.Counted(ctx, m.Thread, m.User, bot.SpentAddressing), set.Means.Model, turns, agent.Turn{Author: m.User.Name, Text: m.Text, At: m.At})
		if err == nil {
			return yes, nil
		}
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		ts.cfg.Log.InfoContext(ctx, "who is spoken to: decided without the model", "err", err)
	}
	return (intent.Question(m.Text) || intent.Request(m.Text)) && inConversation(past, m.User.ID), nil
}

// inConversation reports whether, since the bot's last answer, nobody has written but the person it answered.
// A thank-you, or a message that the bot ignored, does not end their conversation.
func inConversation(past []bot.Entry, user string) bool {
	since := len(past)
	for since > 0 && !past[since-1].Own {
		since--
	}
	if since == 0 || since == len(past) {
		return since > 0
	}
	asked := since - 1
	for asked >= 0 && past[asked].Own {
		asked--
	}
	others := slices.ContainsFunc(past[since:], func(e bot.Entry) bool { return e.User != user })
	return !others && asked >= 0 && past[asked].User == user
}
