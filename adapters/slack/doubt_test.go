package slack_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// TestDoubtsAreTold: a reply whose sender got no answer from Slack is doubtful, even if it was shown in another way or a later
// attempt will show it.
func TestDoubtsAreTold(t *testing.T) {
	t.Parallel()
	long := text(strings.Repeat("Some words of a paragraph.\n\n", 900))
	grow := func(ctx context.Context, t *testing.T, w *world, to bot.Target, f slackfake.Fault) (bot.Ref, error) {
		t.Helper()
		ref, err := w.adapter.Post(ctx, to, text("short"), "run-1")
		if err != nil {
			t.Fatal(err)
		}
		w.Fail(f)
		return w.adapter.Edit(ctx, ref, long)
	}
	for name, c := range map[string]struct {
		do    func(ctx context.Context, t *testing.T, w *world, to bot.Target, stop func()) (bot.Ref, error)
		fails bool
	}{
		"a_stream_that_became_a_post": {func(ctx context.Context, _ *testing.T, w *world, to bot.Target, _ func()) (bot.Ref, error) {
			w.Fail(slackfake.Fault{Method: "chat.startStream", Status: 500, Times: 1})
			return w.adapter.Post(ctx, to, progress("", "Reading…"), "run-1")
		}, false},
		"a_later_message": {func(ctx context.Context, t *testing.T, w *world, to bot.Target, _ func()) (bot.Ref, error) {
			t.Helper()
			return grow(ctx, t, w, to, slackfake.Fault{Method: "chat.postMessage", Status: 503, Times: 3})
		}, true},
		"a_later_message_whose_sender_stops": {func(ctx context.Context, t *testing.T, w *world, to bot.Target, stop func()) (bot.Ref, error) {
			t.Helper()
			held := make(chan struct{}, 1)
			go func() { <-held; stop() }()
			return grow(ctx, t, w, to, slackfake.Fault{Method: "chat.postMessage", Times: 1, Hold: t.Context().Done(), Held: held})
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := virtual(t, slackfake.Options{})
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			th := w.Say("U1", "C1", "<@UBOT> question", "")
			ref, err := c.do(ctx, t, w, asked("C1", th), stop)
			if (err != nil) != c.fails || !ref.Doubtful {
				t.Errorf("doubtful %v, %v", ref.Doubtful, err)
			}
		})
	}
}

// TestAnUnansweredPartIsLookedFor: a later message of a reply was posted, but neither its answer nor the thread could be read.
// The next attempt finds it.
func TestAnUnansweredPartIsLookedFor(t *testing.T) {
	t.Parallel()
	w, _ := virtual(t, slackfake.Options{})
	th := w.Say("U1", "C1", "<@UBOT> question", "")
	ref, err := w.adapter.Post(t.Context(), target("C1", th), text("short"), "run7")
	if err != nil {
		t.Fatal(err)
	}
	long := text(strings.Repeat("Some words of a paragraph.\n\n", 900))
	w.Fail(slackfake.Fault{Method: "chat.postMessage", Status: 500, Done: true, Times: 1})
	w.Fail(slackfake.Fault{Method: "conversations.replies", Code: "fatal_error", Times: 3})
	if ref, err = w.adapter.Edit(t.Context(), ref, long); err == nil {
		t.Fatal("the first attempt succeeds")
	}
	if ref, err = w.adapter.Edit(t.Context(), ref, long); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range w.Replies("C1", th) {
		got = append(got, m.TS)
	}
	if len(got) < 3 || !slices.Equal(got, ref.Messages) {
		t.Errorf("%v stand, the reply is %v", got, ref.Messages)
	}
}

// TestACopyHalfRemoved: the rest of a second copy that could not be removed whole is found again.
func TestACopyHalfRemoved(t *testing.T) {
	t.Parallel()
	f := slackfake.Start(t, slackfake.Options{})
	w, dead := run(t, f, config(f)), run(t, f, config(f))
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	long := text(strings.Repeat("Some words of a paragraph.\n\n", 900))
	own, err := w.adapter.Post(t.Context(), target("C1", th), long, "run7")
	if err != nil {
		t.Fatal(err)
	}
	copied, err := dead.adapter.Post(t.Context(), target("C1", th), long, "run7")
	if err != nil {
		t.Fatal(err)
	}
	f.Fail(slackfake.Fault{Method: "chat.delete", Done: true, Slow: 1, Times: 1})
	f.Fail(slackfake.Fault{Method: "chat.delete", Code: "cant_delete_message", Times: 1})
	if err := w.adapter.Remove(t.Context(), copied); err == nil {
		t.Fatal("the second deletion succeeds")
	}
	got, err := secondCopies(t, w, th, []string{"run7"}, own)
	if want := copied.Messages[:len(copied.Messages)-1]; err != nil || len(got) != 1 || fmt.Sprint(got[0].Messages) != fmt.Sprint(want) {
		t.Errorf("twins %+v, %v; want %v", got, err, want)
	}
}

// TestATwinOfALaterPart: the first message of a long reply was found, a later one was still under way when it was posted
// again.
func TestATwinOfALaterPart(t *testing.T) {
	t.Parallel()
	f := slackfake.Start(t, slackfake.Options{})
	dead := run(t, f, config(f))
	th := dead.Say("U1", "C1", "<@UBOT> hi", "")
	held, land := make(chan struct{}, 2), make(chan struct{})
	lands := sync.OnceFunc(func() { close(land) })
	t.Cleanup(lands)
	long := text(strings.Repeat("Some words of a paragraph.\n\n", 900))
	dying, die := context.WithCancel(t.Context())
	ended := make(chan struct{})
	f.Fail(slackfake.Fault{Method: "chat.postMessage", Times: 1, Slow: time.Millisecond})
	f.Fail(slackfake.Fault{Method: "chat.postMessage", Times: 1, Hold: land, Held: held, Late: true})
	go func() {
		defer close(ended)
		_, _ = dead.adapter.Post(dying, target("C1", th), long, "run7") // it dies
	}()
	<-held
	die()
	<-ended
	w := run(t, f, config(f))
	ref, ok, err := w.adapter.Find(t.Context(), target("C1", th), "run7")
	if err != nil || !ok || len(ref.Messages) != 1 {
		t.Fatalf("found %v %v %v", ref, ok, err)
	}
	if ref, err = w.adapter.Edit(t.Context(), ref, long); err != nil {
		t.Fatal(err)
	}
	lands()
	patient, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	if err := f.Wait(patient, func() bool { return len(f.Replies("C1", th)) == len(ref.Messages)+1 }); err != nil {
		t.Fatalf("%d messages: %v", len(f.Replies("C1", th)), err)
	}
	got, err := secondCopies(t, w, th, []string{"run7"}, ref)
	if err != nil || len(got) != 1 || len(got[0].Messages) != 1 || slices.Contains(ref.Messages, got[0].Messages[0]) {
		t.Errorf("twins %+v, %v; want one message that is not of %v", got, err, ref.Messages)
	}
}
