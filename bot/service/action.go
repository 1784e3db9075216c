package service

import (
	"context"

	"maru/bot"
	"maru/bot/approval"
	"maru/bot/command"
)

// Action implements Intake: a click decides an approval, once, if the person
// may; everything else changes nothing and says why.
func (b *Bot) Action(ctx context.Context, a bot.Action) (bot.Answer, error) {
	if own, ok := ownActions()[a.Verb]; ok {
		return own(b, ctx, a)
	}
	lang := b.language(ctx, a.Thread, a.User, "")
	if a.ID == command.ControlSettings {
		return b.Room.Settings.Action(ctx, a, lang)
	}
	return b.questions.Click(ctx, a, lang)
}

// ownActions are the controls that decide no approval, by their verb.
func ownActions() map[string]func(*Bot, context.Context, bot.Action) (bot.Answer, error) {
	return map[string]func(*Bot, context.Context, bot.Action) (bot.Answer, error){
		approval.VerbClosed: func(*Bot, context.Context, bot.Action) (bot.Answer, error) { return bot.Answer{}, nil },
		bot.VerbStop:        (*Bot).stopRun,
		bot.VerbUp:          (*Bot).rate,
		bot.VerbDown:        (*Bot).rate,
		bot.VerbDont:        (*Bot).dont,
	}
}
