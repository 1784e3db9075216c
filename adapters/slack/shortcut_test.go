package slack_test

import (
	"slices"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// A shortcut on a message is a question in its thread, by who used it; what it
// came with comes along.
func TestMessageShortcuts(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		f := w.AddFile(slackfake.File{Name: "rules.md", MIME: "text/markdown", Data: []byte("x")})
		root := w.Say("U2", "C1", "An important fact &amp; more", "")
		asks := w.Say("U2", "C1", "How many days off?", root)
		brings := w.SayFiles("U2", "C1", "here", "", f)
		w.settle()
		before := len(w.in.said())
		for _, use := range []struct{ ts, callback string }{
			{root, "maru_ask"}, {asks, "maru_ask"}, {asks, "maru_summarise"}, {brings, "maru_docs"}, {root, "maru_docs"},
		} {
			w.Shortcut("U1", "C1", use.ts, use.callback)
		}
		w.settle()
		got := w.in.said()[before:]
		slices.SortFunc(got, func(a, b bot.Message) int { return strings.Compare(a.ID, b.ID) })
		if len(got) != 4 {
			t.Fatalf("%d messages: %+v", len(got), got)
		}
		wants := []struct{ text, thread string }{{"> An important fact & more", root}, {"How many days off?", root}, {"요약", root}, {"문서에 추가", brings}}
		for i, want := range wants {
			m := got[i]
			if !strings.Contains(m.Text, want.text) || m.Thread != thread("C1", want.thread) || m.Reach != bot.ReachMenu || m.User.ID != "U1" || m.ID <= brings || !m.At.Equal(w.adapter.Dated(m.ID)) {
				t.Errorf("%d: %+v", i, m)
			}
		}
		if len(got[3].Files) != 1 || got[3].Files[0].Name != "rules.md" {
			t.Errorf("files %+v", got[3].Files)
		}
		w.until("who used them is told", func() bool { return len(w.Whispers("U1")) == 5 })
		told := ""
		for _, wh := range w.Whispers("U1") {
			told += wh.Shown() + "\n"
		}
		if strings.Count(told, "준비하고 있어요") != 4 || strings.Count(told, "파일이 없어요") != 1 {
			t.Errorf("told %q", told)
		}
	})
}

// The global shortcut asks for a question, and answers it in the direct
// conversation; without one its form stays open.
func TestGlobalShortcut(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.GlobalShortcut("U2", "maru_anywhere")
	w.until("form", func() bool { _, ok := w.LastView(); return ok })
	v, _ := w.LastView()
	if _, err := w.Submit("U2", v.ID, map[string]string{"question": "  "}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if v, _ = w.LastView(); !v.Open || v.Errors["question"] == "" {
		t.Fatalf("view %+v", v)
	}
	if _, err := w.Submit("U2", v.ID, map[string]string{"question": "How many days off?"}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	got := w.in.said()
	if v, _ = w.LastView(); v.Open || len(got) != 1 {
		t.Fatalf("view %+v, messages %+v", v, got)
	}
	m := got[0]
	asked := w.Replies(m.Thread.Channel, m.Thread.ID)
	if m.Text != "How many days off?" || !m.Thread.Direct || len(asked) != 1 || !strings.Contains(asked[0].Shown(), "**alice**: How many days off?") ||
		!m.At.Equal(w.adapter.Dated(m.Thread.ID)) {
		t.Errorf("message %+v below %+v", m, asked)
	}
}

// A shortcut of another name is the command of that name.
func TestOtherShortcutsAreCommands(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	ts := w.Say("U2", "C1", "An important fact &amp; more", "")
	w.Shortcut("U1", "C1", ts, "maru_why")
	w.settle()
	inv := w.in.invocations[0]
	if inv.Name != "why" || inv.Args != "An important fact & more" || inv.Options["message"] != ts || inv.Thread != thread("C1", ts) {
		t.Errorf("invocation: %+v", inv)
	}
}
