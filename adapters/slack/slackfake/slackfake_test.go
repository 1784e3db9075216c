package slackfake_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
)

// ask makes one call and returns its error code.
func ask(t *testing.T, s *slackfake.Server, token, method string, v url.Values) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+method, strings.NewReader(v.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}
	if json.Unmarshal(raw, &r) != nil || r.OK != (r.Error == "") {
		t.Fatalf("answer: %s", raw)
	}
	return r.Error
}

// The fake refuses what Slack refuses.
func TestStrictness(t *testing.T) {
	t.Parallel()
	s := slackfake.Start(t, slackfake.Options{})
	s.AddChannel(slackfake.Channel{ID: "C7", Members: []string{"U1"}})
	s.AddChannel(slackfake.Channel{ID: "C8", Members: []string{"UBOT"}, Archived: true})
	msg := func(kv ...string) url.Values {
		v := url.Values{"channel": {"C1"}}
		for i := 0; i < len(kv); i += 2 {
			v.Set(kv[i], kv[i+1])
		}
		return v
	}
	blocks := func(b string) url.Values { return msg("text", "x", "blocks", b) }
	long := strings.Repeat("가", 12001)
	button := func(extra string) string {
		return `[{"type":"actions","elements":[{"type":"button","action_id":"a","text":{"type":"plain_text","text":"x"}` + extra + `}]}]`
	}
	for _, c := range []struct {
		name, token, method string
		v                   url.Values
		want                string
	}{
		{"fine", s.BotToken(), "chat.postMessage", msg("text", "hello"), ""},
		{"unknown_method", s.BotToken(), "chat.shout", msg(), "unknown_method"},
		{"no_token", "", "chat.postMessage", msg("text", "x"), "not_authed"},
		{"wrong_token", "xoxb-other", "chat.postMessage", msg("text", "x"), "invalid_auth"},
		{"app_token", s.AppToken(), "chat.postMessage", msg("text", "x"), "not_allowed_token_type"},
		{"bot_token_for_socket", s.BotToken(), "apps.connections.open", nil, "not_allowed_token_type"},
		{"unknown_field", s.BotToken(), "chat.postMessage", msg("text", "x", "colour", "red"), "invalid_arguments"},
		{"missing_field", s.BotToken(), "chat.postMessage", url.Values{"text": {"x"}}, "invalid_arguments"},
		{"no_text", s.BotToken(), "chat.postMessage", msg(), "no_text"},
		{"unknown_channel", s.BotToken(), "chat.postMessage", url.Values{"channel": {"C404"}, "text": {"x"}}, "channel_not_found"},
		{"not_a_member", s.BotToken(), "chat.postMessage", url.Values{"channel": {"C7"}, "text": {"x"}}, "not_in_channel"},
		{"archived", s.BotToken(), "chat.postMessage", url.Values{"channel": {"C8"}, "text": {"x"}}, "is_archived"},
		{"unknown_thread", s.BotToken(), "chat.postMessage", msg("text", "x", "thread_ts", "1.2"), "thread_not_found"},
		{"unknown_message", s.BotToken(), "chat.update", msg("text", "x", "ts", "1.2"), "message_not_found"},
		{"long_text", s.BotToken(), "chat.postMessage", msg("text", strings.Repeat("x", 40001)), "msg_too_long"},
		{"blocks_not_json", s.BotToken(), "chat.postMessage", blocks(`{`), "invalid_blocks_format"},
		{"unknown_block", s.BotToken(), "chat.postMessage", blocks(`[{"type":"fireworks"}]`), "invalid_blocks"},
		{"unknown_block_field", s.BotToken(), "chat.postMessage", blocks(`[{"type":"divider","colour":"red"}]`), "invalid_blocks"},
		{"long_markdown", s.BotToken(), "chat.postMessage", blocks(`[{"type":"markdown","text":"` + long + `"}]`), "invalid_blocks"},
		{"long_markdown_in_two", s.BotToken(), "chat.postMessage", blocks(`[{"type":"markdown","text":"` + long[:21000] + `"},{"type":"markdown","text":"` + long[:21000] + `"}]`), "msg_blocks_too_long"},
		{"long_header", s.BotToken(), "chat.postMessage", blocks(`[{"type":"header","text":{"type":"plain_text","text":"` + long[:600] + `"}}]`), "invalid_blocks"},
		{"header_mrkdwn", s.BotToken(), "chat.postMessage", blocks(`[{"type":"header","text":{"type":"mrkdwn","text":"x"}}]`), "invalid_blocks"},
		{"empty_section", s.BotToken(), "chat.postMessage", blocks(`[{"type":"section"}]`), "invalid_blocks"},
		{"many_blocks", s.BotToken(), "chat.postMessage", blocks(`[` + strings.Repeat(`{"type":"divider"},`, 50) + `{"type":"divider"}]`), "invalid_blocks"},
		{"button", s.BotToken(), "chat.postMessage", blocks(button("")), ""},
		{"button_style", s.BotToken(), "chat.postMessage", blocks(button(`,"style":"pretty"`)), "invalid_blocks"},
		{"button_value", s.BotToken(), "chat.postMessage", blocks(button(`,"value":"` + strings.Repeat("v", 2001) + `"`)), "invalid_blocks"},
		{"modal_input_in_message", s.BotToken(), "chat.postMessage", blocks(`[{"type":"input","label":{"type":"plain_text","text":"x"},"element":{"type":"plain_text_input"}}]`), "invalid_blocks"},
		{"metadata", s.BotToken(), "chat.postMessage", msg("text", "x", "metadata", `{"event_type":""}`), "invalid_metadata_format"},
		{"view_trigger", s.BotToken(), "views.open", url.Values{"trigger_id": {"never"}, "view": {"{}"}}, "invalid_trigger_id"},
	} {
		if got := ask(t, s, c.token, c.method, c.v); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	s := slackfake.Start(t, slackfake.Options{RateLimits: true})
	for i := range 2 {
		v := url.Values{"channel": {"C1"}, "text": {"x"}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"chat.postMessage", strings.NewReader(v.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Authorization", "Bearer "+s.BotToken())
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if want := []int{200, 429}[i]; resp.StatusCode != want || want == 429 && resp.Header.Get("Retry-After") != "1" {
			t.Errorf("post %d: status %d, Retry-After %q", i, resp.StatusCode, resp.Header.Get("Retry-After"))
		}
	}
}
