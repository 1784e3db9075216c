package slack_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/adapters/slack"
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

// withdrawing gives a draft up in the moment in which its edit, or its status, is
// under way.
type withdrawing struct {
	http.RoundTripper
	withdraw context.CancelFunc
}

func (w withdrawing) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "chat.update") || strings.HasSuffix(r.URL.Path, "threads.setStatus") {
		w.withdraw()
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
	}
	return w.RoundTripper.RoundTrip(r)
}

// An edit that Slack may already have is waited for: given up, it could arrive
// after the answer and cover it.
func TestADraftNeverComesAfterTheAnswer(t *testing.T) {
	t.Parallel()
	draft, withdraw := context.WithCancel(t.Context())
	defer withdraw()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	w := start(t, slackfake.Options{}, func(c *slack.Config) { c.HTTPClient, c.Wait = &http.Client{Transport: withdrawing{tr, withdraw}}, nil })
	root := w.Say("U1", "C1", "hello", "")
	growing := func(text string) bot.Card { return bot.Card{Kind: bot.CardProgress, Text: text, Language: "en"} }
	ref, err := w.adapter.Post(t.Context(), target("C1", root), growing("one"), "k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.adapter.Edit(draft, ref, growing("one two")); err != nil {
		t.Errorf("the edit was given up: %v", err)
	}
	if m, _ := w.Message("C1", ref.Messages[0]); !strings.Contains(m.Shown(), "two") {
		t.Errorf("shown: %q", m.Shown())
	}
}

// Nor may a status come after the call that clears it.
func TestAStatusNeverComesAfterTheAnswer(t *testing.T) {
	t.Parallel()
	draft, withdraw := context.WithCancel(t.Context())
	defer withdraw()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	w := start(t, slackfake.Options{}, func(c *slack.Config) { c.HTTPClient, c.Wait = &http.Client{Transport: withdrawing{tr, withdraw}}, nil })
	to := target("C1", w.Say("U1", "C1", "hello", ""))
	if err := w.adapter.Typing(draft, to, "is thinking…"); err != nil || w.Status("C1", to.Thread.ID) == "" {
		t.Errorf("the status was given up under way: %v", err)
	}
	if err := w.adapter.Typing(t.Context(), to, ""); err != nil || w.Status("C1", to.Thread.ID) != "" {
		t.Errorf("the status stands: %v", err)
	}
}

// hanging never answers an edit, which nobody wants any more once it is under way.
type hanging struct {
	http.RoundTripper
	withdraw context.CancelFunc
}

func (h hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "chat.update") {
		return h.RoundTripper.RoundTrip(r)
	}
	h.withdraw()
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestAHangingDraftHoldsNothingUp(t *testing.T) {
	t.Parallel()
	draft, withdraw := context.WithCancel(t.Context())
	defer withdraw()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	var waited atomic.Int64
	w := start(t, slackfake.Options{}, func(c *slack.Config) {
		c.HTTPClient = &http.Client{Transport: hanging{tr, withdraw}}
		c.Wait = func(ctx context.Context, d time.Duration) error {
			waited.Store(int64(d))
			return shortly(ctx, d)
		}
	})
	root := w.Say("U1", "C1", "hello", "")
	ref, err := w.adapter.Post(t.Context(), target("C1", root), bot.Card{Kind: bot.CardProgress, Text: "one", Language: "en"}, "k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.adapter.Edit(draft, ref, bot.Card{Kind: bot.CardProgress, Text: "one two", Language: "en"}); err == nil {
		t.Error("an edit that was never answered is no error")
	}
	if d := time.Duration(waited.Load()); d <= 0 || d > 5*time.Second {
		t.Errorf("waited %v for what nobody wants", d)
	}
}

// Who asked where the bot may not write any more is answered directly, once; what
// has to be decided there is not.
func TestAnAnswerThatMayNotStandWhereItWasAsked(t *testing.T) {
	t.Parallel()
	refused := func(code string) func(w *world) {
		return func(w *world) {
			for _, method := range []string{"chat.postMessage", "chat.startStream"} {
				w.Fail(slackfake.Fault{Method: method, Channel: "C1", Code: code, Times: 100})
			}
		}
	}
	for name, shut := range map[string]func(w *world){
		"left": func(w *world) { w.AddChannel(slackfake.Channel{ID: "C1", Name: "general", Members: []string{"U1"}}) },
		"archived": func(w *world) {
			w.AddChannel(slackfake.Channel{ID: "C1", Name: "general", Archived: true, Members: []string{"U1", "UBOT"}})
		},
		"restricted":    refused("restricted_action_read_only_channel"),
		"no thread":     refused("cannot_reply_to_message"), // a message of Slack's own, which takes no replies
		"not permitted": refused("no_permission"),           // how Slack says it to an app that is not a member
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, slackfake.Options{})
			ts := w.Say("U1", "C1", "<@UBOT> 연차?", "")
			w.settle()
			shut(w)
			ctx, to := t.Context(), target("C1", ts)
			to.User = bot.User{ID: "U1"}
			ask := bot.Card{Kind: bot.CardPlan, Text: "?", Language: "ko", Final: true, Buttons: []bot.Button{{ID: "r", Verb: "accept", Label: "네"}}}
			if ref, err := w.adapter.Post(ctx, to, ask, "ask"); err == nil {
				t.Errorf("a question was posted: %+v", ref)
			}
			answer := bot.Card{Kind: bot.CardText, Text: "15일이에요.", Language: "ko", Final: true}
			var ref bot.Ref
			for range 2 {
				var err error
				if ref, err = w.adapter.Post(ctx, to, answer, "run1"); err != nil {
					t.Fatal(err)
				}
			}
			got := w.Messages(ref.Channel, "")
			if len(got) != 2 || !strings.Contains(got[0].Shown(), "글을 쓸 수 없어서") || got[1].Shown() != "15일이에요." || got[1].Thread != "" {
				t.Fatalf("told directly: %+v", got)
			}
			answer.Text = "16일이에요."
			if _, err := w.adapter.Edit(ctx, ref, answer); err != nil {
				t.Fatal(err)
			}
			if got := w.Messages(ref.Channel, ""); len(got) != 2 || got[1].Shown() != "16일이에요." {
				t.Errorf("after an edit: %+v", got)
			}
			// Another process, which died before it could note where the answer stands.
			if _, err := successor(t, w).Post(ctx, to, answer, "run1"); err != nil {
				t.Fatal(err)
			}
			if got := w.Messages(ref.Channel, ""); len(got) != 2 {
				t.Errorf("told again by another process: %+v", got)
			}
		})
	}
}

// TestAnAnswerLeavesTheClosedPlaceOfItsQuestion: the question's card stands where the
// bot may write no more, and is not edited in vain for the answer.
func TestAnAnswerLeavesTheClosedPlaceOfItsQuestion(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	ts := w.Say("U1", "C1", "<@UBOT> 계산해 줘", "")
	w.settle()
	to := target("C1", ts)
	to.User = bot.User{ID: "U1"}
	ask := bot.Card{Kind: bot.CardPlan, Text: "?", Language: "ko", Final: true, Buttons: []bot.Button{{ID: "r", Verb: "accept", Label: "네"}}}
	if _, err := w.adapter.Post(t.Context(), to, ask, "run1"); err != nil {
		t.Fatal(err)
	}
	w.AddChannel(slackfake.Channel{ID: "C1", Name: "general", Members: []string{"U1"}})
	ref, err := w.adapter.Post(t.Context(), to, text("15일이에요."), "run1")
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Messages(ref.Channel, ""); ref.Channel == "C1" || len(got) != 2 || got[1].Shown() != "15일이에요." {
		t.Errorf("told directly: %+v", got)
	}
}
