package load_test

import "testing"

// TestDiscordExport: DiscordChatExporter's JSON is a conversation, with a reply below what it answers.
func TestDiscordExport(t *testing.T) {
	t.Parallel()
	const export = `{"guild":{"id":"1","name":"Team"},"channel":{"id":"2","name":"ops","category":"Work"},"messages":[
		{"id":"10","type":"Default","timestamp":"2026-03-03T09:00:00+09:00","content":"프린터 리본 어디 있어요?","author":{"name":"kim","nickname":"김하나"}},
		{"id":"11","type":"Default","timestamp":"2026-03-03T09:01:00+09:00","content":"점심 뭐 먹죠","author":{"name":"lee"}},
		{"id":"12","type":"RecipientAdd","timestamp":"2026-03-03T09:01:30+09:00","content":"joined","author":{"name":"lee"}},
		{"id":"13","type":"Reply","timestamp":"2026-03-03T09:05:00+09:00","content":"14번 서랍","author":{"name":"park"},"attachments":[{"fileName":"map.png"}],"reference":{"messageId":"10"}}]}`
	_, chunks := mustLoad(t, "ops.json", []byte(export))
	const want = "[ops > #ops > 2026-03-03] 00:00 김하나: 프린터 리본 어디 있어요? / 00:05 park: 14번 서랍 / [map.png] / 00:01 lee: 점심 뭐 먹죠"
	if got := show(chunks); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestSlackConversation: a day of a channel and a dump of one, outside of an export, are conversations, and other lists are not.
func TestSlackConversation(t *testing.T) {
	t.Parallel()
	const said = `{"type":"message","user":"U1","text":"Where is <@U2>?","ts":"1772496000.000100","thread_ts":"1772496000.000100","user_profile":{"real_name":"Kim"}`
	const reply = `{"type":"message","user":"U2","text":"Here &amp; now","ts":"1772496060.000200","thread_ts":"1772496000.000100","user_profile":{"real_name":"Lee"}}`
	for text, want := range map[string]string{
		`[` + said + `},` + reply + `]`: "[a > 2026-03-03] 00:00 Kim: Where is @Lee? / 00:01 Lee: Here & now",
		`{"channel_id":"C1","name":"ops","messages":[` + said + `,"slackdump_thread_replies":[` + reply + `]}]}`: "[a > #ops > 2026-03-03] 00:00 Kim: Where is @Lee? / 00:01 Lee: Here & now",
		`[` + said + `},{"type":"message","subtype":"channel_join","ts":"1772496060.000300"}]`:                   "[a > 2026-03-03] 00:00 Kim: Where is @U2?",
		`[{"type":"message","ts":"1772496000.000100","severity":"high","host":"db1"}]`:                           "[a] type: message / ts: 1772496000.000100 / severity: high / host: db1",
		`[` + said + `},{"type":"message","ts":"1772496060.000300","username":"bot","text":"","blocks":[{"type":"section","text":{"type":"mrkdwn","text":"up & *on*"},"fields":[{"type":"plain_text","text":"db1"}]},` +
			`{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"ask "},{"type":"user","user_id":"U1"},{"type":"text","text":" or "},{"type":"link","url":"http://x"}]}]}]}]`: "[a > 2026-03-03] 00:00 Kim: Where is @U2? / 00:01 bot: up & *on* / db1 / ask @Kim or http://x",
		`[{"type":"message","text":"x","ts":5}]`: "[a] type: message / text: x / ts: 5",
	} {
		_, chunks := mustLoad(t, "a.json", []byte(text))
		if got := show(chunks); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}
