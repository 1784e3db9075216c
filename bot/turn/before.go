package turn

import (
	"context"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/reply"
	"maru/phrase/fit"
)

// before.go tells an agent what its thread cannot know: what was said there before the bot
// came, and what a message is about.

// contextTurns bounds what a thread that the bot has just joined is told of
// what was said before.
const contextTurns = 50

// before returns what was said in the thread before the bot took part, once:
// when its transcript holds nothing but this message.
func (ts *Turns) before(ctx context.Context, m bot.Message, p *reply.Presenter) []agent.Turn {
	h, ok := ts.adapters[m.Thread.Platform].(bot.Historian)
	if !ok || !p.IsFirst() || m.Reach == bot.ReachCommand || m.Thread.ID == "" || m.Thread.ID == m.ID {
		return nil
	}
	hctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	past, err := h.History(hctx, m.Thread, m.ID, contextTurns)
	if err != nil { // not in the scopes, or gone: the question itself can still be answered
		ts.log.InfoContext(ctx, "thread history unavailable", "platform", m.Thread.Platform, "err", err)
		return nil
	}
	turns := make([]agent.Turn, 0, len(past))
	for _, p := range past {
		text := p.EntryText()
		for _, q := range quotesOf(p.Quoted) {
			text += "\n> " + strings.TrimPrefix(q.Author+": ", ": ") + fit.OneLine(q.Text)
		}
		turns = append(turns, agent.Turn{Author: p.User.Name, Own: p.Own, Text: text, At: p.At})
	}
	return turns
}

const (
	maxQuotes = 3    // messages that one is about
	maxQuote  = 4000 // letters of one
)

// quotesOf is what a message is about, as an agent reads it.
func quotesOf(qs []bot.Quote) []agent.Turn {
	var out []agent.Turn
	for _, q := range qs[:min(len(qs), maxQuotes)] {
		most := maxQuote
		if q.Thread != nil {
			most = maxThread
		}
		if text := strings.TrimSpace(fit.Clip(q.Text, most)); text != "" {
			out = append(out, agent.Turn{Author: fit.OneLine(q.Author), Text: text, At: q.At})
		}
	}
	return out
}
