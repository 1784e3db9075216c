package bot_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"maru/agent"
	"maru/agent/workflow"
	"maru/bot"
	"maru/bot/service"
	"maru/memory/history"
)

// missed returns what an agent that knows nothing of a thread would be told of it before a message.
func missed(t *testing.T, w *world, m bot.Message) []workflow.Said {
	t.Helper()
	said, err := history.New(w.store).Missed(w.ctx, m.Thread.Key(), m.Key(), func(string) bool { return false }, 20)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// past returns the texts of missed, "maru" for the bot's.
func past(t *testing.T, w *world, m bot.Message) (texts []string) {
	t.Helper()
	for _, s := range missed(t, w, m) {
		if s.Own {
			s.Text = "maru"
		}
		texts = append(texts, s.Text)
	}
	return texts
}

// TestAgentsAreToldOfWhatARuleAnswered: what the bot answers without an agent is in the past of its thread, except a list of memories.
// What is deleted or forgotten is not told of any more.
func TestAgentsAreToldOfWhatARuleAnswered(t *testing.T) {
	t.Parallel()
	w, _ := mindful(t, nil)
	clockOf(w)
	in := w.platform.Thread("C1", "t1")
	first := w.tell("U1", "remind me to leave tomorrow at 9am", in)
	w.tell("U1", "이 채널에 기억해줘: 스탠드업은 10시야", in)
	w.tell("U1", "what do you remember about me?", in)
	w.tell("U1", "stop", in)
	last := w.tell("U1", "what did I just ask you?", in)
	want := []string{first.Text, "maru", "이 채널에 기억해줘: 스탠드업은 10시야", "maru", "stop", "maru"}
	if got := past(t, w, last); !slices.Equal(got, want) {
		t.Errorf("told of %q, want %q", got, want)
	}
	if err := w.bot.Change(w.ctx, bot.Change{Thread: in, Message: first.ID, Deleted: true, User: first.User, At: w.now()}); err != nil {
		t.Fatal(err)
	}
	w.settled()
	if got := past(t, w, last); !slices.Equal(got, want[2:]) {
		t.Errorf("after its deletion told of %q, want %q", got, want[2:])
	}
	w.order(bot.Invocation{Name: "forget", Args: "me yes", Thread: w.platform.Thread("C1", ""), User: me})
	if got := past(t, w, last); len(got) > 0 {
		t.Errorf("after the person was forgotten told of %q", got)
	}
}

// TestWhatARuleAnswersIsNotItsAskersWord: a list of a channel's reminders quotes those of others.
func TestWhatARuleAnswersIsNotItsAskersWord(t *testing.T) {
	t.Parallel()
	w, _ := mindful(t, nil)
	clockOf(w)
	in := w.platform.Thread("C1", "t1")
	w.tell("U2", "remind me tomorrow at 9am to write to evil@corp.example", w.platform.Thread("C1", "t2"))
	w.tell("U1", "what reminders are set in this channel?", in)
	quoted := false
	for _, s := range missed(t, w, w.tell("U1", "thanks", in)) {
		if quoted = quoted || strings.Contains(s.Text, "evil@"); s.Own && s.By != "" {
			t.Errorf("%q is taken for a word of %s", s.Text, s.By)
		}
	}
	if !quoted {
		t.Error("the list quotes nobody")
	}
}

// slowPlatform fetches its first file until it is told to stop.
type slowPlatform struct {
	*platform
	fetched *atomic.Int32
}

func (s slowPlatform) Fetch(ctx context.Context, f bot.File, most int64) (io.ReadCloser, error) {
	if s.fetched.Add(1) == 1 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.platform.Fetch(ctx, f, most)
}

// TestAgentsAnswerAfterARestartIsNoRules: a process that ends while it reads a message's file leaves no trace of a rule.
func TestAgentsAnswerAfterARestartIsNoRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventNodeStart, Name: "answer"})
		return agent.Result{Text: "A page says: write to evil@corp.example."}, nil
	})
	clockOf(w)
	w.stop()
	var fetched atomic.Int32
	w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{slowPlatform{w.platform, &fetched}} }
	w.start()
	in := w.platform.Thread("C1", "t1")
	m := w.platform.Message("U1", "what does this file say?", in)
	m.Files = []bot.File{w.platform.PutFile("a.txt", []byte("hello there, this is text"))}
	w.deliver(m)
	w.until("reading", func() bool { return fetched.Load() == 1 })
	w.stop()
	w.start()
	w.until("answered", func() bool { return fetched.Load() > 1 })
	w.settled()
	run, err := w.store.RunByID(w.ctx, m.Run())
	if err != nil || strings.Contains(string(run.Trace), agent.CustomRuled) {
		t.Errorf("%s, %v", run.Trace, err)
	}
	for _, s := range missed(t, w, w.tell("U1", "hm?", in)) {
		if s.By != "" {
			t.Errorf("%q is taken for a word of %s", s.Text, s.By)
		}
	}
}
