package place

import (
	"context"
	"slices"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/config"
	"maru/memory/longterm"
)

// Scopes returns the scopes that a run in thread t for user u may read: those readable by every reader of its
// answer. Guests and people of other workspaces read only public documents, unless the channel treats them as
// members. The setting doc_scopes can only narrow the result.
func Scopes(t bot.Thread, u bot.User, set config.Resolved) []string {
	named := []struct{ name, scope string }{
		{config.ScopePublic, bot.ScopePublic}, {config.ScopeChannel, t.ChannelScope()}, {config.ScopeWorkspace, t.TeamScope()},
	}
	switch {
	case set.Guests == config.GuestsMember:
	case u.Stranger():
		named = named[:1]
	case u.Bot: // the readers of an app's output are unknown
		named = named[:2]
	case u.Watched: // others can read the answer
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

// RunScopes returns [Scopes] with the channel's tool restrictions: disabled tools, and tools that need approval.
func RunScopes(t bot.Thread, u bot.User, set config.Resolved) []string {
	out := Scopes(t, u, set)
	for _, name := range set.Means.ToolsOff {
		out = append(out, agent.Without(name))
	}
	for _, name := range set.Means.ToolsAsk {
		out = append(out, agent.AskFirst(name))
	}
	for _, one := range set.Means.Allowed {
		name, digest, _ := strings.Cut(one, "@")
		out = append(out, agent.Allowed(name, digest))
	}
	return out
}

// ScopesNow returns [Scopes] under the current settings.
func (r *Rules) ScopesNow(ctx context.Context, t bot.Thread, u bot.User) ([]string, error) {
	set, err := r.Settings(ctx, t, u)
	if err != nil {
		return nil, err
	}
	return r.WithRestricted(ctx, t, u, Scopes(t, u, set)), nil
}

// WithRestricted adds the scopes of documents with their own readers that every reader of an answer to u in t may
// read.
func (r *Rules) WithRestricted(ctx context.Context, t bot.Thread, u bot.User, scopes []string) []string {
	if r.cfg.Restricted == nil {
		return scopes
	}
	return append(slices.Clip(scopes), r.cfg.Restricted.Scopes(ctx, t, u, scopes)...)
}

// HoldRestricted stores the restricted scopes of a run, see [Restricted].
func (r *Rules) HoldRestricted(ctx context.Context, t bot.Thread, u bot.User, run string, from, scopes []string, lang string) error {
	if r.cfg.Restricted == nil {
		return nil
	}
	return r.cfg.Restricted.Hold(ctx, t, u, run, from, scopes, lang)
}

// EffectiveUser returns the person with the guest flags cleared if the channel treats guests as members.
func (r *Rules) EffectiveUser(ctx context.Context, t bot.Thread, u bot.User) (bot.User, error) {
	if !u.Stranger() {
		return u, nil
	}
	set, err := r.Settings(ctx, t, u)
	if err == nil && set.Guests == config.GuestsMember {
		u.Guest, u.External = false, false
	}
	return u, err
}

// MembersOnly returns an error for apps, and for guests unless the channel treats them as members.
func (r *Rules) MembersOnly(ctx context.Context, t bot.Thread, u bot.User, lang string) error {
	u, err := r.EffectiveUser(ctx, t, u)
	if err != nil || !u.Stranger() && !u.Bot {
		return err
	}
	return &bot.Error{Code: bot.CodeMayNot, Detail: Whom(config.Member, lang)}
}

// Owner returns the owner of the memory for a message, under the current settings. If these cannot be read, memory
// is off.
func (r *Rules) Owner(ctx context.Context, t bot.Thread, u bot.User) longterm.Owner {
	o := longterm.Owner{
		Workspace: t.TeamKey(), Person: t.Person(u), Scopes: []string{bot.ScopePublic}, Home: t.ChannelScope(), Off: true,
	}
	if !r.cfg.Remembers || u.ID == "" || u.Bot {
		return o
	}
	set, err := r.Settings(ctx, t, u)
	if err != nil {
		return o
	}
	o.Off, o.Scopes = !set.Memory, Scopes(t, u, set)
	// Records stay in the channel where they were learned, unless the owner shares them: platforms do not report
	// which channels are private.
	if set.MemoryShare && !u.Guest && !u.External {
		o.Home = t.TeamScope()
	}
	return o
}
