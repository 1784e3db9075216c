package slack_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/logtest"
)

// What the reference of Slack's methods says, and what becomes of it.

// Every error that the reference lists for the methods that deliver something has
// a decided meaning; what Slack says of a message's look makes it plainer.
func TestDocumentedErrorsHaveAMeaning(t *testing.T) {
	t.Parallel()
	classes := []error{bot.ErrGone, bot.ErrForbidden, bot.ErrTooOld, bot.ErrUnavailable}
	decided := func(err error) bool {
		for _, c := range classes {
			if errors.Is(err, c) {
				return true
			}
		}
		return false
	}
	for method, codes := range map[string]string{
		"chat.postMessage": `cannot_reply_to_message channel_not_found is_archived message_limit_exceeded messages_tab_disabled
			not_in_channel rate_limited restricted_action restricted_action_non_threadable_channel restricted_action_read_only_channel
			restricted_action_thread_locked restricted_action_thread_only_channel slack_connect_canvas_sharing_blocked
			slack_connect_file_link_sharing_blocked slack_connect_lists_sharing_blocked team_not_found as_user_not_supported
			accesslimited access_denied account_inactive ekm_access_denied internal_error fatal_error invalid_auth missing_scope
			not_allowed_token_type not_authed no_permission org_login_required ratelimited request_timeout service_unavailable
			team_access_not_granted team_added_to_org token_expired token_revoked`,
		"chat.update": `cant_update_message channel_not_found edit_window_closed external_channel_migrating is_inactive
			message_limit_exceeded message_not_found posting_to_channel_denied slack_connect_clip_sharing_blocked
			slack_connect_file_upload_sharing_blocked team_not_found update_failed`,
		"files.completeUploadExternal": `channel_not_found file_not_found file_type_not_allowed file_update_failed
			file_uploads_except_images_disabled invalid_channel not_in_channel posting_to_channel_denied`,
		"files.getUploadURLExternal": `file_type_not_allowed file_upload_size_restricted file_uploads_disabled storage_limit_reached`,
		"views.open":                 `exchanged_trigger_id expired_trigger_id invalid_trigger_id`,
		"conversations.replies":      `channel_not_found thread_not_found method_not_supported_for_channel_type`,
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			w := start(t, slackfake.Options{}, impatient)
			th, ts := w.posted(text("done"))
			ref := bot.Ref{Thread: thread("C1", th), Channel: "C1", Messages: []string{ts}}
			for i, code := range strings.Fields(codes) {
				w.Fail(slackfake.Fault{Method: method, Code: code})
				var err error
				switch method {
				case "chat.postMessage":
					_, err = w.adapter.Post(t.Context(), target("C1", th), text(code), "post-"+code)
				case "chat.update":
					_, err = w.adapter.Edit(t.Context(), ref, text(code))
				case "views.open":
					err = w.adapter.OpenForm(t.Context(), "trigger", bot.Form{ID: "f", Title: "F", Inputs: []bot.Input{{ID: "a", Label: "A"}}})
				case "conversations.replies":
					_, err = w.adapter.History(t.Context(), thread("C1", th), "", 5)
				default:
					p := parcelFor(ref, th)
					p.Key += fmt.Sprint(i)
					err = w.adapter.Upload(t.Context(), p)
				}
				if !decided(err) {
					t.Errorf("%s: %v", code, err)
				}
				w.Heal()
			}
		})
	}
}

// chat.update takes 4,000 characters of text where chat.postMessage takes 40,000,
// and reads plain words as if a person had typed them unless it is told not to.
func TestEditsAreNotPosts(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	th, ts := w.posted(text("done"))
	ref := bot.Ref{Thread: thread("C1", th), Channel: "C1", Messages: []string{ts}}
	w.Fail(slackfake.Fault{Method: "chat.update", Code: "invalid_blocks", Times: 2})
	if _, err := w.adapter.Edit(t.Context(), ref, text(strings.Repeat("word ", 2000))); err != nil {
		t.Fatal(err)
	}
	m, _ := w.Message("C1", ts)
	if n := utf8.RuneCountInString(m.Text); n < 3900 || n > 4000 || m.Client {
		t.Errorf("%d characters, as typed by a person: %v", n, m.Client)
	}
}

// A message that turns out to be a stream of another process is ended first.
func TestEditOfAnOpenStream(t *testing.T) {
	t.Parallel()
	w, _ := virtual(t, slackfake.Options{})
	ref := begin(t, w, "C1")
	ref.Stream = "" // nobody knows
	other := successor(t, w)
	if _, err := other.Edit(t.Context(), ref, final("The answer.")); err != nil {
		t.Fatal(err)
	}
	if m, _ := w.Message("C1", ref.Messages[0]); m.Streaming() || !strings.Contains(m.Shown(), "The answer.") || strings.Contains(m.Shown(), "Reading") {
		t.Errorf("streaming %v: %q", m.Streaming(), m.Shown())
	}
}

// At most four prompts are suggested.
func TestFourPrompts(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.in.prompts = 6
	w.OpenHome("U1", "D1")
	w.until("prompts", func() bool { return len(w.Prompts("D1", "")) == 4 })
	if r := w.Refused(); len(r) > 0 {
		t.Errorf("refused: %v", r)
	}
}

// A status that one deleted thread does not take is no reason to leave its
// channel without.
func TestStatusOfADeletedThread(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	if err := w.adapter.Typing(t.Context(), target("C1", "1600000000.000100"), "is thinking…"); err != nil {
		t.Error(err)
	}
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	if err := w.adapter.Typing(t.Context(), target("C1", th), "is thinking…"); err != nil || w.Status("C1", th) == "" {
		t.Errorf("status %q, %v; refused %v", w.Status("C1", th), err, w.Refused())
	}
}

// TestStatusOfWhatAnAppAsked: work that an app started has a status in Slack too, but nobody can stop it there.
func TestStatusOfWhatAnAppAsked(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.Fail(slackfake.Fault{Method: "chat.startStream", Code: "unknown_method"})
	to := target("C1", w.SayByApp("C1", "", map[string]any{"subtype": "bot_message", "bot_id": "B0WF", "text": "<@UBOT> hi"}))
	to.User = bot.User{ID: "B0WF", Bot: true}
	if _, err := w.adapter.Post(t.Context(), to, progress("", "Reading…"), to.ReplyTo); err != nil {
		t.Fatal(err)
	}
	w.until("the session is at work", func() bool { return w.Session("C1", to.ReplyTo).Status == "processing" })
}

// An app without the event of the stop button is told of in the log, once.
func TestWithoutTheStopButton(t *testing.T) {
	t.Parallel()
	var said logtest.Log
	w := start(t, slackfake.Options{NoStop: true}, func(c *slack.Config) { c.Logger = said.Logger() })
	w.Fail(slackfake.Fault{Method: "chat.startStream", Code: "unknown_method"})
	for range 2 {
		th := w.Say("U1", "C1", "<@UBOT> hi", "")
		calls := len(w.Calls("agents.sessions.setStatus"))
		if _, err := w.adapter.Post(t.Context(), asked("C1", th), progress("", "Reading…"), th); err != nil {
			t.Fatal(err)
		}
		w.until("the session is at work", func() bool { return len(w.Calls("agents.sessions.setStatus")) > calls })
	}
	w.until("the log says so", func() bool { return strings.Contains(said.String(), "agent_session_stopped") })
	if n := strings.Count(said.String(), "agent_session_stopped"); n != 1 {
		t.Errorf("said %d times", n)
	}
}

// Apps that are sold outside of the marketplace read threads 15 messages a
// minute: what could be read is better than nothing.
func TestThreadOfASoldApp(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{Sold: true})
	th := w.Say("U1", "C1", "root", "")
	for i := range 30 {
		w.Say("U2", "C1", fmt.Sprint("remark ", i), th)
	}
	ctx, cancel := contextWithTimeout(t, 30*time.Second) // what Slack asks to wait is longer
	defer cancel()
	got, err := w.adapter.History(ctx, thread("C1", th), "", 50)
	if !errors.Is(err, bot.ErrLimited) || len(got) != 15 || got[0].Text != "root" {
		t.Errorf("%d messages, %v", len(got), err)
	}
}

// Whatever the reason with which Socket Mode ends a connection, the next one is
// opened and nothing is lost.
func TestWhyConnectionsEnd(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.until("a connection", func() bool { return w.Opened() == 1 })
	for i, why := range []string{"warning", "refresh_requested", "link_disabled", "too_many_websockets"} {
		w.Disconnect(why)
		w.until("the next connection", func() bool { return w.Opened() >= i+2 })
		w.Say("U1", "D1", "after "+why, "")
		w.settle()
	}
	if n := len(w.in.unique()); n != 4 {
		t.Errorf("%d messages", n)
	}
}
