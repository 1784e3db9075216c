package slack_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/logtest"
)

// successor returns the adapter of another process.
func successor(t *testing.T, w *world) *slack.Adapter {
	t.Helper()
	c := config(w.Server)
	c.EditEvery = time.Nanosecond
	a, err := slack.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Ready(t.Context()); err == nil { // learns who it is
		t.Log("ready without a connection")
	}
	return a
}

// Whatever goes wrong, the answer is there once and whole.
func TestStreamFaults(t *testing.T) {
	t.Parallel()
	half, whole := answer[:len(answer)/2], answer
	for name, c := range map[string]struct {
		fault slackfake.Fault
		do    func(w *world)
		late  bool // the fault comes before the final card, not before the drafts
	}{
		"append_done_but_failed":   {fault: slackfake.Fault{Method: "chat.appendStream", Status: 500, Done: true, Times: 1}},
		"append_failed":            {fault: slackfake.Fault{Method: "chat.appendStream", Status: 503, Times: 1}},
		"append_cut":               {fault: slackfake.Fault{Method: "chat.appendStream", Drop: true, Done: true, Times: 1}},
		"append_refused":           {fault: slackfake.Fault{Method: "chat.appendStream", Code: "internal_error", Times: 1}},
		"append_limited":           {fault: slackfake.Fault{Method: "chat.appendStream", Status: 429, After: 1, Times: 1}},
		"expired":                  {do: func(w *world) { w.Expire() }},
		"expired_before_the_end":   {do: func(w *world) { w.Expire() }, late: true},
		"stop_done_but_failed":     {fault: slackfake.Fault{Method: "chat.stopStream", Status: 500, Done: true, Times: 1}, late: true},
		"stop_failed":              {fault: slackfake.Fault{Method: "chat.stopStream", Status: 500, Times: 1}, late: true},
		"stop_cut":                 {fault: slackfake.Fault{Method: "chat.stopStream", Drop: true, Done: true, Times: 1}, late: true},
		"stop_limited":             {fault: slackfake.Fault{Method: "chat.stopStream", Status: 429, After: 1, Times: 2}, late: true},
		"stop_refuses_the_blocks":  {fault: slackfake.Fault{Method: "chat.stopStream", Code: "invalid_blocks", Times: 1}, late: true},
		"stop_twice_without_reply": {fault: slackfake.Fault{Method: "chat.stopStream", Status: 500, Done: true, Times: 2}, late: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, clk := virtual(t, slackfake.Options{})
			ref := begin(t, w, "C1")
			arm := func() {
				if c.do != nil {
					c.do(w)
				} else {
					w.Fail(c.fault)
				}
			}
			ref = write(t, w, clk, ref, half, 30)
			if !c.late {
				arm()
			}
			for end := len(half); end < len(whole); end += 20 {
				_ = clk.Wait(t.Context(), 3*time.Second)
				next, err := w.adapter.Edit(t.Context(), ref, progress(whole[:end], ""))
				if err != nil {
					t.Logf("draft: %v", err)
				}
				ref = next
			}
			if c.late {
				arm()
			}
			ref, err := w.adapter.Edit(t.Context(), ref, final(whole))
			if err != nil {
				t.Fatal(err)
			}
			once(t, w, ref, whole)
		})
	}
}

// once checks that the reply is one message that shows text once.
func once(t *testing.T, w *world, ref bot.Ref, text string) {
	t.Helper()
	replies := w.Replies("C1", ref.Thread.ID)
	if len(replies) != 1 || len(ref.Messages) != 1 || replies[0].TS != ref.Messages[0] || replies[0].Streaming() {
		t.Fatalf("%d replies, ref %+v", len(replies), ref)
	}
	shown := replies[0].Shown()
	for _, words := range []string{"15 days", "return y", "second", "The end.", "footer"} {
		if strings.Contains(text+"footer", words) && strings.Count(shown, words) != 1 {
			t.Errorf("%q stands there %d times: %q", words, strings.Count(shown, words), shown)
		}
	}
	if n := w.OpenStreams(); n != 0 {
		t.Errorf("%d streams are open", n)
	}
}

// A start that was carried out but answered with an error is found again, and
// one that was not is not: either way there is one reply.
func TestStartWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]slackfake.Fault{
		"done":     {Method: "chat.startStream", Status: 500, Done: true, Times: 1},
		"cut":      {Method: "chat.startStream", Drop: true, Done: true, Times: 1},
		"not_done": {Method: "chat.startStream", Status: 500, Times: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, clk := virtual(t, slackfake.Options{})
			w.Fail(f)
			th := w.Say("U1", "C1", "<@UBOT> question", "")
			ref, err := w.adapter.Post(t.Context(), asked("C1", th), progress("", "Reading…"), "run-1")
			if err != nil {
				t.Fatal(err)
			}
			ref = write(t, w, clk, ref, answer, 50)
			if ref, err = w.adapter.Edit(t.Context(), ref, final(answer)); err != nil {
				t.Fatal(err)
			}
			once(t, w, ref, answer)
		})
	}
}

// What a dead process left open is closed, marked, and becomes the answer.
func TestInterruptedStream(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} { // the reply's place was stored, or was not
		w, clk := virtual(t, slackfake.Options{})
		ref := begin(t, w, "C1")
		ref = write(t, w, clk, ref, answer[:80], 20)
		next := successor(t, w)
		if !known {
			found, ok, err := next.Find(t.Context(), asked("C1", ref.Thread.ID), "run-1")
			if err != nil || !ok || !slices.Equal(found.Messages, ref.Messages) {
				t.Fatalf("found %+v %v %v", found, ok, err)
			}
			ref = found
		}
		ref, err := next.Edit(t.Context(), ref, progress("", "Reading…"))
		if err != nil {
			t.Fatal(err)
		}
		if n := w.OpenStreams(); n != 0 {
			t.Errorf("%d streams are open", n)
		}
		stops := w.Calls("chat.stopStream")
		if len(stops) != 1 || !strings.Contains(stops[0].Args["chunks"], "Interrupted") {
			t.Errorf("stops: %+v", stops)
		}
		if ref, err = next.Edit(t.Context(), ref, final(answer)); err != nil {
			t.Fatal(err)
		}
		once(t, w, ref, answer)
	}
}

// TestAStreamThatWasGivenUpIsFound: edits take away the task that names a streamed message. It is found all the same by
// whoever does not know its place, whether its own process or another one ended the stream.
func TestAStreamThatWasGivenUpIsFound(t *testing.T) {
	t.Parallel()
	for _, foreign := range []bool{true, false} {
		w, clk := virtual(t, slackfake.Options{})
		ref := begin(t, w, "C1")
		by := w.adapter
		if foreign {
			by = successor(t, w)
		} else {
			w.Fail(slackfake.Fault{Method: "chat.appendStream", Status: 500, Times: 1})
		}
		_ = clk.Wait(t.Context(), 500*time.Millisecond)
		card := progress("Some words.\n\nMore", "")
		card.Run = "run-1"
		if _, err := by.Edit(t.Context(), ref, card); err != nil {
			t.Fatal(err)
		}
		if m, _ := w.Message("C1", ref.Messages[0]); m.Streaming() || m.Edits == 0 {
			t.Fatalf("foreign %v: the stream goes on: %+v", foreign, m)
		}
		found, ok, err := successor(t, w).Find(t.Context(), asked("C1", ref.Thread.ID), "run-1")
		if err != nil || !ok || !slices.Equal(found.Messages, ref.Messages) {
			t.Errorf("foreign %v: found %+v %v %v", foreign, found, ok, err)
		}
	}
}

// A process that died between the end of a stream and the record of it leaves a
// reply that seems to be streamed still. Its successor is told so once, quietly,
// and shows the answer as it stands, or a question in its place.
func TestStreamThatHadEnded(t *testing.T) {
	t.Parallel()
	w, clk := virtual(t, slackfake.Options{})
	ref := begin(t, w, "C1")
	stale := write(t, w, clk, ref, answer, 50)
	if _, err := w.adapter.Edit(t.Context(), stale, final(answer)); err != nil {
		t.Fatal(err)
	}
	var said logtest.Log
	c := config(w.Server)
	c.Logger = said.Logger()
	next, err := slack.New(c)
	if err != nil {
		t.Fatal(err)
	}
	_ = next.Ready(t.Context()) // learns who it is
	before := len(w.Calls("chat.stopStream"))
	ref = stale
	for range 3 {
		if ref, err = next.Edit(t.Context(), ref, final(answer)); err != nil {
			t.Fatal(err)
		}
	}
	once(t, w, ref, answer)
	if n := len(w.Calls("chat.stopStream")) - before; n != 1 {
		t.Errorf("the ended stream was stopped %d times more", n)
	}
	if strings.Contains(said.String(), "level=WARN") || strings.Contains(said.String(), "level=ERROR") {
		t.Errorf("logged: %s", said.String())
	}
}

// Where streams are not taken the answer is shown by edits, and the question is
// not asked again with every reply.
func TestFallsBackToEdits(t *testing.T) {
	t.Parallel()
	for code, asks := range map[string]int{"unknown_method": 1, "missing_scope": 1, "channel_type_not_supported": 2} {
		w, clk := virtual(t, slackfake.Options{})
		w.Fail(slackfake.Fault{Method: "chat.startStream", Code: code})
		for i, channel := range []string{"C1", "C1", "C2"} {
			th := w.Say("U1", channel, "<@UBOT> question", "")
			key := fmt.Sprint("run-", i)
			ref, err := w.adapter.Post(t.Context(), asked(channel, th), progress("", "Reading…"), key)
			if err != nil {
				t.Fatal(err)
			}
			ref = write(t, w, clk, ref, answer, 60)
			if ref, err = w.adapter.Edit(t.Context(), ref, final(answer)); err != nil {
				t.Fatal(err)
			}
			if replies := w.Replies(channel, th); len(replies) != 1 || !strings.Contains(replies[0].Shown(), "The end.") || ref.Stream != "" {
				t.Errorf("%s: %d replies", code, len(replies))
			}
		}
		if n := len(w.Calls("chat.startStream")); n != asks {
			t.Errorf("%s: asked %d times, want %d", code, n, asks)
		}
	}
}

// Nobody's words are lost when the context of a draft ends while it is sent.
func TestDraftIsGivenUp(t *testing.T) {
	t.Parallel()
	w, _ := virtual(t, slackfake.Options{}, paced)
	ref := begin(t, w, "C1")
	w.Fail(slackfake.Fault{Method: "chat.appendStream", Slow: 50 * time.Millisecond, Times: 1})
	ctx, cancel := contextWithTimeout(t, 10*time.Millisecond)
	defer cancel()
	next, err := w.adapter.Edit(ctx, ref, progress("There are **15 days** a year. The rest ", ""))
	var de *bot.DeliveryError
	if err != nil && !errors.As(err, &de) {
		t.Fatal(err)
	}
	ref, err = w.adapter.Edit(t.Context(), next, final("There are **15 days** a year. The rest is return y. The end."))
	if err != nil {
		t.Fatal(err)
	}
	once(t, w, ref, "15 days return y The end.")
}
