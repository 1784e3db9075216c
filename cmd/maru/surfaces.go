package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"maru/adapters/discord"
	"maru/adapters/slack"
	"maru/adapters/web"
	"maru/bot"
	"maru/bot/service"
	"maru/config"
	"maru/memory/redisstore"
	"maru/phrase"
	"maru/rag/library"
	"maru/rag/load"
	"maru/rag/vec"
)

// sessionKeyNote is the key of the note with the signing key of the console's sessions, so that they survive a
// restart.
const sessionKeyNote = "web/session_key"

// fronts are the surfaces of a subcommand.
type fronts struct {
	web       bool
	platforms bool          // Slack and Discord, where they are configured
	extra     []bot.Adapter // such as the terminal
}

// surfaces builds the adapters on their shared dependencies.
type surfaces struct {
	base
	stores

	pictures bool // text in pictures is recognised
}

// adapters builds the surfaces that are wanted and configured.
func (s surfaces) adapters(ctx context.Context, want fronts) ([]bot.Adapter, error) {
	list := want.extra
	var errs []error
	add := func(ad bot.Adapter, err error) {
		list, errs = append(list, ad), append(errs, err)
	}
	if want.platforms && s.cfg.Slack.On() {
		add(s.newSlack())
	}
	if want.platforms && s.cfg.Discord.On() {
		add(s.newDiscord())
	}
	if err := errors.Join(errs...); err != nil || !want.web {
		return list, err
	}
	console, err := s.newWeb(ctx, list)
	return append([]bot.Adapter{console}, list...), err
}

// newWeb returns the console, with sign-in for people of the platforms.
func (s surfaces) newWeb(ctx context.Context, platforms []bot.Adapter) (bot.Adapter, error) {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	key, err := s.record.FirstNote(ctx, sessionKeyNote, base64.StdEncoding.EncodeToString(b[:]))
	if err != nil {
		return nil, err
	}
	c := web.Config{
		Addr: s.cfg.HTTP.Addr, Login: web.Secret(s.cfg.HTTP.WebPassword.Reveal()), Key: web.Secret(key),
		Formats:   func(language string) string { return load.Formats(language, s.pictures) },
		MaxUpload: s.cfg.Documents.MaxFile, Sees: s.cfg.Sees(), Hears: s.cfg.Hears(), Version: version(), Log: s.log, Events: s.events(),
	}
	for _, t := range s.cfg.HTTP.Tokens {
		c.Tokens = append(c.Tokens, web.Token{Name: t.Name, Token: web.Secret(t.Token.Reveal()), As: t.As, Operator: t.Operator})
	}
	if l, ok := phrase.Match(s.cfg.Place.Language); ok {
		c.Language = l
	}
	if u, err := url.Parse(s.cfg.HTTP.PublicURL); err == nil && u.Host != "" {
		c.PublicHosts, c.Secure = []string{u.Hostname()}, u.Scheme == "https"
	}
	if err := s.signIn(&c, key, platforms); err != nil {
		return nil, fmt.Errorf("sign-in: %w", err)
	}
	return web.New(c)
}

// newSlack returns the adapter for the workspace of the configured token, or for every workspace that installs the
// app.
func (s surfaces) newSlack() (checked, error) {
	set := s.cfg.Slack
	c := slack.Config{
		BotToken: set.BotToken.Reveal(), AppToken: set.AppToken.Reveal(), SigningSecret: set.SigningSecret.Reveal(),
		APIURL: set.APIURL, Logger: s.log, Installations: s.record, Apps: s.cfg.Place.Answers,
	}
	if s.redis != nil {
		c.Limiter = s.redis
	}
	if !set.Distributed() {
		return slack.New(c)
	}
	keys, err := config.SealKeys(s.cfg.Store.SecretKey)
	if err != nil {
		return nil, fmt.Errorf("MARU_SECRET_KEY: %w", err)
	}
	ac := slack.AppConfig{
		Config: c, ClientID: set.ClientID, ClientSecret: set.ClientSecret.Reveal(), Keys: keys,
		PublicURL: s.cfg.HTTP.PublicURL, Teams: set.Teams,
	}
	if shared, ok := s.record.(slack.Owners); ok { // the embedded record has one process
		ac.Owners = shared
	}
	return slack.NewApp(ac)
}

func (s surfaces) newDiscord() (checked, error) {
	set := s.cfg.Discord
	c := discord.Config{
		Token: set.BotToken.Reveal(), APIURL: set.APIURL, PublicKey: set.PublicKey,
		ChannelAnswers: !set.AnswerInThread, Logger: s.log, Greet: set.Greet, Installations: s.record, Apps: s.cfg.Place.Answers,
		ListsMembers: slices.ContainsFunc(s.cfg.Documents.Sources, func(d config.DocumentSource) bool {
			return d.Drive != "" && strings.HasPrefix(d.Readers, "discord/")
		}),
	}
	if shared, ok := s.record.(discord.Owners); ok { // the embedded record has one process
		c.Owners = shared
	}
	return discord.New(c)
}

// traceURL returns the base address of run traces, "" if people have no access to the console.
func traceURL(h config.HTTP) string {
	if !h.Console || h.PublicURL == "" {
		return ""
	}
	return strings.TrimSuffix(h.PublicURL, "/") + "/runs/"
}

// ready returns the readiness of every part for the probes.
func ready(b *service.Bot, redis *redisstore.Store, index library.Index) func(context.Context) map[string]error {
	return func(ctx context.Context) map[string]error {
		state := b.Ready(ctx)
		if server, ok := index.(interface {
			Ping(ctx context.Context) error
		}); ok {
			state["documents"] = server.Ping(ctx)
		}
		if redis != nil {
			state[degradable] = redis.Ping(ctx)
		}
		return state
	}
}

// coverage returns how far the passages have vectors: limited while some have none.
func coverage(model config.Model, index library.Index) func(context.Context) map[string]error {
	x, ok := index.(vec.Covered)
	if !ok || !model.Embeds() {
		return func(context.Context) map[string]error { return nil }
	}
	return func(ctx context.Context) map[string]error {
		c, err := x.Embedded(ctx)
		if err == nil && !c.Complete() {
			err = fmt.Errorf("%w: %s", bot.ErrLimited, c)
		}
		return map[string]error{"vectors": err}
	}
}
