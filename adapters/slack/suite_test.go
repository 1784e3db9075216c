package slack_test

import (
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/bot/bottest"
)

// harness returns a fake Slack with an adapter that is not running yet.
func harness(t *testing.T) bottest.Harness {
	t.Helper()
	f := slackfake.Start(t, slackfake.Options{})
	a, err := slack.New(config(f))
	if err != nil {
		t.Fatal(err)
	}
	h := harnessOf(f)
	h.Adapter = a
	return h
}

// harnessOf returns a workspace as the suite uses it.
func harnessOf(f *slackfake.Server) bottest.Harness {
	last := ""
	return bottest.Harness{
		Limit: 12000,
		Say: func(_ *testing.T, text string, in *bot.Thread) {
			// In a direct message: a mention in a channel arrives twice, and the
			// suite counts arrivals.
			if in != nil {
				f.Say("U1", in.Channel, text, in.ID)
			} else {
				f.Say("U1", "D1", text, "")
			}
			d := f.Deliveries()
			last = d[len(d)-1].ID
		},
		Shown: func(_ *testing.T, th bot.Thread) []string {
			var out []string
			for _, m := range f.Replies(th.Channel, th.ID) {
				out = append(out, m.Shown())
			}
			return out
		},
		Redeliver: func(*testing.T) { f.Resend(last) },
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	bottest.RunAdapter(t, harness)
}

// TestAppContract runs the suite on an app that two workspaces have installed.
func TestAppContract(t *testing.T) {
	t.Parallel()
	bottest.RunAdapter(t, appHarness)
}

func appHarness(t *testing.T) bottest.Harness {
	t.Helper()
	fake := slackfake.StartApp(t, slackfake.AppOptions{})
	f := fake.Add(slackfake.Options{Team: "T1"})
	fake.Add(slackfake.Options{Team: "T2"})
	r := newRows()
	office := distribute(t, fake, r, true) // where the app is installed
	office.install("T2")
	office.install("T1")
	fake.Deliver("") // from here on over Socket Mode
	app, err := slack.NewApp(slack.AppConfig{
		Config:   slack.Config{AppToken: fake.AppToken(), APIURL: fake.URL(), Wait: shortly, PostEvery: time.Nanosecond, EditEvery: 2 * time.Millisecond, AskWithin: patience, Installations: r},
		ClientID: fake.ClientID(), ClientSecret: fake.ClientSecret(), Keys: [][]byte{sealKey},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := harnessOf(f)
	h.Adapter = app
	return h
}
