package toolserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/agent"
	"maru/agent/tool/attached"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// show lists a server's tools with their effects, and how to accept pending ones; with a tool's name it shows all of that tool.
func (s *Servers) show(ctx context.Context, r attached.Row, t bot.Thread, user, lang string, name ...string) *bot.Card {
	offers, bad := s.look(ctx, r, t, user, lang)
	if bad != nil {
		return bad
	}
	if len(name) == 0 {
		return present(r, offers, lang)
	}
	i := offered(r, offers, name[0])
	if i < 0 {
		return noTool(r, name[0], lang)
	}
	return whole(r, offers[i], lang)
}

// offered returns the place of a tool among a server's, -1 for none. People may write the server's name before the tool's.
func offered(r attached.Row, offers []Offer, name string) int {
	return slices.IndexFunc(offers, func(o Offer) bool { return o.Remote == name || o.Remote == strings.TrimPrefix(name, r.Name+"_") })
}

func noTool(r attached.Row, name, lang string) *bot.Card {
	return bot.NewFailure(phrase.Say(lang, "toolserver.no_tool", r.Name, fit.Literal(fit.Quoted(name, 60))), lang)
}

// whole shows the complete description of a tool for models, which an admin accepts. Parameters that are too long for a card come as a file.
func whole(r attached.Row, o Offer, lang string) *bot.Card {
	var pretty bytes.Buffer
	if json.Indent(&pretty, o.Parameters, "", "  ") != nil {
		pretty.Reset()
		pretty.Write(o.Parameters)
	}
	parameters := fit.Visible(pretty.String())
	card := bot.NewNotice("`"+fit.Quoted(o.Remote, 64)+"` — "+o.Effect.Said().In(lang), lang)
	card.Title = r.Name
	about := fit.Literal(fit.Visible(o.About))
	if utf8.RuneCountInString(parameters) > maxParameters {
		card.Files = []bot.Artifact{{Name: r.Name + "-parameters.json", MIME: "application/json", Size: int64(len(parameters)), Data: []byte(parameters)}}
		parameters = phrase.Say(lang, "toolserver.parameters_file")
	} else {
		parameters = phrase.Say(lang, "toolserver.parameters") + "\n```json\n" + parameters + "\n```"
	}
	card.Text = fit.Paragraphs(fit.Paragraphs(card.Text, about), parameters)
	return card
}

// maxParameters limits the parameters of a tool that a card shows, in characters.
const maxParameters = 6000

// maxBeginning limits a description in the list of a server's tools, in characters.
const maxBeginning = 100

// beginning quotes the beginning of a description as it is written.
func beginning(text string) string {
	return "“" + fit.Literal(fit.Clip(fit.OneLine(fit.Visible(text)), maxBeginning)) + "”"
}

// present renders a server's tools.
func present(r attached.Row, offers []Offer, lang string) *bot.Card {
	wait := waiting(r, offers)
	lines := []string{phrase.Say(lang, "toolserver.answers", len(offers))}
	if len(offers) == 0 {
		lines[0] = phrase.Say(lang, "toolserver.answers_none", r.Name)
	}
	for _, o := range offers {
		now := beginning(o.Description)
		line := "- `" + fit.Quoted(o.Remote, 64) + "` — " + o.Effect.Said().In(lang)
		switch was, known := r.Accepted[o.Remote]; {
		case !known:
			line += " · " + phrase.Say(lang, "toolserver.new")
		case was.Hash != o.Hash && was.Description != o.Description:
			line += " · ⚠️ " + beginning(was.Description) + " → " + now
		case was.Hash != o.Hash:
			line += " · ⚠️ " + phrase.Say(lang, "bot.tools.parameters_changed")
		}
		if _, known := r.Accepted[o.Remote]; !known && o.Description != "" {
			line += ": " + now
		}
		lines = append(lines, line)
	}
	card := bot.NewNotice(strings.Join(lines, "\n"), lang)
	card.Title = fit.Dots(r.Name, places(r, lang))
	if len(wait) > 0 {
		card.Text = fit.Paragraphs(card.Text, phrase.Say(lang, "toolserver.how_whole", r.Name))
		card.Footer = phrase.Say(lang, "toolserver.how_accept_file", r.Name, digest(r, wait))
		if r.Team != "" {
			card.Footer = phrase.Say(lang, "toolserver.how_accept", r.Name, digest(r, wait))
		}
	}
	return card
}

// places describes where a server's tools are offered.
func places(r attached.Row, lang string) string {
	if r.Team == "" {
		return phrase.Say(lang, "toolserver.file")
	}
	if len(r.Places) == 0 {
		return phrase.Say(lang, "toolserver.everywhere")
	}
	return phrase.Say(lang, "toolserver.only_in", len(r.Places))
}

// accept accepts the pending tools if they still match the shown digest.
func (s *Servers) accept(ctx context.Context, c bot.Invocation, r attached.Row, args []string, lang string) (*bot.Card, error) {
	if r.Team == "" && !s.Rules.Operates(c.Thread, c.User) { // it is accepted for all workspaces
		s.Rules.Audit(ctx, c.Thread, c.User, "command.refused", map[string]any{"command": "tools accept", "server": r.Name})
		return bot.NewFailure(phrase.Say(lang, "toolserver.operators_accept", r.Name), lang), nil
	}
	offers, bad := s.look(ctx, r, c.Thread, c.User.ID, lang)
	if bad != nil {
		return bad, nil
	}
	wait := waiting(r, offers)
	if len(wait) == 0 {
		return bot.NewNotice(phrase.Say(lang, "toolserver.nothing_waits", r.Name), lang), nil
	}
	if len(args) != 1 || !strings.EqualFold(args[0], digest(r, wait)) {
		card := present(r, offers, lang)
		card.Text = phrase.Say(lang, "toolserver.other_now") + "\n" + card.Text
		return card, nil
	}
	r.Accepted = maps.Clone(r.Accepted)
	if r.Accepted == nil {
		r.Accepted = map[string]attached.Accept{}
	}
	effects := map[string]string{}
	for _, o := range wait {
		r.Accepted[o.Remote] = attached.Accept{Hash: o.Hash, Description: o.Description, Effect: o.Effect, Tool: o.Whole}
		effects[o.Remote] = string(o.Effect)
	}
	if card, err := s.put(ctx, r, lang); card != nil || err != nil {
		return card, err
	}
	s.Rules.Audit(ctx, c.Thread, c.User, "tools.accept", map[string]any{"server": r.Name, "tools": effects})
	return bot.NewNotice(phrase.Say(lang, "toolserver.accepted", len(wait), r.Name), lang), nil
}

// class sets the effect of one tool, before or after it was accepted.
func (s *Servers) class(ctx context.Context, c bot.Invocation, r attached.Row, args []string, lang string) (*bot.Card, error) {
	effects := []agent.Effect{agent.EffectReads, agent.EffectSends, agent.EffectWrites, agent.EffectExecutes}
	if len(args) != 2 || !slices.Contains(effects, agent.Effect(strings.ToLower(args[1]))) {
		return bot.NewFailure(phrase.Say(lang, "toolserver.how_class", r.Name), lang), nil
	}
	offers, bad := s.look(ctx, r, c.Thread, c.User.ID, lang)
	if bad != nil {
		return bad, nil
	}
	effect := agent.Effect(strings.ToLower(args[1]))
	i := offered(r, offers, args[0])
	if i < 0 {
		return noTool(r, args[0], lang), nil
	}
	was := r.Accepted[offers[i].Remote]
	was.Effect = effect // its hash stays: an unaccepted tool still waits
	r.Accepted = maps.Clone(r.Accepted)
	if r.Accepted == nil {
		r.Accepted = map[string]attached.Accept{}
	}
	r.Accepted[offers[i].Remote] = was
	if card, err := s.put(ctx, r, lang); card != nil || err != nil {
		return card, err
	}
	s.Rules.Audit(ctx, c.Thread, c.User, "tools.class", map[string]any{"server": r.Name, "tool": offers[i].Remote, "effect": string(effect)})
	r.Version++
	return s.show(ctx, r, c.Thread, c.User.ID, lang), nil
}

// limit adds this channel to those a server is limited to, or removes the limit.
func (s *Servers) limit(ctx context.Context, c bot.Invocation, r attached.Row, args []string, lang string) (*bot.Card, error) {
	switch {
	case len(args) == 1 && phrase.Choice(args[0], "toolserver.also.", "here") != "":
		r.Places = append(slices.Clone(r.Places), strings.TrimPrefix(c.Thread.ChannelScope(), "channel:"))
		slices.Sort(r.Places)
		r.Places = slices.Compact(r.Places)
	case len(args) == 1 && phrase.Choice(args[0], "toolserver.also.", "workspace") != "":
		r.Places = nil
	default:
		return bot.NewFailure(phrase.Say(lang, "toolserver.how_limit", r.Name), lang), nil
	}
	if card, err := s.put(ctx, r, lang); card != nil || err != nil {
		return card, err
	}
	s.Rules.Audit(ctx, c.Thread, c.User, "tools.limit", map[string]any{"server": r.Name, "channels": r.Places})
	return bot.NewNotice(phrase.Say(lang, "toolserver.limited", r.Name, places(r, lang)), lang), nil
}

// remove removes a server with its accepted tools.
func (s *Servers) remove(ctx context.Context, c bot.Invocation, r attached.Row, lang string) (*bot.Card, error) {
	err := s.Store.DropToolServer(ctx, r.Name, r.Version)
	if errors.Is(err, attached.ErrChanged) {
		return bot.NewFailure(phrase.Say(lang, "toolserver.changed", r.Name), lang), nil
	}
	if err != nil {
		return nil, fmt.Errorf("remove a tool server: %w", err)
	}
	s.Prober.Changed()
	s.Rules.Audit(ctx, c.Thread, c.User, "tools.remove", map[string]any{"server": r.Name, "url": r.URL})
	if r.Personal {
		return bot.NewNotice(phrase.Say(lang, "toolserver.removed_personal", r.Name), lang), nil
	}
	return bot.NewNotice(phrase.Say(lang, "toolserver.removed", r.Name), lang), nil
}

// add stores a server that answers, and shows its tools for acceptance.
func (s *Servers) add(ctx context.Context, c bot.Invocation, args []string, lang string) (*bot.Card, error) {
	var u *url.URL
	var err error
	if len(args) == 1 {
		u, err = url.Parse(strings.Trim(args[0], "<>"))
	}
	if err != nil || u == nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || len(args[0]) > 500 {
		return bot.NewFailure(phrase.Say(lang, "toolserver.how_add"), lang), nil
	}
	all, err := s.Store.ToolServers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list tool servers: %w", err)
	}
	own := 0
	for _, r := range all {
		if r.Team != c.Thread.TeamKey() {
			continue
		}
		if own++; r.URL == u.String() {
			return bot.NewFailure(phrase.Say(lang, "toolserver.there", r.Name), lang), nil
		}
	}
	if own >= most {
		return bot.NewFailure(phrase.Say(lang, "toolserver.too_many", most), lang), nil
	}
	r := attached.Row{Name: s.freeName(u, all), Team: c.Thread.TeamKey(), URL: u.String(), By: c.User.Name, Created: s.Now()}
	var card *bot.Card
	offers, err := s.probe(ctx, r, c.Thread, c.User.ID)
	switch personal := errors.Is(err, ErrAccount); {
	case personal, errors.Is(err, ErrToken): // its tools are seen when somebody has signed in
		r.Personal = personal
		card = Missing(r, err, lang)
	default:
		if bad := s.bad(ctx, r, offers, err, lang); bad != nil {
			return bad, nil
		}
		card = present(r, offers, lang)
	}
	if full, failed := s.put(ctx, r, lang); full != nil || failed != nil {
		return full, failed
	}
	s.Rules.Audit(ctx, c.Thread, c.User, "tools.add", map[string]any{"server": r.Name, "url": r.URL})
	said := "toolserver.added"
	if err != nil {
		said = "toolserver.added_unseen" // its tools
	}
	card.Text = phrase.Say(lang, said, r.Name) + "\n" + card.Text
	return card, nil
}
