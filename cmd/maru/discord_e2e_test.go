package main

import (
	"strings"
	"testing"

	"maru/adapters/discord/discordfake"
	"maru/agent/llm/llmtest"
)

// discordWorld is a guild with the program in it.
type discordWorld struct {
	*program
	discord *discordfake.Fake
	general string
	user    string
}

func newDiscordWorld(t *testing.T, model *llmtest.Server, env ...string) *discordWorld {
	t.Helper()
	f := discordfake.Start(t, discordfake.Config{})
	w := &discordWorld{discord: f, general: f.AddChannel("general"), user: f.AddUser("철수")}
	w.program = newProgram(t, append([]string{
		"DISCORD_BOT_TOKEN=" + f.Token(), "DISCORD_API_URL=" + f.URL(), "OPENAI_BASE_URL=" + model.URL, "OPENAI_MODEL=test",
	}, env...)...)
	t.Cleanup(func() {
		if v := f.Violations(); len(v) > 0 {
			t.Errorf("Discord was asked what it refuses: %v", v)
		}
	})
	return w
}

func (w *discordWorld) begin() {
	w.t.Helper()
	w.start()
	if err := w.discord.AwaitReady(within(w.t, atMost)); err != nil {
		w.t.Fatal("the bot does not connect to the gateway")
	}
}

// await waits until the bot's n-th message in a channel contains text.
func (w *discordWorld) await(channel string, n int, text string) {
	w.t.Helper()
	var said []string
	err := w.discord.Await(within(w.t, atMost), func() bool {
		said = said[:0]
		for _, m := range w.discord.BotMessages(channel) {
			said = append(said, m.Content)
		}
		return len(said) >= n && strings.Contains(said[n-1], text)
	})
	if err != nil {
		for _, c := range w.discord.Journal() {
			w.t.Logf("%+v", c)
		}
		w.t.Fatalf("the bot does not say %q as message %d; it said %q", text, n, said)
	}
}

func TestDiscordQuestionBecomesAThreadThatRemembers(t *testing.T) {
	t.Parallel()
	w := newDiscordWorld(t, brain(t))
	w.begin()
	q := w.discord.Say(w.user, w.general, w.discord.Mention()+" 내 이름은 철수야")
	w.await(q.ID, 1, "You said: 내 이름은 철수야") // the thread has the question's id
	w.discord.Say(w.user, q.ID, "내 이름이 뭐라고 했지?")
	w.await(q.ID, 2, "내 이름은 철수야 / 내 이름이 뭐라고 했지?")
	if err := w.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
	missed := w.discord.Say(w.user, q.ID, "while you were away") // answered after the restart
	w.begin()
	w.await(q.ID, 3, "while you were away")
	_ = missed
	if n := len(w.discord.BotMessages(w.general)); n != 0 {
		t.Errorf("%d answers stand in the channel instead of the thread", n)
	}
}

func TestDiscordKillInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	first := make(chan struct{}, 1)
	first <- struct{}{}
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		reply := think(r)
		if r.ResponseFormat == nil {
			select {
			case <-first:
				reply.Wait = hold
			default:
			}
		}
		return reply
	})
	t.Cleanup(func() { close(hold) })
	w := newDiscordWorld(t, model)
	w.begin()
	q := w.discord.Say(w.user, w.general, w.discord.Mention()+" hello there")
	w.await(q.ID, 1, "") // the placeholder stands
	w.kill()
	w.begin()
	w.await(q.ID, 1, "You said: hello there")
	w.discord.Say(w.user, q.ID, "second")
	w.await(q.ID, 2, "hello there / second")
	if n := len(w.discord.BotMessages(q.ID)); n != 2 {
		t.Errorf("%d messages, want one answer each", n)
	}
}

// A question that is edited while the model thinks is answered as it reads then,
// in the same message, and the thread knows nothing of the first wording.
func TestDiscordEditedWhileAnswered(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	first := make(chan struct{}, 1)
	first <- struct{}{}
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		reply := think(r)
		if r.ResponseFormat == nil {
			select {
			case <-first:
				reply.Wait = hold
			default:
			}
		}
		return reply
	})
	t.Cleanup(func() { close(hold) })
	w := newDiscordWorld(t, model)
	w.begin()
	q := w.discord.Say(w.user, w.general, w.discord.Mention()+" 첫 낱말")
	w.await(q.ID, 1, "") // the placeholder stands
	w.discord.EditMessage(q.ID, w.discord.Mention()+" 다른 낱말")
	w.await(q.ID, 1, "You said: 다른 낱말")
	w.discord.Say(w.user, q.ID, "second")
	w.await(q.ID, 2, "You said: 다른 낱말 / second")
	if n := len(w.discord.BotMessages(q.ID)); n != 2 {
		t.Errorf("%d messages, want one answer each", n)
	}
}

func TestDiscordDirectMessage(t *testing.T) {
	t.Parallel()
	w := newDiscordWorld(t, brain(t), defaults...)
	w.begin()
	dm := w.discord.DM(w.user)
	w.discord.Say(w.user, dm, "연차는 며칠이야?")
	w.await(dm, 1, "15일이에요")
}

func TestDiscordCommandIsAnsweredInAThread(t *testing.T) {
	t.Parallel()
	w := newDiscordWorld(t, brain(t))
	w.begin()
	w.discord.Slash(w.user, w.general, "maru", "ask", map[string]string{"question": "how are you"})
	w.await(w.general, 1, "how are you")
	question := w.discord.BotMessages(w.general)[0]
	w.await(question.ID, 1, "You said: how are you")
}
