package builtin_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"maru/agent/tool"
	"maru/agent/tool/builtin"
)

// TestGoogleRefuses: Google says with one status what different people must mend, and the reason tells which.
// Bodies are as its JSON API sends them.
func TestGoogleRefuses(t *testing.T) {
	t.Parallel()
	reason := func(code, status, reason string) string {
		return `{"error":{"code":` + code + `,"message":"` + canary + `","errors":[{"message":"m","domain":"global","reason":"` + reason + `"}],"status":"` + status + `"}}`
	}
	for name, tc := range map[string]struct {
		status           int
		body, code, says string
	}{
		"bad_key": {400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","errors":[{"message":"API key not valid.","domain":"global","reason":"badRequest"}],` +
			`"status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`, "unavailable", "GOOGLE_API_KEY"},
		"bad_engine":       {400, reason("400", "INVALID_ARGUMENT", "badRequest"), "unavailable", "GOOGLE_CSE_ID"},
		"no_such_engine":   {404, reason("404", "NOT_FOUND", "notFound"), "unavailable", "GOOGLE_CSE_ID"},
		"not_switched_on":  {403, reason("403", "PERMISSION_DENIED", "accessNotConfigured"), "unavailable", "GOOGLE_API_KEY"},
		"daily_allowance":  {403, reason("403", "PERMISSION_DENIED", "dailyLimitExceeded"), "limit", "limit"},
		"queries_of_a_day": {429, reason("429", "RESOURCE_EXHAUSTED", "rateLimitExceeded"), "limit", "limit"},
		"no_json":          {400, "<html>", "bad_argument", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json; charset=UTF-8")
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			}))
			closeAfter(t, server)
			_, err := invoke(t, builtin.NewGoogle(server.URL, canary, "cx", true, nil), map[string]any{"query": "golang"}, tool.Call{})
			wrong(t, err, tc.code)
			var e *tool.Error
			engine := tc.says == "GOOGLE_CSE_ID" // then the key is not the one to look at
			if !errors.As(err, &e) || !strings.Contains(e.People.In("en"), tc.says) ||
				engine && (strings.Contains(e.People.In("en"), "rejected the API key") || strings.Contains(e.People.In("ko"), "키를 거부") || strings.Contains(e.Model, "key")) || strings.Contains(err.Error()+e.Model, canary) {
				t.Errorf("people are told %v", err)
			}
		})
	}
}
