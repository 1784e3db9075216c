// Package source implements "/maru sources": it lists the synchronised sources, and lets admins
// add a website, sync a source now, pause it and remove it. It writes rows of the record;
// [maru/rag/source/sync] does the work.
//
// People see the sources whose documents they can read in the channel. Only admins change them;
// sources of the configuration file are removed there.
package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag/source"
)

// Rules answer what a person may do in a place.
type Rules interface {
	MembersOnly(ctx context.Context, t bot.Thread, u bot.User, lang string) error
	May(t bot.Thread, u bot.User, want config.Role) bool
	Operates(t bot.Thread, u bot.User) bool
	ZoneOf(u bot.User) *time.Location
	Audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any)
}

// Sources shows and changes sources. It is safe for concurrent use.
type Sources struct {
	Store source.Store
	Rules Rules
	Log   *slog.Logger
	Now   func() time.Time
	Every time.Duration // interval of sources added in chats
	Pages int
	Depth int

	People   People                  // nil: addresses cannot be assigned
	Vouched  func(t bot.Thread) bool // whether the platform vouches for addresses; nil: none does
	Homeless func(t bot.Thread) bool // whether the conversation is one of no workspace; nil: none is
	LinkAt   string                  // public address of the console on which people show their address; "": they can't
}

// actions returns those of "/maru sources"; the command table offers the same.
func actions() []string {
	return []string{"list", "add", "sync", "retry", "pause", "resume", "remove", "people", "person", "nobody", "link"}
}

// Command carries out "/maru sources".
func (s *Sources) Command(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	args := strings.TrimSpace(cmp.Or(c.Args, c.Options["action"]+" "+c.Options["what"]))
	word, rest, _ := strings.Cut(args, " ")
	do := phrase.Choice(word, "source.also.", actions()...)
	given := rest
	rest = strings.Trim(rest, " `<>")
	if do == "" && strings.Contains(word, "://") { // "/maru sources https://…"
		do, rest = "add", strings.Trim(args, " `<>")
	}
	if err := s.Rules.MembersOnly(ctx, c.Thread, c.User, lang); err != nil {
		return nil, err
	}
	if do == "link" {
		return s.link(ctx, c, lang)
	}
	rows, err := s.rows(ctx, c.Thread)
	if err != nil {
		return nil, err
	}
	if do == "" && args != "" || do == "list" && rest != "" {
		do = "list"
		if i := slices.IndexFunc(rows, func(r source.Row) bool { return strings.EqualFold(r.Name, args) || strings.EqualFold(r.Name, rest) }); i >= 0 {
			return s.one(ctx, rows[i], s.Rules.Operates(c.Thread, c.User), lang, s.Rules.ZoneOf(c.User))
		}
		return bot.NewNotice(phrase.Say(lang, "source.unknown", fit.Literal(fit.Quoted(cmp.Or(rest, args), 60))), lang), nil
	}
	if do == "" || do == "list" {
		return s.list(ctx, rows, lang, s.Rules.ZoneOf(c.User))
	}
	if !s.Rules.May(c.Thread, c.User, config.Admin) {
		return nil, &bot.Error{Code: bot.CodeMayNot}
	}
	if do == "people" || do == "person" || do == "nobody" {
		return s.person(ctx, c, do, given, lang)
	}
	if do == "add" {
		return s.add(ctx, c, rest, lang)
	}
	i := slices.IndexFunc(rows, func(r source.Row) bool { return strings.EqualFold(r.Name, rest) })
	if i < 0 {
		return bot.NewNotice(phrase.Say(lang, "source.unknown", fit.Literal(fit.Quoted(rest, 60))), lang), nil
	}
	if rows[i].Spec.Scope == bot.ScopePublic && do != "sync" && do != "retry" && !s.Rules.Operates(c.Thread, c.User) { // it is everybody's
		return nil, &bot.Error{Code: bot.CodeMayNot}
	}
	return s.change(ctx, c, rows[i], do, lang)
}

// rows returns the sources whose documents are readable in a channel.
func (s *Sources) rows(ctx context.Context, t bot.Thread) ([]source.Row, error) {
	rows, err := s.Store.Sources(ctx)
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	here := []string{bot.ScopePublic, t.TeamScope(), t.ChannelScope()}
	return slices.DeleteFunc(rows, func(r source.Row) bool { return !slices.Contains(here, r.Spec.Scope) }), nil
}

// change pauses, resumes, removes or syncs a source, or retries its parked documents, and reports it.
func (s *Sources) change(ctx context.Context, c bot.Invocation, r source.Row, do, lang string) (*bot.Card, error) {
	said := map[string]string{
		"sync": phrase.Say(lang, "source.did_sync", r.Name), "resume": phrase.Say(lang, "source.did_resume", r.Name),
		"retry": phrase.Say(lang, "source.did_retry", r.Name), "pause": phrase.Say(lang, "source.did_pause", r.Name), "remove": phrase.Say(lang, "source.did_remove", r.Name),
	}
	switch {
	case r.Left && (do == "sync" || do == "retry" || do == "resume"):
		return bot.NewNotice(phrase.Say(lang, "source.left", r.Name), lang), nil
	case do == "remove" && r.File && !r.Left:
		return bot.NewNotice(phrase.Say(lang, "source.in_file", r.Name), lang), nil
	case r.Removed:
		return bot.NewNotice(said["remove"], lang), nil
	case (do == "sync" || do == "retry") && r.Paused:
		return bot.NewNotice(phrase.Say(lang, "source.is_paused", r.Name), lang), nil
	case do == "sync":
		r.Wanted = s.Now()
	case do == "retry":
		r.Wanted = s.Now()
		r.Retry = r.Wanted
	case do == "resume":
		r.Paused, r.Wanted = false, s.Now()
	case do == "pause":
		r.Paused = true
	case do == "remove":
		r.Removed = true
	}
	if card, err := s.put(ctx, r, lang); card != nil || err != nil {
		return card, err
	}
	s.Rules.Audit(ctx, c.Thread, c.User, "sources."+do, map[string]any{"source": r.Name})
	return bot.NewNotice(said[do], lang), nil
}

// put stores a row; the card reports a conflict with another person's change.
func (s *Sources) put(ctx context.Context, r source.Row, lang string) (*bot.Card, error) {
	_, err := s.Store.PutSource(ctx, r)
	if errors.Is(err, source.ErrChanged) {
		return bot.NewNotice(phrase.Say(lang, "source.changed", r.Name), lang), nil
	}
	if err != nil {
		return nil, fmt.Errorf("store a source: %w", err)
	}
	return nil, nil //nolint:nilnil // nothing to say
}

// add adds a website for the readers of the channel or, with an option, of the workspace or, by operators, for everybody.
func (s *Sources) add(ctx context.Context, c bot.Invocation, text, lang string) (*bot.Card, error) {
	address, where, _ := strings.Cut(text, " ")
	address, where = strings.Trim(address, "<>`"), strings.ToLower(strings.TrimSpace(where))
	if _, domain, ok := strings.Cut(address, "."); ok && domain != "" && !strings.Contains(address, ":") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return bot.NewNotice(phrase.Say(lang, "source.how_add"), lang), nil
	}
	scope := c.Thread.ChannelScope()
	switch to := phrase.Choice(where, "source.also.", "workspace", "public"); {
	case to == "workspace":
		scope = c.Thread.TeamScope()
	case to == "public":
		if scope = bot.ScopePublic; !s.Rules.Operates(c.Thread, c.User) {
			return nil, &bot.Error{Code: bot.CodeMayNot}
		}
	case where != "":
		return bot.NewNotice(phrase.Say(lang, "source.how_add"), lang), nil
	}
	all, err := s.Store.Sources(ctx)
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	own := 0
	for _, r := range all {
		if r.Spec.URL == u.String() && r.Spec.Scope == scope {
			return bot.NewNotice(phrase.Say(lang, "source.there", r.Name), lang), nil
		}
		if r.Team == c.Thread.TeamKey() && !r.File {
			own++
		}
	}
	if own >= most {
		return bot.NewNotice(phrase.Say(lang, "source.too_many", most), lang), nil
	}
	r := source.Row{
		Name: freeName(u, all), Team: c.Thread.TeamKey(), By: c.User.Name, Created: s.Now(), Wanted: s.Now(),
		Spec: source.Spec{Kind: source.Website, URL: u.String(), Scope: scope, Every: s.Every, Pages: s.Pages, Depth: s.Depth},
	}
	if card, err := s.put(ctx, r, lang); card != nil || err != nil {
		return card, err
	}
	s.Rules.Audit(ctx, c.Thread, c.User, "sources.add", map[string]any{"source": r.Name, "url": r.Spec.URL, "scope": scope})
	return bot.NewNotice(phrase.Say(lang, "source.did_add", r.Name, readers(r, lang), phrase.Span(r.Spec.Every)), lang), nil
}

// most limits the sources that admins of one workspace add.
const most = 50

// freeName derives an unused name from a host: docs_example_com, docs_example_com2.
func freeName(u *url.URL, all []source.Row) string {
	base := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(strings.TrimPrefix(u.Hostname(), "www.")))
	base = fit.Clip(base, 40)
	name := base
	for n := 2; slices.ContainsFunc(all, func(r source.Row) bool { return r.Name == name }); n++ {
		name = fmt.Sprint(base, n)
	}
	return name
}
