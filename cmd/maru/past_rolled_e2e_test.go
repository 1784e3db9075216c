package main

import (
	"strings"
	"sync"
	"testing"

	"maru/agent/llm/llmtest"
)

// TestAnAgentChosenLaterDoesNotKnowWhatWasRolledBack: a message comes while another is answered,
// in a place where the newer one takes its place. What was dropped is no past of the thread: an
// agent that is chosen later begins without it.
func TestAnAgentChosenLaterDoesNotKnowWhatWasRolledBack(t *testing.T) {
	t.Parallel()
	unraced(t)
	begun, over := make(chan struct{}), make(chan struct{})
	var once sync.Once
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		switch schemaOf(r) {
		case "":
			if strings.Contains(lastSaid(r), canary) {
				once.Do(func() { close(begun) })
				<-over
			}
			return llmtest.Text("answer to <" + lastSaid(r) + ">")
		case "route":
			return llmtest.JSON(map[string]any{"route": "agent", "reason": "x", "query": ""})
		}
		return llmtest.JSON(llmtest.Least(r.Schema()))
	})
	t.Cleanup(func() { close(over) })
	w := newSlackWorld(t, model, "MARU_AGENT=guide", "MARU_WHILE_BUSY=rollback", "MARU_MEMORY_ON=false")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> the red team meets on Tuesday", "")
	w.await("C1", root, 1, "red team")
	w.slack.Say("U1", "C1", "<@UBOT> my secret is "+canary, root)
	select {
	case <-begun:
	case <-within(t, atMost).Done():
		t.Fatal("the model is not asked")
	}
	w.slack.Say("U1", "C1", "<@UBOT> the blue team meets on Friday", root)
	w.await("C1", root, 3, "blue team")
	w.lessonsTaken()

	n := len(w.slack.Whispers("U1"))
	w.slack.Slash("U1", "C1", "/maru", "agent chat")
	if err := w.slack.Wait(within(t, atMost), func() bool { return len(w.slack.Whispers("U1")) > n }); err != nil {
		t.Fatal(err)
	}
	before := len(model.Chats())
	w.slack.Say("U1", "C1", "<@UBOT> what have I told you?", root)
	w.await("C1", root, 4, "what have I told you?")
	read := ""
	for _, r := range model.Chats()[before:] {
		for _, m := range r.Messages {
			read += m.Role + ": " + m.Text() + "\n"
		}
	}
	if strings.Contains(read, canary) || !strings.Contains(read, "red team") || !strings.Contains(read, "blue team") {
		t.Errorf("chat reads:\n%s", read)
	}
}
