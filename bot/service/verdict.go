package service

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/intent"
)

// verdictOf reads words that say nothing but yes, no or skip ("네 진행해 주세요"), and
// the number of the question they are about, 0 if they name none.
func verdictOf(text string) (verb string, number int) {
	v, number := intent.Decide(text)
	switch v {
	case intent.Yes:
		return agent.VerbAccept, number
	case intent.No:
		return agent.VerbReject, number
	case intent.Skip:
		return agent.VerbSkip, number
	default:
		return "", 0
	}
}

// onlyDecides reports whether a message says nothing but yes, no or skip.
func onlyDecides(text string) bool {
	verb, _ := verdictOf(text)
	return verb != ""
}

// nothingWaits says that there is nothing to decide in a message's thread: an agent
// would take the word for a task. Words that can mean something else do so only
// after a reply that was decided on, such as the second yes to a plan. There is no
// sentence if the bot has just asked something itself.
func (b *Bot) nothingWaits(ctx context.Context, m bot.Message, lang string) (string, error) {
	entries, err := b.cfg.Record.Transcript(ctx, m.Thread.Key(), 4)
	if err != nil {
		return "", fmt.Errorf("read transcript: %w", err)
	}
	for _, e := range slices.Backward(entries) {
		if !e.Own || e.Deleted {
			continue
		}
		if strings.HasSuffix(strings.TrimRight(e.Text, " \n*_)”\""), "?") {
			return "", nil
		}
		past, err := b.history(ctx, m.Thread.Key(), e.Run)
		if err != nil {
			return "", err
		}
		if len(past) > 0 {
			return phrase.Say(lang, "bot.decided_already", past[len(past)-1].Value), nil
		}
		break
	}
	if intent.Ruling(m.Text) {
		return phrase.Say(lang, "bot.nothing_waits_here"), nil
	}
	return "", nil
}
