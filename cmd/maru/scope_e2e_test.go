package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestSummariesStayWhereTheyWereMade has a private conversation summarised, by a model that puts its words
// into the summary, and what was said in it is learned. The same person and
// others then ask about it in public: no prompt holds a word of it.
func TestSummariesStayWhereTheyWereMade(t *testing.T) {
	t.Parallel()
	unraced(t)
	model := mindful(t)
	w := newSlackWorld(t, model)
	w.start()
	private := w.slack.Say("U1", "D1", "My project is "+canary+". I prefer tables", "")
	w.await("D1", private, 1, canary)
	for i := range 11 {
		w.slack.Say("U1", "D1", fmt.Sprintf("%s again %d", canary, i), private)
		w.await("D1", private, i+2, canary)
	}
	w.lessonsTaken()
	summarised := false
	for _, r := range model.Chats() {
		summarised = summarised || strings.HasPrefix(r.Messages[0].Text(), "Summarise this part")
	}
	if !summarised {
		t.Fatal("nothing was summarised: the test shows nothing")
	}
	before := len(model.Chats())
	asked := 0
	for _, q := range []struct{ user, channel string }{{"U1", "C1"}, {"U2", "C1"}, {"U1", "C2"}, {"U2", "C2"}} {
		for _, words := range []string{"what is my project", "summarise what we said", "show it in tables"} {
			mention := "<@UBOT> "
			if strings.HasPrefix(q.channel, "D") {
				mention = ""
			}
			ts := w.slack.Say(q.user, q.channel, mention+words, "")
			w.await(q.channel, ts, 1, words)
			asked++
		}
	}
	leaks := 0
	for _, r := range model.Chats()[before:] {
		for _, m := range r.Messages {
			if strings.Contains(m.Text(), canary) {
				leaks++
				t.Errorf("a prompt elsewhere holds the canary: %s", m.Text())
			}
		}
	}
	t.Logf("leaks %d in %d questions elsewhere", leaks, asked)
}
