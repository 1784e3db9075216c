package slack_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/bot"
)

func text(s string) bot.Card { return bot.Card{Kind: bot.CardText, Text: s, Final: true} }

// A post whose answer is lost, or that was carried out and answered with an
// error, is looked for and not said twice.
func TestAmbiguousPostIsNotRepeated(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]slackfake.Fault{
		"connection_cut_after_it_was_done": {Drop: true, Done: true},
		"connection_cut_before":            {Drop: true},
		"error_after_it_was_done":          {Code: "internal_error", Done: true},
		"server_error_before":              {Status: 503},
		"server_error_after_it_was_done":   {Status: 500, Done: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, slackfake.Options{})
			th := w.Say("U1", "C1", "<@UBOT> hi", "")
			dm := w.Say("U1", "D1", "hi", "")
			w.settle()
			for _, to := range []bot.Target{target("C1", th), {Thread: thread("D1", ""), ReplyTo: dm}} {
				f.Method, f.Times = "chat.postMessage", 1
				w.Fail(f)
				ref, err := w.adapter.Post(t.Context(), to, text("an answer"), "run-"+to.Thread.Channel)
				if err != nil {
					t.Fatal(err)
				}
				if ref.Doubtful == f.Done {
					t.Errorf("%s: sent again: %v", to.Thread.Channel, ref.Doubtful)
				}
				got := w.Replies(to.Thread.Channel, to.Thread.ID)
				if len(got) != 1 || len(ref.Messages) != 1 || got[0].TS != ref.Messages[0] {
					t.Errorf("%s: %d replies, ref %v", to.Thread.Channel, len(got), ref.Messages)
				}
			}
		})
	}
}

// TestTwins: what another process posted with the same key is found whole, beside the reply that is known.
func TestTwins(t *testing.T) {
	t.Parallel()
	f := slackfake.Start(t, slackfake.Options{})
	w, dead := run(t, f, config(f)), run(t, f, config(f))
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	post := func(of *world, c bot.Card, key string) bot.Ref {
		t.Helper()
		ref, err := of.adapter.Post(t.Context(), target("C1", th), c, key)
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	long := text(strings.Repeat("Some words of a paragraph.\n\n", 900))
	own := post(w, long, "run7")
	post(w, text("another"), "run8")
	copied := post(dead, long, "run7")
	if len(copied.Messages) < 2 {
		t.Fatalf("a long card is %d messages", len(copied.Messages))
	}
	keys := []string{"run6", "run7"}
	got, err := secondCopies(t, w, th, keys, own)
	if err != nil || len(got) != 1 || fmt.Sprint(got[0].Messages) != fmt.Sprint(copied.Messages) {
		t.Fatalf("twins %+v, %v; want %v", got, err, copied.Messages)
	}
	if err := w.adapter.Remove(t.Context(), got[0]); err != nil {
		t.Fatal(err)
	}
	if got, err := secondCopies(t, w, th, keys, own); err != nil || len(got) != 0 {
		t.Errorf("twins %+v, %v; want none", got, err)
	}
	if n := len(w.Replies("C1", th)); n != len(own.Messages)+1 {
		t.Errorf("%d messages stay, want %d", n, len(own.Messages)+1)
	}
	head, _ := w.Message("C1", own.Messages[0])
	if _, err := w.adapter.Edit(t.Context(), own, long); err != nil {
		t.Fatal(err)
	}
	late := bot.Ref{Thread: own.Thread, Channel: own.Channel, Messages: own.Messages[:1]}
	if _, err := dead.adapter.Edit(t.Context(), late, text("what the dead process drew")); err != nil {
		t.Fatal(err)
	}
	for _, restored := range []bool{false, true} { // without a look it thinks that nothing has changed
		if _, err := w.adapter.Edit(t.Context(), own, long); err != nil {
			t.Fatal(err)
		}
		if m, _ := w.Message("C1", own.Messages[0]); (m.Text == head.Text) != restored {
			t.Errorf("restored %v: it shows %.60q", restored, m.Text)
		}
		if _, err := secondCopies(t, w, th, keys, own); err != nil {
			t.Fatal(err)
		}
	}
}

// secondCopies looks for the second copies of own.
func secondCopies(t *testing.T, w *world, th string, keys []string, own bot.Ref) ([]bot.Ref, error) {
	t.Helper()
	finder, ok := bot.Adapter(w.adapter).(interface {
		Twins(ctx context.Context, to bot.Target, keys, known []string) ([]bot.Ref, error)
		Doubt(ref bot.Ref)
	})
	if !ok {
		t.Fatal("twins are not looked for")
	}
	finder.Doubt(own)
	return finder.Twins(t.Context(), target("C1", th), keys, own.Messages)
}

func TestFindAfterACrash(t *testing.T) {
	t.Parallel()
	f := slackfake.Start(t, slackfake.Options{})
	w := run(t, f, config(f))
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	long := text(strings.Repeat("Some words of a paragraph.\n\n", 900))
	ref, err := w.adapter.Post(t.Context(), target("C1", th), long, "run7")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.adapter.Post(t.Context(), target("C1", th), text("another"), "run8"); err != nil {
		t.Fatal(err)
	}
	other := run(t, f, config(f)) // another process
	got, ok, err := other.adapter.Find(t.Context(), target("C1", th), "run7")
	if err != nil || !ok || fmt.Sprint(got.Messages) != fmt.Sprint(ref.Messages) || got.Thread != ref.Thread {
		t.Fatalf("found %v %v %v, want %v", got, ok, err, ref)
	}
	if _, ok, err := other.adapter.Find(t.Context(), target("C1", th), "run9"); ok || err != nil {
		t.Errorf("found what was never posted: %v %v", ok, err)
	}
	// Only the first message was recorded: the rest is taken over, not said again.
	got.Messages = got.Messages[:1]
	got, err = other.adapter.Edit(t.Context(), got, long)
	if err != nil || fmt.Sprint(got.Messages) != fmt.Sprint(ref.Messages) {
		t.Errorf("edit after a crash: %v %v, want %v", got.Messages, err, ref.Messages)
	}
	if n := len(w.Replies("C1", th)); n != len(ref.Messages)+1 {
		t.Errorf("%d messages", n)
	}
}

func TestSameKeyIsOneReply(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	for range 3 {
		if _, err := w.adapter.Post(t.Context(), target("C1", th), text("once"), "run1"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.Replies("C1", th)); n != 1 {
		t.Errorf("%d replies", n)
	}
}

// A reply that somebody deleted is said again in a new message, with the same key.
func TestDeletedReplyIsPostedAnew(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	ref, err := w.adapter.Post(t.Context(), target("C1", th), bot.Card{Kind: bot.CardProgress, Text: "draft"}, "run1")
	if err != nil {
		t.Fatal(err)
	}
	w.Erase("C1", ref.Messages[0])
	if _, err := w.adapter.Edit(t.Context(), ref, text("final")); !errors.Is(err, bot.ErrGone) {
		t.Errorf("edit of a deleted message: %v", err)
	}
	if _, err := w.adapter.Post(t.Context(), target("C1", th), text("final"), "run1"); err != nil {
		t.Fatal(err)
	}
	if got := w.Replies("C1", th); len(got) != 1 || got[0].Shown() != "final" {
		t.Errorf("replies: %+v", got)
	}
}

// A draft or a question that may not be edited can be taken away, so that its answer,
// posted again, stands alone.
func TestWhatNobodyMayEditIsTakenAway(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"edit_window_closed", "cant_update_message"} {
		w := start(t, slackfake.Options{}, impatient)
		th := w.Say("U1", "C1", "<@UBOT> hi", "")
		ref, err := w.adapter.Post(t.Context(), target("C1", th), bot.Card{Kind: bot.CardProgress, Text: "draft"}, "run1")
		if err != nil {
			t.Fatal(err)
		}
		w.Fail(slackfake.Fault{Method: "chat.update", Code: code})
		if _, err := w.adapter.Edit(t.Context(), ref, text("final")); !errors.Is(err, bot.ErrTooOld) {
			t.Errorf("%s: edit: %v", code, err)
		}
		for range 2 { // the second is as good as the first
			if err := w.adapter.Remove(t.Context(), ref); err != nil {
				t.Errorf("%s: remove: %v", code, err)
			}
		}
		if _, err = w.adapter.Post(t.Context(), target("C1", th), text("final"), "run1"); err != nil {
			t.Fatal(err)
		}
		if got := w.Replies("C1", th); len(got) != 1 || got[0].Shown() != "final" {
			t.Errorf("%s: replies: %+v", code, got)
		}
	}
}

// Every error has a decided meaning.
func TestErrorsHaveClasses(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{}, impatient)
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	ref, err := w.adapter.Post(t.Context(), target("C1", th), text("0"), "k")
	if err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]error{
		"channel_not_found": bot.ErrGone, "is_archived": bot.ErrGone, "message_not_found": bot.ErrGone,
		"not_in_channel": bot.ErrForbidden, "account_inactive": bot.ErrUnavailable, "token_revoked": bot.ErrUnavailable, "missing_scope": bot.ErrForbidden,
		"cant_update_message": bot.ErrTooOld, "edit_window_closed": bot.ErrTooOld,
		"internal_error": bot.ErrUnavailable, "ratelimited": bot.ErrUnavailable, "service_unavailable": bot.ErrUnavailable,
	} {
		w.Heal()
		w.Fail(slackfake.Fault{Method: "chat.update", Code: code})
		_, err := w.adapter.Edit(t.Context(), ref, text(code))
		var de *bot.DeliveryError
		if !errors.As(err, &de) || !errors.Is(err, want) || de.Code != code || de.Op != "edit" {
			t.Errorf("%s: %v", code, err)
		}
	}
	w.Heal()
	w.Fail(slackfake.Fault{Drop: true})
	if _, err := w.adapter.Edit(t.Context(), ref, text("x")); !errors.Is(err, bot.ErrUnavailable) || strings.Contains(err.Error(), "http") {
		t.Errorf("network fault: %v", err)
	}
	w.Heal()
	if _, err := w.adapter.Post(t.Context(), target("C404", ""), text("x"), "k2"); !errors.Is(err, bot.ErrGone) {
		t.Errorf("unknown channel: %v", err)
	}
	if _, err := w.adapter.Post(t.Context(), target("C1", "1.000001"), text("x"), "k3"); !errors.Is(err, bot.ErrGone) {
		t.Errorf("unknown thread: %v", err)
	}
}

// An answer outlives the token it was begun with: it is kept, and operators see why.
func TestATokenRefusedInTheMiddle(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{}, impatient)
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	w.settle()
	ref, err := w.adapter.Post(t.Context(), target("C1", th), text("half"), "k")
	if err != nil {
		t.Fatal(err)
	}
	w.Fail(slackfake.Fault{Code: "token_revoked", Times: 100})
	_, err = w.adapter.Edit(t.Context(), ref, text("whole"))
	var de *bot.DeliveryError
	if !errors.As(err, &de) || !errors.Is(err, bot.ErrUnavailable) || de.After <= 0 {
		t.Errorf("the edit: %v", err)
	}
	if _, err := w.adapter.Post(t.Context(), target("C1", th), text("another"), "k2"); !errors.Is(err, bot.ErrUnavailable) {
		t.Errorf("the post: %v", err)
	}
	if err := w.adapter.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "SLACK_BOT_TOKEN") {
		t.Errorf("ready with a refused token: %v", err)
	}
	w.Heal()
	if _, err := w.adapter.Edit(t.Context(), ref, text("whole")); err != nil {
		t.Fatal(err)
	}
	if err := w.adapter.Ready(t.Context()); err != nil {
		t.Errorf("not ready with a good token: %v", err)
	}
}

// Access to a workspace that is withheld for a moment, while an organisation takes the
// app in, costs no answer: it is tried again, and what lasts is told.
func TestAccessThatIsWithheldForAMoment(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"team_access_not_granted", "org_login_required"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			w := start(t, slackfake.Options{}, impatient)
			th := w.Say("U1", "C1", "<@UBOT> hi", "")
			w.settle()
			w.Fail(slackfake.Fault{Method: "chat.postMessage", Code: code, Times: 1})
			if _, err := w.adapter.Post(t.Context(), target("C1", th), text("an answer"), "k"); !errors.Is(err, bot.ErrUnavailable) {
				t.Errorf("the post: %v", err)
			}
			if err := w.adapter.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), code) || strings.Contains(err.Error(), "SLACK_BOT_TOKEN") {
				t.Errorf("ready without access: %v", err)
			}
			if _, err := w.adapter.Post(t.Context(), target("C1", th), text("an answer"), "k"); err != nil || len(w.Replies("C1", th)) != 1 {
				t.Errorf("the next try: %v, replies %+v", err, w.Replies("C1", th))
			}
			if err := w.adapter.Ready(t.Context()); err != nil {
				t.Errorf("not ready with access: %v", err)
			}
		})
	}
}

func TestRefusedLookFallsBackToPlainText(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"invalid_blocks", "msg_blocks_too_long", "invalid_blocks_format", "msg_too_long"} {
		w := start(t, slackfake.Options{})
		th := w.Say("U1", "C1", "<@UBOT> hi", "")
		w.Fail(slackfake.Fault{Method: "chat.postMessage", Code: code, Times: 1})
		ref, err := w.adapter.Post(t.Context(), target("C1", th), planCard, "k1")
		if err != nil {
			t.Fatal(err)
		}
		if m, _ := w.Message("C1", ref.Messages[0]); len(m.Buttons()) != 3 || !strings.Contains(m.Shown(), "Shall I?") {
			t.Errorf("%s once: %q %v", code, m.Shown(), m.Buttons())
		}
		w.Fail(slackfake.Fault{Method: "chat.postMessage", Code: code, Times: 2})
		ref, err = w.adapter.Post(t.Context(), target("C1", th), planCard, "k2")
		if err != nil {
			t.Fatal(err)
		}
		if m, _ := w.Message("C1", ref.Messages[0]); len(m.Blocks) != 0 || !strings.Contains(m.Shown(), "Shall I?") {
			t.Errorf("%s twice: %q", code, m.Shown())
		}
	}
}

func TestTypingAndMarks(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	ctx := t.Context()
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	to := target("C1", th)
	if err := w.adapter.Typing(ctx, to, "문서를 찾는 중"); err != nil || w.Status("C1", th) != "문서를 찾는 중" {
		t.Errorf("status %q %v", w.Status("C1", th), err)
	}
	if err := w.adapter.Typing(ctx, to, ""); err != nil || w.Status("C1", th) != "" {
		t.Errorf("status %q %v", w.Status("C1", th), err)
	}
	for _, on := range []bool{true, true, false, false} {
		if err := w.adapter.React(ctx, to, th, bot.MarkSeen, on); err != nil {
			t.Error(err)
		}
	}
	if m, _ := w.Message("C1", th); len(m.Reactions) != 0 {
		t.Errorf("reactions %v", m.Reactions)
	}
	w.Fail(slackfake.Fault{Method: "assistant.threads.setStatus", Code: "missing_scope"})
	for range 3 {
		if err := w.adapter.Typing(ctx, to, "x"); err != nil {
			t.Errorf("no status there is no fault: %v", err)
		}
	}
	if n := len(w.Calls("assistant.threads.setStatus")); n != 3 {
		t.Errorf("asked %d times, want 3: once refused is enough", n)
	}
}
