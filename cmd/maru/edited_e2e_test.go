package main

import (
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
)

// TestEditedQuestionKeepsItsFile: a question that is answered again after an edit has the file that it came with, with a name
// of bounded length.
func TestEditedQuestionKeepsItsFile(t *testing.T) {
	t.Parallel()
	unraced(t)
	name := strings.Repeat("notes", 200) + ".txt"
	saw := func(t *testing.T, prompts string) {
		t.Helper()
		if !strings.Contains(prompts, "translate this") || !strings.Contains(prompts, "notesnotes") {
			t.Errorf("the model sees %s", ending(prompts))
		}
		if strings.Contains(prompts, name[:300]) {
			t.Errorf("the model sees the whole name: %s", ending(prompts))
		}
	}
	note := []byte("The office moves to Busan.")
	t.Run("slack", func(t *testing.T) {
		t.Parallel()
		model := seenBy(t)
		w := newSlackWorld(t, model, "MARU_ON_EDIT=again")
		w.start()
		f := w.slack.AddFile(slackfake.File{Name: name, MIME: "text/plain", Data: note})
		root := w.slack.SayFiles("U1", "C1", "<@UBOT> summarise this", "", f)
		w.await("C1", root, 1, "I have read it")
		before := len(model.Chats())
		w.slack.Rewrite("C1", root, "<@UBOT> translate this")
		w.await("C1", root, 2, "I have read it")
		saw(t, seenAfter(model, before))
	})
	t.Run("discord", func(t *testing.T) {
		t.Parallel()
		model := seenBy(t)
		w := newDiscordWorld(t, model, "MARU_ON_EDIT=again")
		w.begin()
		q := w.discord.SayWith(w.user, w.general, w.discord.Mention()+" summarise this", "", w.discord.PutFile(name, "text/plain", note))
		w.await(q.ID, 1, "I have read it")
		before := len(model.Chats())
		w.discord.EditMessage(q.ID, w.discord.Mention()+" translate this")
		w.await(q.ID, 2, "I have read it")
		saw(t, seenAfter(model, before))
	})
}
