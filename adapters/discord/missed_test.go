package discord_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

func TestLostSessionIsCaughtUpOverREST(t *testing.T) {
	t.Parallel()
	breaks := map[string]func(*discordfake.Fake){
		"op_9":       func(f *discordfake.Fake) { f.Invalidate(false) },
		"close_4009": func(f *discordfake.Fake) { f.ForgetSessions(); f.CloseGateway(4009) },
		"forgotten":  func(f *discordfake.Fake) { f.ForgetSessions(); f.Drop() },
	}
	for name, cut := range breaks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordfake.Config{}, discord.Config{})
			w.ask("one")
			cut(w.fake)
			if err := w.fake.Await(w.ctx, func() bool { return !w.fake.Connected() }); err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" missed "+strconv.Itoa(i))
			}
			w.in.await(w.ctx, t, "missed messages", func() bool { return len(w.in.messages) == 4 })
			if n := len(w.fake.Identifies()); n != 2 {
				t.Errorf("%d sessions began, want 2", n)
			}
		})
	}
}

func TestMessagesWhileDownAreCaughtUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	q := w.ask("first")
	w.post(q, text("answer"), "k")
	dm := w.fake.DM(w.fake.Bob)
	w.fake.Say(w.fake.Bob, dm, "hello")
	w.in.message(w.ctx, t, 1)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	const missed = 150 // more than a page
	for i := range missed {
		w.fake.Say(w.fake.Alice, w.fake.Random, fmt.Sprintf("%s question %03d", w.fake.Mention(), i))
	}
	w.fake.Say(w.fake.Alice, q.ID, "follow-up")
	w.fake.Say(w.fake.Bob, dm, "are you there?")
	w.fake.Say(w.fake.OtherBot, w.fake.Random, w.fake.Mention()+" I am a bot")

	next, begun := w.in.heir(), time.Now()
	_, ended, cancel := run(w.ctx, t, w.fake, next, discord.Config{})
	next.await(w.ctx, t, "all missed messages", func() bool {
		n := 0
		for _, m := range next.messages {
			if strings.HasPrefix(m.Text, "question") || m.Text == "follow-up" || m.Text == "are you there?" {
				n++
			}
		}
		return n >= missed+2
	})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	last := ""
	for _, m := range next.all() {
		if !strings.HasPrefix(m.Text, "question") {
			continue
		}
		if m.Text <= last {
			t.Errorf("%q comes after %q", m.Text, last)
		}
		last = m.Text
	}
	if n := next.again(); n > 0 && time.Since(begun) < time.Minute { // from then on channels are looked at again
		t.Errorf("%d messages were read twice", n)
	}
}

// TestWhatIsMissedIsFoundByAClockAhead: ids are made by Discord's clock, and ours may go before it.
func TestWhatIsMissedIsFoundByAClockAhead(t *testing.T) {
	t.Parallel()
	ahead := discord.Config{Now: func() time.Time { return time.Now().Add(5 * time.Minute) }}
	w := newWorld(t, discordfake.Config{}, ahead)
	w.ask("first")
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.fake.Say(w.fake.Alice, w.fake.Random, w.fake.Mention()+" question")
	next := w.in.heir()
	_, ended, cancel := run(w.ctx, t, w.fake, next, ahead)
	next.await(w.ctx, t, "the missed message", func() bool {
		return slices.ContainsFunc(next.messages, func(m bot.Message) bool { return m.Text == "question" })
	})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestDeathBeforeTheFirstNote ends a process right after it began, before it wrote
// down anything that it saw.
func TestDeathBeforeTheFirstNote(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{Turn: time.Nanosecond}, discord.Config{})
	next := w.in.heir()                      // what a process that is killed now leaves behind
	delete(next.notes, "discord/identifies") // and the next one need not wait
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	missed := w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" is anybody here?")
	_, ended, cancel := run(w.ctx, t, w.fake, next, discord.Config{})
	defer func() { cancel(); <-ended }()
	if m := next.message(w.ctx, t, 0); m.ID != missed.ID {
		t.Errorf("message is %+v, want %s", m, missed.ID)
	}
}

func TestFirstStartAnswersNothingOld(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	fake.Say(fake.Alice, fake.General, fake.Mention()+" long ago")
	in := newIntake()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	_, ended, cancel := run(ctx, t, fake, in, discord.Config{})
	if err := fake.AwaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	fake.Say(fake.Alice, fake.General, fake.Mention()+" now")
	if m := in.message(ctx, t, 0); m.Text != "now" {
		t.Errorf("first message is %q", m.Text)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
