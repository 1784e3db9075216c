package discord_test

import (
	"context"
	"sync"
	"testing"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
	"maru/bot/bottest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	bottest.RunAdapter(t, func(t *testing.T) bottest.Harness {
		fake := discordfake.Start(t, discordfake.Config{})
		last := ""
		return bottest.Harness{
			Adapter: &oneNote{Adapter: adapter(t, fake, discord.Config{})}, Limit: 2000,
			Say: func(t *testing.T, text string, in *bot.Thread) {
				if err := fake.AwaitReady(t.Context()); err != nil {
					t.Fatal(err)
				}
				channel, words := fake.General, fake.Mention()+" "+text
				if in != nil {
					channel, words = in.ID, text
				}
				last = fake.Say(fake.Alice, channel, words).ID
			},
			Shown: func(_ *testing.T, thread bot.Thread) []string {
				var out []string
				for _, m := range fake.BotMessages(thread.ID) {
					out = append(out, m.Content)
				}
				return out
			},
			Redeliver: func(*testing.T) { fake.Redeliver(last) },
		}
	})
}

// oneNote gives an adapter an intake whose notes may be used from several
// goroutines, as those of a record.
type oneNote struct{ *discord.Adapter }

func (o *oneNote) Run(ctx context.Context, in bot.Intake) error {
	return o.Adapter.Run(ctx, &lockedNotes{Intake: in})
}

type lockedNotes struct {
	bot.Intake
	mu sync.Mutex
}

func (l *lockedNotes) Notes() bot.Notes { return l }

func (l *lockedNotes) Note(ctx context.Context, key string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Intake.Notes().Note(ctx, key)
}

func (l *lockedNotes) SetNote(ctx context.Context, key, value string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Intake.Notes().SetNote(ctx, key, value)
}

func (l *lockedNotes) SwapNote(ctx context.Context, key, before, value string) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Intake.Notes().SwapNote(ctx, key, before, value)
}

func TestMentionIsAnsweredInItsThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("연차는 <@" + w.fake.Bob + "> 며칠이야? <#" + w.fake.Random + "> <:party:12345678> <t:0:R>")
	if want := "연차는 @Bob 며칠이야? #random :party: 1970-01-01 00:00 UTC"; m.Text != want {
		t.Errorf("text is %q, want %q", m.Text, want)
	}
	want := bot.Thread{Platform: "discord", Team: w.fake.Guild, Channel: w.fake.General, ID: m.ID}
	if m.Thread != want || m.Reach != bot.ReachMention || m.User.Name != "Alice" || m.User.Admin {
		t.Errorf("message is %+v", m)
	}
	ref := w.post(m, text("**15일**입니다."), "k1")
	thread, ok := w.fake.Channel(m.ID)
	if !ok || thread.Parent != w.fake.General || thread.Name != m.Text {
		t.Errorf("thread is %+v", thread)
	}
	shown := w.fake.BotMessages(m.ID)
	if len(shown) != 1 || shown[0].ID != ref.Messages[0] || shown[0].Content != "**15일**입니다." {
		t.Fatalf("shown: %+v", shown)
	}
	w.fake.Say(w.fake.Bob, m.ID, "그럼 병가는?")
	follow := w.in.message(w.ctx, t, 1)
	if follow.Thread.Key() != m.Thread.Key() || follow.Reach != bot.ReachFollow {
		t.Errorf("follow-up is %+v", follow)
	}
}

// TestGuestsAreMarked: a member whom Discord calls a guest has the rights of one.
func TestGuestsAreMarked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	if m := w.ask("hello"); m.User.Guest {
		t.Errorf("a member is %+v", m.User)
	}
	w.fake.SetGuest(w.fake.Bob)
	w.fake.Say(w.fake.Bob, w.fake.General, w.fake.Mention()+" hello")
	if m := w.in.message(w.ctx, t, 1); !m.User.Guest {
		t.Errorf("a guest is %+v", m.User)
	}
}

// TestCodeIsLeftAlone: in code a mention is text; it calls nobody, and what was
// pasted is asked about as it was pasted.
func TestCodeIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	me, bob := w.fake.Mention(), "<@"+w.fake.Bob+">"
	w.fake.Say(w.fake.Alice, w.fake.General, "people write `"+me+" hi` to call it")
	if m := w.in.message(w.ctx, t, 0); m.Reach != bot.ReachAmbient || m.Text != "people write `"+me+" hi` to call it" {
		t.Errorf("read as %q, reach %v", m.Text, m.Reach)
	}
	w.fake.Say(w.fake.Alice, w.fake.General, me+" "+bob+" why does\n```py\nsay('"+bob+"')\n```\nand ``"+me+"`` fail?")
	if m := w.in.message(w.ctx, t, 1); m.Reach != bot.ReachMention || m.Text != "@Bob why does\n```py\nsay('"+bob+"')\n```\nand ``"+me+"`` fail?" {
		t.Errorf("read as %q, reach %v", m.Text, m.Reach)
	}
}

func TestDirectMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	dm := w.fake.DM(w.fake.Alice)
	w.fake.Say(w.fake.Alice, dm, "안녕")
	m := w.in.message(w.ctx, t, 0)
	want := bot.Thread{Platform: "discord", Team: "dm", Channel: dm, Direct: true}
	if m.Thread != want || m.Reach != bot.ReachDirect || m.Text != "안녕" {
		t.Errorf("message is %+v", m)
	}
	w.post(m, text("반가워요"), "k")
	if got := w.fake.BotMessages(dm); len(got) != 1 || got[0].Reference != "" {
		t.Errorf("shown: %+v", got)
	}
}
