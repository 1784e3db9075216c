package discord_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

func TestAddressesOfDiscord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"https://discord.com/channels/1/2/3 요약해줘":                                             {"https://discord.com/channels/1/2/3"},
		"(https://canary.discord.com/channels/@me/2/3).":                                      {"https://canary.discord.com/channels/@me/2/3"},
		"<https://discordapp.com/channels/1/2/3>":                                             {"https://discordapp.com/channels/1/2/3"},
		"add https://cdn.discordapp.com/attachments/2/3/plan.md?ex=1&is=2&hm=3":               {"https://cdn.discordapp.com/attachments/2/3/plan.md?ex=1&is=2&hm=3"},
		"https://discord.com/channels/1/2, https://discord.gg/abc":                            {"https://discord.com/channels/1/2"},
		"https://discord.com/channels/1 https://discord.com/channels/me/2":                    nil,
		"https://evil.example/discord.com/channels/1/2/3 https://xdiscord.com/channels/1/2/3": nil,
	} {
		if got := (*discord.Adapter)(nil).Links(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestALinkShowsWhatItsReaderMaySee: who asks must see the channel and read back in it, in the
// same server; what may not be seen is refused as what is not there.
func TestALinkShowsWhatItsReaderMaySee(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	a := adapter(t, fake, discord.Config{})
	hidden, mute := fake.AddChannel("hidden"), fake.AddChannel("no-history")
	fake.Hide(hidden, fake.Alice)
	fake.DenyHistory(mute, fake.Alice)
	open := fake.Thread(fake.General, "open")
	inHidden := fake.Thread(hidden, "in hidden")
	private := fake.PrivateThread(fake.General, "private")
	say := func(channel, text string) string {
		m := fake.SayWith(fake.Bob, channel, text, "", fake.PutFile(text+".md", "text/markdown", []byte("# "+text)))
		return "/" + channel + "/" + m.ID
	}
	general, hid, noHistory := say(fake.General, "general"), say(hidden, "hidden"), say(mute, "mute")
	inOpen, inHid, inPrivate := say(open, "open"), say(inHidden, "inhidden"), say(private, "private")
	mine, bobs := say(fake.DM(fake.Alice), "mine"), say(fake.DM(fake.Bob), "bobs")
	at := func(channel string) bot.Thread {
		return bot.Thread{Platform: "discord", Team: fake.Guild, Channel: channel, ID: "1"}
	}
	direct := bot.Thread{Platform: "discord", Team: "dm", Channel: fake.DM(fake.Alice), Direct: true}
	for name, c := range map[string]struct {
		user, guild string
		at          bot.Thread
		link        string
		want        string // "" is refused
	}{
		"general":                  {fake.Alice, fake.Guild, at(fake.Random), general, "general"},
		"asked directly":           {fake.Alice, fake.Guild, direct, general, "general"},
		"asked directly, hidden":   {fake.Alice, fake.Guild, direct, hid, ""},
		"thread":                   {fake.Alice, fake.Guild, at(fake.Random), inOpen, "open"},
		"hidden":                   {fake.Alice, fake.Guild, at(fake.Random), hid, ""},
		"hidden, who sees it":      {fake.Bob, fake.Guild, at(fake.Random), hid, "hidden"},
		"thread of hidden":         {fake.Alice, fake.Guild, at(fake.Random), inHid, ""},
		"not read back":            {fake.Alice, fake.Guild, at(fake.Random), noHistory, ""},
		"private thread":           {fake.Bob, fake.Guild, at(fake.Random), inPrivate, ""},
		"private thread, asked in": {fake.Bob, fake.Guild, bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.General, ID: private}, inPrivate, "private"},
		"other server by name":     {fake.Alice, "123456789", at(fake.Random), general, ""},
		"from another server":      {fake.Alice, fake.Guild, bot.Thread{Platform: "discord", Team: "123456789", Channel: "5"}, general, ""},
		"no member":                {"987654321", fake.Guild, at(fake.Random), general, ""},
		"no such message":          {fake.Alice, fake.Guild, at(fake.Random), "/" + fake.General + "/42", ""},
		"no such channel":          {fake.Alice, fake.Guild, at(fake.Random), "/42/42", ""},
		"direct":                   {fake.Alice, "@me", direct, mine, "mine"},
		"another's direct":         {fake.Alice, "@me", direct, bobs, ""},
		"direct as of the server":  {fake.Alice, fake.Guild, at(fake.Random), bobs, ""},
	} {
		m := bot.Message{ID: "9", Thread: c.at, User: bot.User{ID: c.user}}
		q, err := a.Linked(t.Context(), m, "https://discord.com/channels/"+c.guild+c.link)
		switch {
		case c.want == "":
			if !errors.Is(err, bot.ErrForbidden) || q.Text != "" || len(q.Files) != 0 || !strings.Contains(err.Error(), "not_visible") {
				t.Errorf("%s: %+v, %v; want it refused", name, q, err)
			}
		case err != nil || q.Text != c.want || q.Author != "Bob" || len(q.Files) != 1 || q.Files[0].Name != c.want+".md" || q.At.IsZero():
			t.Errorf("%s: %+v, %v; want %q", name, q, err, c.want)
		}
	}
	for channel, want := range map[string]bool{fake.General: true, hidden: false} {
		m := bot.Message{ID: "9", Thread: at(fake.Random), User: bot.User{ID: fake.Alice}}
		q, err := a.Linked(t.Context(), m, "https://cdn.discordapp.com/attachments/"+channel+"/77/%EA%B3%84%ED%9A%8D.md?ex=1&hm=2")
		if got := err == nil && len(q.Files) == 1 && q.Files[0].Name == "계획.md"; got != want {
			t.Errorf("attachment of %s: %+v, %v", channel, q, err)
		}
	}
	fake.Fail(discordfake.Fault{Path: "/members/", Status: 500, Times: 50})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // it is asked again until then
	defer cancel()
	if q, err := a.Linked(ctx, bot.Message{Thread: at(fake.Random), User: bot.User{ID: fake.Alice}}, "https://discord.com/channels/"+fake.Guild+general); err == nil || errors.Is(err, bot.ErrForbidden) || q.Text != "" {
		t.Errorf("what cannot be asked must not count: %+v, %v", q, err)
	}
}

// TestALinkToAThreadOfDiscord: the address of a thread, and that of the message from which it was made, lead
// to how it began, and say which it is; that of a channel leads to nothing that is opened.
func TestALinkToAThreadOfDiscord(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	a := adapter(t, fake, discord.Config{})
	root := fake.Say(fake.Bob, fake.General, "when do we ship?")
	at := bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.General, ID: root.ID}
	if _, err := a.Post(t.Context(), bot.Target{Thread: at, Title: "shipping"}, bot.Card{Text: "on Friday", Final: true}, "k"); err != nil {
		t.Fatal(err)
	}
	made, forum := root.ID, fake.AddForum("ideas")
	bare := fake.Thread(fake.General, "bare")
	post := fake.ForumPost(fake.Bob, forum, "a hall", "of wood").Channel
	private := fake.PrivateThread(fake.General, "private")
	lone := fake.Say(fake.Bob, fake.General, "alone")
	for name, c := range map[string]struct {
		link   string
		text   string
		parent string // of the thread, "" for none
		id     string
		opened bool
	}{
		"message":           {"/" + fake.General + "/" + root.ID, "when do we ship?", fake.General, root.ID, true},
		"thread":            {"/" + made, "when do we ship?", fake.General, made, true},
		"thread of nothing": {"/" + bare, "bare", fake.General, bare, true},
		"post":              {"/" + post, "of wood", forum, post, true},
		"no thread":         {"/" + fake.General + "/" + lone.ID, "alone", "", "", true},
		"channel":           {"/" + fake.General, "", "", "", true},
		"private":           {"/" + private, "", "", "", false},
		"none":              {"/42", "", "", "", false},
	} {
		m := bot.Message{ID: "9", Thread: bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.Random}, User: bot.User{ID: fake.Alice}}
		q, err := a.Linked(t.Context(), m, "https://discord.com/channels/"+fake.Guild+c.link)
		if (err == nil) != c.opened || err != nil && !errors.Is(err, bot.ErrForbidden) || q.Text != c.text {
			t.Errorf("%s: %+v, %v; want %q", name, q, err, c.text)
			continue
		}
		switch {
		case c.parent == "":
			if q.Thread != nil {
				t.Errorf("%s: thread %+v", name, q.Thread)
			}
		case q.Thread == nil || q.Thread.Channel != c.parent || q.Thread.ID != c.id || q.Thread.Team != fake.Guild:
			t.Errorf("%s: thread %+v, want %s in %s", name, q.Thread, c.id, c.parent)
		}
	}
}
