package slack_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/bot"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.in.onCommand = func(c bot.Invocation) (*bot.Card, error) {
			switch c.Name {
			case "help":
				return &bot.Card{Kind: bot.CardText, Text: "# Help\n- ask"}, nil
			case "long":
				return &bot.Card{Kind: bot.CardText, Text: strings.Repeat("한국어 단어 ", 4000)}, nil
			case "broken":
				return nil, errors.New("disk full")
			}
			return nil, nil
		}
		w.Slash("U1", "C1", "/maru", "ask  <@U2|alice> how many &lt; 3 days in <#C2|ops>? ")
		w.Slash("U1", "D1", "/maru", "")
		w.settle()
		if n := len(w.in.invocations); n != 2 {
			t.Fatalf("%d invocations", n)
		}
		a, h := w.in.invocations[0], w.in.invocations[1]
		if a.Name == "help" { // channels go side by side
			a, h = h, a
		}
		if a.Name != "ask" || a.Args != "@alice how many < 3 days in #ops?" || a.Channels["ops"] != "C2" || a.Thread != thread("C1", "") || !a.User.Admin || a.ID == "" {
			t.Errorf("invocation: %+v", a)
		}
		if h.Name != "help" || !h.Thread.Direct {
			t.Errorf("invocation: %+v", h)
		}
		if wh := w.Whispers("U1"); len(wh) != 1 || wh[0].Via != "ack" || !strings.Contains(wh[0].Shown(), "# Help") {
			t.Errorf("whispers: %+v", wh)
		}
		w.Slash("U2", "C1", "/maru", "long")
		w.settle()
		w.until("long answer", func() bool { return len(w.Whispers("U2")) >= 2 })
		w.Slash("U3", "C1", "/maru", "broken")
		w.settle()
		w.until("apology", func() bool { return len(w.Whispers("U3")) == 1 })
	})
}

// A command that takes longer than Slack waits for its acknowledgement is carried out
// all the same, and its caller told.
func TestSlowCommands(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		ts := w.Say("U2", "C1", "An important fact", "")
		w.settle()
		ready := make(chan struct{})
		w.in.slow = func(ctx context.Context) error {
			select {
			case <-ready:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		w.in.onCommand = func(c bot.Invocation) (*bot.Card, error) {
			return &bot.Card{Kind: bot.CardNotice, Text: "All of " + c.Name + " is done.", Final: true}, nil
		}
		w.Slash("U1", "C1", "/maru", "forget everything")
		w.Shortcut("U2", "C1", ts, "maru_why")
		w.settle()
		close(ready)
		for user, want := range map[string]string{"U1": "All of forget is done.", "U2": "All of why is done."} {
			w.until(want, func() bool {
				said := w.Whispers(user)
				return len(said) > 0 && strings.Contains(said[len(said)-1].Shown(), want)
			})
			if said := w.Whispers(user); len(said) > 2 {
				t.Errorf("%s was told %+v", user, said)
			}
		}
	})
}

func TestCommandWhereTheBotIsNoMember(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.AddChannel(slackfake.Channel{ID: "C9", Name: "closed", Members: []string{"U1"}})
	w.Slash("U1", "C9", "/maru", "ask")
	w.settle()
	if err := w.adapter.Whisper(t.Context(), target("C9", ""), bot.User{ID: "U1"}, bot.Card{Text: "Invite me first."}); err != nil {
		t.Fatal(err)
	}
	if wh := w.Whispers("U1"); len(wh) != 1 || wh[0].Via != "response_url" {
		t.Errorf("whispers: %+v", wh)
	}
}

// TestFormWhereTheBotIsNoMember opens a form from the button of a command's private answer. Slack sends no response_url
// with a form; the one of the click is used.
func TestFormWhereTheBotIsNoMember(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.AddChannel(slackfake.Channel{ID: "C9", Name: "closed", Members: []string{"U1"}})
	w.in.onCommand = func(bot.Invocation) (*bot.Card, error) {
		return &bot.Card{Kind: bot.CardNotice, Text: "One gap.", Buttons: []bot.Button{{ID: "row9", Verb: "answer", Label: "Answer"}}}, nil
	}
	w.in.onAction = func(a bot.Action) (bot.Answer, error) {
		if a.Verb == "answer" {
			return bot.Answer{Form: &form}, nil
		}
		return bot.Answer{Card: &bot.Card{Kind: bot.CardNotice, Text: "thanks"}}, nil
	}
	w.Slash("U1", "C9", "/maru", "gaps")
	w.settle()
	if _, err := w.ClickWhisper("U1", "Answer"); err != nil {
		t.Fatal(err)
	}
	w.until("form", func() bool { _, ok := w.LastView(); return ok })
	v, _ := w.LastView()
	if _, err := w.Submit("U1", v.ID, map[string]string{"city": "Busan"}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	w.until("thanks", func() bool { return len(w.Whispers("U1")) == 2 })
	if wh := w.Whispers("U1")[1]; wh.Via != "response_url" || wh.Channel != "C9" || !strings.Contains(wh.Shown(), "thanks") {
		t.Errorf("whisper: %+v", wh)
	}
}
