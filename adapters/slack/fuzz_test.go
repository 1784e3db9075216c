package slack_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// sink takes everything.
type sink struct{}

func (sink) Message(context.Context, bot.Message) error                 { return nil }
func (sink) Change(context.Context, bot.Change) error                   { return nil }
func (sink) Action(context.Context, bot.Action) (bot.Answer, error)     { return bot.Answer{}, nil }
func (sink) Command(context.Context, bot.Invocation) (*bot.Card, error) { return nil, nil }
func (sink) Commands() []bot.Command                                    { return nil }
func (sink) Notes() bot.Notes                                           { return nil }

// FuzzPayloads: whatever arrives, nothing breaks and nothing takes long.
func FuzzPayloads(f *testing.F) {
	for _, s := range []string{
		`{"type":"event_callback","team_id":"T1","event":{"type":"message","channel":"C1","user":"U1","ts":"1.2","text":"<@UBOT> hi <http://a|b>","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"x"}]}]}],"files":[{"id":"F1"}]}}`,
		`{"type":"event_callback","team_id":"T1","event":{"type":"message","subtype":"message_changed","channel":"C1","message":{"ts":"1.1","text":"a","user":"U1"},"previous_message":{"ts":"1.1","text":"b"}}}`,
		`{"type":"block_actions","user":{"id":"U1"},"channel":{"id":"C1"},"message":{"ts":"1.1"},"actions":[{"action_id":"maru:a:b","value":"a:b","action_ts":"1.1"}],"response_url":"https://hooks.slack.com/x"}`,
		`{"type":"view_submission","user":{"id":"U1"},"view":{"private_metadata":"{\"i\":\"a\",\"v\":\"b\",\"t\":{}}","state":{"values":{"x":{"value":{"type":"plain_text_input","value":"y"}}}}}}`,
		`{"type":"message_action","callback_id":"maru_ask","message":{"ts":"1.1","text":"x"},"channel":{"id":"C1"},"user":{"id":"U1"}}`,
		`{"type":"shortcut","callback_id":"maru_anywhere","trigger_id":"1.2","action_ts":"1.3","team":{"id":"T1"},"user":{"id":"U1"}}`,
		`{"type":"view_closed","user":{"id":"U1"},"view":{"id":"V1","private_metadata":"{\"i\":\"a\",\"v\":\"b\",\"t\":{}}"},"is_cleared":false}`,
		`{"type":"event_callback","team_id":"T1","event":{"type":"app_home_opened","user":"U1","channel":"D1","tab":"messages","context":{"entities":[{"type":"slack#/types/channel_id","value":"C1"},{"type":"slack#/types/message_context","value":{"channel_id":"C1","message_ts":"1.1"}}]}}}`,
		`{"type":"event_callback","team_id":"T1","event":{"type":"assistant_thread_started","assistant_thread":{"user_id":"U1","channel_id":"D1","thread_ts":"1.1","context":{"channel_id":"C1","team_id":"T1","enterprise_id":null}}}}`,
		`{"type":"event_callback","team_id":"T1","event":{"type":"agent_session_stopped","channel":"C1","thread_ts":"1.1","user":"U1","streaming_message_ts":["1.2"],"event_ts":"1.3"}}`,
		`command=%2Fmaru&text=ask+me&user_id=U1&channel_id=C1&team_id=T1&trigger_id=1.2`,
	} {
		f.Add(s)
	}
	fake := slackfake.Start(f, slackfake.Options{})
	c := config(fake)
	overHTTP(&c)
	a, err := slack.New(c)
	if err != nil {
		f.Fatal(err)
	}
	mux := http.NewServeMux()
	a.Mount(mux, sink{})
	f.Fuzz(func(t *testing.T, s string) {
		for path, body := range map[string]string{
			"/slack/events": s, "/slack/commands": s, "/slack/interactions": url.Values{"payload": {s}}.Encode(),
		} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
			fake.Sign(r, []byte(body))
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, r)
			switch w.Code {
			case http.StatusOK, http.StatusBadRequest, http.StatusUnauthorized: // the last: it names another app
			default:
				t.Fatalf("%s answered %d", path, w.Code)
			}
		}
	})
}
