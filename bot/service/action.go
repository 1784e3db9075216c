package service

import (
	"context"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/cited"
	"maru/bot/command"
	"maru/bot/gap"
	"maru/bot/note"
	"maru/bot/parking"
	"maru/bot/schedule"
	"maru/bot/toolserver"
)

// Action implements Intake: a click decides an approval, once, if the person may; every other click changes
// nothing and gets an explanation.
func (b *Bot) Action(ctx context.Context, a bot.Action) (bot.Answer, error) {
	if own, ok := b.ownActions()[a.Verb]; ok {
		return own(ctx, a)
	}
	lang := b.rules.Language(ctx, a.Thread, a.User, "")
	if a.ID == command.ControlSettings {
		return b.Room.Settings.Action(ctx, a, lang)
	}
	if strings.HasPrefix(a.ID, command.ControlForget) {
		return b.Room.Forget.Action(ctx, a, lang)
	}
	if strings.HasPrefix(a.ID, gap.Control) {
		return b.gaps.Action(ctx, a, lang)
	}
	if strings.HasPrefix(a.ID, cited.Control) {
		return b.cited.Action(ctx, a, lang)
	}
	if strings.HasPrefix(a.ID, note.Control) {
		return b.notes.Action(ctx, a, lang)
	}
	if b.toolServers != nil && strings.HasPrefix(a.ID, toolserver.Control) {
		return b.toolServers.Action(ctx, a, lang)
	}
	if b.parked != nil && strings.HasPrefix(a.ID, parking.Control) {
		return b.parked.Action(ctx, a, lang)
	}
	if b.schedules != nil && strings.HasPrefix(a.ID, schedule.Control) {
		return b.schedules.Action(ctx, a, lang)
	}
	return b.questions.Click(ctx, a, lang)
}

// ownActions returns the handlers of controls that decide no approval, by verb.
func (b *Bot) ownActions() map[string]func(context.Context, bot.Action) (bot.Answer, error) {
	own := map[string]func(context.Context, bot.Action) (bot.Answer, error){
		approval.VerbClosed: func(context.Context, bot.Action) (bot.Answer, error) { return bot.Answer{}, nil },
		bot.VerbStop:        b.controls.Stop,
		bot.VerbUp:          b.controls.Rate,
		bot.VerbDown:        b.controls.Rate,
		bot.VerbDont:        b.controls.DisableMemories,
	}
	if b.accounts != nil {
		own[agent.VerbConnect] = b.accounts.Action
	}
	return own
}
