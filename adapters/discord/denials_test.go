package discord_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

// TestRefusalsAreRemembered asks forty times in a channel where the bot may not
// write: Discord is asked a few times, everybody is answered directly, and when the
// rights come back the answer stands where it was asked.
func TestRefusalsAreRemembered(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Now()
	w := newWorld(t, discordfake.Config{}, discord.Config{Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}})
	closed := w.fake.AddChannel("공지")
	w.fake.Mute(closed, true)
	post := func(n int) (bot.Message, error) {
		w.fake.Say(w.fake.Alice, closed, w.fake.Mention()+" 질문")
		m := w.in.message(w.ctx, t, n)
		_, err := w.a.Post(w.ctx, bot.Target{Thread: m.Thread, User: m.User}, text("답"), "k-"+m.ID)
		return m, err
	}
	for n := range 40 {
		if _, err := post(n); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		now = now.Add(5 * time.Second)
		mu.Unlock()
	}
	refused := w.fake.Count("POST", "/"+closed+"/messages") // and threads from them
	if direct := w.fake.BotMessages(w.fake.DM(w.fake.Alice)); refused > 14 || len(direct) != 80 {
		t.Errorf("%d refused requests, %d messages sent directly", refused, len(direct))
	}
	w.fake.Mute(closed, false) // which Discord tells
	m, err := post(40)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.fake.BotMessages(m.ID); len(got) != 1 {
		t.Errorf("after the rights came back: %+v", got)
	}
}

func TestARefusalIsOfOnePlaceAndOneRight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	closed := w.fake.AddChannel("공지")
	w.fake.Mute(closed, true)
	w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" 안녕") // the news that the channel is closed comes before it
	w.in.message(w.ctx, t, 0)
	at := bot.Thread{Platform: "discord", Team: w.fake.Guild, Channel: closed}
	for n := range 2 {
		if _, err := w.a.Post(w.ctx, bot.Target{Thread: at}, text("답"), string(rune('a'+n))); !errors.Is(err, bot.ErrForbidden) {
			t.Errorf("post %d: %v", n, err)
		}
	}
	at.Channel = w.fake.General
	if _, err := w.a.Post(w.ctx, bot.Target{Thread: at}, text("답"), "c"); err != nil {
		t.Error(err)
	}
	if n := w.fake.Count("POST", "/"+closed+"/messages"); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
