package web_test

import (
	"strings"
	"testing"

	"maru/adapters/slack/web"
)

// TestRefusedTokensSayWhatToDo: the advice is true for Slack's code, in both languages, and no other token is blamed.
func TestRefusedTokensSayWhatToDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refused web.Refused
		en, ko  []string
		never   string
	}{
		"wrong":            {web.Refused{Code: "invalid_auth"}, []string{"invalid_auth", "xoxb-", "SLACK_BOT_TOKEN"}, []string{"다시 복사해", "SLACK_BOT_TOKEN"}, "install"},
		"removed":          {web.Refused{Code: "account_inactive"}, []string{"account_inactive", "Install it again"}, []string{"다시 설치"}, "copy"},
		"revoked":          {web.Refused{Code: "token_revoked"}, []string{"Install it again"}, []string{"다시 설치"}, "copy"},
		"expired":          {web.Refused{Code: "token_expired"}, []string{"rotates its tokens", "12 hours", "SLACK_CLIENT_ID"}, []string{"토큰 회전", "12시간"}, "Install it again"},
		"of a user":        {web.Refused{Code: "not_allowed_token_type"}, []string{"SLACK_BOT_TOKEN takes the Bot User OAuth Token"}, []string{"xoxb-"}, "Install it again"},
		"lacks a scope":    {web.Refused{Code: "missing_scope"}, []string{"missing_scope", "add the scopes"}, []string{"범위를 추가"}, "copy"},
		"app level":        {web.Refused{Code: "invalid_auth", App: true}, []string{"connections:write", "SLACK_APP_TOKEN"}, []string{"connections:write", "SLACK_APP_TOKEN"}, "SLACK_BOT_TOKEN"},
		"of a workspace":   {web.Refused{Code: "invalid_auth", By: true}, []string{"Install it again"}, []string{"다시 설치"}, "copy"},
		"withheld for now": {web.Refused{Code: "team_access_not_granted"}, []string{"admin of the organisation"}, []string{"조직 관리자"}, "token"},
	} {
		for language, want := range map[string][]string{"en": c.en, "ko": c.ko} {
			text := c.refused.Told(language)
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%s: %q is not in %q", name, w, text)
				}
			}
			if language == "en" && strings.Contains(text, c.never) {
				t.Errorf("%s: %q says %q", name, text, c.never)
			}
		}
	}
}
