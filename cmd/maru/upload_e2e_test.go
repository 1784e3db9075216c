package main

import (
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
)

// withFiles returns the bot's messages of a thread that carry files.
func (w *slackWorld) withFiles(root string) (n int) {
	for _, m := range w.slack.Replies("C1", root) {
		if m.User == "UBOT" && len(m.Files) > 0 {
			n++
		}
	}
	return n
}

// TestKilledInAnUploadTheFilesStandOnce kills the program with SIGKILL while one of the three
// calls that put the results of a task into its thread waits for its answer. Slack carries out
// what it has received, so that the last one has shared the files before anybody knew.
func TestKilledInAnUploadTheFilesStandOnce(t *testing.T) {
	t.Parallel()
	unraced(t)
	for _, method := range []string{"files.getUploadURLExternal", "upload", "files.completeUploadExternal"} {
		t.Run(strings.TrimPrefix(method, "files."), func(t *testing.T) {
			t.Parallel()
			w := newSlackWorld(t, planner(t), "MARU_AGENT=orchestrator", "ENABLE_HITL=false", "MARU_LEASE_TTL=1s")
			w.start()
			waits, hold := make(chan struct{}, 1), make(chan struct{})
			defer close(hold)
			w.slack.Fail(slackfake.Fault{Method: method, Hold: hold, Held: waits, Times: 1})
			root := w.slack.Say("U1", "C1", "<@UBOT> 숫자들을 계산해 줘", "")
			w.await("C1", root, 1, "합은 5, 곱은 42예요.")
			select {
			case <-waits:
			case <-within(t, atMost).Done():
				t.Fatalf("%s is never called", method)
			}
			w.kill()
			w.start()
			if err := w.slack.Wait(within(t, atMost), func() bool { return w.withFiles(root) > 0 }); err != nil {
				t.Fatal("no files")
			}
			again := w.slack.Say("U1", "C1", "<@UBOT> 숫자들을 다시 계산해 줘", "")
			if err := w.slack.Wait(within(t, atMost), func() bool { return w.withFiles(again) > 0 }); err != nil {
				t.Fatal("no files of the next task")
			}
			w.lessonsTaken() // no job is left
			if n := w.withFiles(root); n != 1 {
				t.Errorf("the files stand %d times", n)
			}
		})
	}
}
