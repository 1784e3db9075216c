package interact

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"maru/adapters/discord/place"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase"
)

// menu is an entry of the menu that every message has.
type menu struct {
	label    string // key of its name
	question func(said string, lang string) string
	files    bool // it is about the message's files
}

// menuEntries are the entries. Discord sends their English names back.
var menuEntries = []menu{
	{label: "discord.menu.about", question: about, files: true},
	{label: "discord.menu.summarise", question: func(_, lang string) string {
		return phrase.Say(lang, "discord.menu.summarise_request")
	}},
	{label: "discord.menu.add", question: func(_, lang string) string {
		return phrase.Say(lang, "discord.menu.add_request")
	}, files: true},
}

// about is a message as a question of its own, or as what is asked about.
func about(said, lang string) string {
	if said == "" || strings.ContainsAny(said, "?？") {
		return said
	}
	return phrase.Say(lang, "discord.menu.about_request") + "\n\n> " + strings.ReplaceAll(said, "\n", "\n> ")
}

func menuOf(name string) (menu, bool) {
	for _, m := range menuEntries {
		if phrase.Say(phrase.Fallback, m.label) == name {
			return m, true
		}
	}
	return menu{}, false
}

// menus are the entries as Discord registers them.
func menus() []registered {
	var out []registered
	for _, m := range menuEntries {
		out = append(out, registered{
			Type: commandMessage, Name: phrase.Say(phrase.Fallback, m.label), NameLocalizations: localized(phrase.All(m.label)),
			Contexts: []int{contextGuild, contextDirect}, IntegrationTypes: []int{installGuild},
		})
	}
	return out
}

// errNoTarget says that an entry came without the message that it was used on.
var errNoTarget = errors.New("discord: the message of the menu is missing")

// onMenu makes a message's menu a question about it, in the message's thread,
// by who used it.
func (h *Handler) onMenu(ctx context.Context, in bot.Intake, v visit) (*bot.Card, error) {
	entry, _ := menuOf(v.i.Data.Name)
	target, ok := target(v.i.Data)
	if !ok {
		return nil, errNoTarget
	}
	guild := ""
	if !v.at.Direct {
		guild = v.at.Team
	}
	said := h.reader.PlainText(target, guild)
	m := bot.Message{
		ID: v.i.ID, Order: v.i.ID, Thread: v.at, User: v.u, Reach: bot.ReachMenu, At: wire.IDTime(v.i.ID),
		Text: entry.question(said, v.u.Locale),
	}
	if entry.files {
		m.Files = target.Files()
	}
	if m.Text == "" {
		m.Text = about("…", v.u.Locale)
	}
	if entry.label == "discord.menu.add" && len(m.Files) == 0 {
		return &bot.Card{Kind: bot.CardNotice, Final: true, Text: phrase.Say(v.u.Locale,
			"discord.menu.no_file")}, nil
	}
	if m.Thread.ID == "" && !m.Thread.Direct && m.Thread.Team != place.TeamDirect {
		h.places.BeginAbout(&m, target)
	}
	if err := in.Message(ctx, m); err != nil {
		return nil, err
	}
	return &bot.Card{Kind: bot.CardNotice, Final: true, Text: phrase.Say(v.u.Locale, "discord.on_its_way")}, nil
}

// target is the message that a menu was used on.
func target(d wire.InteractionData) (*wire.Message, bool) {
	var r struct {
		Messages map[string]*wire.Message `json:"messages"`
	}
	if json.Unmarshal(d.Resolved, &r) != nil || r.Messages[d.TargetID] == nil || r.Messages[d.TargetID].ID != d.TargetID {
		return nil, false
	}
	return r.Messages[d.TargetID], true
}
