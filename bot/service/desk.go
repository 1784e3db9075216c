package service

import (
	"context"
	"slices"

	"maru/bot"
	"maru/bot/account"
	"maru/bot/approval"
	"maru/bot/desk"
)

// Desk serves other programs; nil: the record has no tokens.
func (b *Bot) Desk() *desk.Desk { return b.desk }

// Accounts handles sign-ins at tool servers; nil: disabled.
func (b *Bot) Accounts() *account.Desk { return b.accounts }

// hasAccount returns a function that reports whether a person is signed in at a server.
func hasAccount(v *account.Vault) func(context.Context, bot.Thread, string, string) bool {
	if v == nil {
		return nil
	}
	return v.Has
}

// SetToken sets the token of a tool server, see [toolserver.Servers].
func (b *Bot) SetToken(ctx context.Context, t bot.Thread, u bot.User, server, header, token, lang string) (*bot.Card, map[string]string, error) {
	if b.toolServers == nil {
		return nil, nil, bot.ErrNotFound
	}
	return b.toolServers.SetToken(ctx, t, u, server, header, token, lang)
}

// SetClient sets the client with which people sign in at a tool server, see [toolserver.Servers].
func (b *Bot) SetClient(ctx context.Context, t bot.Thread, u bot.User, server, id, secret, lang string) (*bot.Card, map[string]string, error) {
	if b.toolServers == nil {
		return nil, nil, bot.ErrNotFound
	}
	return b.toolServers.SetClient(ctx, t, u, server, id, secret, lang)
}

// File returns a file of a run to a person who may see the run from their place.
func (b *Bot) File(ctx context.Context, from bot.Thread, u bot.User, run string, n int) (bot.Artifact, error) {
	return b.parcels.File(ctx, from, u, run, n)
}

// Files lists the files that a thread's runs made, without their bytes.
func (b *Bot) Files(ctx context.Context, t bot.Thread) ([]bot.Artifact, error) {
	return b.parcels.Files(ctx, t)
}

// Follow shows a run to a person who may see it, until it ends, ctx ends or show returns an error.
func (b *Bot) Follow(ctx context.Context, t bot.Thread, u bot.User, run string, show func(bot.Feed) error) error {
	return b.follows.Follow(ctx, t, u, run, show)
}

// Rule applies a decision made elsewhere than on the question's card.
func (b *Bot) Rule(ctx context.Context, r bot.Ruling) (bot.Ruled, error) {
	return b.questions.Rule(ctx, r)
}

// MaySee returns an error if a person may not see a run.
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

// Shown returns an open question with the platform's names of the IDs in it.
func (b *Bot) Shown(ctx context.Context, row bot.Approval) (approval.Asked, error) {
	a, err := approval.Read(row)
	if err != nil {
		return approval.Asked{}, err
	}
	return b.questions.Labelled(ctx, []approval.Asked{a})[0], nil
}

// Waits returns the questions that a run waits for, with the people who may decide them.
func (b *Bot) Waits(ctx context.Context, r bot.Run) []bot.RunWait {
	return b.questions.Waits(ctx, r)
}

// WaitingFrom lists the questions of a workspace that a person may decide, the oldest first.
func (b *Bot) WaitingFrom(ctx context.Context, t bot.Thread, u bot.User) ([]bot.Approval, error) {
	return b.questions.WaitingFrom(ctx, t, u)
}

// NoteAct adds a person's action on a page to the audit log.
func (b *Bot) NoteAct(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any) {
	b.rules.Audit(ctx, t, u, what, detail)
}
