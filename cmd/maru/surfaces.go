package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"maru/adapters/discord"
	"maru/adapters/slack"
	"maru/adapters/web"
	"maru/bot"
	"maru/config"
	"maru/phrase"
)

// sessionKeyNote is where the key that signs the console's sessions is kept, so
// that they survive a restart.
const sessionKeyNote = "web/session_key"

func (a *app) newWeb(ctx context.Context) (bot.Adapter, error) {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	key, err := a.record.FirstNote(ctx, sessionKeyNote, base64.StdEncoding.EncodeToString(b[:]))
	if err != nil {
		return nil, err
	}
	c := web.Config{
		Addr: a.cfg.HTTP.Addr, Login: web.Secret(a.cfg.HTTP.WebPassword.Reveal()), Key: web.Secret(key),
		MaxUpload: a.cfg.Documents.MaxFile, Version: version(), Log: a.log, Events: a.liveEvents(),
	}
	for _, t := range a.cfg.HTTP.Tokens {
		c.Tokens = append(c.Tokens, web.Token{Name: t.Name, Token: web.Secret(t.Token.Reveal()), As: t.As, Operator: t.Operator})
	}
	if l, ok := phrase.Match(a.cfg.Place.Language); ok {
		c.Language = l
	}
	if u, err := url.Parse(a.cfg.HTTP.PublicURL); err == nil && u.Host != "" {
		c.PublicHosts, c.Secure = []string{u.Hostname()}, u.Scheme == "https"
	}
	return web.New(c)
}

// newSlack serves the one workspace whose token is configured, or every one that
// installs the app.
func (a *app) newSlack() (checked, error) {
	s := a.cfg.Slack
	c := slack.Config{
		BotToken: s.BotToken.Reveal(), AppToken: s.AppToken.Reveal(), SigningSecret: s.SigningSecret.Reveal(),
		APIURL: s.APIURL, Logger: a.log, Installations: a.record,
	}
	if a.redis != nil {
		c.Limiter = a.redis
	}
	if !s.Distributed() {
		return slack.New(c)
	}
	keys, err := config.SealKeys(a.cfg.Store.SecretKey)
	if err != nil {
		return nil, fmt.Errorf("MARU_SECRET_KEY: %w", err)
	}
	ac := slack.AppConfig{
		Config: c, ClientID: s.ClientID, ClientSecret: s.ClientSecret.Reveal(), Keys: keys,
		PublicURL: a.cfg.HTTP.PublicURL, Teams: s.Teams,
	}
	if shared, ok := a.record.(slack.Owners); ok { // the embedded record has one process
		ac.Owners = shared
	}
	return slack.NewApp(ac)
}

func (a *app) newDiscord() (checked, error) {
	d := a.cfg.Discord
	c := discord.Config{
		Token: d.BotToken.Reveal(), APIURL: d.APIURL, PublicKey: d.PublicKey,
		ChannelAnswers: !d.AnswerInThread, Logger: a.log, Greet: d.Greet, Installations: a.record,
	}
	if shared, ok := a.record.(discord.Owners); ok { // the embedded record has one process
		c.Owners = shared
	}
	return discord.New(c)
}

// traceURL is the beginning of the address of a run's trace, "" if people have
// no way to the console.
func (a *app) traceURL() string {
	if !a.cfg.HTTP.Console || a.cfg.HTTP.PublicURL == "" {
		return ""
	}
	return strings.TrimSuffix(a.cfg.HTTP.PublicURL, "/") + "/runs/"
}

// ready reports every part's state for the probes.
func (a *app) ready(ctx context.Context) map[string]error {
	state := a.bot.Ready(ctx)
	if a.redis != nil {
		state[degradable] = a.redis.Ping(ctx)
	}
	return state
}
