package discord_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
	"maru/logtest"
)

func TestConnectionThatBreaksIsResumed(t *testing.T) {
	t.Parallel()
	breaks := map[string]func(*discordfake.Fake){
		"network_cut":        (*discordfake.Fake).Drop,
		"op_7":               (*discordfake.Fake).AskReconnect,
		"op_9_resumable":     func(f *discordfake.Fake) { f.Invalidate(true) },
		"close_4000":         func(f *discordfake.Fake) { f.CloseGateway(4000) },
		"close_4008":         func(f *discordfake.Fake) { f.CloseGateway(4008) },
		"heartbeats_not_ack": func(f *discordfake.Fake) { f.SetAcks(false) },
	}
	for name, cut := range breaks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordfake.Config{Heartbeat: 700 * time.Millisecond, Overlap: 2}, discord.Config{})
			w.ask("one")
			cut(w.fake)
			if err := w.fake.Await(w.ctx, func() bool { return w.fake.Resumes() > 0 || !w.fake.Connected() }); err != nil {
				t.Fatal(err)
			}
			w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" two") // while it is away
			if err := w.fake.Await(w.ctx, func() bool { return w.fake.Resumes() > 0 }); err != nil {
				t.Fatal(err)
			}
			w.fake.SetAcks(true)
			w.in.await(w.ctx, t, "the message of the gap", func() bool {
				return slices.ContainsFunc(w.in.messages, func(m bot.Message) bool { return m.Text == "two" })
			})
			if n := len(w.fake.Identifies()); n != 1 {
				t.Errorf("%d sessions began, want 1", n)
			}
		})
	}
}

func TestFatalCloseCodesEndRun(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{
		4004: "token", 4010: "shards", 4011: "shards", 4012: "version", 4013: "intents",
	} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			t.Parallel()
			fake := discordfake.Start(t, discordfake.Config{})
			fake.RefuseIdentify(code)
			a, ended, cancel := run(t.Context(), t, fake, newIntake(), discord.Config{})
			defer cancel()
			select {
			case err := <-ended:
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("Run ended with %v, want a word on %q", err, want)
				}
			case <-time.After(patience):
				t.Fatal("Run goes on")
			}
			if n := len(fake.Identifies()); n != 1 {
				t.Errorf("%d identifies", n)
			}
			if a.Ready(t.Context()) == nil {
				t.Error("it says that it is ready")
			}
		})
	}
}

// TestTokenTakenAwayLeavesTheOthersAlone: whoever was let in once may be another's neighbour in the program.
func TestTokenTakenAwayLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	var log logtest.Log
	w := newWorld(t, discordfake.Config{}, discord.Config{Logger: log.Logger()})
	w.ask("one")
	w.fake.RefuseIdentify(4004)
	w.fake.CloseGateway(4004)
	for !strings.Contains(log.String(), "discord refuses the bot") {
		if w.ctx.Err() != nil {
			t.Fatalf("nothing is logged but\n%s", log.String())
		}
		time.Sleep(time.Millisecond)
	}
	if err := w.a.Ready(w.ctx); err == nil || !strings.Contains(err.Error(), "4004") {
		t.Errorf("Ready says %v, want the close code", err)
	}
	if n := len(w.fake.Identifies()); n != 1 {
		t.Errorf("%d identifies, want none after the first", n)
	}
} // the end of its world fails if Run has ended

func TestRefusedTokenEndsRunWithoutNamingIt(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	a, ended, cancel := run(t.Context(), t, fake, newIntake(), discord.Config{Token: "wrong-secret"})
	defer cancel()
	err := <-ended
	if err == nil || strings.Contains(err.Error(), "wrong-secret") || !strings.Contains(err.Error(), "DISCORD_BOT_TOKEN") {
		t.Errorf("Run ended with %v", err)
	}
	n := len(fake.Journal())
	if _, err := a.Post(t.Context(), bot.Target{Thread: bot.Thread{Channel: fake.General, Team: fake.Guild}}, text("x"), "k"); !errors.Is(err, bot.ErrUnavailable) { // the answer waits for a start with another token
		t.Errorf("posting: %v", err)
	}
	if len(fake.Journal()) != n {
		t.Error("requests go on after a 401")
	}
}

func TestIdentifiesAreCountedOverRestarts(t *testing.T) {
	t.Parallel()
	cfg := hurried(10)
	fake := discordfake.Start(t, discordfake.Config{Now: cfg.Now, Turn: time.Second})
	fake.RefuseIdentify(4013) // each start fails, as a program that crashes
	in := newIntake()
	for range 3 {
		_, ended, cancel := run(t.Context(), t, fake, in, cfg)
		<-ended
		cancel()
	}
	if n := strings.Count(in.noted("discord/identifies"), `"t"`); n != 3 {
		t.Errorf("%d identifies are noted, want 3: %s", n, in.noted("discord/identifies"))
	}
}

func TestWithoutTheContentIntentMentionsAreAnswered(t *testing.T) {
	t.Parallel()
	cfg := hurried(10)
	fake := discordfake.Start(t, discordfake.Config{Now: cfg.Now, Turn: time.Second})
	fake.ForbidContent()
	in := newIntake()
	ctx, stop := context.WithCancel(t.Context()) // without a deadline: the clocks differ
	defer stop()
	defer time.AfterFunc(patience, stop).Stop()
	var log logtest.Log
	cfg.Logger = log.Logger()
	a, ended, cancel := run(ctx, t, fake, in, cfg)
	if err := fake.AwaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	q := fake.Say(fake.Alice, fake.General, fake.Mention()+" hello")
	if m := in.message(ctx, t, 0); m.Text != "hello" || m.Reach != bot.ReachMention {
		t.Errorf("message is %+v", m)
	}
	if _, err := a.Post(ctx, bot.Target{Thread: in.message(ctx, t, 0).Thread}, text("hi"), "k"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // nothing of it is readable: people are told so, once
		fake.Say(fake.Alice, q.ID, "and this?")
	}
	if shown, err := fake.AwaitAnswers(ctx, q.ID, 2); err != nil || !strings.Contains(shown[1].Content, "@Maru") {
		t.Errorf("shown: %+v, %v", shown, err)
	}
	fake.Say(fake.Alice, fake.DM(fake.Alice), "direct")
	if m := in.message(ctx, t, 1); m.Text != "direct" {
		t.Errorf("message is %+v", m)
	}
	if n := len(fake.BotMessages(q.ID)); n != 2 {
		t.Errorf("%d messages in the thread", n)
	}
	if err := a.Ready(ctx); !errors.Is(err, bot.ErrLimited) || !strings.Contains(err.Error(), "Message Content Intent") {
		t.Errorf("Ready says %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "Message Content Intent") {
		t.Errorf("the log says nothing of it: %s", log.String())
	}
	if n := len(fake.Identifies()); n != 2 {
		t.Errorf("%d identifies", n)
	}
}

func TestEventsOfAChannelStayInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	const n = 200
	for i := range n {
		w.fake.Say(w.fake.Alice, w.fake.General, fmt.Sprintf("%s %03d", w.fake.Mention(), i))
	}
	w.in.await(w.ctx, t, "all", func() bool { return len(w.in.messages) == n })
	for i, m := range w.in.all() {
		if m.Text != fmt.Sprintf("%03d", i) {
			t.Fatalf("message %d is %q", i, m.Text)
		}
	}
}

func TestUncommittedMessageIsBroughtAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.in.mu.Lock()
	w.in.refuse = 3
	w.in.mu.Unlock()
	if m := w.ask("hello"); m.Text != "hello" {
		t.Errorf("text is %q", m.Text)
	}
}

func TestStrangeEventsAreSurvived(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	for _, kind := range []string{"READY", "RESUMED", "GUILD_CREATE", "CHANNEL_CREATE", "THREAD_LIST_SYNC", "VOICE_STATE_UPDATE", "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "INTERACTION_CREATE", "GUILD_ROLE_DELETE", "SOMETHING_NEW"} {
		for _, body := range []any{nil, "text", 7, []any{}, map[string]any{}, map[string]any{"id": 5}, map[string]any{"id": "77", "channel_id": ""}, map[string]any{"channels": []any{nil}, "threads": []any{nil}, "id": "9"}, map[string]any{"id": "1", "channel_id": w.fake.General, "author": nil, "data": map[string]any{"components": []any{map[string]any{"type": 99}}}}} {
			w.fake.Dispatch(kind, body)
		}
	}
	m := map[string]any{
		"id": "1573671288776425472", "channel_id": w.fake.General, "guild_id": w.fake.Guild, "type": 0,
		"content": w.fake.Mention() + " with new components", "author": map[string]any{"id": w.fake.Alice, "username": "Alice"},
		"timestamp": "2026-11-21T00:00:00Z", "components": []any{map[string]any{"type": 99, "what": "is this"}},
	}
	w.fake.Dispatch("MESSAGE_CREATE", m)
	if got := w.in.message(w.ctx, t, 0); got.Text != "with new components" {
		t.Errorf("text is %q", got.Text)
	}
	w.ask("still there")
}

// TestForwardedMessageIsRead has somebody forward a message to the bot: what it says
// is in a snapshot, and the message that carries it is empty.
func TestForwardedMessageIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	dm := w.fake.DM(w.fake.Alice)
	w.fake.Dispatch("MESSAGE_CREATE", map[string]any{
		"id": "1573671288776425473", "channel_id": dm, "type": 0, "content": "", "flags": 1 << 14,
		"author": map[string]any{"id": w.fake.Alice, "username": "Alice"}, "timestamp": "2026-11-21T00:00:00Z",
		"message_reference": map[string]any{"type": 1, "message_id": "5", "channel_id": w.fake.General},
		"message_snapshots": []any{map[string]any{"message": map[string]any{
			"type": 0, "content": "연차는 며칠이야? " + w.fake.Mention(), "embeds": []any{}, "mentions": []any{},
			"attachments": []any{map[string]any{"id": "6", "filename": "leave.pdf", "size": 9, "url": "https://cdn.discordapp.com/attachments/1/6/leave.pdf", "content_type": "application/pdf"}},
		}}},
	})
	got := w.in.message(w.ctx, t, 0)
	if got.Text != "연차는 며칠이야?" || len(got.Files) != 1 || got.Files[0].Name != "leave.pdf" {
		t.Errorf("message is %+v", got)
	}
}

func TestAPIAddressIsFoundOut(t *testing.T) {
	t.Parallel()
	for _, cut := range []string{"/v10", "/v10/", "/api/v10", ""} {
		fake := discordfake.Start(t, discordfake.Config{})
		url := fake.URL() + "/"
		if cut != "" {
			url = strings.TrimSuffix(fake.URL(), strings.TrimSuffix(cut, "/"))
		}
		ctx, stop := context.WithTimeout(t.Context(), patience)
		_, ended, cancel := run(ctx, t, fake, newIntake(), discord.Config{APIURL: url})
		if err := fake.AwaitReady(ctx); err != nil {
			t.Errorf("with %s: %v", url, err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("with %s: %v", url, err)
		}
		stop()
	}
}

// TestAConnectionThatBreaksAtOnceIsNotTakenUpAtOnce: each connection is resumed, and broken again.
func TestAConnectionThatBreaksAtOnceIsNotTakenUpAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	for began, seen := time.Now(), -1; time.Since(began) < 2*time.Second; time.Sleep(time.Millisecond) {
		if n := w.fake.Resumes(); n > seen && w.fake.Connected() {
			seen = n
			w.fake.CloseGateway(4000)
		}
	}
	if n := w.fake.Resumes(); n < 1 || n > 5 {
		t.Errorf("%d connections in two seconds", n)
	}
	w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" hello")
	if m := w.in.message(w.ctx, t, 0); m.Text != "hello" {
		t.Errorf("it hears %q", m.Text)
	}
	if n := len(w.fake.Identifies()); n != 1 {
		t.Errorf("%d sessions began", n)
	}
}
