package main

import (
	"context"
	"net/url"
	"strings"

	"maru/adapters/web"
	"maru/adapters/web/signin"
	"maru/bot"
	"maru/cmd/maru/visitor"
	"maru/config"
)

// signIn configures the sign-in methods of the console. key seals the state that a browser keeps during a sign-in.
func (s surfaces) signIn(c *web.Config, key string, platforms []bot.Adapter) error {
	set := s.cfg.SignIn
	if !set.On() {
		return nil
	}
	rules, err := signin.ParseRules(set.Roles)
	if err != nil {
		return err
	}
	in := signin.Config{PublicURL: s.cfg.HTTP.PublicURL, Key: []byte(key), Log: s.log}
	if set.ClientID != "" {
		in.OIDC = &signin.OIDC{Issuer: set.Issuer, ClientID: set.ClientID, ClientSecret: set.ClientSecret.Reveal(), Scopes: set.Scopes, Roles: rules}
	}
	if set.SlackID != "" {
		secret := set.SlackSecret.Reveal()
		if secret == "" {
			secret = s.cfg.Slack.ClientSecret.Reveal()
		}
		in.Slack = &signin.Slack{Issuer: slackSite(s.cfg.Slack.APIURL), ClientID: set.SlackID, ClientSecret: secret}
	}
	if set.DiscordID != "" {
		in.Discord = &signin.Discord{API: s.cfg.Discord.APIURL, ClientID: set.DiscordID, ClientSecret: set.DiscordSecret.Reveal(), Guilds: s.guilds}
	}
	if c.SignIn, err = signin.New(in); err != nil {
		return err
	}
	c.People = visitor.Over(platforms, s.cfg.Place.Admins, s.record)
	return nil
}

// linkAt returns the console's address if people can link their e-mail address there, as on Discord, which does
// not provide it.
func linkAt(cfg config.Config) string {
	if !cfg.HTTP.Console || cfg.SignIn.ClientID == "" && cfg.SignIn.SlackID == "" {
		return ""
	}
	return cfg.HTTP.PublicURL
}

// slackSite returns the OpenID Connect issuer for the given Web API.
func slackSite(api string) string {
	u, err := url.Parse(api)
	if err != nil {
		return api
	}
	return u.Scheme + "://" + u.Host
}

// guilds returns the names of the Discord servers that have the bot, by ID.
func (s surfaces) guilds(ctx context.Context) (map[string]string, error) {
	rows, err := s.record.Installations(ctx, "discord")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, r := range rows {
		if r.State == bot.InstallActive {
			out[r.Team] = strings.TrimSpace(r.Name)
		}
	}
	return out, nil
}

// reads reports whether a person can read a channel at present.
func (a *app) reads(ctx context.Context, t bot.Thread, user string) (bool, error) {
	for _, ad := range a.adapters {
		if m, ok := ad.(bot.Members); ok && ad.Platform() == t.Platform {
			return m.Member(ctx, t, user, "")
		}
	}
	return false, nil
}
