package main

import (
	"fmt"
	"testing"

	"maru/memory/memtest/servers"
)

// TestForgettingReachesEveryReplica runs two processes on one PostgreSQL. Each
// has its own cache of the model's replies. Once one of them has answered "forget
// me", whoever answers next asks the model again.
func TestForgettingReachesEveryReplica(t *testing.T) {
	t.Parallel()
	pg := servers.StartPostgres(t)
	model := expert(t)
	w := newSlackWorld(t, model, "DATABASE_URL="+pg.URL, "MARU_AGENT=contract")
	w.start()
	second := newProgram(t, "DATABASE_URL="+pg.URL, "MARU_AGENT=contract", "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test")
	second.start()
	n := 0
	ask := func() int { // how many calls of the model an answer costs
		t.Helper()
		n++
		p := []*program{w.program, second}[n%2]
		before := len(model.Chats())
		thread := fmt.Sprint("t", n)
		p.tell(thread, "표준계약서 제5조 알려줘 "+canary)
		p.hears(thread, 2, "")
		return len(model.Chats()) - before
	}
	for round := 1; round <= 4; round++ { // either may work on what the other was told
		for cached := 0; cached < 6; { // until both have the reply
			if cached++; ask() > 0 {
				cached = 0
			}
			if n > 200 {
				t.Fatal("replies are not cached")
			}
		}
		w.forgetMe(round) // on the first: only it is connected to Slack
		if ask() == 0 {
			t.Errorf("round %d: an answer comes from a cache of before", round)
		}
	}
}
