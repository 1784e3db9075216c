package slack_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
)

// TestContentOfMessages: whatever Slack sends beside the text of a message is read, or named.
func TestContentOfMessages(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	for i, c := range []struct {
		name, event string
		text        string   // "" for any
		has         []string // in the text
		files       int
	}{
		{name: "pasted table", event: `{"text":"<@UBOT> which of these vendors supports SSO?","attachments":[{"id":1,"blocks":[{"type":"table","rows":[[{"type":"raw_text","text":"Vendor"},{"type":"raw_text","text":"SSO"}],[{"type":"raw_text","text":"Norvik"},{"type":"raw_text","text":"yes"}],[{"type":"raw_text","text":"A|B <x>"},{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"user","user_id":"U2"}]}]}]]}],"fallback":"[no preview available]"}]}`,
			text: "which of these vendors supports SSO?\n| Vendor | SSO |\n| --- | --- |\n| Norvik | yes |\n| A\\|B <x> | @alice |"},
		{name: "table among the blocks", event: `{"text":"<@UBOT> sum","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"user","user_id":"UBOT"},{"type":"text","text":" sum"}]}]},{"type":"table","rows":[[{"type":"raw_text","text":"Q1"},{"type":"raw_number","value":12}]]}]}`,
			text: "sum\n| Q1 | 12 |\n| --- | --- |"},
		{name: "rich text is the text", event: `{"text":"<@UBOT> once","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"once"}]}]}]}`, text: "once"},
		{name: "unknown block with text", event: `{"text":"<@UBOT> see","blocks":[{"type":"novelty","title":{"type":"plain_text","text":"Head"},"elements":[{"type":"mrkdwn","text":"for <@U2>"}]}]}`, text: "see\nHead\nfor @alice"},
		{name: "unknown block without text", event: `{"text":"<@UBOT> see","blocks":[{"type":"data_chart","series":[1,2]}]}`, text: "see\n[cannot be read: data chart]"},
		{name: "preview of a link", event: `{"text":"<@UBOT> see https://a.example","attachments":[{"title":"A page","text":"its preview","from_url":"https://a.example"}]}`, text: "see https://a.example"},
		{name: "forward with a file alone", event: `{"text":"","attachments":[{"id":1,"is_share":true,"is_msg_unfurl":true,"author_name":"Bob","ts":"1772500000.000100","text":"","fallback":"[no preview available]","files":[{"id":"F1","name":"runway.md","mimetype":"text/markdown","url_private":"https://files.slack.com/x"}]}]}`,
			files: 1},
		{name: "forward of an alert", event: `{"text":"","attachments":[{"is_share":true,"author_name":"Alertmanager","text":"Job failed","fields":[{"title":"Runbook","value":"restart queue worker 12"}],"message_blocks":[{"message":{"blocks":[{"type":"section","text":{"type":"mrkdwn","text":"on *node 7*"}}]}}]}]}`,
			has: []string{"Job failed", "Runbook: restart queue worker 12", "on *node 7*"}},
		{name: "forward of a card", event: `{"text":"","attachments":[{"is_share":true,"author_name":"Grafana","text":"","pretext":"Shift B","title":"Payments are slow","title_link":"https://g.example/1","footer":"Posted in #ops","fallback":"Payments are slow"}]}`,
			text: "Shift B\n**Payments are slow** (https://g.example/1)"},
		{name: "forward of a forward with a file", event: `{"text":"","attachments":[{"is_share":true,"author_name":"Bob","text":"see below","attachments":[{"is_share":true,"author_name":"Carol","text":"minutes","files":[{"id":"F3","name":"minutes.md","url_private":"https://files.slack.com/m"}]}]}]}`,
			text: "see below\nCarol\nminutes", files: 1},
		{name: "blocks without a text", event: `{"text":"","attachments":[{"is_share":true,"author_name":"Pager","text":"This content can't be displayed.","message_blocks":[{"message":{"blocks":[{"type":"header","text":{"type":"plain_text","text":"Incident 4411"}}]}}]}]}`, text: "Incident 4411"},
		{name: "quotes and words struck out", event: `{"text":"","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"2 March","style":{"strike":true}},{"type":"text","text":" 9 March?"}]},{"type":"rich_text_quote","elements":[{"type":"text","text":"Freeze\non Monday"}]}]}]}`,
			text: "~2 March~ 9 March?\n> Freeze\n> on Monday"},
		{name: "numbered list", event: `{"text":"","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"user","user_id":"UBOT"}]},{"type":"rich_text_list","style":"ordered","offset":2,"elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"third"}]}]},{"type":"rich_text_list","style":"bullet","indent":1,"elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"below"}]}]}]}]}`,
			text: "3. third\n   - below"},
		{name: "menu with options", event: `{"text":"<@UBOT> which is set?","blocks":[{"type":"section","text":{"type":"mrkdwn","text":"Lunch"},"accessory":{"type":"radio_buttons","initial_option":{"text":{"type":"plain_text","text":"Rice"},"value":"r"},"options":[{"text":{"type":"plain_text","text":"Noodles"},"value":"n"},{"text":{"type":"plain_text","text":"Rice"},"description":{"type":"plain_text","text":"with egg"},"value":"r"}]}},{"type":"actions","elements":[{"type":"static_select","placeholder":{"type":"plain_text","text":"Reassign"},"option_groups":[{"label":{"type":"plain_text","text":"Ops"},"options":[{"text":{"type":"plain_text","text":"Kim"},"value":"k"}]}]}]},{"type":"input","label":{"type":"plain_text","text":"Floor"},"element":{"type":"plain_text_input","initial_value":"7th"},"hint":{"type":"plain_text","text":"5 to 9"}}]}`,
			text: "which is set?\nLunch\n[Noodles; Rice – with egg (chosen)]\n[Reassign: Kim]\nFloor\n[7th]\n5 to 9"},
		{name: "card of a service", event: `{"text":"<@UBOT> who?","attachments":[{"service_name":"Jira","author_name":"Kim","title":"OPS-12"},{"service_name":"Statuspage","text":"All fine"}]}`,
			has: []string{"Kim · Jira\n", "OPS-12", "Statuspage\nAll fine"}},
		{name: "deleted file", event: `{"subtype":"file_share","text":"<@UBOT> and this","files":[{"id":"F9","mode":"tombstone"}]}`, text: "and this\n[cannot be read: deleted file]"},
		{name: "canvas", event: `{"subtype":"file_share","text":"<@UBOT> add this document","files":[{"id":"F2","name":"Untitled","title":"Onboarding","mimetype":"application/vnd.slack-docs","filetype":"quip","mode":"quip","url_private":"https://files.slack.com/c"}]}`,
			text: "add this document", files: 1},
	} {
		ev := map[string]any{}
		if err := json.Unmarshal([]byte(c.event), &ev); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		ts := "30." + string(rune('a'+i))
		ev["type"], ev["channel"], ev["user"], ev["ts"] = "message", "C1", "U1", ts
		w.Emit(ev)
		w.settle()
		m, ok := w.in.unique()["slack/T1/C1/"+ts]
		if !ok {
			t.Errorf("%s: did not arrive", c.name)
			continue
		}
		if c.has == nil && m.Text != c.text {
			t.Errorf("%s: %q, want %q", c.name, m.Text, c.text)
		}
		for _, s := range c.has {
			if !strings.Contains(m.Text, s) {
				t.Errorf("%s: %q has no %q", c.name, m.Text, s)
			}
		}
		if len(m.Files) != c.files || c.name == "canvas" && m.Files[0].Name != "Onboarding" {
			t.Errorf("%s: files %+v", c.name, m.Files)
		}
	}
}

// TestAppsSpeakForThemselves: in a thread's history an app's message is whole and the app's, never the bot's.
func TestAppsSpeakForThemselves(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	ev := map[string]any{}
	if err := json.Unmarshal([]byte(`{"subtype":"bot_message","bot_id":"B0ALERT","username":"Alertmanager","text":"","attachments":[{"id":1,"fallback":"[FIRING:1] KubeJobFailed","pretext":"Shift B is on duty","title":"[FIRING:1] KubeJobFailed cluster-7","text":"Job failed more than 3 times.","fields":[{"title":"Runbook","value":"restart queue worker 12"}],"blocks":[{"type":"context","elements":[{"type":"mrkdwn","text":"prometheus"}]}]}]}`), &ev); err != nil {
		t.Fatal(err)
	}
	root := w.SayByApp("C1", "", ev)
	said, err := w.adapter.History(t.Context(), thread("C1", root), "", 10)
	if err != nil || len(said) != 1 {
		t.Fatalf("%v %+v", err, said)
	}
	m := said[0]
	if m.Own || !m.User.Bot || m.User.Name != "Alertmanager (app)" {
		t.Errorf("author: own %v, %+v", m.Own, m.User)
	}
	root = w.SayByApp("C1", "", map[string]any{"subtype": "bot_message", "bot_id": "B0", "text": "This content can't be displayed.", "blocks": []any{map[string]any{"type": "header", "text": map[string]any{"type": "plain_text", "text": "Incident 4411"}}}})
	if said, err := w.adapter.History(t.Context(), thread("C1", root), "", 10); err != nil || len(said) != 1 || said[0].Text != "Incident 4411" {
		t.Errorf("%v %+v", err, said)
	}
	const want = "Shift B is on duty\n**[FIRING:1] KubeJobFailed cluster-7**\nJob failed more than 3 times.\nRunbook: restart queue worker 12\nprometheus"
	if m.Text != want {
		t.Errorf("%q\nwant\n%q", m.Text, want)
	}
}

// TestHuddlesAreNamed: a huddle in a thread has no words, only who talked and when.
func TestHuddlesAreNamed(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	for want, people := range map[string][]string{"2 people": {"U1", "U2"}, "1 person": {"U1"}} {
		root := w.SayByApp("C1", "", map[string]any{"subtype": "huddle_thread", "text": "", "user": "U2", "room": map[string]any{"date_start": 1772500000, "date_end": 1772503600, "participant_history": people}})
		said, err := w.adapter.History(t.Context(), thread("C1", root), "", 10)
		if err != nil || len(said) != 1 || said[0].Text != "[cannot be read: huddle, from 2026-03-03 01:06 UTC, to 2026-03-03 02:06 UTC, "+want+"]" {
			t.Errorf("%v %+v", err, said)
		}
	}
}
