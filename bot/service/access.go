package service

import (
	"context"
	"slices"

	"maru/agent"
	"maru/bot"
	"maru/config"
)

// scopesFor returns what a run in thread t for user u may read: only what
// everybody who can read its answer may read. Guests and people of other
// workspaces read public documents alone, unless the place treats them as
// members.
//
// The place's setting can only take scopes away from those.
func scopesFor(t bot.Thread, u bot.User, set config.Resolved) []string {
	named := []struct{ name, scope string }{
		{config.ScopePublic, bot.ScopePublic}, {config.ScopeChannel, t.ChannelScope()}, {config.ScopeWorkspace, t.TeamScope()},
	}
	switch {
	case set.Guests == config.GuestsMember:
	case u.Stranger():
		named = named[:1]
	case u.Watched: // whoever asks: the others read the answer
		named = named[:2]
	}
	var out []string
	for _, s := range named {
		if only := set.Means.DocScopes; len(only) == 0 || slices.Contains(only, s.name) {
			out = append(out, s.scope)
		}
	}
	return out
}

// runScopes are the scopes of a run: the documents it may read, and the tools it
// may not use, or not without asking first.
func runScopes(t bot.Thread, u bot.User, set config.Resolved) []string {
	out := scopesFor(t, u, set)
	for _, name := range set.Means.ToolsOff {
		out = append(out, agent.Without(name))
	}
	for _, name := range set.Means.ToolsAsk {
		out = append(out, agent.AskFirst(name))
	}
	return out
}

// scopes is scopesFor under the settings that hold now.
func (b *Bot) scopes(ctx context.Context, t bot.Thread, u bot.User) ([]string, error) {
	set, err := b.settings(ctx, t, u)
	if err != nil {
		return nil, err
	}
	return scopesFor(t, u, set), nil
}

// treated is a person as the place treats them: a guest may be a member there.
func (b *Bot) treated(ctx context.Context, t bot.Thread, u bot.User) (bot.User, error) {
	if !u.Stranger() {
		return u, nil
	}
	set, err := b.settings(ctx, t, u)
	if err == nil && set.Guests == config.GuestsMember {
		u.Guest, u.External = false, false
	}
	return u, err
}

// membersOnly refuses guests what only members may do here.
func (b *Bot) membersOnly(ctx context.Context, t bot.Thread, u bot.User, lang string) error {
	u, err := b.treated(ctx, t, u)
	if err != nil || !u.Stranger() {
		return err
	}
	return &bot.Error{Code: bot.CodeMayNot, Detail: whom(config.Member, lang)}
}
