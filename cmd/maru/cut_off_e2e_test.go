package main

import (
	"slices"
	"strings"
	"testing"
)

// TestChatSaysThatACallWasCutOff: the program is killed during a call that a person approved. The
// card says that it may have taken effect, also after another kill; it runs again only if the person
// says so, and the answer tells what they said.
func TestChatSaysThatACallWasCutOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		press, say string // a button, or words
		began      int    // executions
		ends       string
	}{
		"it was done":    {press: "이미 됐어요", began: 1, ends: "✅"},
		"run it again":   {press: "다시 실행", began: 2, ends: "✅"},
		"leave it":       {press: "건너뛰기", began: 1, ends: "반영됐는지 알 수 없어요"},
		"words for done": {say: "이미 됐어요", began: 1, ends: "✅"},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, model := cutOff(t)
			w := newSlackWorld(t, model, "MARU_AGENT=chat", "MARU_CONFIG="+o.settings())
			w.start()
			root := w.slack.Say("U1", "C1", "<@UBOT> 주간 보고를 보내 줘", "")
			w.press("U1", w.withButton(root, "승인", ""), "승인")
			o.did("began")
			w.kill()
			w.start()
			w.withButton(root, "다시 실행", "끊겼어요")
			w.kill()
			w.start()
			card := w.withButton(root, "다시 실행", "끊겼어요")
			if n := began(o); n != 1 {
				t.Fatalf("%d executions before anybody decided", n)
			}
			if c.say != "" {
				w.slack.Say("U1", "C1", c.say, root)
			} else {
				w.press("U1", card, c.press)
			}
			if c.began == 2 {
				for began(o) < 2 {
					o.did("began")
				}
				return // the slow tool goes on for minutes
			}
			w.await("C1", root, 3, c.ends)
			if n := began(o); n != c.began {
				t.Errorf("%d executions, want %d", n, c.began)
			}
		})
	}
}

// began counts the calls that the tool has begun.
func began(o *office) int {
	words := slices.DeleteFunc(o.done(), func(w string) bool { return !strings.HasPrefix(w, "began") })
	return len(words)
}
