package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
	"maru/datatest"
	"maru/memory/memtest/servers"
)

// TestOutagesOfPostgresEndNoAnswer (scorecard D04, scaled): PostgreSQL is stopped as by kill -9, five times for 2 to 3 s,
// while 150 people ask. Slack redelivers what was not acknowledged. Each question is answered once, and none with an
// excuse. With -short 40 questions and two outages.
func TestOutagesOfPostgresEndNoAnswer(t *testing.T) {
	t.Parallel()
	questions, outages := 150, 5
	if datatest.Short(t) {
		questions, outages = 40, 2
	}
	random := rand.New(rand.NewPCG(20261126, 4))
	pg := servers.StartPostgres(t)
	ladder := slices.Repeat([]time.Duration{300 * time.Millisecond}, 600)
	s := slackfake.Start(t, slackfake.Options{Retries: ladder})
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if r.ResponseFormat == nil {
			pause(t.Context(), 300*time.Millisecond) // else nothing is at work when an outage comes
		}
		return think(r)
	})
	w := &slackWorld{slack: s, program: newProgram(t, "SLACK_BOT_TOKEN="+s.BotToken(), "SLACK_SIGNING_SECRET="+s.SigningSecret(),
		"SLACK_API_URL="+s.URL(), "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test", "DATABASE_URL="+pg.URL, "LOG_LEVEL=info",
		"MARU_LEASE_TTL=12s")} // else leases end before anybody gives up
	w.start()
	s.Deliver("http://" + w.addr)

	roots := make([]string, questions)
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		for i := range roots {
			roots[i] = s.Say("U1", "C1", fmt.Sprintf("<@UBOT> question %d please", i), "")
			pause(t.Context(), 150*time.Millisecond)
		}
	}()
	for range outages {
		pause(t.Context(), time.Second+time.Duration(random.IntN(1500))*time.Millisecond)
		pg.Stop()
		// What was at work gives up after the 2 s that the store is patient, and asks for its lease after that: these
		// outages end in between, when a failure could be stored.
		pause(t.Context(), 1900*time.Millisecond+time.Duration(random.IntN(900))*time.Millisecond)
		pg.Start()
	}
	<-asked
	for i, root := range roots {
		w.await("C1", root, 1, fmt.Sprintf("You said: question %d please", i))
	}
	for i, root := range roots {
		if said := w.bots("C1", root); len(said) != 1 {
			t.Errorf("question %d has %d answers: %q", i, len(said), said)
		}
	}
	w.mu.Lock()
	excuses := strings.Count(w.log.String(), `"msg":"run failed"`)
	w.mu.Unlock()
	if excuses > 0 {
		t.Errorf("%d runs were told to have failed", excuses)
	}
	t.Logf("%d questions, %d outages of PostgreSQL: all answered once", questions, outages)
}
