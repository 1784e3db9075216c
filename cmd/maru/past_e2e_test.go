package main

import (
	"fmt"
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
)

// TestAThreadsLongPastIsRecalled asks in a long thread for a word of its
// beginning, which no summary has: it is in the prompt, until the person has
// what it taught forgotten.
func TestAThreadsLongPastIsRecalled(t *testing.T) {
	t.Parallel()
	model := mindful(t)
	w := newSlackWorld(t, model)
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> My project is "+canary, "")
	w.await("C1", root, 1, canary)
	for i := range 12 {
		w.slack.Say("U1", "C1", fmt.Sprintf("<@UBOT> lunch %d", i), root)
		w.await("C1", root, i+2, "")
	}
	w.lessonsTaken()
	ask := func(n int) (held bool) {
		t.Helper()
		before := len(model.Chats())
		w.slack.Say("U1", "C1", fmt.Sprintf("<@UBOT> which project was it? %d", n), root)
		w.await("C1", root, 13+n, "")
		for _, r := range model.Chats()[before:] {
			for _, m := range r.Messages {
				_, past, _ := strings.Cut(m.Text(), "What people said long ago")
				held = held || strings.Contains(past, canary)
			}
		}
		return held
	}
	if !ask(1) {
		t.Error("what was said at the beginning is not recalled")
	}
	w.slack.Slash("U1", "C1", "/maru", "memory forget 1")
	if err := w.slack.Wait(within(t, atMost), func() bool { return len(w.slack.Whispers("U1")) > 0 }); err != nil {
		t.Fatal(err)
	}
	if ask(2) {
		t.Error("what was forgotten is recalled from the thread's past")
	}
}

// TestAnAsideKnowsTheThreadsLongPast asks beside a plan that waits for a word of the
// thread's beginning: the aside has a log of its own, and the same past.
func TestAnAsideKnowsTheThreadsLongPast(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		switch name := schemaOf(r); name {
		case "message_kind":
			kind := "CHAT"
			if strings.Contains(lastSaid(r), "calculate") {
				kind = "TOOL_REQUIRED"
			}
			return llmtest.JSON(map[string]string{"kind": kind, "title": "sums", "reason": "test"})
		case "plan":
			return planning(name, "")
		}
		return think(r)
	})
	w := newSlackWorld(t, model, "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "MARU_MEMORY_ON=false")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> The project is called "+canary, "")
	w.await("C1", root, 1, "")
	for i := range 12 {
		w.slack.Say("U1", "C1", fmt.Sprintf("lunch %d", i), root)
		w.await("C1", root, i+2, "You said")
	}
	w.slack.Say("U1", "C1", "calculate the numbers", root)
	w.card("C1", root, "두 계산")
	before := len(model.Chats())
	w.slack.Say("U1", "C1", "what is the project called?", root)
	w.await("C1", root, 15, "You said")
	held := false
	for _, r := range model.Chats()[before:] {
		for _, m := range r.Messages {
			_, past, _ := strings.Cut(m.Text(), "What people said long ago")
			held = held || strings.Contains(past, canary)
		}
	}
	if !held {
		t.Errorf("what was said at the beginning is not recalled: %s", tail(model.Chats()[len(model.Chats())-1].Messages[0].Text(), 600))
	}
}

// TestAModelKnowsWhoSaidWhat: two people take part in a thread, and what the other one
// said reaches the model with their name, the question without.
func TestAModelKnowsWhoSaidWhat(t *testing.T) {
	t.Parallel()
	model := mindful(t)
	w := newSlackWorld(t, model)
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> the budget is "+canary, "")
	w.await("C1", root, 1, "")
	w.slack.Say("U2", "C1", "<@UBOT> who named the budget?", root)
	w.await("C1", root, 2, "")
	chats := model.Chats()
	var texts []string
	for _, m := range chats[len(chats)-1].Messages {
		texts = append(texts, m.Text())
	}
	all := strings.Join(texts, "\n")
	if !strings.Contains(all, "chulsoo: the budget is "+canary) || texts[len(texts)-1] != "who named the budget?" {
		t.Errorf("the model reads %q", texts)
	}
}

// TestAModelReadsWhatAMessageIsAbout: on Discord people reply to a message and call the bot
// to it; what that message says, and its file, is what they ask about.
func TestAModelReadsWhatAMessageIsAbout(t *testing.T) {
	t.Parallel()
	model := mindful(t)
	w := newDiscordWorld(t, model)
	bob := w.discord.AddUser("Bob")
	w.begin()
	said := w.discord.SayWith(bob, w.general, "the launch is "+canary, "", w.discord.PutFile("launch.md", "text/markdown", []byte("# Launch\n\nThe rocket is called Nuri.")))
	m := w.discord.Reply(w.user, w.general, w.discord.Mention()+" put that into one line", said.ID)
	w.await(m.ID, 1, "")
	chats := model.Chats()
	words := chats[len(chats)-1].Messages
	if got := words[len(words)-1].Text(); !strings.HasPrefix(got, "put that into one line\n(quoted from Bob, ") || !strings.Contains(got, "the launch is "+canary+")") {
		t.Errorf("the model reads %q", got)
	}
	add := w.discord.Reply(w.user, w.general, w.discord.Mention()+" add this file", said.ID)
	w.await(add.ID, 1, "launch.md")
}
