package slack_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/logtest"
)

// TestFullAppIsNotStormed: Slack ends the eleventh connection of an app as soon as
// it is made. Asking for the next one at once would be a thousand a second.
func TestFullAppIsNotStormed(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var waited []time.Duration
	var log logtest.Log
	still := time.Now()
	w := start(t, slackfake.Options{}, func(c *slack.Config) {
		c.Now = func() time.Time { return still } // what was waited is what was asked for
		c.Logger = log.Logger()
		c.Wait = func(ctx context.Context, d time.Duration) error {
			mu.Lock()
			waited = append(waited, d.Round(time.Second))
			mu.Unlock()
			return shortly(ctx, d)
		}
	})
	w.until("connected", func() bool { n, _ := w.Connections(); return n == 1 })
	const dials = 13
	w.Full(true)
	w.until("asked again", func() bool { return w.Opened() >= dials })
	w.Full(false)
	w.Say("U1", "D1", "room again", "")
	w.settle()
	mu.Lock()
	defer mu.Unlock()
	if len(w.in.said()) != 1 {
		t.Error("the message after it is lost")
	}
	want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second, 15 * time.Second}
	for _, d := range want {
		if len(waited) == 0 || waited[0] != d {
			t.Fatalf("waited %v between connections, want %v", waited, want)
		}
		waited = waited[1:]
	}
	if n := strings.Count(log.String(), "SLACK_APP_TOKEN"); n != 1 {
		t.Errorf("the operator is told %d times:\n%s", n, log.String())
	}
}

// TestOutageDoesNotSlowDown: however long Slack was away, it is asked again within
// seconds, not after the client library's five minutes.
func TestOutageDoesNotSlowDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := slackfake.New(slackfake.Options{Offline: true, Ping: -1})
		defer f.Close()
		f.Fail(slackfake.Fault{Method: "apps.connections.open", Status: http.StatusServiceUnavailable})
		a, err := slack.New(slack.Config{
			BotToken: f.BotToken(), AppToken: f.AppToken(), APIURL: f.URL(), HTTPClient: &http.Client{Transport: f.Transport()},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := a.Run(ctx, &intake{}); err != nil {
			t.Errorf("Run: %v", err)
		}
		calls := f.Calls("apps.connections.open")
		last, longest := calls[0].At, time.Duration(0)
		for _, c := range calls {
			longest, last = max(longest, c.At.Sub(last)), c.At
		}
		if longest > 20*time.Second || len(calls) > 600 || len(calls) < 180 {
			t.Errorf("asked %d times in an hour, at the longest %v apart", len(calls), longest)
		}
	})
}
