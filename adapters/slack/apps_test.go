package slack_test

import (
	"encoding/json"
	"slices"
	"testing"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
)

// TestMentionsByApps: a workflow or app that the operator named is heard where it mentions the bot in a channel, as an
// app; by default none is, and the bot never hears itself.
func TestMentionsByApps(t *testing.T) {
	t.Parallel()
	const said = "weekly report please"
	for name, c := range map[string]struct {
		event   string
		allowed []string
		heard   bool
	}{
		"by default":            {`{"subtype":"bot_message","bot_id":"B0WF","username":"Weekly workflow","text":"<@UBOT> weekly report please"}`, nil, false},
		"of a workflow":         {`{"subtype":"bot_message","bot_id":"B0WF","username":"Weekly workflow","text":"<@UBOT> weekly report please"}`, []string{"B0WF"}, true},
		"of another":            {`{"subtype":"bot_message","bot_id":"B0WF","username":"Weekly workflow","text":"<@UBOT> weekly report please"}`, []string{"B0XX"}, false},
		"of an app with a user": {`{"user":"UAPP","bot_id":"B0AP","app_id":"A0AP","bot_profile":{"name":"Weekly workflow"},"text":"<@UBOT> weekly report please"}`, []string{"A0AP"}, true},
		"in blocks":             {`{"subtype":"bot_message","bot_id":"B0WF","username":"Weekly workflow","text":"","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"user","user_id":"UBOT"},{"type":"text","text":" weekly report please"}]}]}]}`, []string{"B0WF"}, true},
		"in a thread":           {`{"subtype":"bot_message","bot_id":"B0WF","username":"Weekly workflow","thread_ts":"20.1","text":"<@UBOT> weekly report please"}`, []string{"B0WF"}, true},
		"without a mention":     {`{"subtype":"bot_message","bot_id":"B0WF","username":"Weekly workflow","text":"weekly report please"}`, []string{"B0WF"}, false},
		"in a direct message":   {`{"subtype":"bot_message","bot_id":"B0WF","channel":"D1","channel_type":"im","username":"Weekly workflow","text":"<@UBOT> weekly report please"}`, []string{"B0WF"}, false},
		"of the bot itself":     {`{"user":"UBOT","bot_id":"BBOT","text":"<@UBOT> weekly report please"}`, []string{"BBOT", "UBOT"}, false},
		"of Slackbot":           {`{"user":"USLACKBOT","bot_id":"B01","text":"<@UBOT> weekly report please"}`, []string{"B01"}, false},
		"edited by a workflow":  {`{"subtype":"message_changed","message":{"subtype":"bot_message","bot_id":"B0WF","ts":"30.1","text":"<@UBOT> weekly report please"},"previous_message":{"ts":"30.1","text":"x"}}`, []string{"B0WF"}, false},
		"of one without an id":  {`{"subtype":"bot_message","username":"Weekly workflow","text":"<@UBOT> weekly report please"}`, []string{"B0WF"}, false},
		"joined with a thread":  {`{"subtype":"channel_join","user":"U1","text":"<@UBOT> weekly report please"}`, []string{"B0WF"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, slackfake.Options{}, func(cfg *slack.Config) {
				if c.allowed != nil {
					cfg.Apps = func(id string) bool { return slices.Contains(c.allowed, id) }
				}
			})
			ev := map[string]any{"type": "message", "channel": "C1", "ts": "30.1"}
			if err := json.Unmarshal([]byte(c.event), &ev); err != nil {
				t.Fatal(err)
			}
			w.Emit(ev)
			w.settle()
			m, ok := w.in.unique()["slack/T1/C1/30.1"]
			if ok != c.heard || ok && (m.Text != said || !m.User.Bot || m.User.Name != "Weekly workflow (app)" || m.User.ID == "" || m.Reach != "mention") {
				t.Errorf("heard: %v, %+v", ok, m)
			}
			if len(w.in.unique()) > 0 != c.heard {
				t.Errorf("heard %v", w.in.unique())
			}
		})
	}
}
