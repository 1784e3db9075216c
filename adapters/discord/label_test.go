package discord_test

import (
	"slices"
	"testing"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
	"maru/bot/label"
)

// TestNamesOfIDs: a channel that not everybody in the thread sees keeps its name, and no other server has any.
func TestNamesOfIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	fake := w.fake
	closed, twin, ideas := fake.AddChannel("layoffs"), fake.AddChannel("twin"), fake.AddChannel("ideas")
	fake.CloseTo(closed, fake.Alice)
	fake.CloseTo(twin, fake.Alice)
	voice, visitor := fake.AddVoice("lounge"), fake.AddUser("visitor")
	fake.SetGuest(visitor)
	hidden := fake.PrivateThread(fake.General, "salaries", fake.Alice)
	a, managers := w.a, "9"+fake.Guild[1:]
	w.until("the server's roles are known", func() bool {
		return a.NameOf(t.Context(), bot.Thread{Platform: "discord", Team: fake.Guild}, managers) != ""
	})
	at := func(channel, id string) bot.Message {
		return bot.Message{Thread: bot.Thread{Platform: "discord", Team: fake.Guild, Channel: channel, ID: id}, User: bot.User{ID: fake.Alice}}
	}
	direct := func(user string) bot.Message {
		return bot.Message{Thread: bot.Thread{Platform: "discord", Team: "dm", Channel: fake.DM(user), Direct: true}, User: bot.User{ID: user}}
	}
	private := label.Label{Kind: label.Private}
	for name, c := range map[string]struct {
		m    bot.Message
		id   string
		want label.Label
	}{
		"a member":               {at(fake.General, ""), fake.Bob, label.Label{Kind: label.Person, Name: "Bob"}},
		"a role":                 {at(fake.General, ""), managers, label.Label{Kind: label.Role, Name: "@Managers"}},
		"a channel":              {at(fake.General, ""), ideas, label.Label{Kind: label.Channel, Name: "#ideas"}},
		"a closed one":           {at(fake.General, ""), closed, private},
		"in itself":              {at(closed, ""), closed, label.Label{Kind: label.Channel, Name: "#layoffs"}},
		"with the same readers":  {at(twin, ""), closed, label.Label{Kind: label.Channel, Name: "#layoffs"}},
		"a private thread":       {at(fake.General, ""), hidden, private},
		"in that thread":         {at(fake.General, hidden), hidden, label.Label{Kind: label.Thread, Name: "salaries"}},
		"for a guest":            {bot.Message{Thread: bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.General}, User: bot.User{ID: visitor, Guest: true}}, ideas, private},
		"direct, for a guest":    {direct(visitor), ideas, private},
		"where guests may be":    {at(voice, ""), ideas, private},
		"the server":             {at(fake.General, ""), fake.Guild, label.Label{Kind: label.Server, Name: "마루 팀"}},
		"nothing":                {at(fake.General, ""), "123456789012345678", label.Label{}},
		"direct, who sees it":    {direct(fake.Alice), closed, label.Label{Kind: label.Channel, Name: "#layoffs"}},
		"direct, who does not":   {direct(fake.Bob), closed, private},
		"direct, a member":       {direct(fake.Alice), fake.Bob, label.Label{}},
		"from the console":       {bot.Message{Thread: bot.Thread{Platform: "web", Team: "local"}}, ideas, label.Label{Kind: label.Channel, Name: "#ideas"}},
		"for the whole server":   {bot.Message{Thread: bot.Thread{Platform: "discord", Team: fake.Guild}}, ideas, label.Label{Kind: label.Channel, Name: "#ideas"}},
		"closed, for the whole":  {bot.Message{Thread: bot.Thread{Platform: "discord", Team: fake.Guild}, User: bot.User{ID: fake.Alice}}, closed, private},
		"anywhere, who sees it":  {bot.Message{Thread: bot.Thread{Platform: "discord", Team: fake.Guild, Direct: true}, User: bot.User{ID: fake.Alice}}, closed, label.Label{Kind: label.Channel, Name: "#layoffs"}},
		"who does not, anywhere": {bot.Message{Thread: bot.Thread{Platform: "discord", Team: fake.Guild, Direct: true}, User: bot.User{ID: fake.Bob}}, closed, private},
		"closed, from there":     {bot.Message{Thread: bot.Thread{Platform: "web", Team: "local"}}, closed, private},
	} {
		if got := a.LabelOf(t.Context(), c.m, c.id); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	guilds := fake.Count("GET", "/guilds/"+fake.Guild) - fake.Count("GET", "/guilds/"+fake.Guild+"/")
	if n, nothing := fake.Count("GET", "/channels/"+closed), fake.Count("GET", "/123456789012345678"); n != 1 || nothing != 2 || guilds > 2 {
		t.Errorf("asked %d times for a channel, %d times for nothing, %d times for the server", n, nothing, guilds)
	}
	if got := a.IDs(`{"channel":"1187340981723410123","to":"<@1187340981723410124> <#1187340981723410123>","n":12345}`); !slices.Equal(got, []string{"1187340981723410123", "1187340981723410124"}) {
		t.Errorf("found %q", got)
	}
}
