package config

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// SignIn is how people sign in to the console with accounts that they have elsewhere. A way is on when its client ID is set.
type SignIn struct {
	Issuer        string // of the OpenID Connect provider
	ClientID      string
	ClientSecret  Secret
	Roles         []string // role:claim=value
	Scopes        []string
	SlackID       string
	SlackSecret   Secret // "": that of the app that workspaces install
	DiscordID     string
	DiscordSecret Secret
}

// On reports whether people sign in with accounts.
func (s SignIn) On() bool { return s.ClientID != "" || s.SlackID != "" || s.DiscordID != "" }

// roleRule is the form of a rule of OIDC_ROLES. An admin has a claim: what everybody has makes nobody one.
var roleRule = pattern.New(`^((viewer|member):\*|(viewer|member|admin):[^=*]+=\*?[^*]+)$`)

func roleRules(value string) (string, string) {
	if !roleRule.MatchString(value) {
		return "is " + quote(value), "write role:claim=value, such as admin:groups=maru-admins, member:email=*@example.com or viewer:*"
	}
	return "", ""
}

func signInSettings() []Setting {
	return []Setting{
		{Var: "OIDC_ISSUER", Key: "sign_in.oidc_issuer", Help: "OpenID Connect provider whose accounts sign in to the console, such as https://accounts.google.com",
			into: func(c *Config) any { return &c.SignIn.Issuer }, rule: webURL},
		{Var: "OIDC_CLIENT_ID", Key: "sign_in.oidc_client_id", Help: "client ID there; its redirect address is MARU_PUBLIC_URL with `/signin/oidc/callback`",
			into: func(c *Config) any { return &c.SignIn.ClientID }, rule: oneWord},
		{Var: "OIDC_CLIENT_SECRET", Key: "sign_in.oidc_client_secret", Secret: true, Help: "its secret",
			into: func(c *Config) any { return &c.SignIn.ClientSecret }, rule: oneWord},
		{Var: "OIDC_ROLES", Key: "sign_in.oidc_roles", Help: "who has which role, separated by commas: `admin:groups=maru-admins`, `member:email=*@example.com`, `viewer:*`; the highest counts, and without one nobody comes in",
			into: func(c *Config) any { return &c.SignIn.Roles }, rule: each(roleRules)},
		{Var: "OIDC_SCOPES", Key: "sign_in.oidc_scopes", Default: "openid,profile,email", Help: "what the provider is asked for; some give `groups` only when asked",
			into: func(c *Config) any { return &c.SignIn.Scopes }, rule: each(oneWord)},
		{Var: "SLACK_SIGN_IN_CLIENT_ID", Key: "sign_in.slack_client_id", Help: "client ID of the Slack app: people sign in to the console with Slack; its redirect address is MARU_PUBLIC_URL with `/signin/slack/callback`",
			into: func(c *Config) any { return &c.SignIn.SlackID }, rule: appCredential},
		{Var: "SLACK_SIGN_IN_CLIENT_SECRET", Key: "sign_in.slack_client_secret", Secret: true, Help: "its secret; unset: SLACK_CLIENT_SECRET",
			into: func(c *Config) any { return &c.SignIn.SlackSecret }, rule: appCredential},
		{Var: "DISCORD_CLIENT_ID", Key: "sign_in.discord_client_id", Help: "client ID of the Discord app: people sign in to the console with Discord; its redirect address is MARU_PUBLIC_URL with `/signin/discord/callback`",
			into: func(c *Config) any { return &c.SignIn.DiscordID }, rule: digits},
		{Var: "DISCORD_CLIENT_SECRET", Key: "sign_in.discord_client_secret", Secret: true, Help: "its secret",
			into: func(c *Config) any { return &c.SignIn.DiscordSecret }, rule: oneWord},
	}
}

// digits takes an ID of Discord.
func digits(value string) (string, string) {
	if strings.Trim(value, "0123456789") != "" {
		return "is " + quote(value), "use the Application ID: General Information of the Discord app"
	}
	return "", ""
}

// checkSignIn finds ways of signing in that cannot work.
func checkSignIn(c *Config, add adder) {
	s := c.SignIn
	oidc := !c.unset("OIDC_ISSUER")
	for _, name := range []string{"OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_ROLES"} {
		add(oidc && c.unset(name), name, "is not set, and OIDC_ISSUER is", "set it: the provider shows ID and secret of a client; roles are yours to choose")
	}
	add(!oidc && !c.unset("OIDC_CLIENT_ID"), "OIDC_CLIENT_ID", "is set without OIDC_ISSUER", "set both, or neither")
	add(s.SlackID != "" && s.SlackSecret == "" && c.Slack.ClientSecret == "", "SLACK_SIGN_IN_CLIENT_ID", "is set without SLACK_SIGN_IN_CLIENT_SECRET", "set both: Basic Information of the Slack app")
	add(s.SlackID != "" && c.unset("SLACK_BOT_TOKEN") && c.unset("SLACK_CLIENT_ID"), "SLACK_SIGN_IN_CLIENT_ID", "is set while Slack is off", "set SLACK_BOT_TOKEN or SLACK_CLIENT_ID too")
	add(s.DiscordID != "" && c.unset("DISCORD_CLIENT_SECRET"), "DISCORD_CLIENT_ID", "is set without DISCORD_CLIENT_SECRET", "set both: OAuth2 page of the Discord app")
	add(s.DiscordID != "" && c.unset("DISCORD_BOT_TOKEN"), "DISCORD_CLIENT_ID", "is set while Discord is off", "set DISCORD_BOT_TOKEN too")
	add(s.On() && c.unset("MARU_PUBLIC_URL"), "MARU_PUBLIC_URL", "is not set while people sign in with accounts", "set it to how browsers reach the console: providers send people back there")
}

// warnSignIn finds ways of signing in that deserve a second look.
func warnSignIn(c *Config, add adder) {
	everybody := slices.ContainsFunc(c.SignIn.Roles, func(r string) bool { return strings.HasSuffix(r, ":*") })
	add(everybody && strings.Contains(c.SignIn.Issuer, "accounts.google.com"), "OIDC_ROLES", "lets everybody with a Google account in", "name a domain, such as member:email=*@example.com")
	add(c.SignIn.On() && !c.HTTP.Console, "MARU_WEB", "is off while ways of signing in to the console are set", "take them away, or turn it on")
}
