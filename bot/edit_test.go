package bot_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/config"
)

// edit changes a message as its author would.
func (w *world) edit(m bot.Message, text string) {
	w.t.Helper()
	if err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Text: text, User: m.User, At: time.Now()}); err != nil {
		w.t.Fatal(err)
	}
}

// newWorldOn returns a world where an edit does what policy says.
func newWorldOn(t *testing.T, policy string, think func(context.Context, agent.Request, agent.Sink) (agent.Result, error)) *world {
	t.Helper()
	w := newWorld(t, think)
	if err := w.store.SetSetting(w.ctx, bot.Setting{Place: "fake/T1/C1", Key: "on_edit", Value: []byte(`"` + policy + `"`), By: "U1"}); err != nil {
		t.Fatal(err)
	}
	return w
}

// stalls thinks about questions with "slow" in them until told.
func stalls(at chan<- string, gate <-chan struct{}) func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
	return func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if strings.Contains(req.Text, "slow") {
			sink(agent.Event{Kind: agent.EventToken, Text: "the old words say so much "})
			at <- req.Text
			select {
			case <-gate:
			case <-ctx.Done():
				return agent.Result{}, context.Cause(ctx)
			}
		}
		return echo(ctx, req, sink)
	}
}

// A question that is edited while it is answered is answered as it reads
// then, in the same reply; by its setting the run goes on instead.
func TestEditedWhileAnswered(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]string{
		config.EditRestart: "echo: quick words", config.EditAgain: "echo: quick words", config.EditKeep: "echo: slow words",
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			at, gate := make(chan string, 8), make(chan struct{})
			w := newWorldOn(t, policy, stalls(at, gate))
			m := w.say("slow words", w.platform.Thread("C1", ""))
			<-at
			w.edit(m, "quick words")
			if policy == config.EditKeep {
				close(gate)
			}
			got := w.replies(m.Thread, 1)
			w.settled()
			if got[0].Card.Text != want || strings.Contains(got[0].Card.Text, "old words") {
				t.Errorf("answer %+v", got[0].Card)
			}
			if posts := w.platform.Posts(m.Thread); len(posts) != 1 {
				t.Errorf("%d replies", len(posts))
			}
			asked := w.agent.asked()
			if n := len(asked); policy != config.EditKeep && (n != 2 || asked[0].Run == asked[1].Run || asked[0].Message != asked[1].Message) {
				t.Errorf("%d runs", n)
			}
			if policy != config.EditKeep && len(w.agent.unlearned()) == 0 {
				t.Error("what was begun is not forgotten")
			}
		})
	}
}

// A question that is edited, or deleted, before its turn comes is answered as it
// reads then, or not at all.
func TestChangedBeforeItsTurn(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{config.EditRestart, config.EditKeep} {
		at, gate := make(chan string, 8), make(chan struct{})
		w := newWorldOn(t, policy, stalls(at, gate))
		root := w.say("slow words", w.platform.Thread("C1", ""))
		<-at
		second, third := w.say("the frist number", root.Thread), w.say("never mind", root.Thread)
		w.edit(second, "the first number")
		if err := w.bot.Change(w.ctx, bot.Change{Thread: third.Thread, Message: third.ID, Deleted: true, User: third.User, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		close(gate)
		w.replies(root.Thread, 2)
		w.settled()
		if posts := w.platform.Posts(root.Thread); len(posts) != 2 || posts[1].Card.Text != "echo: the first number" {
			t.Errorf("%s: replies %+v", policy, posts)
		}
		for _, r := range w.agent.asked() {
			if strings.Contains(r.Text, "frist") || strings.Contains(r.Text, "never") {
				t.Errorf("%s: the agent was asked %q", policy, r.Text)
			}
		}
	}
}

// Fast typists: every edit counts, the last one is what is answered.
func TestEditedManyTimes(t *testing.T) {
	t.Parallel()
	at := make(chan string, 64)
	w := newWorld(t, stalls(at, nil))
	m := w.say("slow 0", w.platform.Thread("C1", ""))
	<-at
	var typing sync.WaitGroup
	for _, text := range []string{"slow 1", "slow 2", "slow 3"} {
		typing.Go(func() { w.edit(m, text) })
	}
	typing.Wait()
	w.edit(m, "the end")
	got := w.replies(m.Thread, 1)
	w.settled()
	if got[0].Card.Text != "echo: the end" || len(w.platform.Posts(m.Thread)) != 1 {
		t.Errorf("%+v", w.platform.Posts(m.Thread))
	}
}

// A question that is edited after its answer is answered again only where the
// place wants it, and then once, however often the edit is delivered.
func TestEditedAfterTheAnswer(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]int{config.EditRestart: 1, config.EditAgain: 2, config.EditKeep: 1} {
		w := newWorldOn(t, policy, echo)
		m := w.say("how many?", w.platform.Thread("C1", ""))
		w.replies(m.Thread, 1)
		w.settled()
		c := bot.Change{Thread: m.Thread, Message: m.ID, Text: "how many days?", User: m.User, At: time.Now().Add(time.Millisecond)}
		for range 3 {
			if err := w.bot.Change(w.ctx, c); err != nil {
				t.Fatal(err)
			}
		}
		got := w.replies(m.Thread, want)
		w.settled()
		if posts := w.platform.Posts(m.Thread); len(posts) != want {
			t.Errorf("%s: %d replies", policy, len(posts))
		}
		if last := got[len(got)-1].Card; want == 2 && (last.Text != "echo: how many days?" || last.Footer == "") {
			t.Errorf("%+v", last)
		}
	}
}

// Two edits in one tick of the platform's clock are two, and each is one however often it is delivered.
func TestTwoEditsInOneTick(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t, config.EditAgain, echo)
	m := w.say("how many?", w.platform.Thread("C1", ""))
	w.replies(m.Thread, 1)
	w.settled()
	at := time.Now().Truncate(time.Second)
	for n, text := range []string{"how many days?", "how many hours?"} {
		for range 2 {
			if err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Text: text, User: m.User, At: at}); err != nil {
				t.Fatal(err)
			}
			w.settled()
		}
		got := w.replies(m.Thread, n+2)
		if len(got) != n+2 || got[n+1].Card.Text != "echo: "+text {
			t.Fatalf("after %q: %+v", text, got)
		}
	}
}

// TestAnOlderEditComesAfterANewerOne: the first delivery of an edit failed, and the platform delivers it again after the next edit.
func TestAnOlderEditComesAfterANewerOne(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t, config.EditAgain, echo)
	m := w.say("how much?", w.platform.Thread("C1", ""))
	w.replies(m.Thread, 1)
	w.settled()
	at := time.Now()
	older := bot.Change{Thread: m.Thread, Message: m.ID, Text: "how man days?", User: m.User, At: at.Add(time.Millisecond)}
	newer := older
	newer.Text, newer.At = "how many days?", at.Add(2*time.Millisecond)
	for _, c := range []bot.Change{newer, older, newer, older} {
		if err := w.bot.Change(w.ctx, c); err != nil {
			t.Fatal(err)
		}
		w.settled()
	}
	if e, err := w.store.Entry(w.ctx, m.Thread.Key(), m.Key()); err != nil || e.Text != newer.Text {
		t.Errorf("the record has %q, %v", e.Text, err)
	}
	if posts := w.replies(m.Thread, 2); len(posts) != 2 || posts[1].Card.Text != "echo: how many days?" {
		t.Errorf("%+v", posts)
	}
}

// What was answered when it was edited is known whatever the clocks: the bot's may go
// minutes before or behind the record's.
func TestEditedAfterTheAnswerByAnotherClock(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]int{config.EditAgain: 2, config.EditRestart: 1} {
		for _, skew := range []time.Duration{5 * time.Minute, -5 * time.Minute} {
			at, gate := make(chan string, 8), make(chan struct{})
			w := newWorldOn(t, policy, stalls(at, gate))
			w.stop()
			w.change = func(c *service.Config) { c.Now = func() time.Time { return time.Now().Add(skew) } }
			w.start()
			m := w.say("slow words", w.platform.Thread("C1", ""))
			<-at
			w.edit(m, "quick words") // its run begins again, and this is no second question
			w.replies(m.Thread, 1)
			w.settled()
			if posts := w.platform.Posts(m.Thread); len(posts) != 1 || posts[0].Card.Text != "echo: quick words" {
				t.Errorf("%s, %v, while it is answered: %+v", policy, skew, posts)
			}
			w.edit(m, "better words")
			w.settled()
			if posts := w.platform.Posts(m.Thread); len(posts) != want || want == 2 && posts[1].Card.Text != "echo: better words" {
				t.Errorf("%s, %v, after the answer: %+v", policy, skew, posts)
			}
		}
	}
}

// A question that is edited while its run waits for approval is asked about again:
// the old plan cannot be approved any more.
func TestEditedWhileItWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if strings.Contains(req.Text, "plan") {
			return agent.Result{Interrupts: []agent.Interrupt{{
				ID: "i-" + req.Run, Kind: "plan", Payload: []byte(`{"question":"Shall I do ` + req.Text + `?"}`),
			}}}, nil
		}
		return echo(ctx, req, sink)
	})
	m := w.say("a plan", w.platform.Thread("C1", ""))
	old := waitingCard(w, m).Buttons[0]
	w.edit(m, "a better plan")
	if _, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool {
		return strings.Contains(p.Card.Text, "a better plan") && len(p.Card.Buttons) > 0 && p.Card.Buttons[0].ID != old.ID
	}); err != nil {
		t.Fatal(err)
	}
	if ans, err := w.bot.Action(w.ctx, bot.Action{ID: old.ID, Verb: old.Verb, Thread: m.Thread, User: m.User, At: time.Now()}); err != nil || ans.Card == nil {
		t.Errorf("the old plan's button: %+v, %v", ans, err)
	}
	w.edit(m, "just words")
	if got := w.replies(m.Thread, 1); got[0].Card.Text != "echo: just words" || len(w.platform.Posts(m.Thread)) != 1 {
		t.Errorf("%+v", w.platform.Posts(m.Thread))
	}
	for _, r := range w.agent.asked() {
		if len(r.Decisions) > 0 {
			t.Errorf("decisions %+v", r.Decisions)
		}
	}
}

// Words that decide are read when their turn comes, too: a yes that was made a no
// meanwhile approves nothing.
func TestEditedYes(t *testing.T) {
	t.Parallel()
	at, gate := make(chan string, 8), make(chan struct{})
	slow := stalls(at, gate)
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if strings.Contains(req.Text, "mail") {
			return asking(ctx, req, sink)
		}
		return slow(ctx, req, sink)
	})
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	waitingCard(w, m)
	w.say("slow aside?", m.Thread)
	<-at
	yes := w.say("yes", m.Thread)
	w.edit(yes, "no")
	close(gate)
	if _, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return strings.Contains(p.Card.Text, "sent") && p.Card.Final }); err != nil {
		t.Fatal(err)
	}
	for _, p := range w.platform.Posts(m.Thread) {
		if strings.HasPrefix(p.Card.Text, "sent") {
			t.Errorf("%q", p.Card.Text)
		}
	}
}

// A change of a message that the bot has not kept is none of its business: the
// platform must not deliver it for ever.
func TestChangeOfSomethingUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	m := w.say("hello", w.platform.Thread("C1", ""))
	w.replies(m.Thread, 1)
	for _, deleted := range []bool{false, true} {
		err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: "from-before", Text: "x", Deleted: deleted, At: time.Now()})
		if err != nil {
			t.Errorf("deleted %v: %v", deleted, err)
		}
	}
}

// What the new words of a question taught stays learned, whether its change has its
// turn before the answer or after it; what the old ones taught does not.
func TestEditedWordsAreLearned(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{config.EditRestart, config.EditAgain} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			w, memory := mindful(t, nil)
			if err := w.store.SetSetting(w.ctx, bot.Setting{Place: "fake/T1/C1", Key: "on_edit", Value: []byte(`"` + policy + `"`), By: "U1"}); err != nil {
				t.Fatal(err)
			}
			at, gate := make(chan string, 8), make(chan struct{})
			slow := stalls(at, gate)
			think := w.agent.think
			w.agent.think = func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				if res, err := slow(ctx, req, sink); err != nil {
					return res, err
				}
				return think(ctx, req, sink)
			}
			m := w.say("My team is slow data.", w.platform.Thread("C1", ""))
			if <-at; policy == config.EditAgain {
				close(gate)
				w.replies(m.Thread, 1)
				w.learned()
			}
			w.edit(m, "My team is sales.")
			w.learned()
			known, err := memory.Load().Known(w.ctx, "fake/T1/U1")
			if err != nil || len(known) != 1 || !strings.Contains(known[0].Text, "sales") {
				t.Errorf("known: %+v, %v", known, err)
			}
		})
	}
}

func TestDeletedQuestion(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	w := newWorld(t, func(ctx context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "about the secret"})
		close(started)
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	m := w.say("the secret plan", w.platform.Thread("C1", ""))
	<-started
	if err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Deleted: true, At: m.At}); err != nil {
		t.Fatal(err)
	}
	if text := w.replies(m.Thread, 1)[0].Card.Text; !strings.Contains(text, "deleted") || strings.Contains(text, "secret") {
		t.Errorf("reply: %q", text)
	}
	w.settled()
	entries, err := w.bot.Transcript(w.ctx, m.Thread, 10)
	if err != nil {
		t.Fatal(err)
	}
	if entries[0].Text != "" || !entries[0].Deleted {
		t.Errorf("the transcript still has %q", entries[0].Text)
	}
	if len(w.agent.amended) != 1 || w.agent.amended[0] != m.Key() {
		t.Errorf("the agent was told of %v", w.agent.amended)
	}
}
