package discord_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
	"maru/bot/said"
)

// TestHistoryThatReadersOfTheAnswerMayReadIsSearched: channels that a role or a person is kept out of are left out, but
// for those that are kept from the same people as the place of the answer.
func TestHistoryThatReadersOfTheAnswerMayReadIsSearched(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	a := adapter(t, fake, discord.Config{})
	const role = "900000000000000001"
	channel := map[string]string{"general": fake.General}
	for _, name := range []string{"open", "secret", "secret-too", "role", "no-history"} {
		channel[name] = fake.AddChannel(name)
	}
	fake.Hide(channel["secret"], fake.Guild)
	fake.Hide(channel["secret-too"], fake.Guild)
	fake.Hide(channel["role"], role)
	fake.DenyHistory(channel["no-history"], fake.Alice)
	other := fake.AddBot("other")
	for name, id := range channel {
		fake.Say(fake.Bob, id, "launch in "+name)
		fake.Say(other, id, "launch by a program in "+name)
	}
	private := fake.PrivateThread(fake.General, "private")
	fake.Say(fake.Bob, private, "launch in private")
	for place, want := range map[string]string{
		"general": "general open", "secret": "general open secret secret-too", "role": "general open role", "no-history": "general open",
	} {
		q := fake.Say(fake.Alice, channel[place], "who spoke of the launch?")
		m := bot.Message{ID: q.ID, User: bot.User{ID: fake.Alice}, Thread: bot.Thread{Platform: "discord", Team: fake.Guild, Channel: channel[place], ID: q.ID}}
		found, err := a.Said(t.Context(), m, said.Query{Text: "launch", Limit: 10})
		if err != nil || !found.Unranked || found.Partial {
			t.Fatalf("%s: %+v %v", place, found, err)
		}
		var in []string
		for _, one := range found.Messages {
			name, ok := strings.CutPrefix(one.Text, "launch in ")
			if !ok {
				continue // a question of this test
			}
			in = append(in, name)
			if one.Channel != name || !strings.HasPrefix(one.Link, "https://discord.com/channels/"+fake.Guild+"/"+channel[name]+"/") || one.Author == "" || one.At.IsZero() {
				t.Errorf("%s: %+v", place, one)
			}
			if strings.HasSuffix(one.Link, "/"+q.ID) {
				t.Errorf("%s: the question itself is found", place)
			}
		}
		if slices.Sort(in); strings.Join(in, " ") != want {
			t.Errorf("%s: found in %v, want %s", place, in, want)
		}
		fake.DeleteMessage(q.ID)
	}
	direct := bot.Message{ID: "1", Thread: bot.Thread{Platform: "discord", Team: "dm", Channel: fake.DM(fake.Alice), Direct: true}}
	if _, err := a.Said(t.Context(), direct, said.Query{Text: "launch"}); !errors.Is(err, said.ErrPlace) {
		t.Errorf("in a direct message: %v", err)
	}
}

// TestWordsOfGuestsAreMarked: messages of guests, and of people who left, are outsiders' words in searches and channel reads.
// Discord's list of messages has no guest flag, so that authors are looked up, within a bound and once a minute.
func TestWordsOfGuestsAreMarked(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	a := adapter(t, fake, discord.Config{SearchTime: time.Hour})
	gone := fake.AddUser("gone")
	for _, user := range []string{gone, fake.Bob, fake.Alice} {
		fake.Say(user, fake.General, "launch by "+user)
	}
	fake.SetGuest(fake.Bob)
	fake.Leave(gone)
	m := bot.Message{ID: "1", Thread: bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.General, ID: "1"}, User: bot.User{ID: fake.Alice}}
	check := func(all []said.Message, err error) {
		t.Helper()
		if err != nil || len(all) != 3 {
			t.Fatalf("%+v, %v", all, err)
		}
		for _, one := range all {
			if one.Stranger != (one.Text != "launch by "+fake.Alice) {
				t.Errorf("%q by a stranger: %v", one.Text, one.Stranger)
			}
		}
	}
	found, err := a.Said(t.Context(), m, said.Query{Text: "launch", Limit: 10})
	check(found.Messages, err)
	talk, err := a.Read(t.Context(), m, said.Span{Channel: fake.General, From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour), Limit: 10})
	check(talk.Messages, err)
	if n := fake.Count(http.MethodGet, "/members/"+fake.Bob); n != 1 {
		t.Errorf("a guest was looked up %d times", n)
	}
	for range 30 {
		fake.Say(fake.AddUser("many"), fake.General, "launch")
	}
	before := fake.Count(http.MethodGet, "/members/")
	found, err = a.Said(t.Context(), m, said.Query{Text: "launch", Limit: 10})
	if n := fake.Count(http.MethodGet, "/members/") - before; err != nil || n != 20 || len(found.Messages) != 33 {
		t.Errorf("%d look-ups for %d messages, %v", n, len(found.Messages), err)
	}
	if p, ok, err := a.PersonNow(t.Context(), m.Thread, fake.Bob); err != nil || !ok || !p.Guest {
		t.Errorf("the guest is %+v, %v, %v", p, ok, err)
	}
}

// TestASearchOfHistoryIsBounded: so many channels, so many pages, and nothing waits for a rate limit. What is counted is not
// timed: a busy machine may need longer than people wait.
func TestASearchOfHistoryIsBounded(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	a := adapter(t, fake, discord.Config{SearchTime: time.Hour})
	for i := range 450 {
		fake.Say(fake.Bob, fake.General, fmt.Sprintf("launch %d", i))
	}
	for i := range 20 {
		fake.Say(fake.Bob, fake.AddChannel(fmt.Sprintf("c%d", i)), "launch")
	}
	m := bot.Message{ID: "1", Thread: bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.General, ID: "1"}}
	found, err := a.Said(t.Context(), m, said.Query{Text: "launch", Limit: 10})
	if err != nil || len(found.Messages) != 307 || !found.Partial {
		t.Errorf("%d messages, partial %v, %v", len(found.Messages), found.Partial, err)
	}
	calls := 0
	for _, c := range fake.Journal() {
		if c.Method == http.MethodGet && strings.Contains(c.Path, "/messages") {
			calls++
		}
	}
	if calls != 10 {
		t.Errorf("%d requests for messages, want 10", calls)
	}
	fake.Fail(discordfake.Fault{Method: http.MethodGet, Path: "/guilds/" + fake.Guild + "/channels", Status: http.StatusTooManyRequests, After: 60})
	if _, err := adapter(t, fake, discord.Config{}).Said(t.Context(), m, said.Query{Text: "launch"}); !errors.Is(err, said.ErrBusy) {
		t.Errorf("over the rate limit: %v", err)
	}
}
