package discord_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

func TestReplyIsFoundByTheNextProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("hello")
	long := text(strings.Repeat("긴 대답입니다. ", 400))
	ref := w.post(m, long, "run-1")
	w.post(m, text("another"), "run-2")
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.fake.ForgetNonces()
	next := w.in.heir()
	a, ended, cancel := run(w.ctx, t, w.fake, next, discord.Config{})
	defer func() { cancel(); <-ended }()
	w.settle("the next process", func() bool { return len(w.fake.Identifies()) == 2 && w.fake.Connected() })
	got, ok, err := a.Find(w.ctx, bot.Target{Thread: m.Thread}, "run-1")
	if err != nil || !ok || strings.Join(got.Messages, " ") != strings.Join(ref.Messages, " ") {
		t.Fatalf("found %v %v %v, want %v", got, ok, err, ref)
	}
	if _, ok, err := a.Find(w.ctx, bot.Target{Thread: m.Thread}, "run-3"); ok || err != nil {
		t.Errorf("an unknown key: %v %v", ok, err)
	}
	if _, err := a.Edit(w.ctx, got, text("done")); err != nil {
		t.Fatal(err)
	}
	if shown := w.fake.BotMessages(m.ID); len(shown) != 2 || shown[0].Content != "done" {
		t.Errorf("shown: %+v", shown)
	}
}

// TestASlowNoteHoldsUpNoOtherAnswer: the record writes one answer's note slowly, and
// the others are posted meanwhile.
func TestASlowNoteHoldsUpNoOtherAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("how many?")
	begun, write := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w.in.beforeNotes(func(key string) {
		first := false
		if strings.Contains(key, "/post/") {
			once.Do(func() { first = true })
		}
		if first {
			close(begun)
			<-write
		}
	})
	post := func(words string) <-chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := w.a.Post(w.ctx, bot.Target{Thread: m.Thread}, text(words), words)
			ended <- err
		}()
		return ended
	}
	slow := post("slow")
	<-begun
	another := post("another")
	select {
	case err := <-another:
		another = nil
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("another answer was held up")
	}
	close(write)
	if err := <-slow; err != nil {
		t.Error(err)
	}
	if another != nil {
		<-another
	}
}
