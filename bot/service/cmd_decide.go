package service

import (
	"context"
	"strings"

	"maru/agent"
	"maru/bot"
)

// cmdApprove decides an approval by its id: "approve ID", or "approve ID VERB
// words" for another of its actions. It is for where a card has no buttons.
func (b *Bot) cmdApprove(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	return b.cmdDecide(ctx, c, lang, agent.VerbAccept)
}

// cmdReject rejects an approval by its id.
func (b *Bot) cmdReject(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	return b.cmdDecide(ctx, c, lang, agent.VerbReject)
}

func (b *Bot) cmdDecide(ctx context.Context, c bot.Invocation, lang, verb string) (*bot.Card, error) {
	id, rest, _ := strings.Cut(strings.TrimSpace(c.Args), " ")
	words := strings.TrimSpace(rest)
	if v := c.Options["id"]; v != "" {
		id, words = v, strings.TrimSpace(c.Options["verb"])
	}
	if id == "" {
		command := "approve"
		if verb == agent.VerbReject {
			command = "reject"
		}
		return b.waitingCard(ctx, c, command, lang)
	}
	if first, more, _ := strings.Cut(words, " "); first != "" && verb == agent.VerbAccept {
		verb, words = strings.ToLower(first), strings.TrimSpace(more)
	}
	ans, err := b.decideByID(ctx, strings.ToLower(id), bot.Action{Verb: verb, Thread: c.Thread, User: c.User, At: c.At}, words)
	if err != nil || ans.Card != nil {
		return ans.Card, err
	}
	return notice(lang, "bot.your_decision_is_recorded").Card, nil
}
