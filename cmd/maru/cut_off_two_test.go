package main

import (
	"strings"
	"testing"
)

// TestTwoPeopleDecideAboutACutOffCall: where two people must agree, a call that was cut off runs again only when both
// say so, over a kill between them; that it was done, or that it is left, one of them says.
func TestTwoPeopleDecideAboutACutOffCall(t *testing.T) {
	t.Parallel()
	type words struct{ say, accept, cutOff, done, rerun, skip, wasDone, left string }
	ko := words{"주간 보고를 보내 줘", "승인", "끊겼어요", "이미 됐어요", "다시 실행", "건너뛰기", "✅", "반영됐는지 알 수 없어요"}
	en := words{"send the weekly report please", "Approve", "cut off", "It was done", "Run again", "Skip", "✅", "took effect"}
	for name, c := range map[string]struct {
		words

		press string
		both  bool
		began int
		ends  string
	}{
		"ko done": {ko, ko.done, false, 1, ko.wasDone}, "ko rerun": {ko, ko.rerun, true, 2, ""}, "ko skip": {ko, ko.skip, false, 1, ko.left},
		"en done": {en, en.done, false, 1, en.wasDone}, "en rerun": {en, en.rerun, true, 2, ""}, "en skip": {en, en.skip, false, 1, en.left},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, model := cutOff(t)
			w := newSlackWorld(t, model, "MARU_AGENT=chat", "MARU_CONFIG="+o.settings(), "MARU_TWO_PEOPLE=true", "MARU_APPROVERS=U2")
			w.start()
			root := w.slack.Say("U1", "C1", "<@UBOT> "+c.say, "")
			card := w.withButton(root, c.accept, "")
			w.press("U1", card, c.accept)
			if began(o) > 0 {
				t.Fatal("one of two people was enough")
			}
			w.press("U2", card, c.accept)
			o.did("began")
			w.kill()
			w.start()
			card = w.withButton(root, c.rerun, c.cutOff)
			w.press("U3", card, c.press) // may not
			w.press("U1", card, c.press)
			if c.both {
				if began(o) != 1 {
					t.Fatal("one of two people had it run again")
				}
				w.kill()
				w.start()
				w.press("U2", card, c.press)
				for began(o) < c.began {
					o.did("began")
				}
				return // the slow tool goes on for minutes
			}
			if err := w.slack.Wait(within(t, atMost), func() bool { return strings.Contains(strings.Join(w.bots("C1", root), "\n"), c.ends) }); err != nil {
				t.Errorf("the bot said %q", w.bots("C1", root))
			}
			if n := began(o); n != c.began {
				t.Errorf("%d executions, want %d", n, c.began)
			}
		})
	}
}
