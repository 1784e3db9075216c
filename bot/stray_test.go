package bot_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// slowLine carries out a question's first post, and its first edit, only when they are landed.
type slowLine struct {
	*fakePlatform

	mu         sync.Mutex
	post, edit func()
	sent       chan string
	blind      bool // second copies cannot be searched
}

func (s *slowLine) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	if !s.holds(&s.post, asksOn(c), func() { _, _ = s.fakePlatform.Post(context.WithoutCancel(ctx), to, c, key) }) {
		return s.fakePlatform.Post(ctx, to, c, key)
	}
	s.sent <- "post"
	<-ctx.Done()
	return bot.Ref{}, ctx.Err()
}

func (s *slowLine) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	if !s.holds(&s.edit, asksOn(c), func() { _, _ = s.fakePlatform.Edit(context.WithoutCancel(ctx), ref, c) }) {
		return s.fakePlatform.Edit(ctx, ref, c)
	}
	s.sent <- "edit"
	<-ctx.Done()
	return ref, ctx.Err()
}

func asksOn(c bot.Card) bool { return len(c.Buttons) > 0 && c.Kind != bot.CardProgress }

func (s *slowLine) holds(slot *func(), asks bool, do func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !asks || *slot != nil {
		return false
	}
	*slot = do
	return true
}

// askTwice asks before a first and a second step.
func askTwice(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
	for i, id := range []string{"i1", "i2"} {
		if len(req.Decisions) <= i {
			return agent.Result{Interrupts: []agent.Interrupt{{ID: id, Kind: "plan", Payload: json.RawMessage(`{"question":"Go on with ` + id + `?"}`)}}}, nil
		}
	}
	return agent.Result{Text: "done"}, nil
}

// Twins implements the search of [slowLine]'s platform.
func (s *slowLine) Twins(ctx context.Context, to bot.Target, keys, known []string) ([]bot.Ref, error) {
	if s.blind {
		return nil, errDown
	}
	return s.fakePlatform.Twins(ctx, to, keys, known)
}

// TestAQuestionStandsOnceAfterTwoDeaths: the question's post takes effect after its process has died, and so does the edit of the
// next process, which made its draft the question. The person decides by the first copy. Both copies end, by the search for
// second copies or, where that is not possible, by the clicks on what is decided.
func TestAQuestionStandsOnceAfterTwoDeaths(t *testing.T) {
	t.Parallel()
	for name, blind := range map[string]bool{"by_the_look": false, "by_clicks": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ahead atomic.Int64
			drawn := make(chan struct{}, 1)
			w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				if len(req.Decisions) == 0 {
					select {
					case <-drawn:
					case <-ctx.Done():
					}
				}
				return askTwice(ctx, req, sink)
			})
			line := &slowLine{fakePlatform: w.platform, sent: make(chan string), blind: blind}
			w.platform.SetFacts(bot.Facts{SilentEdits: true})
			w.stop()
			w.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
			w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{line} }
			w.start()
			m := w.say("mail it", w.platform.Thread("C1", ""))
			for _, op := range []string{"post", "edit"} {
				if _, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return (p.Key == m.Run()) == (op == "post") }); err != nil {
					t.Fatal(err)
				}
				drawn <- struct{}{}
				select {
				case got := <-line.sent:
					if got != op {
						t.Fatalf("the platform got the %s of the question, want its %s", got, op)
					}
				case <-w.ctx.Done():
					t.Fatalf("no %s of the question was sent", op)
				}
				if op == "post" {
					w.stop()
					w.start()
				}
			}
			line.post()
			first, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return asksOn(p.Card) })
			if err != nil {
				t.Fatal(err)
			}
			press := func(p bottest.Post) {
				a := click(m, p.Card.Buttons[0], "U1")
				a.Message = p.ID
				w.act(a)
			}
			press(first)
			w.stop()
			w.start()
			drawn <- struct{}{}
			w.settled()
			line.edit()
			asking := func() []bottest.Post {
				return slices.DeleteFunc(w.platform.Posts(m.Thread), func(p bottest.Post) bool { return !asksOn(p.Card) })
			}
			all := asking()
			if len(all) != 3 {
				t.Fatalf("%+v ask, want two copies and the next question for a moment", all)
			}
			w.until("one question stands", func() bool {
				ahead.Add(int64(time.Minute))
				if blind {
					press(all[0])
					press(all[1])
				}
				return len(asking()) == 1
			})
			if got := asking()[0]; got.ID != all[2].ID {
				t.Errorf("%+v stands, want the next question", got)
			}
		})
	}
}

// TestStrayClicksOnPendingQuestions: a copy is not closed by a click while its question waits. Where the question's own message is
// deleted, it is posted again, with buttons that decide.
func TestStrayClicksOnPendingQuestions(t *testing.T) {
	t.Parallel()
	for name, deleted := range map[string]bool{"stands": false, "deleted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, asking)
			m := w.say("mail it", w.platform.Thread("C1", ""))
			card := waitingCard(w, m)
			w.until("the question's place is known", func() bool {
				row, err := w.store.ApprovalByID(w.ctx, card.Buttons[0].ID)
				return err == nil && !row.Ref.IsZero()
			})
			first := w.platform.Posts(m.Thread)[0]
			to := bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo}
			copied, err := w.platform.Post(w.ctx, to, card, "copy")
			if err != nil {
				t.Fatal(err)
			}
			if deleted {
				w.platform.Delete(first.ID)
			}
			a := click(m, card.Buttons[0], "U1")
			a.Message = copied.Messages[0]
			w.act(a)
			w.settled()
			posts := w.platform.Posts(m.Thread)
			if want := map[bool]string{false: "copy", true: m.Run()}[deleted]; len(posts) != 2 || w.state(card.Buttons[0].ID) != bot.ApprovalPending {
				t.Fatalf("%+v, want two with %s", posts, want)
			}
			last := posts[len(posts)-1]
			if !deleted {
				last = first
			}
			w.until("the question's new place is known", func() bool {
				row, err := w.store.ApprovalByID(w.ctx, card.Buttons[0].ID)
				return err == nil && slices.Contains(row.Ref.Messages, last.ID)
			})
			a.Message = last.ID
			w.act(a)
			w.until("it is decided", func() bool { return w.state(card.Buttons[0].ID) == bot.ApprovalDecided })
		})
	}
}

// TestDecidedBesideAnother: a message with a decided question stays as long as it asks another one.
func TestDecidedBesideAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, interrupting(planAsk(), planAsk()))
	m := w.say("mail it", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	post := w.platform.Posts(m.Thread)[0]
	a := click(m, button(t, card, "Approve 1"), "U1")
	a.Message = post.ID
	w.act(a)
	w.settled()
	w.act(a) // in vain
	w.settled()
	w.stop()
	w.start()
	posts := w.platform.Posts(m.Thread)
	last := posts[len(posts)-1]
	a = click(m, last.Card.Buttons[0], "U1")
	a.Message = last.ID
	w.act(a)
	w.until("the other is decided", func() bool { return w.state(a.ID) == bot.ApprovalDecided })
}

// aged is a platform whose messages all have one age.
type aged struct {
	*fakePlatform
	age time.Duration
}

func (a aged) Dated(string) time.Time { return time.Now().Add(-a.age) }

// TestYoungCopiesStay: a click on a copy of a decided question removes it, unless it is so young that its process may still store it.
func TestYoungCopiesStay(t *testing.T) {
	t.Parallel()
	for name, age := range map[string]time.Duration{"young": 0, "old": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, asking)
			w.stop()
			w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{aged{w.platform, age}} }
			w.start()
			m := w.say("mail it", w.platform.Thread("C1", ""))
			card := waitingCard(w, m)
			copied, err := w.platform.Post(w.ctx, bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo}, card, "copy")
			if err != nil {
				t.Fatal(err)
			}
			a := click(m, card.Buttons[0], "U1")
			w.act(a)
			w.settled()
			a.Message = copied.Messages[0]
			w.act(a)
			stands := func() bool {
				return slices.ContainsFunc(w.platform.Posts(m.Thread), func(p bottest.Post) bool { return p.Key == "copy" && asksOn(p.Card) })
			}
			if age > 0 {
				w.until("the copy is closed", func() bool { return !stands() })
				return
			}
			w.stop()
			if !stands() {
				t.Error("a young copy was closed")
			}
		})
	}
}
