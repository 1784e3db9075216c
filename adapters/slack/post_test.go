package slack_test

import (
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/bot"
)

func TestReplyGrowsAndShrinks(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	ts := w.Say("U1", "C1", "<@UBOT> tell me", "")
	ctx := t.Context()
	ref, err := w.adapter.Post(ctx, target("C1", ts), bot.Card{Kind: bot.CardProgress, Status: "생각하는 중", Language: "ko"}, "run1")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("A paragraph of some words that fills the message.\n\n", 600)
	ref, err = w.adapter.Edit(ctx, ref, bot.Card{Kind: bot.CardText, Text: long, Final: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(w.Replies("C1", ts)); n < 3 || n != len(ref.Messages) {
		t.Fatalf("%d messages, ref %v", n, ref.Messages)
	}
	before := len(w.Calls("chat.update"))
	if _, err := w.adapter.Edit(ctx, ref, bot.Card{Kind: bot.CardText, Text: long, Final: true}); err != nil {
		t.Fatal(err)
	}
	if after := len(w.Calls("chat.update")); after != before {
		t.Errorf("the same card again made %d edits", after-before)
	}
	ref, err = w.adapter.Edit(ctx, ref, bot.Card{Kind: bot.CardText, Text: "short", Final: true})
	if err != nil {
		t.Fatal(err)
	}
	got := w.Replies("C1", ts)
	if len(got) != 1 || len(ref.Messages) != 1 || got[0].Shown() != "short" || got[0].Unfurl {
		t.Errorf("left: %+v", got)
	}
	if r := w.Refused(); len(r) > 0 {
		t.Errorf("refused: %v", r)
	}
}
