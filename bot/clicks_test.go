package bot_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"maru/bot"
)

// TestClicksAtOnce: where two must agree, two and eight clicks of one person at once are one agreement,
// and those of two people one decision.
func TestClicksAtOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 8} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			think, told := counted(interrupting(planAsk()))
			w := newWorld(t, think)
			w.set("two_people", true)
			w.set("approvers", []string{"U2"})
			m := w.say("do it", w.platform.Thread("C1", ""))
			accept := button(t, waitingCard(w, m), "Approve")
			atOnce := func(user func(i int) string) {
				var all sync.WaitGroup
				for i := range n {
					all.Go(func() { w.act(click(m, accept, user(i))) })
				}
				all.Wait()
			}
			atOnce(func(int) string { return "U1" })
			row, err := w.store.ApprovalByID(w.ctx, accept.ID)
			if err != nil || row.State != bot.ApprovalPending || len(row.Agreed) != 1 || told.Load() != 0 {
				t.Fatalf("%d clicks of one person: %+v, %v, %d executions", n, row, err, told.Load())
			}
			atOnce(func(i int) string { return []string{"U1", "U2"}[i%2] })
			if final := w.replies(m.Thread, 1)[0].Card; !strings.Contains(final.Text, `"accept"`) || told.Load() != 1 {
				t.Errorf("final %s, %d executions", final.Text, told.Load())
			}
		})
	}
}

// TestYesBesideNo has one person say yes and another no at the same moment, by clicks and in words. One
// of them decides where one person is enough; where two must agree, the no does.
func TestYesBesideNo(t *testing.T) {
	t.Parallel()
	for _, two := range []bool{false, true} {
		for round := range 10 {
			think, told := counted(interrupting(planAsk()))
			w := newWorld(t, think)
			w.set("two_people", two)
			w.set("approvers", []string{"U2"})
			m := w.say("do it", w.platform.Thread("C1", ""))
			card := waitingCard(w, m)
			accept, reject := button(t, card, "Approve"), button(t, card, "Reject")
			w.settled()
			var both sync.WaitGroup
			said := make([]string, 2)
			both.Go(func() { said[0] = w.act(click(m, accept, "U1")) })
			both.Go(func() {
				if round%2 == 0 {
					said[1] = w.act(click(m, reject, "U2"))
				} else {
					w.follow("U2", "아니, 보내지 마", m.Thread)
				}
			})
			both.Wait()
			w.until("the run is over", func() bool { return w.platform.Posts(m.Thread)[0].Card.Final }) // whose words came second is told so below
			final := w.platform.Posts(m.Thread)[0].Card.Text
			w.settled()
			row, err := w.store.ApprovalByID(w.ctx, accept.ID)
			if err != nil || row.State != bot.ApprovalDecided || told.Load() != 1 {
				t.Fatalf("%+v, %v, %d executions", row, err, told.Load())
			}
			if yes := strings.Contains(final, `"accept"`); two && yes || yes != (row.By == "U1") {
				t.Errorf("two people: %v, %s decided, final %s, told %q", two, row.By, final, said)
			}
			w.stop()
		}
	}
}
