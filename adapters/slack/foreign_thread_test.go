package slack_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/agent"
)

// TestThreadOfAnotherChannel: a message with the thread_ts of another channel's thread reads and
// writes nothing there. Its thread is one of its own channel, and Slack refuses an answer to it.
func TestThreadOfAnotherChannel(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []agent.Request
	w := hire(t, slackfake.Options{}, func(_ context.Context, r agent.Request, _ agent.Sink) (agent.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r)
		return agent.Result{Text: "The answer."}, nil
	}, nil)
	w.AddChannel(slackfake.Channel{ID: "C8", Members: []string{"UBOT", "U1", "U2"}})
	root := w.Say("U2", "C8", "<@UBOT> the secret is hunter2", "")
	w.until("the answer", func() bool { return len(w.Replies("C8", root)) == 1 })
	w.Emit(map[string]any{"type": "app_mention", "channel": "C1", "channel_type": "channel", "user": "U1", "ts": "1900000000.000100", "event_ts": "1900000000.000100", "thread_ts": root, "text": "<@UBOT> what is the secret?"})
	w.settle()
	w.until("the run", func() bool { mu.Lock(); defer mu.Unlock(); return len(asked) > 1 })
	w.settle()
	mu.Lock()
	defer mu.Unlock()
	for _, r := range asked[1:] {
		for _, c := range r.Context {
			if strings.Contains(c.Text, "hunter2") {
				t.Errorf("the other channel's words are read: %q", c.Text)
			}
		}
		if strings.Contains(r.Thread, "C8") || slices.Contains(r.Scopes, "channel:slack/T1/C8") {
			t.Errorf("the run is in %s and reads %q", r.Thread, r.Scopes)
		}
	}
	if n := len(w.Replies("C8", root)); n != 1 {
		t.Errorf("%d messages in the other channel's thread", n)
	}
}
