package bot

import (
	"context"
	"slices"

	"maru/agent"
	"maru/config"
)

// ScopePublic is the scope of documents that everybody may read, such as the
// bundled handbook.
const ScopePublic = "public"

// teamScope is the scope of documents that every member of a workspace may read.
func teamScope(t Thread) string { return "team:" + t.TeamKey() }

// channelScope is the scope of documents for the readers of one channel.
func channelScope(t Thread) string { return channelScopeOf(placesOf(t, User{})[1]) }

// channelScopeOf is channelScope for a channel as settings name it.
func channelScopeOf(place string) string { return "channel:" + place }

// stranger reports whether somebody is a guest or of another workspace.
func stranger(u User) bool { return u.Guest || u.External }

// scopesFor returns what a run in thread t for user u may read: only what
// everybody who can read its answer may read. Guests and people of other
// workspaces read public documents alone, unless the place treats them as
// members.
//
// The place's setting can only take scopes away from those.
func scopesFor(t Thread, u User, set config.Resolved) []string {
	named := []struct{ name, scope string }{
		{config.ScopePublic, ScopePublic}, {config.ScopeChannel, channelScope(t)}, {config.ScopeWorkspace, teamScope(t)},
	}
	switch {
	case set.Guests == config.GuestsMember:
	case stranger(u):
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
func runScopes(t Thread, u User, set config.Resolved) []string {
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
func (b *Bot) scopes(ctx context.Context, t Thread, u User) ([]string, error) {
	set, err := b.settings(ctx, t, u)
	if err != nil {
		return nil, err
	}
	return scopesFor(t, u, set), nil
}

// treated is a person as the place treats them: a guest may be a member there.
func (b *Bot) treated(ctx context.Context, t Thread, u User) (User, error) {
	if !stranger(u) {
		return u, nil
	}
	set, err := b.settings(ctx, t, u)
	if err == nil && set.Guests == config.GuestsMember {
		u.Guest, u.External = false, false
	}
	return u, err
}

// membersOnly refuses guests what only members may do here.
func (b *Bot) membersOnly(ctx context.Context, t Thread, u User, lang string) error {
	u, err := b.treated(ctx, t, u)
	if err != nil || !stranger(u) {
		return err
	}
	return &Error{Code: CodeMayNot, Detail: whom(config.Member, lang)}
}

// userKey is a person's unique name over platforms and workspaces.
func userKey(t Thread, u User) string {
	return esc(t.Platform) + "/" + esc(t.Team) + "/" + esc(u.ID)
}
