// Package standing implements the part of "/maru tools" that shows and ends standing permissions: tools that only read and that admins of
// a channel allowed without a question, for a time. The button of a question gives them; maru/bot/place keeps them.
package standing

import (
	"cmp"
	"context"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/place"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
)

// Rules keep permissions, and answer what a person may do in a place.
type Rules interface {
	AllowedIn(ctx context.Context, t bot.Thread) ([]place.Allowed, error)
	Disallow(ctx context.Context, t bot.Thread, u bot.User, tool string) (bool, error)
	May(t bot.Thread, u bot.User, want config.Role) bool
	Audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any)
	ZoneOf(u bot.User) *time.Location
}

// Permissions shows and ends standing permissions.
type Permissions struct{ Rules Rules }

// Handler carries out a command.
type Handler = func(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error)

// Around wraps the command "tools": it carries out "allowed" and "disallow", and adds the channel's permissions to the list.
func (p Permissions) Around(next Handler) Handler {
	return func(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
		words := strings.Fields(cmp.Or(c.Args, c.Options["action"]+" "+c.Options["name"]+" "+c.Options["hash"]))
		switch phrase.Choice(strings.Join(words[:min(len(words), 1)], ""), "standing.also.", "allowed", "disallow") {
		case "allowed":
			return p.list(ctx, c, lang)
		case "disallow":
			return p.disallow(ctx, c, strings.Trim(strings.Join(words[1:], " "), "`"), lang)
		}
		card, err := next(ctx, c, lang)
		if err != nil || card == nil || len(words) > 0 && words[0] != "list" || card.Title == "" {
			return card, err
		}
		lines, err := p.lines(ctx, c, lang)
		if err == nil && lines != "" {
			card.Text += "\n**" + phrase.Say(lang, "standing.title") + "**\n" + lines
		}
		return card, err
	}
}

// lines lists the permissions that hold in a channel.
func (p Permissions) lines(ctx context.Context, c bot.Invocation, lang string) (string, error) {
	list, err := p.Rules.AllowedIn(ctx, c.Thread)
	var s strings.Builder
	for _, a := range list {
		s.WriteString("- " + phrase.Say(lang, "standing.line", fit.Quoted(a.Tool, 64), place.Until(a.Until(), p.Rules.ZoneOf(c.User)), fit.Clip(fit.OneLine(fit.Visible(a.By)), 80)) + "\n")
	}
	return s.String(), err
}

func (p Permissions) list(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	lines, err := p.lines(ctx, c, lang)
	if err != nil {
		return nil, err
	}
	card := &bot.Card{Kind: bot.CardNotice, Text: phrase.Say(lang, "standing.none"), Language: lang, Final: true, Own: true}
	if lines != "" {
		card.Title, card.Text, card.Footer = phrase.Say(lang, "standing.title"), lines, phrase.Say(lang, "standing.how")
	}
	return card, nil
}

func (p Permissions) disallow(ctx context.Context, c bot.Invocation, tool, lang string) (*bot.Card, error) {
	if !p.Rules.May(c.Thread, c.User, config.ChannelAdmin) {
		p.Rules.Audit(ctx, c.Thread, c.User, "command.refused", map[string]any{"command": "tools disallow"})
		return nil, &bot.Error{Code: bot.CodeMayNot, Detail: place.Whom(config.ChannelAdmin, lang), Noted: true}
	}
	was, err := p.Rules.Disallow(ctx, c.Thread, c.User, tool)
	if err != nil {
		return nil, err
	}
	if !was {
		return nil, &bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(lang, "standing.unknown", fit.Quoted(tool, 64))}
	}
	return bot.NewNotice(phrase.Say(lang, "standing.ended", fit.Quoted(tool, 64)), lang), nil
}
