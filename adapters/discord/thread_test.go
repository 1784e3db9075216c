package discord_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

func TestForumPost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	forum := w.fake.AddForum("질문 게시판")
	first := w.fake.ForumPost(w.fake.Alice, forum, "연차 문의", w.fake.Mention()+" 며칠이에요?")
	m := w.in.message(w.ctx, t, 0)
	want := bot.Thread{Platform: "discord", Team: w.fake.Guild, Channel: forum, ID: first.ID}
	if m.Thread != want || m.Reach != bot.ReachMention || m.Text != "연차 문의\n며칠이에요?" {
		t.Fatalf("message is %+v", m)
	}
	to := bot.Target{Thread: m.Thread}
	if err := w.a.React(w.ctx, to, m.ID, bot.MarkSeen, true); err != nil {
		t.Fatal(err)
	}
	w.post(m, text("15일이에요."), "k")
	w.fake.Say(w.fake.Bob, first.ID, "병가는요?")
	follow := w.in.message(w.ctx, t, 1)
	if follow.Thread != m.Thread || follow.Reach != bot.ReachFollow {
		t.Errorf("follow-up is %+v", follow)
	}
	past, err := w.a.History(w.ctx, m.Thread, follow.ID, 50)
	if err != nil || len(past) != 2 || past[0].ID != first.ID || past[1].Text != "15일이에요." {
		t.Errorf("history is %+v, %v", past, err)
	}
	if n := w.fake.Count("POST", "/threads"); n != 0 {
		t.Errorf("%d threads were made in a forum's post", n)
	}
	if got := w.fake.Reactions(first.ID); len(got) != 1 {
		t.Errorf("reactions: %v", got)
	}
}

func TestWhereTheBotMayNotWriteWhoAskedIsAnsweredDirectly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("hello")
	w.post(m, text("one"), "k1")
	w.fake.Archive(m.ID, true)
	to := bot.Target{Thread: m.Thread, User: bot.User{ID: w.fake.Alice}}
	ref, err := w.a.Post(w.ctx, to, text("two"), "k2")
	if err != nil {
		t.Fatal(err)
	}
	if ref, err = w.a.Edit(w.ctx, ref, text("three")); err != nil {
		t.Fatal(err)
	}
	dm := w.fake.DM(w.fake.Alice)
	got := w.fake.BotMessages(dm)
	if len(got) != 2 || !strings.Contains(got[0].Content, "여기로 답해요") || got[1].Content != "three" || ref.Channel != dm {
		t.Errorf("shown: %+v", got)
	}
	to.User = bot.User{} // nobody in particular: the bot is told
	if _, err := w.a.Post(w.ctx, to, text("four"), "k3"); !errors.Is(err, bot.ErrForbidden) {
		t.Errorf("error is %v", err)
	}
}

// TestDeletedThreadStaysDeleted deletes a thread while it is answered in: it is not
// made again, unless somebody asks there again.
func TestDeletedThreadStaysDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("hello")
	ref := w.post(m, text("one"), "k1")
	w.fake.DeleteThread(m.ID)
	w.ask("seen after it") // so the deletion was seen
	if _, err := w.a.Edit(w.ctx, ref, text("two")); !errors.Is(err, bot.ErrGone) {
		t.Errorf("edit: %v", err)
	}
	if _, err := w.a.Post(w.ctx, bot.Target{Thread: m.Thread, User: m.User}, text("two"), "k2"); !errors.Is(err, bot.ErrGone) {
		t.Errorf("post: %v", err)
	}
	if n := w.fake.Count("POST", "/"+m.ID+"/threads"); n != 1 || len(w.fake.BotMessages(w.fake.DM(w.fake.Alice))) > 0 {
		t.Errorf("the thread was made %d times", n)
	}
	w.fake.Menu(w.fake.Bob, w.fake.General, m.ID, "Ask Maru about this")
	again := w.in.message(w.ctx, t, 2)
	if again.Thread != m.Thread {
		t.Fatalf("asked in %+v", again.Thread)
	}
	w.post(again, text("three"), "k3")
	if got := w.fake.BotMessages(m.ID); len(got) != 1 || got[0].Content != "three" {
		t.Errorf("shown: %+v", got)
	}
}

// TestAThreadThatWasAndIsGoneLeavesTheChannel: Discord makes no second thread of a
// question, and the first is deleted: the answer is a reply in the channel.
func TestAThreadThatWasAndIsGoneLeavesTheChannel(t *testing.T) {
	t.Parallel()
	for name, there := range map[string]bool{"gone": false, "there": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordfake.Config{}, discord.Config{})
			m := w.ask("hello")
			channel := m.ID
			if there { // made by an answer that broke off before it knew
				w.fake.Fail(discordfake.Fault{Method: "POST", Path: "/threads", Status: 400, Code: 160004, Done: true})
			} else {
				w.fake.Fail(discordfake.Fault{Method: "POST", Path: "/threads", Status: 400, Code: 160004, Times: 9})
				channel = w.fake.General
			}
			ref := w.post(m, text("one"), "k1")
			if _, err := w.a.Edit(w.ctx, ref, text("two")); err != nil {
				t.Fatal(err)
			}
			if got := w.fake.BotMessages(channel); len(got) != 1 || got[0].Content != "two" || !there && got[0].Reference != m.ID {
				t.Errorf("shown: %+v", got)
			}
		})
	}
}

func TestVoiceChannelIsAskedForNoThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	voice := w.fake.AddVoice("회의실")
	w.fake.Say(w.fake.Alice, voice, w.fake.Mention()+" 회의록 있어?")
	m := w.in.message(w.ctx, t, 0)
	w.post(m, text("네."), "k")
	if got := w.fake.BotMessages(voice); len(got) != 1 || w.fake.Count("POST", "/threads") != 0 {
		t.Errorf("shown: %+v, %d threads", got, w.fake.Count("POST", "/threads"))
	}
}

func TestThreadTitles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	for name, c := range map[string]struct{ title, want string }{
		"words":     {"연차는 며칠이야?", "연차는 며칠이야?"},
		"lines":     {"first line\n\n second  line", "first line second line"},
		"empty":     {" \n ", "Maru"},
		"graphemes": {strings.Repeat("👨‍👩‍👧‍👦", 40), strings.Repeat("👨‍👩‍👧‍👦", 14) + "…"},
		"long":      {strings.Repeat("가", 300), strings.Repeat("가", 99) + "…"},
	} {
		m := w.ask("question " + name)
		if _, err := w.a.Post(w.ctx, bot.Target{Thread: m.Thread, Title: c.title}, text("x"), name); err != nil {
			t.Fatal(err)
		}
		if thread, _ := w.fake.Channel(m.ID); thread.Name != c.want {
			t.Errorf("%s: thread is named %q, want %q", name, thread.Name, c.want)
		}
	}
}

// TestAThreadIsMadeAheadOfItsAnswer: the answer finds the thread, or waits for the start that is in progress.
func TestAThreadIsMadeAheadOfItsAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("hello")
	to := bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, Title: "hello"}
	w.a.Prepare(w.ctx, to)
	if c, ok := w.fake.Channel(m.ID); !ok || c.Name != "hello" {
		t.Errorf("the thread is %+v", c)
	}
	w.post(m, text("one"), "k1")
	w.a.Prepare(w.ctx, to)
	again := w.ask("at once")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if i%2 == 0 {
				w.a.Prepare(w.ctx, bot.Target{Thread: again.Thread, ReplyTo: again.ReplyTo})
				return
			}
			w.post(again, text("two"), "k2")
		})
	}
	all.Wait()
	for _, q := range []bot.Message{m, again} {
		if n := w.fake.Count("POST", "/"+q.ID+"/threads"); n != 1 || len(w.fake.BotMessages(q.ID)) == 0 {
			t.Errorf("%q: %d threads are asked for, shown: %+v", q.Text, n, w.fake.BotMessages(q.ID))
		}
	}
}

// TestAThreadThatIsNotMadeAheadIsMadeByItsAnswer, or the answer is a reply in the channel.
func TestAThreadThatIsNotMadeAheadIsMadeByItsAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault   discordfake.Fault
		channel bool
	}{
		"fails":      {fault: discordfake.Fault{Status: 500, Times: 4}},
		"is limited": {fault: discordfake.Fault{Status: 429, After: 0.3}},
		"forbidden":  {fault: discordfake.Fault{Status: 403, Code: 50013, Times: 2}, channel: true},
		"too many":   {fault: discordfake.Fault{Status: 400, Code: 160006, Times: 2}, channel: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := hurried(50)
			w := newWorld(t, discordfake.Config{Now: cfg.Now, Turn: 5 * time.Second / 50}, cfg)
			m := w.ask("hello")
			c.fault.Method, c.fault.Path = "POST", "/threads"
			w.fake.Fail(c.fault)
			w.a.Prepare(w.ctx, bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo})
			w.post(m, text("one"), "k1")
			shown := w.fake.BotMessages(m.ID)
			if c.channel {
				shown = w.fake.BotMessages(w.fake.General)
			}
			if len(shown) != 1 || shown[0].Content != "one" {
				t.Errorf("shown: %+v", shown)
			}
		})
	}
}
