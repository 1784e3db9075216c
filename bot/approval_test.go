package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/datatest"
)

// Here is who decides first and once; what was shown, when, and who may decide are in
// the files beside. What is counted, is logged.

// counted wraps an agent and counts how often it was told of a decision.
func counted(think func(context.Context, agent.Request, agent.Sink) (agent.Result, error)) (func(context.Context, agent.Request, agent.Sink) (agent.Result, error), *atomic.Int32) {
	n := &atomic.Int32{}
	return func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		n.Add(int32(len(req.Decisions)))
		return think(ctx, req, sink)
	}, n
}

// set changes a setting of the workspace.
func (w *world) set(key string, value any) {
	w.t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.SetSetting(w.ctx, bot.Setting{Place: "fake/T1", Key: key, Value: raw, By: "admin"}); err != nil {
		w.t.Fatal(err)
	}
}

// act clicks and returns the private word, "" if there was none.
func (w *world) act(a bot.Action) string {
	w.t.Helper()
	ans, err := w.bot.Action(w.ctx, a)
	if err != nil {
		w.t.Fatal(err)
	}
	if ans.Card == nil {
		return ""
	}
	return ans.Card.Text
}

func (w *world) state(id string) bot.ApprovalState {
	w.t.Helper()
	row, err := w.store.ApprovalByID(w.ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return row.State
}

// fewer returns a tenth of n in a short run, such as that of the race detector, which
// makes each of them slow: races need no more.
func fewer(t *testing.T, n int) int {
	t.Helper()
	if datatest.Short(t) {
		return n / 10
	}
	return n
}

func TestManyClicksAreOneExecution(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	w.set("approvers", []string{"U2", "@admins"})
	asks, clicks := 20, fewer(t, 600)
	var accepted, refused atomic.Int32
	var all sync.WaitGroup
	for n := range asks {
		m := w.say("send a mail", w.platform.Thread("C1", fmt.Sprintf("t%d", n)))
		id := waitingCard(w, m).Buttons[0].ID
		for i := range clicks {
			all.Go(func() {
				u := []bot.User{{ID: "U1"}, {ID: "U2"}, {ID: "U3", Admin: true}}[i%3]
				ans, err := w.bot.Action(w.ctx, bot.Action{ID: id, Verb: []string{"accept", "reject"}[i%2], Thread: m.Thread, User: u})
				switch {
				case err != nil:
					t.Error(err)
				case ans.Card == nil:
					accepted.Add(1)
				case strings.Contains(ans.Card.Text, "approved") || strings.Contains(ans.Card.Text, "rejected"):
					refused.Add(1) // and told who decided what
				default:
					t.Errorf("told %q", ans.Card.Text)
				}
			})
		}
	}
	all.Wait()
	w.settled()
	if int(accepted.Load()) != asks || int(told.Load()) != asks || int(refused.Load()) != asks*(clicks-1) {
		t.Errorf("%d clicks counted, %d executions, %d refused", accepted.Load(), told.Load(), refused.Load())
	}
	t.Logf("executions per approval %d/%d over %d clicks", told.Load(), asks, asks*clicks)
}

func TestReplayedClickHasNoSecondEffect(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	captured := click(m, waitingCard(w, m).Buttons[0], "U1")
	w.act(captured)
	w.replies(m.Thread, 1)
	w.settled()
	n := fewer(t, 2500)
	for range n {
		if w.act(captured) == "" {
			t.Fatal("a replayed click counted")
		}
	}
	w.settled()
	if posts := w.platform.Posts(m.Thread); told.Load() != 1 || len(posts) != 1 {
		t.Errorf("%d executions, %d replies", told.Load(), len(posts))
	}
	t.Logf("second effects 0 of %d", n)
}

func TestTwoPeopleAgreeOnTheSame(t *testing.T) {
	t.Parallel()
	think, told := counted(interrupting(planAsk()))
	w := newWorld(t, think)
	w.set("two_people", true)
	w.set("approvers", []string{"U2", "role:ops", "U4"})
	m := w.say("do it", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	accept := button(t, card, "Approve")
	for range 3 { // the asker alone cannot be both
		w.act(click(m, accept, "U1"))
	}
	card = awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Text, "U1: approved") })
	if told.Load() != 0 || w.state(accept.ID) != bot.ApprovalPending || !strings.Contains(card.Text, "2 different people") {
		t.Errorf("after one person: %d executions, %s", told.Load(), card.Text)
	}
	ops := click(m, accept, "U9")
	ops.User.Roles = []string{"role:ops"}
	if said := w.act(ops); said != "" {
		t.Errorf("the second person: %q", said)
	}
	final := w.replies(m.Thread, 1)[0].Card
	if !strings.Contains(final.Text, `{"action":"accept"}`) || told.Load() != 1 {
		t.Errorf("final %s, %d executions", final.Text, told.Load())
	}
	if shown := fmt.Sprint(final.Fields); !strings.Contains(shown, "U1: approved") || !strings.Contains(shown, "U9: approved") {
		t.Errorf("who agreed: %s", shown)
	}
}

// TestAChangeVoidsAgreements: where two must agree, a change of one of them, in words or in a form, is
// worked in and shown, and both agree again; what the first one agreed to is gone. A no is a no.
func TestAChangeVoidsAgreements(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *world, m bot.Message, c bot.Card){
		"words": func(w *world, m bot.Message, _ bot.Card) {
			w.follow("U2", "받는 사람을 boss@example.com으로 바꿔줘", m.Thread)
		},
		"own_words":    func(w *world, m bot.Message, _ bot.Card) { w.follow("U1", "send it to the boss instead", m.Thread) },
		"yes_and_more": func(w *world, m bot.Message, _ bot.Card) { w.follow("U2", "네, 그런데 2번은 빼줘", m.Thread) },
		"form": func(w *world, m bot.Message, c bot.Card) {
			edit := click(m, button(t, c, "Edit"), "U2")
			edit.Verb, edit.Values = edit.Verb+".form", map[string]string{"plan": "1. only read", "tone": "s"}
			w.act(edit)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told []string // one run at a time
			w := newWorld(t, func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
				for _, d := range req.Decisions {
					told = append(told, string(d.Value))
					if strings.Contains(string(d.Value), `"accept"`) {
						return agent.Result{Text: "runs " + d.Interrupt}, nil
					}
				}
				ask := planAsk()
				ask.Question = fmt.Sprintf("Plan %d?", len(told)+1)
				raw, err := json.Marshal(ask)
				return agent.Result{Interrupts: []agent.Interrupt{{ID: fmt.Sprintf("i%d", len(told)+1), Kind: "plan", Payload: raw}}}, err
			})
			w.set("two_people", true)
			w.set("approvers", []string{"U2"})
			m := w.say("do it", w.platform.Thread("C1", ""))
			card := waitingCard(w, m)
			w.act(click(m, button(t, card, "Approve"), "U1"))
			card = awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Text, "U1: approved") })
			change(w, m, card)
			card = awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Text, "Plan 2?") && len(c.Buttons) > 0 })
			if len(told) != 1 || !strings.Contains(told[0], `"action":"edit"`) || !strings.Contains(told[0], `"confirm":true`) || strings.Contains(card.Text, "U1: approved") {
				t.Fatalf("told %q, card %s", told, card.Text)
			}
			accept := button(t, card, "Approve")
			w.act(click(m, accept, "U2"))
			if w.state(accept.ID) != bot.ApprovalPending || len(told) != 1 {
				t.Fatalf("whoever changed it decided alone: %q", told)
			}
			if name == "words" {
				w.follow("U1", "아니 보내지 마세요", m.Thread)
				awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Text, "Plan 3?") })
				if !strings.Contains(told[1], `"reject"`) {
					t.Errorf("told %q", told)
				}
				return
			}
			w.act(click(m, accept, "U1"))
			if final := awaitCard(w, m, func(c bot.Card) bool { return c.Final && strings.HasPrefix(c.Text, "runs") }); final.Text != "runs i2" {
				t.Errorf("final %s, told %q", final.Text, told)
			}
		})
	}
}

func TestRefusalNeedsOnePerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, interrupting(planAsk()))
	w.set("two_people", true)
	m := w.say("do it", w.platform.Thread("C1", ""))
	if said := w.act(click(m, button(t, waitingCard(w, m), "Reject"), "U1")); said != "" {
		t.Errorf("reject: %q", said)
	}
	w.replies(m.Thread, 1)
}

func TestUnknownControlsFailClosed(t *testing.T) {
	t.Parallel()
	think, told := counted(interrupting(planAsk()))
	w := newWorld(t, think)
	m := w.say("do it", w.platform.Thread("C1", ""))
	id := waitingCard(w, m).Buttons[0].ID
	bad := []string{
		"", "ACCEPT", "Accept", " accept", "accept ", "accept\n", "approve", "approved", "yes", "true", "1", "accept.form", "reject.form",
		"pick.", "pick.-1", "pick.1", "pick.00", "pick.0.form", "pick.+0", "pick.0x0", "pick.99999999999999999999", "same.", "same.0", "same.accept",
		"skip", "proceed", "clarify", "reuse", "edit.form.form", ".form", "form", "accept,reject", "accept;reject", "accept#reject", "ａccept",
		"аccept", "accept\x00", `{"verb":"accept"}`, "../accept", strings.Repeat("accept", 1000), "closed", "run.stop", "rate.up",
	}
	for _, verb := range bad {
		ans, err := w.bot.Action(w.ctx, bot.Action{ID: id, Verb: verb, Thread: m.Thread, User: bot.User{ID: "U1"}, Values: map[string]string{"action": "accept"}})
		if err != nil || ans.Card == nil && verb != "closed" {
			t.Errorf("%q: %+v, %v", verb, ans, err)
		}
	}
	if s := w.state(id); s != bot.ApprovalPending || told.Load() != 0 {
		t.Errorf("state %s, %d executions", s, told.Load())
	}
	t.Logf("approvals from malformed input 0 of %d", len(bad))
}

func TestNothingRunsWithoutADecision(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	id := waitingCard(w, m).Buttons[0].ID
	for range 5 { // restarts, stops and other messages are no decision
		w.stop()
		w.start()
		if _, err := w.bot.Stop(w.ctx, m.Thread.Key(), bot.Bound{}); err != nil {
			t.Fatal(err)
		}
		other, err := w.platform.Say(w.ctx, "U2", "is it done?", m.Thread)
		if err != nil {
			t.Fatal(err)
		}
		_ = other
		w.settled()
	}
	if told.Load() != 0 || w.state(id) != bot.ApprovalPending {
		t.Errorf("%d executions, state %s", told.Load(), w.state(id))
	}
	t.Log("C13: executions without a decision 0")
}
