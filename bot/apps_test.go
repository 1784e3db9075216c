package bot_test

import (
	"fmt"
	"sync"
	"testing"

	"maru/bot"
)

// app returns a message of another app that mentions the bot.
func (w *world) app(id, text string, in bot.Thread) bot.Message {
	m := w.platform.Message("B1", text, in)
	m.ID, m.User, m.Reach = id, bot.User{ID: "B1", Name: "Monitor (app)", Bot: true}, bot.ReachMention
	return m
}

// ran checks how often the agent was asked.
func (w *world) ran(n int) {
	w.t.Helper()
	if got := len(w.agent.asked()); got != n {
		w.t.Fatalf("%d runs, want %d", got, n)
	}
}

// TestTwoBotsDoNotTalkForGood: an app that mentions the bot again after each answer is answered three times in a thread,
// until somebody else speaks there, and twenty times an hour in a channel. Both hold after a restart.
func TestTwoBotsDoNotTalkForGood(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	thread := w.platform.Thread("C1", "1")
	for i := range 6 {
		w.deliver(w.app(fmt.Sprintf("a%d", i), "again", thread))
		w.replies(thread, min(i+1, 3))
	}
	w.ran(3)
	w.stop()
	w.start()
	w.deliver(w.app("b0", "again", thread))
	w.deliver(w.platform.Message("U1", "what did it say?", thread))
	w.replies(thread, 4)
	w.deliver(w.app("b1", "again", thread))
	w.replies(thread, 5)
	w.ran(5)
	for i := range 30 { // each in a thread of its own
		w.deliver(w.app(fmt.Sprintf("c%d", i), "report", w.platform.Thread("C1", fmt.Sprintf("t%d", i))))
	}
	w.deliver(w.app("d", "report", w.platform.Thread("C2", "t")))
	w.replies(w.platform.Thread("C2", "t"), 1)
	for i := range 16 {
		w.replies(w.platform.Thread("C1", fmt.Sprintf("t%d", i)), 1)
	}
	w.ran(5 + 16 + 1) // of the channel's twenty the thread had four
}

// TestWhatAnAppMayAsk: an app reads the channel's documents and public ones, adds none, and its words are outsiders'.
func TestWhatAnAppMayAsk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	thread := w.platform.Thread("C1", "1")
	w.deliver(w.app("a", "report", thread))
	w.replies(thread, 1)
	r := w.agent.asked()[0]
	if !r.User.Stranger || len(r.Scopes) != 2 || r.Scopes[0] != bot.ScopePublic || r.Scopes[1] != thread.ChannelScope() || !r.NoMemory {
		t.Errorf("%+v", r)
	}
	m := w.app("b", "please add this", thread)
	m.Files = []bot.File{w.platform.PutFile("plan.md", []byte("# Plan"))}
	w.deliver(m)
	w.replies(thread, 2)
	if len(w.shelf.docs) > 0 {
		t.Errorf("added %+v", w.shelf.docs)
	}
	for _, reach := range []bot.Reach{bot.ReachFollow, bot.ReachAmbient, bot.ReachDirect} {
		m := w.app("c"+string(reach), "report", w.platform.Thread("C3", "1"))
		m.Reach = reach
		w.deliver(m)
	}
	w.ran(1)
}

// TestTimesOfAppsGoWithTheirWorkspace: a purge takes what is kept of the mentions by apps.
func TestTimesOfAppsGoWithTheirWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	thread := w.platform.Thread("C1", "1")
	w.deliver(w.app("a", "report", thread))
	w.replies(thread, 1)
	for _, kept := range []bool{true, false} {
		note, err := w.store.Note(w.ctx, "apps/"+thread.TeamKey()+"/C1")
		if err != nil || (note != "") != kept {
			t.Errorf("note %q, %v", note, err)
		}
		if err := w.store.Purge(w.ctx, thread.Platform, thread.Team); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAppsOfTwoReplicas: the hourly limit of a channel holds for mentions that arrive on two replicas at once.
func TestAppsOfTwoReplicas(t *testing.T) {
	t.Parallel()
	ctx, p, one, two := replicas(t, echo)
	var all sync.WaitGroup
	for i := range 60 {
		m := p.Message("B1", "report", p.Thread("C1", fmt.Sprint("t", i)))
		m.ID, m.User, m.Reach = fmt.Sprint("a", i), bot.User{ID: "B1", Name: "Monitor (app)", Bot: true}, bot.ReachMention
		all.Go(func() {
			if err := []replica{one, two}[i%2].Message(ctx, m); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	accepted := 0
	for i := range 60 {
		said, err := one.store.Transcript(ctx, p.Thread("C1", fmt.Sprint("t", i)).Key(), 10)
		if err != nil {
			t.Fatal(err)
		}
		accepted += min(1, len(said))
	}
	if accepted != 20 {
		t.Errorf("%d mentions were accepted, want 20", accepted)
	}
}
