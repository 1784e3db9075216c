package slack_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// Who opens the app's place is greeted once, and finds prompts there each time.
func TestHomeIsOpened(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.OpenHome("U1", "D1")
		w.until("prompts", func() bool { return len(w.Prompts("D1", "")) == 1 })
		if p := w.Prompts("D1", ""); p[0].Title != "About C1" || p[0].Message != "What is it about?" {
			t.Errorf("prompts %v", p)
		}
		w.OpenHome("U1", "D1")
		w.settle()
		hello := w.Replies("D1", "")
		if len(hello) != 1 || hello[0].Shown() != "hello chulsoo" {
			t.Errorf("greeted with %+v", hello)
		}
	})
}

// What was read first does not cover what was read later, however slowly Slack takes it.
func TestHomesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.Fail(slackfake.Fault{Method: "views.publish", Slow: 200 * time.Millisecond, Times: 1})
	w.OpenHomeTab("U1", "D1")
	for w.in.readings() == 0 && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	w.OpenHomeTab("U1", "D1")
	w.until("both calls", func() bool { return len(w.Calls("views.publish")) == 2 })
	w.settle()
	if got := w.Home("U1"); !strings.Contains(got, "reading 2") {
		t.Errorf("shown: %s", got)
	}
}

// Another process does not greet again.
func TestGreetedOnce(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	if err := w.in.SetNote(t.Context(), "slack/greeted/T1/U1", "yesterday"); err != nil {
		t.Fatal(err)
	}
	w.OpenHome("U1", "D1")
	w.until("prompts", func() bool { return len(w.Prompts("D1", "")) == 1 })
	if n := len(w.Replies("D1", "")); n != 0 {
		t.Errorf("greeted %d times more", n)
	}
}

// A thread of the older assistant experience is greeted, gets its prompts and,
// with its first question, its title.
func TestAssistantThread(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	th, _ := w.OpenAssistant("U1", "D1")
	w.until("prompts", func() bool { return len(w.Prompts("D1", th)) == 1 })
	w.Emit(map[string]any{"type": "assistant_thread_context_changed", "assistant_thread": map[string]any{"channel_id": "D1", "thread_ts": th}})
	w.Say("U1", "D1", "how many days off?", th)
	w.settle()
	got := w.in.said()
	if len(got) != 1 || got[0].Thread != thread("D1", th) || got[0].Reach != bot.ReachDirect {
		t.Fatalf("messages: %+v", got)
	}
	to := bot.Target{Thread: got[0].Thread, Title: "how many days off?", User: got[0].User}
	if _, err := w.adapter.Post(t.Context(), to, text("15"), "run-1"); err != nil {
		t.Fatal(err)
	}
	w.until("title", func() bool { return w.Session("D1", th).Title == "how many days off?" })
}

// Each direct message begins a conversation with a title of its own; a second
// question in it does not change that.
func TestDirectConversationHasATitle(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	root := w.Say("U1", "D1", "연차는 며칠이야?", "")
	w.settle()
	for i, title := range []string{"연차는 며칠이야?", "그럼 병가는?"} {
		to := bot.Target{Thread: thread("D1", root), Title: title, User: bot.User{ID: "U1"}}
		if err := w.adapter.Typing(t.Context(), to, "생각하고 있어요…"); err != nil {
			t.Fatal(err)
		}
		w.until("title", func() bool { return w.Session("D1", root).Title != "" })
		w.Resend(w.Deliveries()[0].ID) // Slack may tell of the first message again
		w.settle()
		if i == 0 && w.Status("D1", root) == "" {
			t.Error("no status")
		}
		if err := w.adapter.Typing(t.Context(), to, ""); err != nil || w.Status("D1", root) != "" {
			t.Errorf("status %q stays: %v", w.Status("D1", root), err)
		}
	}
	if s := w.Session("D1", root); s.Title != "연차는 며칠이야?" || len(w.Calls("assistant.threads.setTitle")) != 1 {
		t.Errorf("title %q", s.Title)
	}
}

// A stream shows itself what the bot is at: the status line is left alone while
// it is open, and the session is idle when it has ended.
func TestSessionFollowsTheStream(t *testing.T) {
	t.Parallel()
	w, clk := virtual(t, slackfake.Options{})
	ref := begin(t, w, "C1")
	th := ref.Thread.ID
	if s := w.Session("C1", th); s.Status != "processing" {
		t.Errorf("session %q", s.Status)
	}
	if err := w.adapter.Typing(t.Context(), asked("C1", th), "is thinking…"); err != nil || w.Status("C1", th) != "" {
		t.Errorf("status %q beside a stream: %v", w.Status("C1", th), err)
	}
	_ = clk.Wait(t.Context(), 2*time.Second)
	if _, err := w.adapter.Edit(t.Context(), ref, final(answer)); err != nil {
		t.Fatal(err)
	}
	if s := w.Session("C1", th); s.Status != "active" {
		t.Errorf("session %q in the end", s.Status)
	}
}

// An answer that is shown by edits has a session too, so that it can be stopped;
// a question to people suspends it.
func TestSessionOfAnEditedAnswer(t *testing.T) {
	t.Parallel()
	w, clk := virtual(t, slackfake.Options{})
	w.Fail(slackfake.Fault{Method: "chat.startStream", Code: "unknown_method"})
	th := w.Say("U1", "C1", "<@UBOT> question", "")
	w.settle()
	ref, err := w.adapter.Post(t.Context(), asked("C1", th), progress("", "Reading…"), "run-1")
	if err != nil {
		t.Fatal(err)
	}
	w.until("processing", func() bool { return w.Session("C1", th).Status == "processing" })
	_ = clk.Wait(t.Context(), 2*time.Second)
	ask := bot.Card{Kind: bot.CardChoices, Text: "Shall I?", Buttons: []bot.Button{{ID: "a", Verb: "accept", Label: "Yes"}}}
	if ref, err = w.adapter.Edit(t.Context(), ref, ask); err != nil {
		t.Fatal(err)
	}
	w.until("suspended", func() bool { return w.Session("C1", th).Status == "suspended" })
	_ = clk.Wait(t.Context(), 2*time.Second)
	if _, err = w.adapter.Edit(t.Context(), ref, final("Done.")); err != nil {
		t.Fatal(err)
	}
	w.until("active", func() bool { return w.Session("C1", th).Status == "active" })
}

// Slack's stop button stops the run; what it leaves is there once.
func TestStopButton(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		ref := begin(t, w, "C1")
		w.PressStop("U1", "C1", ref.Thread.ID)
		w.until("stop", func() bool { return len(w.in.commands()) > 0 })
		c := w.in.commands()[0]
		if c.Name != "stop" || c.Thread != ref.Thread || c.User.ID != "U1" {
			t.Errorf("command %+v", c)
		}
		ref, err := w.adapter.Edit(t.Context(), ref, bot.Card{Kind: bot.CardText, Text: "So far.", Footer: "Stopped.", Final: true, Language: "en"})
		if err != nil {
			t.Fatal(err)
		}
		replies := w.Replies("C1", ref.Thread.ID)
		if len(replies) != 1 || !strings.Contains(replies[0].Shown(), "So far.") || !strings.Contains(replies[0].Shown(), "Stopped.") {
			t.Errorf("%d replies", len(replies))
		}
		w.until("the session ends", func() bool { return w.Session("C1", ref.Thread.ID).Status == "active" })
	})
}

// Where the workspace has nothing of the agent experience, nothing else suffers
// and it is not asked for with every message.
func TestWithoutTheAgentExperience(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	for _, m := range []string{"chat.startStream", "assistant.threads.setStatus", "assistant.threads.setTitle", "assistant.threads.setSuggestedPrompts", "agents.sessions.setStatus"} {
		w.Fail(slackfake.Fault{Method: m, Code: "unknown_method"})
	}
	for range 3 {
		root := w.Say("U1", "D1", "question", "")
		w.settle()
		to := bot.Target{Thread: thread("D1", root), Title: "question", User: bot.User{ID: "U1"}}
		if err := w.adapter.Typing(t.Context(), to, "is thinking…"); err != nil {
			t.Error(err)
		}
		ref, err := w.adapter.Post(t.Context(), to, progress("", "Reading…"), root)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.adapter.Edit(t.Context(), ref, final("answer")); err != nil {
			t.Fatal(err)
		}
		_ = w.adapter.Typing(t.Context(), to, "")
	}
	w.until("titles and sessions were asked for", func() bool {
		return len(w.Calls("assistant.threads.setTitle")) > 0 && len(w.Calls("agents.sessions.setStatus")) > 0
	})
	if n := len(w.Calls("assistant.threads.setStatus")); n != 1 {
		t.Errorf("asked for a status %d times", n)
	}
	if n := len(w.Calls("chat.postMessage")); n != 3 {
		t.Errorf("%d posts", n)
	}
}

// The manifest declares what the adapter does.
func TestManifestHasTheAgentExperience(t *testing.T) {
	t.Parallel()
	m, err := slack.Manifest(slack.ManifestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"agent_view:", "app_home_opened", "agent_session_stopped", "message.im", "assistant:write", "chat:write"} {
		if !strings.Contains(m, want) {
			t.Errorf("the manifest lacks %s", want)
		}
	}
	if slices.Contains(strings.Fields(m), "assistant_view:") {
		t.Error("the manifest asks for the older experience")
	}
}
