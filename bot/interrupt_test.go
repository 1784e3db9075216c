package bot_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// asking waits for approval of a plan before it answers.
func asking(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
	if len(req.Decisions) == 0 {
		return agent.Result{Interrupts: []agent.Interrupt{{
			ID: "i1", Kind: "plan", Payload: json.RawMessage(`{"question":"Send the mail?","detail":"to everybody"}`),
		}}}, nil
	}
	var v struct{ Approved bool }
	if err := json.Unmarshal(req.Decisions[0].Value, &v); err != nil {
		return agent.Result{}, err
	}
	if !v.Approved {
		return agent.Result{Text: "not sent, says " + req.Decisions[0].By}, nil
	}
	return agent.Result{Text: "sent, says " + req.Decisions[0].By}, nil
}

// card waits for the card that asks.
func waitingCard(w *world, m bot.Message) (card bot.Card) {
	w.t.Helper()
	asks := func() bool {
		posts := w.platform.Posts(m.Thread)
		i := slices.IndexFunc(posts, func(p bottest.Post) bool { return len(p.Card.Buttons) > 0 })
		if i >= 0 {
			card = posts[i].Card
		}
		return i >= 0
	}
	w.until("a card has buttons", asks)
	w.settled() // on a busy machine the first was the one that stops a slow run
	w.until("a card asks", asks)
	return card
}

func TestRunWaitsForItsPerson(t *testing.T) {
	t.Parallel()
	for verb, want := range map[string]string{"accept": "sent, says fake/T1/U1", "reject": "not sent, says fake/T1/U1"} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, asking)
			m := w.say("send a mail", w.platform.Thread("C1", ""))
			card := waitingCard(w, m)
			if !strings.Contains(card.Text, "Send the mail?") || !strings.Contains(card.Text, "to everybody") || card.Final {
				t.Errorf("card: %+v", card)
			}
			id := card.Buttons[0].ID
			w.stop() // and the old button still works
			w.start()
			stranger := bot.Action{ID: id, Verb: verb, Thread: m.Thread, User: bot.User{ID: "U2"}}
			if a, err := w.bot.Action(w.ctx, stranger); err != nil || a.Card == nil {
				t.Errorf("a stranger's click: %+v, %v", a, err)
			}
			click := stranger
			click.User.ID = "U1"
			for n := range 2 {
				a, err := w.bot.Action(w.ctx, click)
				if err != nil || (a.Card != nil) != (n == 1) {
					t.Errorf("click %d: %+v, %v", n+1, a, err)
				}
			}
			posts := w.replies(m.Thread, 1)
			w.settled()
			if len(posts) != 1 || posts[0].Card.Text != want || len(posts[0].Card.Buttons) != 0 {
				t.Errorf("replies: %+v", posts)
			}
			asked := w.agent.asked()
			if len(asked) != 2 || asked[0].Run != asked[1].Run {
				t.Errorf("%d runs, want the same one twice", len(asked))
			}
		})
	}
}

// TestResumptionThatDiesAlwaysIsTold ends the process whenever a decided run goes
// on: after the allowed number of tries its reply says so, and stays no draft.
func TestResumptionThatDiesAlwaysIsTold(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{}, 20)
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if len(req.Decisions) == 0 {
			return asking(ctx, req, sink)
		}
		entered <- struct{}{}
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	w.stop()
	w.change = func(cfg *service.Config) { cfg.Standstill = 1 }
	w.start()
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	if _, err := w.bot.Action(w.ctx, bot.Action{ID: card.Buttons[0].ID, Verb: "accept", Thread: m.Thread, User: bot.User{ID: "U1"}}); err != nil {
		t.Fatal(err)
	}
	tries, final := 0, false
	for !final && tries <= 10 {
		select {
		case <-entered:
			tries++
			w.stop()
			w.start()
		case <-w.ctx.Done():
			t.Fatal("nothing is said about it")
		case <-time.After(2 * time.Millisecond):
			posts := w.platform.Posts(m.Thread)
			final = len(posts) == 1 && posts[0].Card.Final && posts[0].Card.Kind == bot.CardNotice
		}
	}
	if !final || tries < 2 {
		t.Errorf("after %d tries the reply is %+v", tries, w.platform.Posts(m.Thread))
	}
}
