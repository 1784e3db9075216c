package main

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"maru/adapters/slack/slackfake"
	"maru/datatest"
)

// TestFewFileDescriptors (scorecard D16, scaled): with 128 descriptors and 150 connections that say nothing the program
// lives; who asks on Slack gets one answer or one sentence that says what is wrong, and an answer when they are gone.
func TestFewFileDescriptors(t *testing.T) {
	t.Parallel()
	s := slackfake.Start(t, slackfake.Options{})
	w := &slackWorld{slack: s, program: newProgram(t, "SLACK_BOT_TOKEN="+s.BotToken(), "SLACK_APP_TOKEN="+s.AppToken(),
		"SLACK_API_URL="+s.URL(), "OPENAI_BASE_URL="+brain(t).URL, "OPENAI_MODEL=test")}
	w.start()
	if err := unix.Prlimit(w.cmd.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 128, Max: 128}, nil); err != nil {
		t.Fatal(err)
	}
	var idle []net.Conn
	for range 150 {
		c, err := net.DialTimeout("tcp", w.addr, 5*time.Second)
		if err != nil {
			break // refused is shed, too
		}
		idle = append(idle, c)
	}
	if len(idle) < 100 {
		t.Fatalf("only %d connections", len(idle))
	}
	roots := make([]string, 30)
	for i := range roots {
		roots[i] = s.Say("U1", "C1", fmt.Sprintf("<@UBOT> question %d please", i), "")
	}
	excused := 0
	for i, root := range roots {
		answered := func() bool {
			said := strings.Join(w.bots("C1", root), "|")
			return strings.Contains(said, fmt.Sprintf("You said: question %d please", i)) || strings.Contains(said, "(ref-")
		}
		if err := s.Wait(within(t, atMost), answered); err != nil {
			t.Fatalf("question %d has no answer: %q", i, w.bots("C1", root))
		}
		if said := w.bots("C1", root); len(said) != 1 {
			t.Errorf("question %d has %d answers: %q", i, len(said), said)
		} else if strings.Contains(said[0], "(ref-") {
			excused++
		}
	}
	for _, c := range idle {
		_ = c.Close()
	}
	t.Logf("%d of %d questions were told that the model cannot be reached", excused, len(roots))
	w.await("C1", s.Say("U1", "C1", "<@UBOT> and now", ""), 1, "You said: and now")
	if code, body := w.get("/livez"); code != 200 {
		t.Errorf("livez afterwards: %d %s", code, body)
	}
}

// TestColdStarts (scorecard I03) tells how long a start takes until the program is ready: 20 starts, 3 with -short.
func TestColdStarts(t *testing.T) {
	t.Parallel()
	starts := 20
	if datatest.Short(t) {
		starts = 3
	}
	p := newProgram(t)
	var took []time.Duration
	for range starts {
		began := time.Now()
		p.start()
		took = append(took, time.Since(began))
		if err := p.stop(); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(took)
	t.Logf("%d starts: p50 %s, longest %s", starts, took[starts/2].Round(time.Millisecond), took[starts-1].Round(time.Millisecond))
}
