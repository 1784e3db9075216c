package console

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/adapters/web"
	"maru/adapters/web/site"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag/source"
)

var _ site.Sources = (*Desk)(nil)

// maxUnread bounds the items of a source of which the page says why they could not be read.
const maxUnread = 20

// ListSources implements site.Sources.
func (d *Desk) ListSources(ctx context.Context, by bot.User, from bot.Thread) ([]site.Source, error) {
	rows, err := sourceRows(ctx, d, by, from)
	if err != nil {
		return nil, err
	}
	out := make([]site.Source, len(rows))
	for i, r := range rows {
		if out[i], err = sourceOf(ctx, d, r, by); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sourceRows lists the rows that a person may see, by name.
func sourceRows(ctx context.Context, d *Desk, by bot.User, from bot.Thread) ([]source.Row, error) {
	rows, err := d.cfg.Record.Sources(ctx)
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	if !by.Operator {
		here := []string{bot.ScopePublic, from.TeamScope(), from.ChannelScope()}
		return slices.DeleteFunc(rows, func(r source.Row) bool { return !slices.Contains(here, r.Spec.Scope) }), nil
	}
	direct, err := d.cfg.Record.Direct(ctx)
	if err != nil {
		return nil, fmt.Errorf("list direct conversations: %w", err)
	}
	return slices.DeleteFunc(rows, func(r source.Row) bool { return privateScope(r.Spec.Scope, by, from, direct) }), nil
}

// privateScope reports whether a scope is another person's private conversation. Every channel on the console is one, also before
// its first message: the record lists a direct conversation only from then on.
func privateScope(scope string, by bot.User, from bot.Thread, direct []string) bool {
	team, channel, err := bot.ScopePlace(scope)
	switch {
	case err != nil:
		return true
	case channel == "" || owners(team) && from.TeamKey() == own || scope == web.HomeOf(from, by.ID).ChannelScope():
		return false
	}
	return strings.HasPrefix(team, "web/") || slices.Contains(direct, team+"/"+bot.Esc(channel))
}

func sourceOf(ctx context.Context, d *Desk, r source.Row, by bot.User) (site.Source, error) {
	s := r.Spec
	out := site.Source{Name: r.Name, Kind: string(s.Kind), Where: s.URL, Scope: s.Scope, By: r.By, File: r.File, Next: r.Progress.Due, Done: r.Progress.Done, State: sourceState(r)}
	switch s.Kind {
	case source.Git:
		out.Where = fit.Dots(s.URL, s.Folder)
	case source.MCP:
		out.Kind, out.Where = "MCP", s.Server
	}
	switch out.State {
	case site.SourceFailing:
		out.Why = r.Progress.Why.In(by.Locale)
	case site.SourcePaused, site.SourceRemoving, site.SourceLeft:
		out.Next = time.Time{}
	}
	if r.Progress.Limited {
		out.Limited = s.Pages
	}
	n, err := d.cfg.Record.CountItems(ctx, r.Name)
	if err != nil {
		return out, fmt.Errorf("count items: %w", err)
	}
	out.Documents, out.Pending, out.Parked = n[source.Synced], n[source.Pending], n[source.Parked]
	out.Unread = n[source.Refused] + n[source.Failed] + out.Parked
	if out.Unread == 0 || s.Confidential() && !by.Operator {
		return out, nil
	}
	bad, err := d.cfg.Record.SourceItems(ctx, r.Name, source.Query{States: []source.State{source.Refused, source.Failed, source.Parked}, Limit: maxUnread})
	if err != nil {
		return out, fmt.Errorf("list items: %w", err)
	}
	for _, e := range bad {
		out.Problems = append(out.Problems, fit.Clip(fit.Dots(fit.OneLine(e.ID), fit.OneLine(e.Why.In(by.Locale))), 400))
	}
	return out, nil
}

func sourceState(r source.Row) string {
	p := r.Progress
	switch {
	case r.Removed:
		return site.SourceRemoving
	case r.Left:
		return site.SourceLeft
	case r.Paused:
		return site.SourcePaused
	case p.Why != nil:
		return site.SourceFailing
	case p.Phase == source.Listing || p.Sweep == 0:
		return site.SourceListing
	case p.Phase == source.Fetching:
		return site.SourceFetching
	}
	return site.SourceDone
}

// ChangeSource implements site.Sources: it is the command, given in a place whose people read the source.
func (d *Desk) ChangeSource(ctx context.Context, by bot.User, from bot.Thread, c site.SourceChange) (string, error) {
	at, words, refused, err := sourceCommand(ctx, d, by, from, c)
	if err != nil || refused != "" {
		return refused, err
	}
	card, err := d.Command(ctx, bot.Invocation{Name: "sources", Args: strings.Join(words, " "), Thread: at, User: by, At: d.cfg.Now()})
	if err != nil || card == nil {
		return "", err
	}
	return card.Worded().Text, nil
}

// sourceCommand returns the command of a change and its place, or why there is none. A field of a form holds no further words.
func sourceCommand(ctx context.Context, d *Desk, by bot.User, from bot.Thread, c site.SourceChange) (at bot.Thread, words []string, refused string, err error) {
	words = []string{c.Do}
	switch {
	case c.Do == "add" && c.Place != "" && !by.Operator, !slices.Contains([]string{"add", "sync", "retry", "pause", "resume", "remove"}, c.Do):
		return from, nil, "", bot.ErrNotFound
	case c.Do != "add":
		rows, err := sourceRows(ctx, d, by, from)
		i := slices.IndexFunc(rows, func(r source.Row) bool { return r.Name == c.Name })
		if err == nil && i < 0 {
			err = bot.ErrNotFound
		}
		if err != nil {
			return from, nil, "", err
		}
		return scopeThread(rows[i].Spec.Scope, from), append(words, c.Name), "", nil
	case c.Place != "":
		at = teamThread(c.Place)
		if at.Team == "" || at.Channel == "" && c.Readers == "channel" {
			return from, nil, phrase.Say(by.Locale, "web.sources.no_place", fit.Clip(fit.OneLine(c.Place), 60)), nil
		}
	default:
		at = from
	}
	if f := strings.Fields(c.Address); len(f) == 1 { // else the command says how to add one
		words = append(words, f...)
	}
	if c.Readers != "channel" {
		words = append(words, strings.Join(strings.Fields(c.Readers), ""))
	}
	return at, words, "", nil
}

// scopeThread returns the place whose people read a scope; from for what everybody reads.
func scopeThread(scope string, from bot.Thread) bot.Thread {
	team, channel, err := bot.ScopePlace(scope)
	if err != nil || team == "" || team == from.TeamKey() {
		return from
	}
	platform, id, _ := strings.Cut(team, "/")
	return bot.Thread{Platform: bot.Unesc(platform), Team: bot.Unesc(id), Channel: channel}
}
