package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
	"maru/config"
	"maru/memory/longterm"
)

// rush begins threads in places of a workspace, each with a question that may hang.
func (w *world) rush(team string, places, threads int) {
	w.t.Helper()
	for p := range places {
		for i := range threads {
			w.deliver(by(fmt.Sprintf("U1%d", i), in(team, fmt.Sprintf("C%d", p+1), fmt.Sprintf("%03d", i), "hang")))
		}
	}
}

// in returns a question that begins a thread.
func in(team, channel, id, text string) bot.Message {
	return bot.Message{
		ID: id, Order: id, Thread: bot.Thread{Platform: "fake", Team: team, Channel: channel, ID: id},
		User: bot.User{ID: "U1"}, Reach: bot.ReachMention, Text: text,
	}
}

func by(user string, m bot.Message) bot.Message {
	m.User.ID = user
	return m
}

// hangs answers what does not ask it to hang.
func hangs(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	if req.Text == "hang" {
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	}
	return echo(ctx, req, sink)
}

const workers = 16

// TestOthersAreServedWhileRunsHang of one person, in a place, in a few, or in all places of a workspace.
func TestOthersAreServedWhileRunsHang(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begin func(*world)
		have  int // workers that they get
		other bot.Message
	}{
		"one_person": {func(w *world) {
			for i := range 3 * workers {
				w.deliver(in("T1", "C1", fmt.Sprint(100+i), "hang"))
			}
		}, 11, by("U2", in("T1", "C1", "1", "hello"))},
		"one_place":  {func(w *world) { w.rush("T1", 1, 3*workers) }, 12, in("T1", "other", "1", "hello")},
		"two_places": {func(w *world) { w.rush("T1", 2, 3*workers) }, 14, in("T1", "other", "1", "hello")},
		"workspace":  {func(w *world) { w.rush("T1", 3*workers, 1) }, 15, in("T2", "C1", "1", "hello")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, hangs)
			w.stop()
			w.change = func(c *service.Config) { c.Workers = workers }
			w.start()
			known := in("T2", "other", "0", "hello") // the workspace
			w.deliver(known)
			w.replies(known.Thread, 1)
			c.begin(w)
			w.until("they have their share", func() bool { return len(w.agent.asked()) > c.have })
			w.deliver(c.other)
			w.replies(c.other.Thread, 1)
		})
	}
}

// TestOthersAreServedWhileOldRunsHang: what was left behind by a process is shared out as what
// comes.
func TestOthersAreServedWhileOldRunsHang(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hangs)
	w.stop()
	w.change = func(c *service.Config) { c.Record = deaf{c.Record} }
	w.start()
	w.rush("T1", 1, 3*workers)
	other := in("T1", "other", "1", "hello")
	w.deliver(other)
	w.stop()
	w.change = func(c *service.Config) { c.Workers = workers }
	w.start()
	w.replies(other.Thread, 1)
}

// TestAllOfAPlaceAreAnswered, however few workers it may have: those that others leave, and
// what was left behind too.
func TestAllOfAPlaceAreAnswered(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, workers} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			w.stop()
			w.change = func(c *service.Config) { c.Record = deaf{c.Record} }
			w.start()
			w.rush("T1", 2, 2*n+1)
			w.stop()
			w.change = func(c *service.Config) { c.Workers = n }
			w.start()
			w.rush("T2", 2, 2*n+1)
			w.settled()
			if got := len(w.agent.asked()); got != 4*(2*n+1) {
				t.Errorf("%d answers", got)
			}
		})
	}
}

// stuck is a platform that never says what came of an upload in some channels, nor of a post
// if posts.
type stuck struct {
	*fake
	posts bool
}

func (s stuck) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	if s.posts && strings.HasPrefix(to.Thread.Channel, "C") {
		<-ctx.Done()
		return bot.Ref{}, ctx.Err()
	}
	return s.fake.Post(ctx, to, c, key)
}

func (s stuck) Upload(ctx context.Context, p bot.Parcel) error {
	if strings.HasPrefix(p.To.Thread.Channel, "C") {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.fake.Upload(ctx, p)
}

// TestFilesComeWhileOthersDoNot: while those of other places are not taken, nor lessons
// from the model.
func TestFilesComeWhileOthersDoNot(t *testing.T) {
	t.Parallel()
	reflecting := make(chan struct{}, 100)
	w, _ := mindful(t, func(ctx context.Context, _, _ string) ([]longterm.PreferenceLesson, error) {
		reflecting <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	w.stop()
	change := w.change
	w.agent.think = makes(report)
	w.change = func(c *service.Config) {
		change(c)
		c.Adapters = []bot.Adapter{stuck{fake: w.platform}}
	}
	w.start()
	for i := range 6 {
		w.deliver(in("T1", "telling", fmt.Sprintf("1%d", i), "I am in charge of the budget"))
	}
	for range 3 {
		<-reflecting
	}
	w.rush("T1", 5, 1)
	asked := in("T1", "other", "1", "make it")
	w.deliver(asked)
	if _, err := w.platform.Parcels(w.ctx, 7); err != nil { // with those of whom the lessons are about
		t.Error(err)
	}
}

// TestOthersAreServedWhileAnswersAreNotTaken in more places than there are workers.
func TestOthersAreServedWhileAnswersAreNotTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.stop()
	w.change = func(c *service.Config) {
		c.Workers, c.Adapters = workers, []bot.Adapter{stuck{fake: w.platform, posts: true}}
	}
	w.start()
	w.rush("T1", workers+3, 1)
	other := in("T1", "other", "1", "hello")
	w.deliver(other)
	w.replies(other.Thread, 1)
}

// lasting is a library that is never done with what a workspace left behind.
type lasting struct {
	*shelf
	began chan struct{}
}

func (l lasting) PurgeTeam(ctx context.Context, _ string) error {
	close(l.began)
	<-ctx.Done()
	return ctx.Err()
}

// TestQuestionsExpireWhileAWorkspaceIsCleanedUp, however long that takes.
func TestQuestionsExpireWhileAWorkspaceIsCleanedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if len(req.Decisions) > 0 && req.Decisions[0].Expired {
			return agent.Result{Text: "nobody answered"}, nil
		}
		return asking(ctx, req, sink)
	})
	began := make(chan struct{})
	w.change = func(c *service.Config) { c.Library = lasting{w.shelf, began} }
	forward := clockOf(w)
	row := w.join("T2")
	row.State, row.OnLeave, row.Secret = bot.InstallLeaving, config.LeavePurge, nil
	if _, err := w.store.SaveInstallation(w.ctx, row); err != nil {
		t.Fatal(err)
	}
	<-began
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	waitingCard(w, m)
	forward(30 * 24 * time.Hour)
	awaitCard(w, m, func(c bot.Card) bool { return c.Final && strings.Contains(c.Text, "nobody answered") })
}
