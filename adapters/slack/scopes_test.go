package slack_test

import (
	"strings"
	"testing"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/logtest"
)

// TestLackingScopesAreNamed: an operator reads at start which scopes the token was
// not given, and which one a call was refused for, once.
func TestLackingScopesAreNamed(t *testing.T) {
	t.Parallel()
	var log logtest.Log
	w := start(t, slackfake.Options{Scopes: "app_mentions:read,chat:write, commands,im:history"}, func(c *slack.Config) {
		c.Logger = log.Logger()
	})
	w.until("connected", func() bool { n, _ := w.Connections(); return n == 1 })
	said := log.String()
	for scope, lacking := range map[string]bool{"users:read": true, "files:read": true, "chat:write": false, "commands": false} {
		if strings.Contains(said, scope) != lacking {
			t.Errorf("%s: lacking %v, but said %s", scope, lacking, said)
		}
	}
	w.Fail(slackfake.Fault{Method: "chat.postMessage", Code: "missing_scope", Needed: "chat:write.customize"})
	for range 2 {
		_, err := w.adapter.Post(t.Context(), target("C1", ""), bot.Card{Kind: bot.CardText, Text: "hi", Final: true}, "")
		if err == nil {
			t.Fatal("posted without the scope")
		}
	}
	if n := strings.Count(log.String(), "chat:write.customize"); n != 1 || !strings.Contains(log.String(), "method=chat.postMessage") {
		t.Errorf("said %d times: %s", n, log.String())
	}
}
