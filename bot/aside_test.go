package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
)

// TestAQuestionOfTheAskerIsAnsweredBesideTheirPlan lets whoever asked for a plan
// ask something else while it waits: they are answered, are told that it waits,
// and it goes on waiting. What points at the plan is about the plan.
func TestAQuestionOfTheAskerIsAnsweredBesideTheirPlan(t *testing.T) {
	t.Parallel()
	again := 0
	w := newWorld(t, func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		if req.Aside != "" {
			return agent.Result{Text: "aside: " + req.Text}, nil
		}
		ask := planAsk()
		if len(req.Decisions) > 0 {
			if strings.Contains(string(req.Decisions[0].Value), `"accept"`) {
				return agent.Result{Text: "done"}, nil
			}
			again++
			ask.Notes = []string{"I did not understand that."}
		}
		raw, err := json.Marshal(ask)
		return agent.Result{Interrupts: []agent.Interrupt{{ID: fmt.Sprintf("i%d", again), Kind: "plan", Payload: raw}}}, err
	})
	m := w.say("mail the team", w.platform.Thread("C1", ""))
	waitingCard(w, m)
	w.settled()
	for i, text := range []string{"연차는 며칠이야?", "what is the wifi password?", "who is on call", "12*7은 얼마야?", "how many days off are there in 2026?", "3월 소풍은 언제야?"} {
		w.follow("U1", text, m.Thread)
		posts := w.replies(m.Thread, i+1)
		if last := posts[len(posts)-1].Card; last.Text != "aside: "+text || !strings.Contains(last.Footer, "⏳") {
			t.Errorf("%q is answered with %q, %q", text, last.Text, last.Footer)
		}
	}
	menu := bot.Message{ID: "menu1", Order: "zz", Thread: m.Thread, User: bot.User{ID: "U1", Name: "U1"}, Reach: bot.ReachMenu, Text: "please summarise this thread"}
	w.deliver(menu) // chosen from a menu: no change of the plan, whatever its words
	if _, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return p.Card.Final && p.Card.Text == "aside: "+menu.Text }); err != nil {
		t.Fatal("a shortcut is not answered by itself:", err)
	}
	w.settled()
	for i, text := range []string{"can you drop step 2?", "이거 왜 필요해?", "2번은 왜 필요해?", "is 1 needed?"} {
		w.follow("U1", text, m.Thread)
		below := func(p bottest.Post) bool {
			return strings.Contains(p.Card.Text, "I did not understand that.") && strings.HasPrefix(p.Card.Text[strings.Index(p.Card.Text, "\n")+2:], "⬆️")
		}
		if _, err := w.platform.AwaitPost(w.ctx, m.Thread, below); err != nil {
			t.Fatalf("%q: nothing is said below it", text)
		}
		w.settled()
		if again != i+1 {
			t.Errorf("%q reached the plan %d times", text, again)
		}
	}
	w.follow("U1", "승인", m.Thread)
	if _, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return p.Card.Final && p.Card.Text == "done" }); err != nil {
		t.Error("the plan does not go on:", err)
	}
}

// TestAYesFarBelowItsCard: who decides in words below what was said since is told there
// what was decided and where it goes on. Whoever may not decide is not told that it waits.
func TestAYesFarBelowItsCard(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{"승인": "승인했어요", "그만둘게요": "거절했어요"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			asks := interrupting(planAsk())
			w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				if req.Aside != "" {
					return agent.Result{Text: "aside: " + req.Text}, nil
				}
				return asks(ctx, req, sink)
			})
			m := w.say("팀에 메일을 보내 줘", w.platform.Thread("C1", ""))
			waitingCard(w, m)
			w.settled()
			if _, err := w.platform.Say(w.ctx, "U2", "연차는 며칠이야?", m.Thread); err != nil {
				t.Fatal(err)
			}
			posts := w.replies(m.Thread, 1)
			if other := posts[len(posts)-1].Card; strings.Contains(other.Footer, "⏳") {
				t.Errorf("somebody who may not decide is told %q", other.Footer)
			}
			w.settled()
			w.follow("U1", text, m.Thread)
			posts = w.replies(m.Thread, 3)
			if below := posts[len(posts)-1].Card; !strings.Contains(below.Text, says) || !strings.Contains(below.Text, "⬆️") {
				t.Errorf("below it stands %q", below.Text)
			}
		})
	}
}

// TestWhatIsDeletedLeavesAsides deletes a message while a plan and one beside it wait: the log
// of the thread and that of the aside, which was told of it, are both told that it is gone.
func TestWhatIsDeletedLeavesAsides(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		if !strings.Contains(req.Text, "plan") {
			return agent.Result{Text: "noted"}, nil
		}
		raw, err := json.Marshal(planAsk())
		return agent.Result{Interrupts: []agent.Interrupt{{ID: "i1", Kind: "plan", Payload: raw}}}, err
	})
	first := w.say("the budget is 500", w.platform.Thread("C1", ""))
	w.replies(first.Thread, 1)
	waitingCard(w, w.say("plan one", first.Thread))
	w.settled()
	other := w.platform.Message("U2", "plan two", first.Thread)
	w.deliver(other)
	waitingCard(w, other)
	w.settled()
	if err := w.bot.Change(w.ctx, bot.Change{Thread: first.Thread, Message: first.ID, Deleted: true, User: first.User, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	w.settled()
	requests := w.agent.asked()
	aside := requests[len(requests)-1]
	if !slices.ContainsFunc(aside.Context, func(c agent.Turn) bool { return c.ID == first.Key() }) {
		t.Errorf("the aside was told of %+v", aside.Context)
	}
	w.agent.mu.Lock()
	defer w.agent.mu.Unlock()
	if want := []string{first.Thread.Key(), aside.Log()}; aside.Aside == "" || !slices.Equal(w.agent.in, want) {
		t.Errorf("it is forgotten in %q, want %q", w.agent.in, want)
	}
}
