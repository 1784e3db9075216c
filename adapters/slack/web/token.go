package web

import "maru/phrase"

// Refused reports that Slack refuses a token. It says what to do, as far as Slack's code tells.
type Refused struct {
	Code string
	App  bool // the app-level token
	By   bool // the token of a workspace that installed the app
	Err  error
}

// Error implements error.
func (r *Refused) Error() string { return "slack: " + r.Told(phrase.Fallback) }

// Unwrap returns Slack's answer, if there was one.
func (r *Refused) Unwrap() error { return r.Err }

// Told tells operators in their language.
func (r *Refused) Told(language string) string {
	key := "slack.token.invalid"
	switch {
	case r.App:
		key = "slack.token.app"
	case withheld(r.Code):
		key = "slack.token.withheld"
	case r.Code == "missing_scope", r.Code == "no_permission":
		key = "slack.token.scope"
	case r.By, r.Code == "account_inactive", r.Code == "token_revoked":
		key = "slack.token.removed"
	case r.Code == "token_expired":
		key = "slack.token.expired"
	case r.Code == "not_allowed_token_type", r.Code == "not_authed":
		key = "slack.token.kind"
	}
	return phrase.Say(language, key, r.Code)
}
