package console

import (
	"context"
	"errors"
	"fmt"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/audience"
	"maru/bot/service"
)

var _ site.Accounts = accounts{}

// accounts links accounts on platforms to the addresses of those who sign in.
type accounts struct {
	links *service.Bot
	names interface {
		Installation(ctx context.Context, platform, team string) (bot.Installation, error)
		Installations(ctx context.Context, platform string) ([]bot.Installation, error)
	}
}

// AccountOf implements site.Accounts.
func (a accounts) AccountOf(ctx context.Context, v site.Visitor, link string) (site.Account, error) {
	readers := a.links.Readers()
	if readers == nil {
		return site.Account{}, bot.ErrNotFound
	}
	l, err := readers.People().Linking(ctx, link)
	if errors.Is(err, audience.ErrLink) {
		return site.Account{}, bot.ErrNotFound
	}
	if err != nil {
		return site.Account{}, err
	}
	out := site.Account{Platform: l.Thread.Platform, ID: l.ID, Name: l.Name, Mail: v.Mail}
	if row, err := a.names.Installation(ctx, l.Thread.Platform, l.Thread.Team); err == nil {
		out.Server = row.Name
	}
	if out.Mail != "" || !v.Own {
		return out, nil
	}
	if out.Mail, err = readers.Vouched(ctx, v.Thread, v.User.ID); err != nil || out.Mail == "" {
		return out, err
	}
	trusted, err := a.vouches(ctx, v.Thread, l.Thread)
	if err == nil && !trusted {
		err = site.ErrOtherWorkspace
	}
	if err != nil {
		out.Mail = ""
	}
	return out, err
}

// vouches reports whether the addresses of a visitor's workspace count for an account elsewhere. A workspace's admins
// can edit its profiles, so with several workspaces each vouches for its own accounts alone.
func (a accounts) vouches(ctx context.Context, visitor, account bot.Thread) (bool, error) {
	if visitor.TeamKey() == account.TeamKey() {
		return true, nil
	}
	all, err := a.names.Installations(ctx, visitor.Platform)
	if err != nil {
		return false, fmt.Errorf("count workspaces: %w", err)
	}
	return len(all) <= 1, nil // none: the only one has its token in the settings
}

// LinkAccount implements site.Accounts.
func (a accounts) LinkAccount(ctx context.Context, v site.Visitor, link string) (site.Account, error) {
	out, err := a.AccountOf(ctx, v, link)
	if err != nil || out.Mail == "" {
		return out, err
	}
	l, err := a.links.Readers().People().Redeem(ctx, link, out.Mail)
	switch {
	case errors.Is(err, audience.ErrLink):
		return site.Account{}, bot.ErrNotFound
	case errors.Is(err, audience.ErrTaken):
		return out, bot.ErrForbidden
	case err != nil:
		return site.Account{}, err
	}
	a.links.NoteAct(ctx, l.Thread, bot.User{ID: l.ID, Name: l.Name}, "sources.linked", map[string]any{"person": l.ID, "mail": out.Mail, "by": v.User.ID})
	return out, nil
}
