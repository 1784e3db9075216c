package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
)

// follow says something in a thread without a mention.
func (w *world) follow(user, text string, in bot.Thread) bot.Message {
	w.t.Helper()
	m := w.platform.Message(user, text, in)
	m.Reach = bot.ReachFollow
	w.deliver(m)
	return m
}

// TestWordsDecide answers a plan in the thread, in both languages.
func TestWordsDecide(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"승인": `{"action":"accept"}`, "네!": `{"action":"accept"}`, "approve": `{"action":"accept"}`, "Go ahead.": `{"action":"accept"}`,
		"ok 1": `{"action":"accept"}`, "승인 1번": `{"action":"accept"}`, "👍": `{"action":"accept"}`,
		"취소": `{"action":"reject"}`, "아니요": `{"action":"reject"}`, "Cancel": `{"action":"reject"}`, "no": `{"action":"reject"}`,
		"2번 빼줘":                            `{"action":"edit","text":"2번 빼줘"}`,
		"ok but leave the second step out": `{"action":"edit","text":"ok but leave the second step out"}`,
		"approve nothing of this":          `{"action":"edit","text":"approve nothing of this"}`,
		"1. read\n2. write":                `{"action":"edit","text":"1. read\n2. write"}`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, interrupting(planAsk()))
			m := w.say("mail the team", w.platform.Thread("C1", ""))
			waitingCard(w, m)
			w.settled() // a word that also stops would else stop the run that still ends
			w.follow("U1", text, m.Thread)
			final := w.replies(m.Thread, 1)
			w.settled()
			if len(final) != 1 || !strings.HasSuffix(final[0].Card.Text, want) {
				t.Errorf("the run was told %+v, want %s", final, want)
			}
			if n := len(w.agent.asked()); n != 2 {
				t.Errorf("%d runs: the words were a message of their own", n)
			}
		})
	}
}

// TestNoToAStepSkipsIt refuses what can only be left out: it is that, not an edit.
func TestNoToAStepSkipsIt(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"거절", "아니요", "no", "skip"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, interrupting(agent.Ask{Question: "Run it?", Actions: []agent.Action{
				{Verb: agent.VerbAccept}, {Verb: agent.VerbEdit, Words: true}, {Verb: agent.VerbSkip},
			}}))
			m := w.say("mail the team", w.platform.Thread("C1", ""))
			waitingCard(w, m)
			w.settled()
			w.follow("U1", text, m.Thread)
			if final := w.replies(m.Thread, 1)[0].Card.Text; !strings.HasSuffix(final, `{"action":"skip"}`) {
				t.Errorf("the run was told %s", final)
			}
		})
	}
}

// TestWordsOfOthersAreMessages lets others speak while a plan waits: they are
// answered, a mere yes with whose decision it is, and it goes on waiting.
func TestWordsOfOthersAreMessages(t *testing.T) {
	t.Parallel()
	asks := interrupting(planAsk())
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if strings.Contains(req.Thread, "#aside-") {
			return agent.Result{Text: "aside: " + req.Text}, nil
		}
		return asks(ctx, req, sink)
	})
	m := w.say("mail the team", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	for _, text := range []string{"approve", "승인", "1. something else", "what is the wifi password?"} {
		if _, err := w.platform.Say(w.ctx, "U2", text, m.Thread); err != nil {
			t.Fatal(err)
		}
	}
	others := w.replies(m.Thread, 4)
	w.settled()
	told := 0
	for _, p := range others {
		if strings.Contains(p.Card.Text, "결정할 수 있는 사람이 아니에요") || strings.Contains(p.Card.Text, "who may decide this") {
			told++
		}
	}
	if n := len(w.agent.asked()); told != 2 || n != 3 {
		t.Errorf("%d were told that it is not theirs, %d runs: %+v", told, n, others)
	}
	if s := w.state(card.Buttons[0].ID); s != bot.ApprovalPending {
		t.Fatalf("state %s", s)
	}
	for _, req := range w.agent.asked()[1:] {
		if !strings.HasPrefix(req.Thread, m.Thread.Key()+"#aside-") || len(req.Context) == 0 {
			t.Errorf("a run beside the waiting one is of %s and knows %d turns", req.Thread, len(req.Context))
		}
	}
	w.follow("U1", "승인", m.Thread)
	posts := w.replies(m.Thread, 5)
	if posts[0].Card.Text != `fake/T1/U1 {"action":"accept"}` {
		t.Errorf("final %s", posts[0].Card.Text)
	}
}

func TestWordsForOneOfSeveralQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, interrupting(planAsk(), planAsk()))
	m := w.say("do two things", w.platform.Thread("C1", ""))
	waitingCard(w, m)
	w.follow("U1", "approve", m.Thread)
	hint := w.replies(m.Thread, 1)
	if text := hint[1].Card.Text; !strings.Contains(text, "approve 1") {
		t.Errorf("hint %q", text)
	}
	w.follow("U1", "approve 2", m.Thread)
	awaitCard(w, m, func(c bot.Card) bool { return len(c.Buttons) == 4 })
	w.follow("U1", "no", m.Thread)
	posts := w.replies(m.Thread, 2)
	if want := `fake/T1/U1 {"action":"reject"}` + "\n" + `fake/T1/U1 {"action":"accept"}`; posts[0].Card.Text != want {
		t.Errorf("final %s", posts[0].Card.Text)
	}
}

// A number at the end of a reply to the only question is no question's number.
func TestWordsThatEndWithANumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"remove step 2":      `{"action":"edit","text":"remove step 2"}`,
		"swap 1 and 2":       `{"action":"edit","text":"swap 1 and 2"}`,
		"approve but skip 2": `{"action":"edit","text":"approve but skip 2"}`,
		"skip 2":             `{"action":"edit","text":"skip 2"}`,
		"승인 2번":              `{"action":"edit","text":"승인 2번"}`,
		"참석자는 5":             `{"action":"edit","text":"참석자는 5"}`,
		"approve 1":          `{"action":"accept"}`,
		"네 진행해 주세요":          `{"action":"accept"}`,
		"그래, 해줘":             `{"action":"accept"}`,
		"yes please":         `{"action":"accept"}`,
		"ok, go ahead":       `{"action":"accept"}`,
		"I approve":          `{"action":"accept"}`,
		"ㄱㄱ":                 `{"action":"accept"}`,
		"아니 취소해 주세요":         `{"action":"reject"}`,
		"아니 그래":              `{"action":"edit","text":"아니 그래"}`,
		"해줘":                 `{"action":"edit","text":"해줘"}`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, interrupting(planAsk()))
			m := w.say("mail the team", w.platform.Thread("C1", ""))
			waitingCard(w, m)
			w.follow("U1", text, m.Thread)
			if got := w.replies(m.Thread, 1)[0].Card.Text; got != "fake/T1/U1 "+want {
				t.Errorf("decided %s, want %s", got, want)
			}
		})
	}
}

func TestCommandDecidesWithWords(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{"": `{"action":"accept"}`, " edit only the first": `{"action":"edit","text":"only the first"}`, " reject": `{"action":"reject"}`} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, interrupting(planAsk()))
			m := w.say("mail the team", w.platform.Thread("C1", ""))
			id := waitingCard(w, m).Buttons[0].ID
			for _, bad := range []string{"", "nothing", id + " fly", id + " edit"} {
				if card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "approve", Args: bad, Thread: m.Thread, User: bot.User{ID: "U1"}}); err != nil || card == nil {
					t.Errorf("%q: %+v, %v", bad, card, err)
				}
			}
			if s := w.state(id); s != bot.ApprovalPending {
				t.Fatalf("state %s", s)
			}
			if _, err := w.bot.Command(w.ctx, bot.Invocation{Name: "approve", Args: id + args, Thread: m.Thread, User: bot.User{ID: "U1"}}); err != nil {
				t.Fatal(err)
			}
			if final := w.replies(m.Thread, 1)[0].Card.Text; !strings.HasSuffix(final, want) {
				t.Errorf("final %s, want %s", final, want)
			}
		})
	}
}

// holding answers when it is let, or not at all.
func holding(begun chan<- string, let <-chan struct{}) func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
	return func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "half"})
		begun <- req.Text
		select {
		case <-let:
			return agent.Result{Text: "echo: " + req.Text}, nil
		case <-ctx.Done():
			return agent.Result{}, ctx.Err()
		}
	}
}

// TestWhileBusy is the table of what a message does that comes while a run works.
func TestWhileBusy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]struct {
		first, second string
		forgotten     int
	}{
		"queue":     {"echo: one", "echo: two", 0},
		"interrupt": {"half", "echo: two", 0},
		"rollback":  {"dropped it", "echo: two", 1},
		"reject":    {"echo: one", "still at work", 0},
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			begun, let := make(chan string, 4), make(chan struct{}, 4)
			w := newWorld(t, holding(begun, let))
			w.set("while_busy", policy)
			m := w.say("one", w.platform.Thread("C1", ""))
			<-begun
			if _, err := w.platform.Say(w.ctx, "U1", "two", m.Thread); err != nil {
				t.Fatal(err)
			}
			switch policy {
			case "queue":
				let <- struct{}{}
				<-begun
			case "reject":
				w.replies(m.Thread, 1) // it is told so
			default:
				<-begun
			}
			let <- struct{}{}
			texts := ""
			for _, p := range w.replies(m.Thread, 2) {
				texts += p.Card.Text + "\n"
			}
			w.settled()
			if !strings.Contains(texts, want.first) || !strings.Contains(texts, want.second) {
				t.Errorf("replies %q", texts)
			}
			if n := len(w.agent.amended); n != want.forgotten {
				t.Errorf("%d messages are forgotten, want %d", n, want.forgotten)
			}
		})
	}
}

func TestPlanIsShownWhileItRunsAndEndsRight(t *testing.T) {
	t.Parallel()
	plan := `{"title":"Mail","steps":[{"text":"read","state":"done"},{"text":"write","state":"running"},{"text":"send"}]}`
	w := newWorld(t, func(ctx context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventPlan, Data: []byte(plan)})
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	w.stop()
	w.change = func(c *bot.Config) { c.TraceURL = "https://maru.example/runs/" }
	w.start()
	m := w.say("mail", w.platform.Thread("C1", ""))
	card := awaitDraft(w, m, func(c bot.Card) bool { return len(c.Steps) == 3 })
	if card.Kind != bot.CardProgress || card.Title != "Mail" || card.Steps[1].State != bot.StepRunning || !strings.HasPrefix(card.Status, "2/3 write") ||
		len(card.Buttons) != 1 || card.Buttons[0].Label != "Stop" || card.Final {
		t.Errorf("while it runs: %+v", card)
	}
	if said := w.act(click(m, card.Buttons[0], "U2")); said != "" {
		t.Error(said)
	}
	final := w.replies(m.Thread, 1)[0].Card
	if final.Steps[0].State != bot.StepDone || final.Steps[1].State != bot.StepFailed || final.Steps[2].State != bot.StepSkipped || final.Status != "" {
		t.Errorf("in the end: %+v", final)
	}
	if n := len(final.Buttons); n != 1 || !strings.HasPrefix(final.Buttons[0].URL, "https://maru.example/runs/r") {
		t.Errorf("no way to the trace: %+v", final.Buttons)
	}
}

// awaitDraft waits until the thread shows a card that fits, while its run works.
func awaitDraft(w *world, m bot.Message, fits func(bot.Card) bool) bot.Card {
	w.t.Helper()
	for {
		for _, p := range w.platform.Posts(m.Thread) {
			if fits(p.Card) {
				return p.Card
			}
		}
		if w.ctx.Err() != nil {
			w.t.Fatal("no card fits")
		}
	}
}

func TestFeedbackIsCountedAndShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.set("feedback", true)
	m := w.say("hello", w.platform.Thread("C1", ""))
	card := w.replies(m.Thread, 1)[0].Card
	if card.Kind != bot.CardFeedback || len(card.Buttons) != 2 {
		t.Fatalf("card %+v", card)
	}
	if card.Buttons[0].Spoken != "Good answer" || card.Buttons[1].Spoken != "Bad answer" {
		t.Errorf("a screen reader says %+v", card.Buttons)
	}
	w.settled()
	vote := func(user string, n int, want string) {
		t.Helper()
		if said := w.act(click(m, card.Buttons[n], user)); !strings.Contains(said, "Thank you") {
			t.Errorf("a vote: %q", said)
		}
		awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Footer, want) })
	}
	vote("U1", 0, "👍 1 · 👎 0")
	vote("U2", 1, "👍 1 · 👎 1")
	vote("U1", 1, "👍 0 · 👎 2") // they changed their mind
	foreign := click(m, card.Buttons[0], "U3")
	foreign.Thread.Channel = "C9"
	if said := w.act(foreign); strings.Contains(said, "Thank you") {
		t.Error("a vote from another channel counted")
	}
}

// TestDeletedQuestionTakesItsApprovalBack deletes the message of a run that
// waits.
func TestDeletedQuestionTakesItsApprovalBack(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	b := waitingCard(w, m).Buttons[0]
	if err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Deleted: true, User: m.User, At: m.At}); err != nil {
		t.Fatal(err)
	}
	final := w.replies(m.Thread, 1)[0].Card
	if len(final.Buttons) != 0 || w.state(b.ID) != bot.ApprovalRevoked {
		t.Errorf("card %+v, state %s", final, w.state(b.ID))
	}
	if said := w.act(click(m, b, "U1")); !strings.Contains(said, "withdrawn") || told.Load() != 0 {
		t.Errorf("the old button says %q", said)
	}
}

// TestQuestionsThatAreNoLongerAskedAreWithdrawn answers one of two questions,
// after which the run waits for neither.
func TestQuestionsThatAreNoLongerAskedAreWithdrawn(t *testing.T) {
	t.Parallel()
	two := interrupting(planAsk(), planAsk())
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if len(req.Decisions) > 0 {
			return agent.Result{Text: "done with one"}, nil
		}
		return two(ctx, req, sink)
	})
	m := w.say("do two things", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	w.act(click(m, button(t, card, "Approve 1"), "U1"))
	w.replies(m.Thread, 1)
	w.settled()
	other := button(t, card, "Approve 2")
	if s := w.state(other.ID); s != bot.ApprovalRevoked {
		t.Errorf("the other question is %s", s)
	}
	if said := w.act(click(m, other, "U1")); said == "" {
		t.Error("the other question was decided")
	}
}

// TestAQuestionOfTheAskerIsAnsweredBesideTheirPlan lets whoever asked for a plan
// ask something else while it waits: they are answered, are told that it waits,
// and it goes on waiting. What points at the plan is about the plan.
func TestAQuestionOfTheAskerIsAnsweredBesideTheirPlan(t *testing.T) {
	t.Parallel()
	again := 0
	w := newWorld(t, func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		if strings.Contains(req.Thread, "#aside-") {
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
	for i, text := range []string{"연차는 며칠이야?", "what is the wifi password?", "who is on call"} {
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
	for i, text := range []string{"can you drop step 2?", "이거 왜 필요해?"} {
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

// TestDecisionWithNothingWaiting: "approve" typed where nothing waits is told so, and
// is no question for the agent, unless the bot has just asked one itself.
func TestDecisionWithNothingWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		if req.Text == "draft" {
			return agent.Result{Text: "Here it is. Shall it be approved?"}, nil
		}
		return agent.Result{Text: "agent: " + req.Text}, nil
	})
	for i, tc := range []struct{ say, want string }{
		{"승인", "결정을 기다리는 것이 없어요"}, {"Approve!", "No decision is waiting here"}, {"거절할게요", "결정을 기다리는 것이 없어요"},
		{"yes", "agent: yes"}, {"what does approve mean?", "agent: what"}, {"승인자 보여 줘", "agent: 승인자"},
	} {
		at := w.platform.Thread(fmt.Sprint("C", i), "")
		m := w.say(tc.say, at)
		if got := w.replies(m.Thread, 1)[0].Card; !strings.Contains(got.Text, tc.want) || got.Own == strings.HasPrefix(tc.want, "agent") {
			t.Errorf("%q: %+v", tc.say, got)
		}
	}
	m := w.say("draft", w.platform.Thread("C9", ""))
	w.replies(m.Thread, 1)
	w.follow("U1", "approve", m.Thread)
	if got := w.replies(m.Thread, 2)[1].Card.Text; got != "agent: approve" {
		t.Errorf("the bot asked, and of the answer says %q", got)
	}
}
