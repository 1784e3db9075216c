package console

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/adapters/web/site"
	"maru/agent/tool/attached"
	"maru/bot"
	"maru/bot/toolserver"
	"maru/phrase"
	"maru/phrase/fit"
)

var _ site.Tools = (*Desk)(nil)

// lookTime bounds one look at a server.
const lookTime = 20 * time.Second

// ListTools implements site.Tools.
func (d *Desk) ListTools(ctx context.Context, by bot.User, from, place bot.Thread) (servers []site.ToolServer, here site.PlaceTools, err error) {
	if d.cfg.Toolbox != nil && by.Operator {
		for _, s := range d.cfg.Toolbox.Servers() {
			out := site.ToolServer{Name: s.Name, Up: s.Up, Tools: s.Tools}
			for _, c := range s.Changes {
				out.Changed = append(out.Changed, site.ChangedTool{Name: c.Tool, Hash: c.Hash, Before: fit.Quoted(c.Before, 200), After: fit.Quoted(c.After, 200)})
			}
			servers = append(servers, out)
		}
	}
	rows, err := serverRows(ctx, d, by, from)
	if err != nil {
		return nil, here, err
	}
	for _, r := range rows {
		accepted := 0
		for _, a := range r.Accepted {
			if a.Hash != "" { // one that was only classified waits still
				accepted++
			}
		}
		servers = append(servers, site.ToolServer{Name: r.Name, Where: toolserver.Address(r), Team: r.Team, By: r.By, Tools: accepted, Places: r.Places, Own: r.Personal, Header: r.Header})
	}
	if d.cfg.Toolbox == nil || !by.Operator && !place.SharesTeam(from) {
		return servers, here, nil
	}
	card, err := d.Command(ctx, bot.Invocation{Name: "tools", Thread: place, User: by, At: d.cfg.Now()})
	if err != nil || card == nil {
		return servers, here, err
	}
	here.Text = card.Text
	if place.Channel == "" {
		return servers, here, nil
	}
	list, err := d.AllowedIn(ctx, place)
	if err != nil {
		return nil, here, err
	}
	here.Place = strings.TrimPrefix(place.ChannelScope(), "channel:")
	for _, a := range list {
		here.Allowed = append(here.Allowed, site.AllowedTool{Name: a.Tool, By: fit.Clip(fit.OneLine(fit.Visible(a.By)), 80), Until: a.Until()})
	}
	return servers, here, nil
}

// serverRows lists the added servers that a person may see.
func serverRows(ctx context.Context, d *Desk, by bot.User, from bot.Thread) ([]attached.Row, error) {
	rows, err := d.cfg.Record.ToolServers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list tool servers: %w", err)
	}
	return slices.DeleteFunc(rows, func(r attached.Row) bool { return !by.Operator && r.Team != "" && r.Team != from.TeamKey() }), nil
}

// serverRow finds an added server for somebody who may change it.
func serverRow(ctx context.Context, d *Desk, by bot.User, from bot.Thread, name string) (attached.Row, error) {
	if !by.Operator && !by.Admin {
		return attached.Row{}, &bot.Error{Code: bot.CodeNotAllowed}
	}
	rows, err := serverRows(ctx, d, by, from)
	if err != nil {
		return attached.Row{}, err
	}
	i := slices.IndexFunc(rows, func(r attached.Row) bool { return r.Name == name })
	if i < 0 || d.cfg.Servers == nil {
		return attached.Row{}, bot.ErrNotFound
	}
	return rows[i], nil
}

// LookAtServer implements site.Tools.
func (d *Desk) LookAtServer(ctx context.Context, by bot.User, from bot.Thread, name string) (look site.ServerLook, problem string, err error) {
	r, err := serverRow(ctx, d, by, from, name)
	if err != nil {
		return look, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	offers, err := d.cfg.Servers.Look(ctx, r, from, by.ID)
	if err != nil {
		said := toolserver.Away(r, err, by.Locale)
		if card := toolserver.Missing(r, err, by.Locale); card != nil {
			said = strings.TrimSpace(card.Text + " " + card.Footer)
		}
		return look, strings.ReplaceAll(said, "`", ""), nil
	}
	wait, digest := toolserver.Waiting(r, offers)
	switch {
	case len(wait) == 0:
	case r.Team == "" && !by.Operator: // it is accepted for all workspaces
		look.Others = strings.ReplaceAll(phrase.Say(by.Locale, "toolserver.operators_accept", r.Name), "`", "")
	default:
		look.Digest = digest
	}
	look.Name, look.Fixed = r.Name, r.Team == ""
	for _, o := range offers {
		was, known := r.Accepted[o.Remote]
		known = known && was.Hash != ""
		one := site.OfferedTool{
			Name: o.Remote, Description: fit.Quoted(o.Description, 300), Effect: string(o.Effect), Words: o.Effect.Said().In(by.Locale),
			New: !known, Changed: known && was.Hash != o.Hash, Was: fit.Quoted(was.Description, 300),
		}
		look.Offers = append(look.Offers, one)
	}
	return look, "", nil
}

// ChangeTools implements site.Tools: it is the command, given in the server's workspace.
func (d *Desk) ChangeTools(ctx context.Context, by bot.User, from bot.Thread, c site.ToolChange) (string, error) {
	switch c.Do {
	case "token":
		return setSecret(ctx, d, by, from, c, d.SetToken)
	case "client":
		return setSecret(ctx, d, by, from, c, d.SetClient)
	}
	at, words := from, []string{c.Do}
	switch {
	case c.Do == "disallow" && c.Server == "" && d.cfg.Toolbox != nil:
		if at = teamThread(c.Place); !by.Operator && !at.SharesTeam(from) {
			return "", bot.ErrNotFound
		}
	case !slices.Contains([]string{"add", "accept", "class", "limit", "remove"}, c.Do) || d.cfg.Toolbox == nil:
		return "", bot.ErrNotFound
	case c.Do == "add" && by.Operator && c.Place != "":
		at = teamThread(c.Place)
	case c.Server != "":
		r, err := serverRow(ctx, d, by, from, c.Server)
		if err != nil {
			return "", err
		}
		words = append(words, r.Name)
		if r.Team != "" && r.Team != from.TeamKey() {
			at = teamThread(r.Team)
		}
		if c.Do == "limit" {
			c.Args = []string{"workspace"}
			if c.Place != "" {
				at, c.Args = teamThread(c.Place), []string{"here"}
			}
		}
		if r.Team != "" && at.TeamKey() != r.Team {
			return "", bot.ErrNotFound
		}
	}
	for _, a := range c.Args {
		words = append(words, strings.Join(strings.Fields(a), ""))
	}
	card, err := d.Command(ctx, bot.Invocation{Name: "tools", Args: strings.Join(words, " "), Thread: at, User: by, At: d.cfg.Now()})
	if err != nil || card == nil {
		return "", err
	}
	return card.Text, nil
}

// teamThread returns a workspace or a channel by its name, such as "slack/T1" or "slack/T1/C1".
func teamThread(place string) bot.Thread {
	platform, rest, _ := strings.Cut(place, "/")
	team, channel, _ := strings.Cut(rest, "/")
	return bot.Thread{Platform: bot.Unesc(platform), Team: bot.Unesc(team), Channel: bot.Unesc(channel)}
}

// setSecret gives a server its token or client: in a form's fields, never in a command's text.
func setSecret(ctx context.Context, d *Desk, by bot.User, from bot.Thread, c site.ToolChange,
	set func(ctx context.Context, t bot.Thread, u bot.User, server, name, secret, lang string) (*bot.Card, map[string]string, error),
) (string, error) {
	r, err := serverRow(ctx, d, by, from, c.Server)
	if err != nil {
		return "", err
	}
	if len(c.Args) != 2 {
		return "", bot.ErrNotFound
	}
	card, wrong, err := set(ctx, teamThread(r.Team), by, r.Name, c.Args[0], c.Args[1], by.Locale)
	for _, why := range wrong {
		return why, err
	}
	if err != nil || card == nil {
		return "", err
	}
	return card.Text, nil
}
