package discord_test

import (
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

func TestMembers(t *testing.T) {
	t.Parallel()
	managers := func(f *discordfake.Fake) string { return "9" + f.Guild[1:] }
	for name, c := range map[string]struct {
		change func(*discordfake.Fake)
		group  func(*discordfake.Fake) string
		user   func(*discordfake.Fake) string
		want   bool
	}{
		"reads":               {want: true},
		"left":                {change: func(f *discordfake.Fake) { f.Leave(f.Alice) }},
		"hidden_from_all":     {change: func(f *discordfake.Fake) { f.Hide(f.General, f.Guild) }},
		"hidden_from_person":  {change: func(f *discordfake.Fake) { f.Hide(f.General, f.Alice) }},
		"hidden_from_others":  {change: func(f *discordfake.Fake) { f.Hide(f.General, f.Bob) }, want: true},
		"in_role":             {change: func(f *discordfake.Fake) { f.SetRoles(f.Alice, managers(f)) }, group: managers, want: true},
		"not_in_role":         {group: managers},
		"left_with_role":      {change: func(f *discordfake.Fake) { f.SetRoles(f.Alice, managers(f)); f.Leave(f.Alice) }, group: managers},
		"somebody_unheard_of": {user: func(*discordfake.Fake) string { return "123456789" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := discordfake.Start(t, discordfake.Config{})
			if c.change != nil {
				c.change(fake)
			}
			user, group := fake.Alice, ""
			if c.user != nil {
				user = c.user(fake)
			}
			if c.group != nil {
				group = c.group(fake)
			}
			at := bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.General, ID: "1"}
			got, err := adapter(t, fake, discord.Config{}).Member(t.Context(), at, user, group)
			if err != nil || got != c.want {
				t.Errorf("%v, %v; want %v", got, err, c.want)
			}
		})
	}
}

// TestWhoReadsAPrivateThread: its members, and those who manage threads, of those who read its channel.
func TestWhoReadsAPrivateThread(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	thread := fake.PrivateThread(fake.General, "salaries", fake.Alice)
	a := adapter(t, fake, discord.Config{})
	at := bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.General, ID: thread}
	for user, want := range map[string]bool{fake.Alice: true, fake.Bob: false} {
		if got, err := a.Member(t.Context(), at, user, ""); err != nil || got != want {
			t.Errorf("%s reads it: %v, %v", user, got, err)
		}
	}
	open := at
	open.ID = fake.Thread(fake.General, "lunch")
	if got, err := a.Member(t.Context(), open, fake.Bob, ""); err != nil || !got {
		t.Errorf("an open thread: %v, %v", got, err)
	}
	fake.Hide(fake.General, fake.Alice)
	if got, err := a.Member(t.Context(), at, fake.Alice, ""); err != nil || got {
		t.Errorf("a member who reads the channel no more: %v, %v", got, err)
	}
}

func TestClickProvesWhoClicked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m, id := w.withButton()
	asked := w.fake.Count("GET", "/members/")
	for user, manages := range map[string]bool{w.fake.Admin: true, w.fake.Bob: false} {
		token := w.fake.Click(user, m.ID, id, "m1:row1:accept")
		w.settle("an answer", func() bool { return !w.fake.Interaction(token).Answered.IsZero() })
		for group, want := range map[string]bool{"": true, "9" + w.fake.Guild[1:]: manages} {
			if got, err := w.a.Member(w.ctx, m.Thread, user, group); err != nil || got != want {
				t.Errorf("%s in %q: %v, %v", user, group, got, err)
			}
		}
	}
	if n := w.fake.Count("GET", "/members/") - asked; n != 0 {
		t.Errorf("asked %d times for what the click had said", n)
	}
	if _, err := w.a.Member(w.ctx, bot.Thread{Platform: "discord", Team: "dm", Channel: "1", Direct: true}, w.fake.Alice, ""); err != nil {
		t.Error(err)
	}
	w.fake.Fail(discordfake.Fault{Method: "GET", Path: "/members/", Status: 500, Times: 9})
	if ok, err := w.a.Member(w.ctx, m.Thread, w.fake.Alice+"0", ""); ok || err == nil {
		t.Errorf("what cannot be found out is %v, %v", ok, err)
	}
}

// TestAProofOfTheFutureProvesNothing: with a clock that is behind, what a click said
// would count for longer than it is true.
func TestAProofOfTheFutureProvesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{Now: func() time.Time { return time.Now().Add(-time.Hour) }})
	m, id := w.withButton()
	asked := w.fake.Count("GET", "/members/")
	token := w.fake.Click(w.fake.Bob, m.ID, id, "m1:row1:accept")
	w.settle("an answer", func() bool { return !w.fake.Interaction(token).Answered.IsZero() })
	if ok, err := w.a.Member(w.ctx, m.Thread, w.fake.Bob, ""); err != nil || !ok {
		t.Errorf("a member: %v, %v", ok, err)
	}
	if w.fake.Count("GET", "/members/") == asked {
		t.Error("Discord was not asked")
	}
}

// TestIDsOfPeople: what can be an approver here, and what is a name.
func TestIDsOfPeople(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{"80351110224678912": true, "77": true, "bob": false, "U1": false, "-1": false, "": false} {
		if got := (*discord.Adapter)(nil).IsID(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}

func TestAdminsAreKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.fake.Say(w.fake.Admin, w.fake.General, w.fake.Mention()+" hi")
	if m := w.in.message(w.ctx, t, 0); !m.User.Admin {
		t.Errorf("user is %+v", m.User)
	}
}
