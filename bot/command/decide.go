package command

import (
	"context"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
)

// Decide handles decisions given as a command.
type Decide struct{ questions Questions }

// approve decides an approval by its ID: "approve ID", or "approve ID VERB words" for
// another of its actions. Surfaces without buttons use it.
func (de *Decide) approve(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	return de.decide(ctx, c, lang, agent.VerbAccept)
}

// reject rejects an approval by its id.
func (de *Decide) reject(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	return de.decide(ctx, c, lang, agent.VerbReject)
}

func (de *Decide) decide(ctx context.Context, c bot.Invocation, lang, verb string) (*bot.Card, error) {
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
		return de.questions.WaitingCard(ctx, c, command, lang)
	}
	ans, err := de.questions.DecideByID(ctx, strings.ToLower(id), bot.Action{Verb: verb, Thread: c.Thread, User: c.User, At: c.At}, words)
	if err != nil || ans.Card != nil {
		return ans.Card, err
	}
	return bot.NewNotice(phrase.Say(lang, "bot.approval.noted"), lang), nil
}
