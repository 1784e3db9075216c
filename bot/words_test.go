package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
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
		"됐어 그만할래": `{"action":"reject"}`, "그만둘게요": `{"action":"reject"}`, "never mind": `{"action":"reject"}`,
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
			shown := 1
			if strings.Contains(want, "edit") {
				shown = 2 // the second when the run is over for the inbox
			}
			w.replies(m.Thread, shown)
			w.settled()
			final := w.platform.Posts(m.Thread)
			if !strings.HasSuffix(final[0].Card.Text, want) {
				t.Errorf("the run was told %+v, want %s", final, want)
			}
			// Words that ask for a change are answered below them, if not with another card then with where it went on.
			if pointed := len(final) == 2 && strings.Contains(final[1].Card.Text, "⬆️"); pointed != strings.Contains(want, "edit") || !pointed && len(final) > 1 {
				t.Errorf("below the words stands %+v", final[1:])
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

// TestSkipNeedsNoWords: a step whose words would be its skip is skipped by the click alone, and takes
// words all the same.
func TestSkipNeedsNoWords(t *testing.T) {
	t.Parallel()
	ask := agent.Ask{Question: "Run it?", Actions: []agent.Action{{Verb: agent.VerbAccept}, {Verb: agent.VerbSkip, Words: true}}}
	for said, want := range map[string]string{"": `{"action":"skip"}`, "나중에 할게": `{"action":"skip","text":"나중에 할게"}`} {
		w := newWorld(t, interrupting(ask))
		m := w.say("mail the team", w.platform.Thread("C1", ""))
		skip := button(t, waitingCard(w, m), "Skip")
		w.settled()
		if said == "" {
			if opened, err := w.bot.Action(w.ctx, click(m, skip, "U1")); err != nil || opened.Form != nil {
				t.Errorf("the click opens %+v, %v", opened.Form, err)
			}
		} else {
			w.follow("U1", said, m.Thread)
		}
		if final := w.replies(m.Thread, 1)[0].Card.Text; !strings.HasSuffix(final, want) {
			t.Errorf("%q: the run was told %s, want %s", said, final, want)
		}
	}
}

// TestLaterIsNoAnswer: whoever wants to decide later is told how long the question waits, and no run is asked to make a change of it.
func TestLaterIsNoAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, interrupting(planAsk()))
	m := w.say("mail the team", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	w.settled()
	for i, text := range []string{"잠깐만요, 생각 좀 해볼게요", "not yet"} {
		w.follow("U1", text, m.Thread)
		below := w.replies(m.Thread, i+1)
		if told := below[len(below)-1].Card.Text; i == 1 && !strings.Contains(told, "Take your time") || w.state(card.Buttons[0].ID) != bot.ApprovalPending || len(w.agent.asked()) != 1 {
			t.Errorf("%q: told %q", text, told)
		}
	}
}

// TestWordsOfOthersAreMessages lets others speak while a plan waits: they are
// answered, a mere yes with whose decision it is, and it goes on waiting.
func TestWordsOfOthersAreMessages(t *testing.T) {
	t.Parallel()
	asks := interrupting(planAsk())
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if req.Aside != "" {
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
		if strings.Contains(p.Card.Text, "결정할 수 있는 사람이 아니에요") || strings.Contains(p.Card.Text, "who can decide this") {
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
		if req.Thread != m.Thread.Key() || !strings.HasPrefix(req.Log(), req.Thread+"#aside-") || len(req.Context) == 0 {
			t.Errorf("a run beside the waiting one is of %s, keeps %s and knows %d turns", req.Thread, req.Log(), len(req.Context))
		}
	}
	w.follow("U1", "승인", m.Thread)
	posts := w.replies(m.Thread, 6) // below the others' words it is told where it goes on
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

func TestPlanIsShownWhileItRunsAndEndsRight(t *testing.T) {
	t.Parallel()
	plan := `{"title":"Mail","steps":[{"text":"read","state":"done"},{"text":"write","state":"running"},{"text":"send"}]}`
	w := newWorld(t, func(ctx context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventPlan, Data: []byte(plan)})
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	w.stop()
	w.change = func(c *service.Config) { c.TraceURL = "https://maru.example/runs/" }
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
		{"승인", "결정을 기다리는 것이 없어요"}, {"Approve!", "No decision is pending here"}, {"거절할게요", "결정을 기다리는 것이 없어요"},
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

// TestLateVerdict: a yes or no after the decision that it was meant for is told what
// was decided, and is no task; later, the word is a message like any other.
func TestLateVerdict(t *testing.T) {
	t.Parallel()
	for say, want := range map[string]string{
		"네": "결정을 기다리는 것은 없어요", "네 진행해 주세요": "결정을 기다리는 것은 없어요", "yes": "No decision is pending", "아니요": "결정을 기다리는 것은 없어요", "👍": "승인했어요",
	} {
		t.Run(say, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, interrupting(planAsk()))
			m := w.say("메일을 보내 줘", w.platform.Thread("C1", ""))
			waitingCard(w, m)
			w.settled()
			w.follow("U1", "승인", m.Thread)
			w.replies(m.Thread, 1)
			runs := len(w.agent.asked())
			w.follow("U1", say, m.Thread)
			if got := w.replies(m.Thread, 2)[1].Card; !strings.Contains(got.Text, want) || !got.Own {
				t.Errorf("%q: %+v", say, got)
			}
			if n := len(w.agent.asked()); n != runs {
				t.Errorf("the agent ran for %q", say)
			}
			w.follow("U1", "yes, and what else is there to do?", m.Thread)
			w.replies(m.Thread, 3)
			if n := len(w.agent.asked()); n != runs+1 {
				t.Errorf("%d runs for a task that begins with yes", n-runs)
			}
		})
	}
}
