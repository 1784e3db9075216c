package bot_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/rag"
)

// broken is a run that never ends before the process does, lives times; getting
// further or not. Then it answers.
type broken struct {
	lives   int64
	further agent.EventKind
	tried   atomic.Int64
	begun   chan struct{}
}

func (a *broken) think(ctx context.Context, r agent.Request, sink agent.Sink) (agent.Result, error) {
	if a.tried.Add(1) > a.lives {
		return agent.Result{Text: "at last"}, nil
	}
	if a.further != "" {
		sink(agent.Event{Kind: a.further, Node: "one more"})
	}
	a.begun <- struct{}{}
	<-ctx.Done()
	return agent.Result{}, ctx.Err()
}

// A process that dies again and again under a run that gets further is not the
// run's fault; a run that dies in the same place is given up, and says so.
func TestOnlyRunsThatGetNoFurtherAreGivenUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent *broken
		still time.Duration
		want  string
	}{
		"gets_further":      {&broken{lives: 8, further: agent.EventNodeEnd}, 1, "at last"},
		"a_call_is_further": {&broken{lives: 8, further: agent.EventToolResult}, 1, "at last"},
		"a_token_is_not":    {&broken{lives: 4, further: agent.EventToken}, 1, "stopped retrying"},
		"stays":             {&broken{lives: 4}, 1, "stopped retrying"},
		"stays_in_no_time":  {&broken{lives: 7}, time.Hour, "at last"},
		"kills_at_once":     {&broken{lives: 100}, time.Hour, "stopped retrying"},
		"never_an_end":      {&broken{lives: 100, further: agent.EventNodeEnd}, 1, "stopped retrying"},
		"a_few_crashes":     {&broken{lives: 2}, 1, "at last"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.agent.begun = make(chan struct{})
			w := newWorld(t, c.agent.think)
			w.stop()
			w.change = func(cfg *service.Config) { cfg.Attempts, cfg.Standstill = 3, c.still }
			w.start()
			root := w.platform.Thread("C1", "root")
			w.deliver(w.platform.Message("U1", "hello", root))
			ended := make(chan []string, 1)
			go func() {
				posts, err := w.platform.Await(w.ctx, root, 1)
				if err != nil {
					ended <- []string{err.Error()}
					return
				}
				ended <- []string{posts[0].Card.Text}
			}()
			for {
				select {
				case <-c.agent.begun:
					w.stop()
					w.start()
					continue
				case got := <-ended:
					if len(got) != 1 || !strings.Contains(got[0], c.want) {
						t.Errorf("after %d tries: %q, want %q", c.agent.tried.Load(), got, c.want)
					}
				}
				break
			}
			if n := c.agent.tried.Load(); n > 5*3 {
				t.Errorf("tried %d times", n)
			}
		})
	}
}

// fake has another name than its method, so that it can be embedded.
type fake = bottest.Platform

// reluctant is a platform that takes no card until it is told to.
type reluctant struct {
	*fake
	tried chan bot.Card
	take  chan struct{}
}

func (r *reluctant) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	select {
	case r.tried <- c:
	case <-ctx.Done():
		return bot.Ref{}, errDown
	}
	select {
	case <-r.take:
		return r.fake.Post(ctx, to, c, key)
	case <-ctx.Done():
		return bot.Ref{}, errDown
	}
}

// A run that dies while its question is posted is given up in the end, and the
// question with it: whoever was about to post it finds nothing to post.
func TestQuestionEndsWithARunThatIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asking)
	w.stop()
	slow := &reluctant{w.platform, make(chan bot.Card), make(chan struct{})}
	w.change = func(cfg *service.Config) {
		cfg.Attempts, cfg.SignOfLife, cfg.Adapters = 1, time.Hour, []bot.Adapter{slow}
	}
	w.start()
	root := w.platform.Thread("C1", "root")
	w.deliver(w.platform.Message("U1", "send a mail", root))
	tries := 0
	for card := range slow.tried {
		if card.Final {
			break
		}
		if len(card.Buttons) == 0 {
			t.Fatalf("the card asks nothing: %+v", card)
		}
		tries++
		w.stop()
		w.start()
	}
	if tries != 5 { // a run that waits is not at fault: it has every try there is
		t.Errorf("given up after %d tries", tries)
	}
	rows, err := w.store.PendingApprovals(w.ctx, root.Key(), 10)
	if err != nil || len(rows) != 1 {
		t.Fatalf("approvals %+v, %v", rows, err)
	}
	for _, show := range []string{"post.1", "remind"} { // as the sweep does
		_, err = w.store.Put(w.ctx, bot.Item{
			ID: "approval/" + rows[0].ID + "/" + show, Thread: root.Key(), Kind: bot.ItemResume,
			Body: fmt.Appendf(nil, `{"approval":%q,"show":%q}`, rows[0].ID, show),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	close(slow.take)
	go func() {
		for range slow.tried { // whatever else is posted is taken
		}
	}()
	defer close(slow.tried)
	w.settled()
	posts := w.platform.Posts(root)
	if len(posts) != 1 || !posts[0].Card.Final || len(posts[0].Card.Buttons) > 0 || !strings.Contains(posts[0].Card.Text, "stopped retrying") {
		t.Errorf("the thread shows %+v", posts)
	}
	if row, err := w.store.ApprovalByID(w.ctx, rows[0].ID); err != nil || row.State != bot.ApprovalRevoked {
		t.Errorf("the approval is %s, %v", row.State, err)
	}
	ans, err := w.bot.Action(w.ctx, bot.Action{ID: rows[0].ID, Verb: "accept", Thread: root, User: bot.User{ID: "U1"}})
	if err != nil || ans.Card == nil || !strings.Contains(ans.Card.Text, "withdrawn") {
		t.Errorf("a late click is told %+v, %v", ans.Card, err)
	}
	w.stop()
}

// A run that dies for good after a decision says so too: its card would stand
// there as if the work went on.
func TestRunGivenUpAfterADecisionSaysSo(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	w := newWorld(t, func(ctx context.Context, r agent.Request, sink agent.Sink) (agent.Result, error) {
		if len(r.Decisions) == 0 {
			return asking(ctx, r, sink)
		}
		begun <- struct{}{}
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	id := waitingCard(w, m).Buttons[0].ID
	w.stop()
	w.change = func(cfg *service.Config) { cfg.Attempts, cfg.Standstill = 2, 1 }
	w.start()
	if _, err := w.bot.Action(w.ctx, bot.Action{ID: id, Verb: "accept", Thread: m.Thread, User: bot.User{ID: "U1"}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		<-begun
		w.stop()
		w.start()
	}
	posts := w.replies(m.Thread, 1)
	w.settled()
	if len(posts) != 1 || !strings.Contains(posts[0].Card.Text, "stopped retrying") || len(posts[0].Card.Buttons) > 0 {
		t.Errorf("replies: %+v", posts)
	}
}

// dying is a library that never gets done with a file before the process ends.
type dying struct {
	bot.Library
	begun chan struct{}
}

func (d dying) Add(ctx context.Context, _ bot.NewDocument) (rag.Document, error) {
	d.begun <- struct{}{}
	<-ctx.Done()
	return rag.Document{}, ctx.Err()
}

// Whoever pressed the button that adds a file learns that it is not added.
func TestAFileThatIsGivenUpIsToldOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	m, button := offered(t, w)
	w.stop()
	begun := make(chan struct{})
	w.change = func(cfg *service.Config) {
		cfg.Attempts, cfg.Standstill = 2, 1
		cfg.Library = dying{cfg.Library, begun}
	}
	w.start()
	if _, err := w.bot.Action(w.ctx, bot.Action{ID: button.ID, Verb: button.Verb, Thread: m.Thread, User: bot.User{ID: "U1"}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		<-begun
		w.stop()
		w.start()
	}
	w.settled()
	posts := w.platform.Posts(m.Thread)
	if len(posts) != 1 || !strings.Contains(posts[0].Card.Text, "stopped retrying") || len(posts[0].Card.Buttons) > 0 {
		t.Errorf("posts: %+v", posts)
	}
}
