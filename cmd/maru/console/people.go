package console

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/outside"
	"maru/bot/overview"
	"maru/phrase"
)

var _ site.People = (*Desk)(nil)

// Roles reads and changes the roles of people in a workspace: those of [site.Person].
//
// RoleOf returns what is known without asking a platform, "" for nothing; given says that it was given in the console. LookUp asks
// the platform, and returns "" if it cannot tell. Give gives a role, with "" that of the platform again.
type Roles interface {
	RoleOf(ctx context.Context, t bot.Thread, user string) (role string, given bool, err error)
	LookUp(ctx context.Context, t bot.Thread, user string) string
	Give(ctx context.Context, t bot.Thread, user, role string) error
}

// RoleOnPlatform implements site.People.
func (d *Desk) RoleOnPlatform(ctx context.Context, p site.Person) string {
	if d.cfg.Roles == nil {
		return ""
	}
	return d.cfg.Roles.LookUp(ctx, bot.Thread{Platform: p.Platform, Team: p.Team}, p.ID)
}

// GiveRole implements site.People. Nobody changes their own role: the last admin could not take it back.
func (d *Desk) GiveRole(ctx context.Context, by bot.User, from bot.Thread, p site.Person, role string) error {
	if err := allowed(by); err != nil {
		return err
	}
	t := bot.Thread{Platform: p.Platform, Team: p.Team}
	switch {
	case d.cfg.Roles == nil || !slices.Contains([]string{"", site.RoleViewer, site.RoleMember, site.RoleAdmin}, role):
		return bot.ErrNotFound
	case p.ID == by.ID && t.TeamKey() == from.TeamKey() || p.Local():
		return &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(by.Locale, "web.people.role.own")}
	}
	rows, err := d.cfg.Record.People(ctx, maxPeople)
	if err != nil {
		return fmt.Errorf("list people: %w", err)
	}
	if !slices.ContainsFunc(rows, func(r overview.Person) bool { return r.Platform == p.Platform && r.Team == p.Team && r.User == p.ID }) {
		return bot.ErrNotFound
	}
	before, _, err := d.cfg.Roles.RoleOf(ctx, t, p.ID)
	if err == nil {
		err = d.cfg.Roles.Give(ctx, t, p.ID, role)
	}
	if err != nil {
		return fmt.Errorf("change a role: %w", err)
	}
	d.NoteAct(ctx, t, by, "person.role", map[string]any{"person": p.ID, "role": role, "before": before})
	return nil
}

// maxPeople bounds the list.
const maxPeople = 10_000

// ListPeople implements site.People.
func (d *Desk) ListPeople(ctx context.Context, by bot.User, from bot.Thread) ([]site.Person, error) {
	rows, err := d.cfg.Record.People(ctx, maxPeople)
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	used, err := usedThisMonth(ctx, d)
	if err != nil {
		return nil, err
	}
	var out []site.Person
	for _, r := range rows {
		at := bot.Thread{Platform: r.Platform, Team: r.Team}
		if !by.Operator && (r.User != by.ID || at.TeamKey() != from.TeamKey()) {
			continue
		}
		u := used[at.Person(bot.User{ID: r.User})]
		p := site.Person{Platform: r.Platform, Team: r.Team, ID: r.User, Name: r.Name, Last: r.Last, Runs: u.Runs, Tokens: u.Input + u.Output, Cost: u.Cost}
		if d.cfg.Roles != nil {
			if p.Role, p.Given, err = d.cfg.Roles.RoleOf(ctx, at, r.User); err != nil {
				return nil, fmt.Errorf("look up a role: %w", err)
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// usedThisMonth sums the usage of this month by person.
func usedThisMonth(ctx context.Context, d *Desk) (map[string]bot.Used, error) {
	now := d.cfg.Now().In(d.cfg.Zone)
	rows, err := d.cfg.Record.Usage(ctx, bot.UsageQuery{From: now.AddDate(0, 0, 1-now.Day()).Format(time.DateOnly), To: now.Format(time.DateOnly)})
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	out := map[string]bot.Used{}
	for _, u := range rows {
		key := u.Team + "/" + bot.Esc(u.User)
		sum := out[key]
		sum.Runs += u.Runs
		sum.Add(u.Usage)
		out[key] = sum
	}
	return out, nil
}

// homeOf returns the workspace of a person, for somebody who may see their tokens.
func homeOf(by bot.User, from bot.Thread, p site.Person) (outside.Home, error) {
	h := outside.Home{Platform: p.Platform, Team: p.Team}
	if !by.Operator && (p.ID != by.ID || h.Thread().TeamKey() != from.TeamKey()) {
		return h, bot.ErrNotFound
	}
	return h, nil
}

// PersonTokens implements site.People.
func (d *Desk) PersonTokens(ctx context.Context, by bot.User, from bot.Thread, p site.Person) ([]site.PersonToken, error) {
	h, err := homeOf(by, from, p)
	if err != nil {
		return nil, err
	}
	rows, err := d.cfg.Record.Tokens(ctx, h, p.ID)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	words := map[outside.Scope]string{
		outside.Ask: phrase.Say(by.Locale, "token.scope.ask"), outside.Search: phrase.Say(by.Locale, "token.scope.search"),
		outside.Request: phrase.Say(by.Locale, "token.scope.request"), outside.Decide: phrase.Say(by.Locale, "token.scope.decide"),
	}
	var out []site.PersonToken
	for _, t := range rows {
		var allows []string
		for _, s := range t.Scopes {
			allows = append(allows, words[s])
		}
		out = append(out, site.PersonToken{ID: t.ID, Name: t.Name, Allows: strings.Join(allows, ", "), Expires: t.Expires, Over: !d.cfg.Now().Before(t.Expires)})
	}
	return out, nil
}

// RevokeToken implements site.People. The entry of the audit log is that of the command, with the token's owner.
func (d *Desk) RevokeToken(ctx context.Context, by bot.User, from bot.Thread, p site.Person, id string) (string, error) {
	h, err := homeOf(by, from, p)
	if err != nil {
		return "", err
	}
	rows, err := d.cfg.Record.Tokens(ctx, h, p.ID)
	if err != nil {
		return "", fmt.Errorf("list tokens: %w", err)
	}
	i := slices.IndexFunc(rows, func(t outside.Token) bool { return t.ID == id })
	if i < 0 {
		return "", bot.ErrNotFound
	}
	was, err := d.cfg.Record.DropToken(ctx, h, p.ID, id)
	if err != nil {
		return "", fmt.Errorf("revoke token: %w", err)
	}
	if was {
		d.NoteAct(ctx, h.Thread(), by, "program.shut_out", map[string]any{"token": id, "name": rows[i].Name, "owner": p.ID})
	}
	return rows[i].Name, nil
}
