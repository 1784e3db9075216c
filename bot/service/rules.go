package service

import (
	"context"

	"maru/agent"
	"maru/bot"
	"maru/bot/place"
	"maru/config"
)

// The short names under which the parts that are still here ask [place.Rules].

func (b *Bot) settings(ctx context.Context, t bot.Thread, u bot.User) (config.Resolved, error) {
	return b.rules.Settings(ctx, t, u)
}

func (b *Bot) settingsNow(ctx context.Context, t bot.Thread, u bot.User) (config.Resolved, error) {
	return b.rules.SettingsNow(ctx, t, u)
}

func (b *Bot) language(ctx context.Context, t bot.Thread, u bot.User, text string) string {
	return b.rules.Language(ctx, t, u, text)
}

func (b *Bot) membersOnly(ctx context.Context, t bot.Thread, u bot.User, lang string) error {
	return b.rules.MembersOnly(ctx, t, u, lang)
}

func (b *Bot) audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any) {
	b.rules.Audit(ctx, t, u, what, detail)
}

func (b *Bot) today() string { return b.rules.Today() }

func (b *Bot) budgetOf(ctx context.Context, t bot.Thread, set config.Resolved, run agent.Usage) (place.Budget, error) {
	return b.rules.BudgetOf(ctx, t, set, run)
}

func (b *Bot) counted(ctx context.Context, t bot.Thread, u bot.User, on bot.SpentOn) context.Context {
	return b.rules.Counted(ctx, t, u, on)
}
