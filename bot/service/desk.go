package service

import (
	"context"
	"slices"

	"maru/bot"
	"maru/bot/account"
	"maru/bot/desk"
)

// Desk serves other programs; nil: the record keeps no tokens.
func (b *Bot) Desk() *desk.Desk { return b.desk }

// Accounts signs people in at servers of tools; nil: nobody has accounts there.
func (b *Bot) Accounts() *account.Desk { return b.accounts }

// hasAccount tells questions who is signed in.
func hasAccount(v *account.Vault) func(context.Context, bot.Thread, string, string) bool {
	if v == nil {
		return nil
	}
	return v.Has
}

// SetToken gives a server of tools its token, see [toolserver.Servers].
func (b *Bot) SetToken(ctx context.Context, t bot.Thread, u bot.User, server, header, token, lang string) (*bot.Card, map[string]string, error) {
	if b.toolServers == nil {
		return nil, nil, bot.ErrNotFound
	}
	return b.toolServers.SetToken(ctx, t, u, server, header, token, lang)
}

// File returns a file that a run made to a person who may see the run from where
// they are.
func (b *Bot) File(ctx context.Context, from bot.Thread, u bot.User, run string, n int) (bot.Artifact, error) {
	return b.parcels.File(ctx, from, u, run, n)
}

// Files lists the files that a thread's runs made, without their bytes.
func (b *Bot) Files(ctx context.Context, t bot.Thread) ([]bot.Artifact, error) {
	return b.parcels.Files(ctx, t)
}

// Follow shows a run to whoever may see it, until it has ended, ctx ends or show
// returns an error.
func (b *Bot) Follow(ctx context.Context, t bot.Thread, u bot.User, run string, show func(bot.Feed) error) error {
	return b.follows.Follow(ctx, t, u, run, show)
}

// Rule decides a run's question for a person who does not stand before its card.
func (b *Bot) Rule(ctx context.Context, r bot.Ruling) (bot.Ruled, error) {
	return b.questions.Rule(ctx, r)
}

// MaySee says whether a person may see a run: an error says that they may not.
func (b *Bot) MaySee(ctx context.Context, from bot.Thread, u bot.User, run string) error {
	return b.questions.MaySee(ctx, from, u, run)
}

// Decidable returns an open question as the person may decide it from where they are; false if they may not.
func (b *Bot) Decidable(ctx context.Context, row bot.Approval, from bot.Thread, u bot.User) (bot.FeedAsk, bool, error) {
	may, err := b.questions.MayDecide(ctx, row, from, u)
	if err != nil || !may {
		return bot.FeedAsk{}, false, err
	}
	asks, err := b.questions.AsksOf(ctx, row.Thread, row.Run)
	i := slices.IndexFunc(asks, func(a bot.FeedAsk) bool { return a.Approval == row.ID })
	if err != nil || i < 0 { // it was decided meanwhile
		return bot.FeedAsk{}, false, err
	}
	return asks[i], true, nil
}

// Waits returns the questions on which a run waits, with the people who may decide them.
func (b *Bot) Waits(ctx context.Context, r bot.Run) []bot.RunWait {
	return b.questions.Waits(ctx, r)
}

// WaitingFrom lists the questions of a workspace that a person may decide, the oldest first.
func (b *Bot) WaitingFrom(ctx context.Context, t bot.Thread, u bot.User) ([]bot.Approval, error) {
	return b.questions.WaitingFrom(ctx, t, u)
}

// NoteAct adds to the audit log what a person did on a page.
func (b *Bot) NoteAct(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any) {
	b.rules.Audit(ctx, t, u, what, detail)
}
