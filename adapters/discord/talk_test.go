package discord_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
	"maru/bot/said"
)

// lately returns a period of a channel around now.
func lately(channel string) said.Span {
	return said.Span{Channel: channel, From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour), Limit: 1000}
}

// TestAChannelIsReadForAPeriod: the newest thousand messages of people, as they read now, with their addresses; what bots wrote
// and questions to Maru are left out; threads and files are counted.
func TestAChannelIsReadForAPeriod(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	a := adapter(t, fake, discord.Config{})
	other := fake.AddBot("alerts")
	for i := range 1100 {
		fake.Say(fake.Bob, fake.General, fmt.Sprintf("m%d", i))
	}
	wrong, gone := fake.Say(fake.Bob, fake.General, "we ship on Monday"), fake.Say(fake.Bob, fake.General, "a secret")
	fake.Say(other, fake.General, "an alert")
	fake.SayWith(fake.Bob, fake.General, "see the plan", "", fake.PutFile("plan.md", "text/markdown", []byte("# Plan")))
	inside := fake.Thread(fake.General, "inside")
	fake.Say(fake.Bob, inside, "a reply")
	q := fake.Say(fake.Alice, fake.General, fake.Mention()+" what happened here?")
	fake.EditMessage(wrong.ID, "we ship on Friday")
	fake.DeleteMessage(gone.ID)
	m := bot.Message{ID: q.ID, User: bot.User{ID: fake.Alice}, Thread: bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.General, ID: q.ID}}
	fake.Fail(discordfake.Fault{Method: http.MethodGet, Path: "/channels/" + fake.General + "/messages", Status: http.StatusTooManyRequests, After: 0.1, Times: 2})
	got, err := a.Read(t.Context(), m, lately(fake.General))
	if err != nil || len(got.Messages) != 1000 || !got.Older || got.Limited || got.Channel != "general" || got.Files != 1 {
		t.Fatalf("%d messages, older %v, limited %v, %q, %d files, %v", len(got.Messages), got.Older, got.Limited, got.Channel, got.Files, err)
	}
	var tail []string
	for i, one := range got.Messages {
		if i > 0 && one.At.Before(got.Messages[i-1].At) {
			t.Fatal("messages are not in order")
		}
		if i >= 997 {
			tail = append(tail, one.Text)
		}
		if !strings.HasPrefix(one.Link, "https://discord.com/channels/"+fake.Guild+"/"+fake.General+"/") {
			t.Fatalf("no address: %+v", one)
		}
	}
	if got := strings.Join(tail, "|"); got != "m1099|we ship on Friday|see the plan" {
		t.Errorf("the last are %q", got)
	}
	past := said.Span{Channel: fake.General, From: time.Now().AddDate(0, 0, -9), To: time.Now().AddDate(0, 0, -8), Limit: 1000}
	if got, err := a.Read(t.Context(), m, past); err != nil || len(got.Messages) != 0 || got.Older {
		t.Errorf("an empty period: %+v %v", got, err)
	}
	fake.Fail(discordfake.Fault{Method: http.MethodGet, Path: "/channels/" + fake.General + "/messages", Status: http.StatusForbidden})
	if _, err := a.Read(t.Context(), m, lately(fake.General)); !errors.Is(err, said.ErrAbsent) {
		t.Errorf("without the permission: %v", err)
	}
}

// TestForwardsOfOtherServersAreOutsidersWords: a message forwarded from another guild, or from a direct conversation, is
// marked; one of this guild is not.
func TestForwardsOfOtherServersAreOutsidersWords(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	a := adapter(t, fake, discord.Config{})
	forward := func(guild string) {
		ref := map[string]any{"type": 1, "message_id": "901", "channel_id": "902"}
		if guild != "" {
			ref["guild_id"] = guild
		}
		fake.SayBeside(fake.Bob, fake.General, "", map[string]any{
			"message_reference": ref, "message_snapshots": []any{map[string]any{"message": map[string]any{"content": "from " + guild}}},
		})
	}
	fake.Say(fake.Bob, fake.General, "own words")
	forward(fake.Guild)
	forward("777")
	forward("")
	q := fake.Say(fake.Alice, fake.General, fake.Mention()+" what happened here?")
	m := bot.Message{ID: q.ID, User: bot.User{ID: fake.Alice}, Thread: bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.General, ID: q.ID}}
	got, err := a.Read(t.Context(), m, lately(fake.General))
	if err != nil || len(got.Messages) != 4 {
		t.Fatalf("%+v, %v", got.Messages, err)
	}
	for i, want := range []bool{false, false, true, true} {
		if got.Messages[i].Stranger != want {
			t.Errorf("%q: outsiders %v", got.Messages[i].Text, got.Messages[i].Stranger)
		}
	}
}

// TestAChannelIsToldToItsReadersOnly: the asker and all readers of the answer must be able to read the channel's history.
func TestAChannelIsToldToItsReadersOnly(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	a := adapter(t, fake, discord.Config{})
	channel := map[string]string{"general": fake.General}
	for _, name := range []string{"open", "secret", "secret-too", "bobs", "no-history"} {
		channel[name] = fake.AddChannel(name)
	}
	fake.CloseTo(channel["secret"], fake.Alice)
	fake.CloseTo(channel["secret-too"], fake.Alice)
	fake.CloseTo(channel["bobs"], fake.Bob)
	fake.DenyHistory(channel["no-history"], fake.Alice)
	channel["forum"] = fake.AddForum("forum")
	channel["thread"] = fake.Thread(fake.General, "thread")
	channel["private"] = fake.PrivateThread(fake.General, "private")
	for name, id := range channel {
		if name != "forum" {
			fake.Say(fake.Bob, id, "launch in "+name)
		}
	}
	direct := bot.Thread{Platform: "discord", Team: "dm", Channel: fake.DM(fake.Alice), Direct: true}
	for name, c := range map[string]struct {
		at, of string
		err    error
	}{
		"here":                {"general", "general", nil},
		"open":                {"general", "open", nil},
		"open from a secret":  {"secret", "open", nil},
		"secret":              {"general", "secret", said.ErrAudience},
		"secret here":         {"secret", "secret", nil},
		"of the same people":  {"secret", "secret-too", nil},
		"secret, in a direct": {"", "secret", nil},
		"of others":           {"general", "bobs", said.ErrHidden},
		"of others, direct":   {"", "bobs", said.ErrHidden},
		"no history":          {"general", "no-history", said.ErrHidden},
		"a thread":            {"general", "thread", nil},
		"a private thread":    {"general", "private", said.ErrHidden},
		"a forum":             {"general", "forum", said.ErrForum},
	} {
		t.Run(name, func(t *testing.T) {
			at := direct
			if c.at != "" {
				at = bot.Thread{Platform: "discord", Team: fake.Guild, Channel: channel[c.at], ID: "1"}
			}
			got, err := a.Read(t.Context(), bot.Message{ID: "1", Thread: at, User: bot.User{ID: fake.Alice}}, lately(channel[c.of]))
			if !errors.Is(err, c.err) || c.err == nil && (err != nil || len(got.Messages) != 1) || c.err != nil && len(got.Messages) > 0 {
				t.Errorf("%+v, error %v, want %v", got, err, c.err)
			}
		})
	}
}

// TestAChannelIsToldToThoseWhoReadItsHistory: whoever reads the answer reads the channel back, also in the channel itself.
func TestAChannelIsToldToThoseWhoReadItsHistory(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	a := adapter(t, fake, discord.Config{})
	open, closed, voice := fake.AddChannel("open"), fake.AddChannel("closed"), fake.AddVoice("voice")
	fake.DenyHistory(open, fake.Bob)
	fake.CloseTo(closed, fake.Alice, fake.Bob)
	fake.DenyHistory(closed, fake.Bob)
	for name, c := range map[string]struct {
		team, at, of string
		err          error
	}{
		"history denied to one":      {fake.Guild, open, open, said.ErrAudience},
		"denied to one, closed":      {fake.Guild, closed, closed, said.ErrAudience},
		"a voice channel's messages": {fake.Guild, voice, voice, nil},
		"in a group":                 {"dm", "99", closed, said.ErrAudience},
	} {
		at := bot.Thread{Platform: "discord", Team: c.team, Channel: c.at}
		fake.Say(fake.Alice, c.of, "launch")
		got, err := a.Read(t.Context(), bot.Message{ID: "1", Thread: at, User: bot.User{ID: fake.Alice}}, lately(c.of))
		if !errors.Is(err, c.err) || (len(got.Messages) > 0) != (c.err == nil) {
			t.Errorf("%s: %+v, error %v, want %v", name, got, err, c.err)
		}
	}
}
