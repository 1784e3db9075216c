package slack_test

import (
	"testing"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/bot/bottest"
)

// harness is a fake Slack with an adapter that is not running yet.
func harness(t *testing.T) bottest.Harness {
	t.Helper()
	f := slackfake.Start(t, slackfake.Options{})
	a, err := slack.New(config(f))
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	return bottest.Harness{
		Adapter: a,
		Limit:   12000,
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
