package desk

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"maru/bot"
	"maru/bot/outside"
	"maru/phrase"
	"maru/phrase/fit"
)

// ErrToken says that a token opens nothing: it is unknown, over or revoked, or its person is gone.
var ErrToken = errors.New("desk: the token is not valid")

// Limits of tokens.
const (
	maxTokens = 10 // of one person in one workspace
	maxName   = 60 // characters of a token's name
	days      = 90 // a token lasts, if its person says nothing else
	maxDays   = 365
	prefix    = "maru_" // of a token: secret scanners find it
	listed    = 8       // characters of an ID that people are shown
)

const day = 24 * time.Hour

// hash returns the form in which the record stores a token. A token has 130 random bits, so a plain hash suffices.
func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Open returns the caller who shows a token; ErrToken for one that opens nothing.
func (d *Desk) Open(ctx context.Context, secret string) (Caller, error) {
	if !strings.HasPrefix(secret, prefix) || len(secret) > 100 {
		return Caller{}, ErrToken
	}
	t, err := d.cfg.Record.TokenByHash(ctx, hash(secret))
	if errors.Is(err, bot.ErrNotFound) || err == nil && !d.cfg.Now().Before(t.Expires) {
		return Caller{}, ErrToken
	}
	if err != nil {
		return Caller{}, fmt.Errorf("read token: %w", err)
	}
	return d.person(ctx, Caller{Home: t.Home, User: t.Owner, Scopes: t.Scopes, Token: t.ID, Program: t.Name})
}

// Command carries out "/maru token".
func (d *Desk) Command(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	args := strings.TrimSpace(c.Args)
	if len(c.Options) > 0 { // a platform that has typed options also joins them
		args = strings.TrimSpace(c.Options["action"] + " " + c.Options["what"])
	}
	word, rest, _ := strings.Cut(args, " ")
	if err := d.cfg.Rules.MembersOnly(ctx, c.Thread, c.User, lang); err != nil {
		return nil, err
	}
	switch phrase.Choice(cmp.Or(word, "list"), "token.also.", "list", "new", "revoke") {
	case "list":
		return d.list(ctx, c, lang)
	case "new":
		return d.create(ctx, c, strings.TrimSpace(rest), lang)
	case "revoke":
		return d.revoke(ctx, c, strings.Trim(rest, "` "), lang)
	}
	return nil, &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "token.how")}
}

func homeOf(t bot.Thread) outside.Home {
	h := outside.Home{Platform: t.Platform, Team: t.Team}
	if t.Direct {
		h.Alone = t.Channel
	}
	return h
}

// create makes a token and shows it, once.
func (d *Desk) create(ctx context.Context, c bot.Invocation, args, lang string) (*bot.Card, error) {
	t, wrong := wanted(args, lang)
	if wrong != "" {
		return nil, &bot.Error{Code: bot.CodeBadCommand, Say: wrong}
	}
	if _, lasts := d.cfg.Adapters[c.Thread.Platform].(bot.Members); !lasts { // a terminal: nobody can tell later who its person is
		return nil, &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(lang, "token.elsewhere")}
	}
	secret := prefix + strings.ToLower(rand.Text())
	life := t.Expires.Sub(t.Created)
	t.ID, t.Hash, t.Home, t.Owner, t.Created = d.cfg.NewID(), hash(secret), homeOf(c.Thread), c.User, d.cfg.Now()
	t.Owner.Admin, t.Expires = false, t.Created.Add(life)
	err := d.cfg.Record.PutToken(ctx, t, maxTokens)
	if errors.Is(err, outside.ErrFull) {
		return nil, &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(lang, "token.full", maxTokens)}
	}
	if err != nil {
		return nil, fmt.Errorf("store token: %w", err)
	}
	d.cfg.Rules.Audit(ctx, c.Thread, c.User, "program.let_in", map[string]any{"token": t.ID, "name": t.Name, "scopes": t.Scopes, "expires": t.Expires})
	return told(phrase.Say(lang, "token.made", fit.Visible(t.Name)), phrase.Say(lang, "token.shown_once", secret, scopes(t.Scopes, lang), d.day(t.Expires, c.User)), lang), nil
}

// wanted reads the words after "new": a name, scopes with commas between them, days such as 30d. Created and Expires say
// how long it lasts. wrong says what cannot be read.
func wanted(args, lang string) (t outside.Token, wrong string) {
	t.Scopes, t.Expires = []outside.Scope{outside.Ask, outside.Search, outside.Request}, t.Created.Add(days*day)
	for _, w := range strings.Fields(args) {
		if n, err := strconv.Atoi(strings.TrimSuffix(w, "d")); err == nil && strings.HasSuffix(w, "d") {
			if n < 1 || n > maxDays {
				return t, phrase.Say(lang, "token.days", maxDays)
			}
			t.Expires = t.Created.Add(time.Duration(n) * day)
			continue
		}
		list, all := scopesIn(w)
		switch {
		case all:
			t.Scopes = list
		case t.Name != "" || strings.Contains(w, ","): // not a part of the name: a scope that somebody relies on
			return t, phrase.Say(lang, "token.no_scope", fit.Quoted(w, maxName))
		default:
			t.Name = fit.OneLine(w)
		}
	}
	switch {
	case fit.Blank(t.Name):
		return t, phrase.Say(lang, "token.how")
	case utf8.RuneCountInString(t.Name) > maxName:
		return t, phrase.Say(lang, "token.long_name", maxName)
	}
	return t, ""
}

// scopesIn reads a word that consists of scopes.
func scopesIn(word string) (out []outside.Scope, all bool) {
	for part := range strings.SplitSeq(strings.ToLower(word), ",") {
		if !slices.Contains(outside.Scopes(), outside.Scope(part)) {
			return nil, false
		}
		if !slices.Contains(out, outside.Scope(part)) {
			out = append(out, outside.Scope(part))
		}
	}
	return out, true
}

func (d *Desk) list(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	rows, err := d.cfg.Record.Tokens(ctx, homeOf(c.Thread), c.User.ID)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	var lines []string
	for _, t := range rows {
		until := phrase.Say(lang, "token.until", d.day(t.Expires, c.User))
		if !d.cfg.Now().Before(t.Expires) {
			until = phrase.Say(lang, "token.over", d.day(t.Expires, c.User))
		}
		lines = append(lines, "- `"+short(t.ID)+"` **"+fit.Visible(t.Name)+"** · "+scopes(t.Scopes, lang)+" · "+until)
	}
	if len(lines) == 0 {
		lines = []string{phrase.Say(lang, "token.none")}
	}
	card := told(phrase.Say(lang, "token.title"), strings.Join(lines, "\n"), lang)
	card.Footer = phrase.Say(lang, "token.how")
	return card, nil
}

func (d *Desk) revoke(ctx context.Context, c bot.Invocation, id, lang string) (*bot.Card, error) {
	rows, err := d.cfg.Record.Tokens(ctx, homeOf(c.Thread), c.User.ID)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	found := slices.DeleteFunc(rows, func(t outside.Token) bool {
		return id == "" || !strings.HasPrefix(t.ID, strings.ToLower(id)) && t.Name != id
	})
	if len(found) != 1 {
		return nil, &bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(lang, "token.which")}
	}
	if _, err := d.cfg.Record.DropToken(ctx, homeOf(c.Thread), c.User.ID, found[0].ID); err != nil {
		return nil, fmt.Errorf("revoke token: %w", err)
	}
	d.cfg.Rules.Audit(ctx, c.Thread, c.User, "program.shut_out", map[string]any{"token": found[0].ID, "name": found[0].Name})
	return told("", phrase.Say(lang, "token.revoked", fit.Visible(found[0].Name)), lang), nil
}

func short(id string) string { return id[:min(len(id), listed)] }

// day returns the last day on which a token is valid, as its person's calendar has it.
func (d *Desk) day(at time.Time, u bot.User) string {
	return at.In(d.cfg.Rules.ZoneOf(u)).Format(time.DateOnly)
}

// scopes says what a token allows, in words.
func scopes(list []outside.Scope, lang string) string {
	words := map[outside.Scope]string{
		outside.Ask: phrase.Say(lang, "token.scope.ask"), outside.Search: phrase.Say(lang, "token.scope.search"),
		outside.Request: phrase.Say(lang, "token.scope.request"), outside.Decide: phrase.Say(lang, "token.scope.decide"),
	}
	var out []string
	for _, s := range list {
		out = append(out, words[s])
	}
	return strings.Join(out, ", ")
}

func told(title, text, lang string) *bot.Card {
	return &bot.Card{Kind: bot.CardNotice, Title: title, Text: text, Language: lang, Final: true}
}
