package turn

import (
	"context"
	"fmt"
	"slices"

	"maru/agent"
	"maru/bot"
	"maru/phrase/intent"
)

// overheardTurns is how much of a thread it takes to tell who speaks to whom.
const overheardTurns = 12

// addressed decides on a message that was overheard: by the model if there is
// one, else by whose turn it is. A model that cannot decide decides nothing.
func (ts *Turns) addressed(ctx context.Context, m bot.Message) (bool, error) {
	past, err := ts.record.Transcript(ctx, m.Thread.Key(), overheardTurns)
	if err != nil {
		return false, fmt.Errorf("read transcript: %w", err)
	}
	var turns []agent.Turn
	if i := slices.IndexFunc(past, func(e bot.Entry) bool { return e.ID == m.Key() }); i >= 0 {
		past = past[:i]
	}
	past = standing(past)
	for _, e := range past {
		turns = append(turns, agent.Turn{Author: e.Author, Own: e.Own, Text: e.Text, At: e.At})
	}
	set, err := ts.rules.Settings(ctx, m.Thread, m.User)
	if err != nil {
		return false, err
	}
	if ts.byModel != nil {
		yes, err := ts.byModel(ts.rules.Counted(ctx, m.Thread, m.User, bot.SpentAddressing), set.Means.Model, turns, agent.Turn{Author: m.User.Name, Text: m.Text, At: m.At})
		if err == nil {
			return yes, nil
		}
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		ts.log.InfoContext(ctx, "who is spoken to: decided without the model", "err", err)
	}
	return (intent.Question(m.Text) || intent.Request(m.Text)) && theirTurn(past, m.User.ID), nil
}

// theirTurn reports whether the bot has answered and nobody has spoken since, or
// only the person whom it answered: a thanks, or what it did not take to be for it,
// does not end their conversation.
func theirTurn(past []bot.Entry, user string) bool {
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
