package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/phrase"
)

// planner is an agent that carries out tasks of three steps, of which the second
// fails, and can redo them. What begins with "talk" is no task.
type planner struct{ *thinker }

func (planner) Redoes() {}

func carryOut(_ context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	if strings.HasPrefix(req.Text, "talk") {
		return agent.Result{Text: "just talk"}, nil
	}
	raw, err := json.Marshal(agent.Plan{Title: "t", Steps: []agent.PlanStep{
		{Text: "look", State: agent.StepDone}, {Text: "write", State: agent.StepFailed}, {Text: "send", State: agent.StepDone},
	}})
	sink(agent.Event{Kind: agent.EventPlan, Data: raw})
	return agent.Result{Text: fmt.Sprintf("did %s from %d", req.Text, req.Redo.Step)}, err
}

func newPlanning(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, carryOut)
	w.stop()
	w.change = func(c *service.Config) {
		c.Runner = agent.NewRunner(slog.New(slog.DiscardHandler), 0, time.Now, planner{w.agent})
	}
	w.start()
	return w
}

func (w *world) lastAsked() agent.Request {
	all := w.agent.asked()
	return all[len(all)-1]
}

func TestWordsThatRedoATask(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"redo from step 2": 2, "Please redo from step 3.": 3, "can you rerun it from step 2?": 2, "retry step 2": 2, "run it again from step 1": 1,
		"start over from step #2": 2, "go back to step 2": 2, "redo the task from step number 3 please": 3, "Redo from Step 2 on": 2,
		"3단계부터 다시 해 줘": 3, "2단계부터 다시": 2, "2번부터 다시 해주세요!": 2, "두 번째 단계부터 다시 실행해 줘": 2, "1단계부터 재실행해줘": 1,
		"방금 작업 3단계부터 다시 해 주세요": 3, "세번째 단계부터 다시 진행해 주세요": 3, "2 단계부터 다시 한 번 해줘": 2, "그 작업을 2단계부터 다시 돌려줘": 2,
		phrase.Say("en", "bot.redo.words", 3): 3, phrase.Say("ko", "bot.redo.words", 3): 3,
		// These say more than that, or something else: they are tasks of their own.
		"redo from step 2 but with Busan": 0, "what did step 3 say?": 0, "3단계부터 다시 설명해 줘": 0, "redo everything": 0, "다시 해 줘": 0,
		"3단계가 뭐였지?": 0, "try step 3 without the mail": 0, "3단계부터 다시 하되 부산으로 해 줘": 0,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			w := newPlanning(t)
			in := w.platform.Thread("C1", "1")
			first := w.say("write the report", in)
			w.replies(in, 1)
			w.say("talk about it", in)
			w.replies(in, 2)
			w.settled()
			w.say(text, in)
			w.replies(in, 3)
			got := w.lastAsked()
			if got.Redo.Step != want || (want > 0) != (got.Redo.Run != "") || got.Text != text {
				t.Errorf("asked with %+v, want step %d of %s", got.Redo, want, first.ID)
			}
			if want > 0 && got.Redo.Run != w.agent.asked()[0].Run {
				t.Errorf("redoes %s, want %s", got.Redo.Run, w.agent.asked()[0].Run)
			}
		})
	}
}

func TestRedoWithoutATaskIsAMessage(t *testing.T) {
	t.Parallel()
	w := newPlanning(t)
	in := w.platform.Thread("C1", "1")
	w.say("redo from step 2", in)
	w.replies(in, 1)
	if got := w.lastAsked(); got.Redo.Run != "" {
		t.Errorf("asked with %+v", got.Redo)
	}
}

// TestWhoMayRedo: who asked and the place's approvers, by words and by command.
func TestWhoMayRedo(t *testing.T) {
	t.Parallel()
	w := newPlanning(t)
	in := w.platform.Thread("C1", "1")
	w.say("write the report", in)
	w.replies(in, 1)
	w.settled()
	if _, err := w.platform.Say(w.ctx, "U2", "3단계부터 다시 해 줘", in); err != nil {
		t.Fatal(err)
	}
	posts := w.replies(in, 2)
	if got := posts[1].Card.Text; !strings.Contains(got, "승인자") || len(w.agent.asked()) != 1 {
		t.Errorf("somebody else is told %q, the agent was asked %d times", got, len(w.agent.asked()))
	}
	other := bot.Invocation{Name: "redo", Args: "3", Thread: in, User: bot.User{ID: "U2"}}
	if got := w.order(other); !strings.Contains(got, "approvers") {
		t.Errorf("somebody else's command says %q", got)
	}
	w.order(bot.Invocation{Name: "approvers", Args: "set U2", Thread: in, User: admin})
	other.ID = "i2"
	w.order(other)
	w.replies(in, 3)
	if got := w.lastAsked(); got.Redo.Step != 3 || got.User.ID == w.agent.asked()[0].User.ID {
		t.Errorf("asked with %+v for %s", got.Redo, got.User.ID)
	}
	var whats []string
	w.settled()
	entries, err := w.store.AuditTail(w.ctx, in.TeamKey(), 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.What, "red") {
			whats = append(whats, e.Who+" "+e.What)
		}
	}
	slices.Sort(whats)
	if want := []string{"U2 redo.refused", "U2 redo.refused", "U2 run.redone"}; !slices.Equal(whats, want) {
		t.Errorf("the audit log has %q, want %q", whats, want)
	}
}

func TestRedoCommand(t *testing.T) {
	t.Parallel()
	w := newPlanning(t)
	in := w.platform.Thread("C1", "1")
	user := bot.User{ID: "U1"}
	say := func(id, args string, at bot.Thread) string {
		return w.order(bot.Invocation{ID: id, Name: "redo", Args: args, Thread: at, User: user})
	}
	if got := say("a", "2", in); !strings.Contains(got, "no task here") {
		t.Errorf("without a task: %q", got)
	}
	w.say("write the report", in)
	w.replies(in, 1)
	w.settled()
	if got := say("b", "", in); !strings.Contains(got, "2. ❌ write") || !strings.Contains(got, "redo from step 2") {
		t.Errorf("the list is %q", got)
	}
	for _, args := range []string{"4", "0", "-1", "two", "99999999999999999999"} {
		if got := say("c"+args, args, in); !strings.Contains(got, "3 steps") {
			t.Errorf("redo %s: %q", args, got)
		}
	}
	outside := w.platform.Thread("C1", "") // as on Slack, where no command can be given in a thread
	if got := say("d", "#2", outside); !strings.Contains(got, "working on your answer") {
		t.Errorf("outside of the thread: %q", got)
	}
	posts := w.replies(in, 2)
	if got := w.lastAsked(); got.Redo.Step != 2 || !strings.Contains(posts[1].Card.Text, "from 2") {
		t.Errorf("asked with %+v, answered %q", got.Redo, posts[1].Card.Text)
	}
}

// TestRedoWaitsForQuestions: while a task waits for people, it cannot be redone by
// command; its own questions come first.
func TestRedoWaitsForQuestions(t *testing.T) {
	t.Parallel()
	w := newPlanning(t)
	in := w.platform.Thread("C1", "1")
	w.say("write the report", in)
	w.replies(in, 1)
	w.settled()
	w.agent.think = func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		res, err := carryOut(ctx, req, sink)
		raw, err2 := json.Marshal(agent.Ask{Question: "go on?", Actions: []agent.Action{{Verb: agent.VerbAccept}, {Verb: agent.VerbReject}}})
		if err != nil || err2 != nil || len(req.Decisions) > 0 {
			return res, err
		}
		return agent.Result{Interrupts: []agent.Interrupt{{ID: "q1", Kind: "plan", Node: "n", Payload: raw}}}, nil
	}
	w.say("write another one", in)
	if _, err := w.platform.AwaitPost(w.ctx, in, func(p bottest.Post) bool { return strings.Contains(p.Card.Text, "go on?") }); err != nil {
		t.Fatal(err)
	}
	w.settled()
	if got := w.order(bot.Invocation{Name: "redo", Args: "2", Thread: in, User: bot.User{ID: "U1"}}); !strings.Contains(got, "still running") {
		t.Errorf("while it waits: %q", got)
	}
}
