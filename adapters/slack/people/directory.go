package people

import (
	"context"

	"maru/adapters/slack/workspace"
	"maru/bot"
)

// Directory answers the bot's queries about people in every served workspace: it implements
// bot.Members, bot.Picker and bot.Namer.
type Directory struct {
	ids
	in workspace.In[*Members]
}

var (
	_ bot.Members = Directory{}
	_ bot.Picker  = Directory{}
	_ bot.Namer   = Directory{}
)

// NewDirectory returns a directory over the members that in resolves.
func NewDirectory(in workspace.In[*Members]) Directory { return Directory{in: in} }

// Member implements bot.Members.
func (d Directory) Member(ctx context.Context, t bot.Thread, user, group string) (bool, error) {
	m, err := d.in(ctx, "member", t.Team)
	if err != nil {
		return false, err
	}
	return m.isMember(ctx, t, user, group)
}

// PersonNow returns a person as Slack says now; false if there is none, or the account was closed.
func (d Directory) PersonNow(ctx context.Context, t bot.Thread, id string) (bot.User, bool, error) {
	m, err := d.in(ctx, "person", t.Team)
	if err != nil {
		return bot.User{}, false, err
	}
	return m.personNow(ctx, id)
}

// Groups implements bot.Picker.
func (d Directory) Groups(ctx context.Context, t bot.Thread) []bot.Option {
	m, err := d.in(ctx, "groups", t.Team)
	if err != nil {
		return nil // the form opens without them
	}
	return m.listGroups(ctx, t)
}

// NameOf implements bot.Namer.
func (d Directory) NameOf(ctx context.Context, t bot.Thread, id string) string {
	m, err := d.in(ctx, "name", t.Team)
	if err != nil {
		return ""
	}
	return m.nameOf(ctx, t, id)
}
