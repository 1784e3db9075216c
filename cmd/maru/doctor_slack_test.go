package main

import (
	"maps"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
)

// TestDoctorTriesTheTokensOfSlack: what is configured is asked of Slack, the app-level token too,
// and the scopes that the token was given are held against the manifest's.
func TestDoctorTriesTheTokensOfSlack(t *testing.T) {
	t.Parallel()
	unraced(t)
	const bot, app, here = "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_API_URL"
	for name, c := range map[string]struct {
		scopes string
		set    map[string]string
		exit   int
		told   []string
	}{
		"all_works":          {"", nil, exitOK, []string{"✓ slack        connected as ", " in T1"}},
		"over_http":          {"", map[string]string{app: "", "SLACK_SIGNING_SECRET": "shh"}, exitOK, []string{"✓ slack        connected as "}},
		"bot_token":          {"", map[string]string{bot: "xoxb-another"}, exitFailed, []string{"✗ slack        slack: the bot token was refused (invalid_auth): copy the Bot User OAuth Token"}},
		"app_level_token":    {"", map[string]string{app: "xapp-another"}, exitFailed, []string{"✗ slack        slack: the app-level token was refused (invalid_auth): create one with the scope connections:write", "SLACK_APP_TOKEN"}},
		"scopes_are_missing": {"chat:write,app_mentions:read", nil, exitOK, []string{"· slack        connected as ", "add them under OAuth & Permissions", "channels:history", "search:read.public"}},
		"away":               {"", map[string]string{here: "http://127.0.0.1:1/"}, exitFailed, []string{"✗ slack        slack: auth.test: ", "→ check that this machine reaches it"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := slackfake.Start(t, slackfake.Options{Scopes: c.scopes})
			set := map[string]string{bot: f.BotToken(), app: f.AppToken(), here: f.URL(), "DATA_DIR": t.TempDir(), "MARU_PYTHON": "off", "MARU_HANDBOOK": "false"}
			maps.Copy(set, c.set)
			var env []string
			for k, v := range set {
				env = append(env, k+"="+v)
			}
			code, out, errs := runHere(t, "", env, "doctor")
			if code != c.exit {
				t.Errorf("code %d", code)
			}
			for _, want := range c.told {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not in:\n%s%s", want, out, errs)
				}
			}
		})
	}
}
