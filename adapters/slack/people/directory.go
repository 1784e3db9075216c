package people

import (
	"context"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/workspace"
	"maru/bot"
	"maru/bot/label"
)

// Directory answers the bot's queries about people in every served workspace: it implements
// bot.Members, bot.Picker, bot.Namer and label.Source.
type Directory struct {
	ids
	in workspace.In[*Members]
}

var (
	_ bot.Members  = Directory{}
	_ bot.Picker   = Directory{}
	_ bot.Namer    = Directory{}
	_ label.Source = Directory{}
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

// LabelOf implements label.Source.
func (d Directory) LabelOf(ctx context.Context, msg bot.Message, id string) label.Label {
	team := msg.Thread.Team
	if msg.Thread.Platform != payload.Platform {
		team = "" // of the only workspace
	}
	m, err := d.in(ctx, "label", team)
	if err != nil {
		return label.Label{}
	}
	return m.labelOf(ctx, msg, id)
}
