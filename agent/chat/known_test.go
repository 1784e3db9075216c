package chat_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent/chat"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/memory/longterm"
)

// rememberer knows one thing of everybody until it is forgotten.
type rememberer struct {
	asked chan struct{} // one for each time
	err   error

	mu   sync.Mutex
	fact string
	only string // the word of a query that the fact is about, "" for all
}

func (r *rememberer) Recall(_ context.Context, _ longterm.Owner, query string, _ int) (longterm.Recollection, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked <- struct{}{}
	if r.fact == "panic" {
		panic(r.fact)
	}
	if r.err != nil || r.fact == "" || !strings.Contains(query, r.only) {
		return longterm.Recollection{}, r.err
	}
	return longterm.Recollection{Mementos: []longterm.Memento{{ID: "m1", Text: r.fact}}}, nil
}

func (r *rememberer) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fact = ""
}

// Memory may wait for an embedding: it is asked while the router decides, and what it
// gives is in the prompt. After a round of tools it is asked again, so that what was
// forgotten meanwhile is not in the next.
func TestMemoryIsAskedWhileTheRouterDecides(t *testing.T) {
	t.Parallel()
	knows := &rememberer{asked: make(chan struct{}, 8), fact: "works in Busan"}
	m := llmtest.Func(func(n int, req llm.Request) llmtest.Reply {
		switch {
		case req.Purpose == llm.ForRoute:
			select {
			case <-knows.asked:
			case <-time.After(time.Minute):
				t.Error("memory waits for the router")
			}
			return route("agent")
		case n == 1:
			knows.forget()
			return llmtest.CallTool("double", `{"n":2}`)
		}
		return llmtest.Text("4예요.")
	})
	d := newDesk(t, m)
	d.knows = knows
	d.restart(m)
	d.ask(d.request("2를 두 배로"))
	prompts := m.Requests()
	if len(prompts) != 3 {
		t.Fatalf("%d model calls, want 3", len(prompts))
	}
	for i, want := range []bool{false, true, false} {
		if got := strings.Contains(prompts[i].Messages[0].Content, "works in Busan"); got != want {
			t.Errorf("prompt %d: what is known stands in it %t, want %t", i, got, want)
		}
	}
}

func TestAnAnswerGoesWithoutItsMemory(t *testing.T) {
	t.Parallel()
	for name, knows := range map[string]*rememberer{"refused": {err: errors.New("away")}, "panic": {fact: "panic"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			knows.asked = make(chan struct{}, 8)
			m := llmtest.Script(route("agent"), llmtest.Text("안녕하세요!"))
			d := newDesk(t, m)
			d.knows = chat.Memory(knows)
			d.restart(m)
			if res, _ := d.ask(d.request("시 한 줄 지어줘")); res.Text != "안녕하세요!" || len(knows.asked) != 1 {
				t.Errorf("answer %q, memory was asked %d times", res.Text, len(knows.asked))
			}
		})
	}
}
