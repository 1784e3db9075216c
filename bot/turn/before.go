package turn

import (
	"context"
	"errors"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/reply"
	"maru/phrase/fit"
)

// before.go collects context that a thread's log lacks: messages from before the bot joined, and quoted
// messages.

// contextTurns limits the earlier messages given to the agent in a thread that the bot has
// just joined.
const contextTurns = 50

// before returns the messages of a thread from before the bot joined. It does so once,
// when the transcript holds only this message.
func (ts *Turns) before(ctx context.Context, m bot.Message, p *reply.Presenter) []agent.Turn {
	h, ok := ts.cfg.Adapters[m.Thread.Platform].(bot.Historian)
	if !ok || !p.IsFirst() || m.Reach == bot.ReachCommand || m.Thread.ID == "" || m.Thread.ID == m.ID {
		return nil
	}
	hctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	past, err := h.History(hctx, m.Thread, m.ID, contextTurns)
	if err != nil && !errors.Is(err, bot.ErrLimited) { // missing permission or deleted; the question can be answered without
		ts.cfg.Log.InfoContext(ctx, "thread history unavailable", "platform", m.Thread.Platform, "err", err)
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
	maxQuotes = 3    // quoted messages per message
	maxQuote  = 4000 // characters per quoted message
)

// quotesOf returns a message's quotes in the form that agents read.
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
