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

// menu is an entry of a message's context menu.
type menu struct {
	label    string // catalogue key of its name
	question func(said string, lang string) string
	files    bool // it concerns the message's files
}

// menuEntries are the entries. Discord sends back their English names.
var menuEntries = []menu{
	{label: "discord.menu.about", question: questionAbout, files: true},
	{label: "discord.menu.summarise", question: func(_, lang string) string {
		return phrase.Say(lang, "discord.menu.summarise_request")
	}},
	{label: "discord.menu.add", question: func(_, lang string) string {
		return phrase.Say(lang, "discord.menu.add_request")
	}, files: true},
}

// questionAbout returns the question about a message: its own text if that is a question,
// else a request to explain it.
func questionAbout(said, lang string) string {
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

// menus returns the entries for registration.
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

// errNoTarget reports an entry without its message.
var errNoTarget = errors.New("discord: the message of the menu is missing")

// onMenu converts a message menu to a question about the message, in its thread, by the
// person who used it.
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
		m.Text = questionAbout("…", v.u.Locale)
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

// target returns the message of a menu.
func target(d wire.InteractionData) (*wire.Message, bool) {
	var r struct {
		Messages map[string]*wire.Message `json:"messages"`
	}
	if json.Unmarshal(d.Resolved, &r) != nil || r.Messages[d.TargetID] == nil || r.Messages[d.TargetID].ID != d.TargetID {
		return nil, false
	}
	return r.Messages[d.TargetID], true
}
