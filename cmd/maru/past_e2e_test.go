package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// TestAThreadsLongPastIsRecalled asks in a long thread for a word of its
// beginning, which no summary has: it is in the prompt, until the person has
// what it taught forgotten.
func TestAThreadsLongPastIsRecalled(t *testing.T) {
	t.Parallel()
	unraced(t)
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
	unraced(t)
	model := sums(t)
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

// sums returns a model that plans what is to be calculated, and repeats the rest.
func sums(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
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
}

// TestAnAsideKnowsNothingThatIsGone: while U1's plan waits, U2 asks for one beside it, which is
// told what was said. A word of it is deleted, or its author forgotten: neither U2's plan when
// it goes on, nor another question beside it, has the word.
func TestAnAsideKnowsNothingThatIsGone(t *testing.T) {
	t.Parallel()
	unraced(t)
	for name, drop := range map[string]func(w *slackWorld, message string){
		"deleted": func(w *slackWorld, message string) { w.slack.Erase("C1", message) },
		"edited":  func(w *slackWorld, message string) { w.slack.Rewrite("C1", message, "The budget is 500") },
		"forgotten": func(w *slackWorld, _ string) {
			w.slack.Slash("U3", "C1", "/maru", "forget me yes")
			if err := w.slack.Wait(within(w.t, atMost), func() bool { return len(w.slack.Whispers("U3")) > 0 }); err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := sums(t)
			w := newSlackWorld(t, model, "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "MARU_MEMORY_ON=false")
			w.start()
			root := w.slack.Say("U1", "C1", "<@UBOT> hello", "")
			w.await("C1", root, 1, "")
			told := w.slack.Say("U3", "C1", "<@UBOT> The budget is "+canary, root)
			w.await("C1", root, 2, canary)
			w.slack.Say("U1", "C1", "<@UBOT> calculate the numbers", root)
			w.await("C1", root, 3, "두 계산")
			w.slack.Say("U2", "C1", "<@UBOT> calculate the budget", root)
			w.await("C1", root, 4, "두 계산")
			w.lessonsTaken()
			drop(w, told)
			w.lessonsTaken()
			before := len(model.Chats())
			w.slack.Say("U2", "C1", "<@UBOT> who spoke of money?", root)
			w.await("C1", root, 5, "You said")
			plans := slices.DeleteFunc(w.slack.Replies("C1", root), func(m slackfake.Message) bool { return !slices.Contains(m.Buttons(), "Approve") })
			if _, err := w.slack.Click("U2", "C1", plans[0].TS, "Approve"); err != nil { // U1's is in Korean
				t.Fatal(err)
			}
			w.lessonsTaken()
			chats := model.Chats()[before:]
			if len(chats) < 2 {
				t.Fatalf("%d prompts", len(chats))
			}
			for _, r := range chats {
				for _, m := range r.Messages {
					if strings.Contains(m.Text(), canary) && (m.Role != "assistant" || name != "edited") { // an answer stays as it was given
						t.Errorf("a prompt holds what is gone: %s: %s", m.Role, m.Text())
					}
				}
			}
		})
	}
}

// TestAModelKnowsWhoSaidWhat: two people take part in a thread, and what the other one
// said reaches the model with their name, the question without.
func TestAModelKnowsWhoSaidWhat(t *testing.T) {
	t.Parallel()
	unraced(t)
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
	unraced(t)
	model := mindful(t)
	w := newDiscordWorld(t, model)
	bob := w.discord.AddUser("Bob")
	w.begin()
	said := w.discord.SayWith(bob, w.general, "the launch is "+canary, "", w.discord.PutFile("launch.md", "text/markdown", []byte("# Launch\n\nThe rocket is called Nuri.")))
	m := w.discord.Reply(w.user, w.general, w.discord.Mention()+" put that into one line", said.ID)
	w.await(m.ID, 1, "put that into one line")
	chats := model.Chats()
	words := chats[len(chats)-1].Messages
	if got := words[len(words)-1].Text(); !strings.HasPrefix(got, "put that into one line\n(quoted from Bob, ") || !strings.Contains(got, "the launch is "+canary+")") {
		t.Errorf("the model reads %q", got)
	}
	add := w.discord.Reply(w.user, w.general, w.discord.Mention()+" add this file", said.ID)
	w.await(add.ID, 1, "launch.md")
}

// TestAnAgentChosenInTheMiddleKnowsWhatWasSaidBefore changes a place's agent in a thread, there
// and back: what was said to the other one is known, with its answer, and once only. What was
// deleted meanwhile is not, with its answer, nor what is deleted afterwards.
func TestAnAgentChosenInTheMiddleKnowsWhatWasSaidBefore(t *testing.T) {
	t.Parallel()
	unraced(t)
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		switch schemaOf(r) {
		case "":
			return llmtest.Text("answer to <" + lastSaid(r) + ">")
		case "route":
			return llmtest.JSON(map[string]any{"route": "agent", "reason": "x", "query": ""})
		}
		return llmtest.JSON(llmtest.Least(r.Schema()))
	})
	w := newSlackWorld(t, model, "MARU_AGENT=guide")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> good morning", "")
	w.await("C1", root, 1, "")
	said := 1
	tell := func(text string) (ts, read string) {
		t.Helper()
		before := len(model.Chats())
		ts = w.slack.Say("U1", "C1", "<@UBOT> "+text, root)
		said++
		w.await("C1", root, said, "")
		for _, r := range model.Chats()[before:] {
			if schemaOf(r) != "" || !strings.HasPrefix(r.System(), "You are Maru") {
				continue
			}
			for _, m := range r.Messages {
				read += m.Role + ": " + m.Text() + "\n"
			}
		}
		return ts, read
	}
	choose := func(agent string) {
		t.Helper()
		n := len(w.slack.Whispers("U1"))
		w.slack.Slash("U1", "C1", "/maru", "agent "+agent)
		if err := w.slack.Wait(within(t, atMost), func() bool { return len(w.slack.Whispers("U1")) > n }); err != nil {
			t.Fatal(err)
		}
	}
	erase := func(ts string) {
		t.Helper()
		w.slack.Erase("C1", ts)
		if err := w.slack.Settle(within(t, atMost)); err != nil {
			t.Fatal(err)
		}
		w.lessonsTaken() // what was deleted has left the agents' memory
	}
	tell("the red team meets on Tuesday")
	gone, _ := tell("my secret is " + canary)
	later, _ := tell("the blue team meets on Friday")
	erase(gone)

	choose("chat")
	_, read := tell("what have I told you?")
	for _, want := range []string{"user: good morning", "user: the red team meets on Tuesday\nassistant: answer to <the red team meets on Tuesday>\n", "user: the blue team meets on Friday\n"} {
		if strings.Count(read, want) != 1 {
			t.Errorf("chat reads %q %d times in:\n%s", want, strings.Count(read, want), read)
		}
	}
	if strings.Contains(read, canary) {
		t.Errorf("what was deleted came back:\n%s", read)
	}
	erase(later)
	if _, read = tell("and now?"); strings.Contains(read, "blue team") || strings.Count(read, "user: the red team meets on Tuesday") != 1 {
		t.Errorf("after one more was deleted chat reads:\n%s", read)
	}

	choose("guide")
	_, read = tell("which team is red?")
	if strings.Contains(read, canary) || strings.Contains(read, "blue team") || strings.Count(read, "user: what have I told you?\n") != 1 {
		t.Errorf("the guide reads:\n%s", read)
	}
}
