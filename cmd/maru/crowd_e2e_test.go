package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent/llm/llmtest"
)

// TestTwentyAtOneSlot: twenty people ask at the same moment, in two languages, and the one model
// endpoint works on one call at a time, as a local server does, also on calls that were dropped.
// Each is answered, each call is sent once, and people see how many are before them.
func TestTwentyAtOneSlot(t *testing.T) {
	t.Parallel()
	unraced(t)
	var slot sync.Mutex
	const took = 400 * time.Millisecond
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		slot.Lock()
		defer slot.Unlock()
		time.Sleep(took)
		if r.ResponseFormat != nil {
			return llmtest.JSON(map[string]string{"route": "agent", "reason": "test"})
		}
		return llmtest.Text("The answer to " + lastSaid(r))
	})
	// Twenty calls that the server has at once would keep the last one waiting for four times as long.
	w := newSlackWorld(t, model, "OPENAI_FIRST_TIMEOUT=2s", "OPENAI_TIMEOUT=1m", "MARU_MEMORY_EXTRACT=false")
	w.start()
	asked := map[string]string{} // by thread
	for i := range 20 {
		say := fmt.Sprintf("write a poem of %d lines", i+3)
		if i%2 == 1 {
			say = fmt.Sprintf("%d줄로 시를 써 줘", i+3)
		}
		asked[w.slack.Say(fmt.Sprintf("U%d", i%2+1), "C1", "<@UBOT> "+say, "")] = say
	}
	for thread, say := range asked {
		w.await("C1", thread, 1, "The answer to "+say)
	}
	sent := map[string]int{}
	for _, c := range model.Chats() {
		sent[fmt.Sprint(c.ResponseFormat != nil, lastSaid(c))]++
	}
	for call, n := range sent {
		if n > 1 {
			t.Errorf("%q was sent %d times", call, n)
		}
	}
	for thread := range asked {
		if said := w.bots("C1", thread); len(said) != 1 {
			t.Errorf("%d messages in one thread: %q", len(said), said)
		}
	}
	var shown strings.Builder
	for _, c := range w.slack.Calls("") {
		fmt.Fprintln(&shown, c)
	}
	for _, words := range []string{"before you", "차례를 기다리고"} {
		if !strings.Contains(shown.String(), words) {
			t.Errorf("nobody was shown %q", words)
		}
	}
}
