package discord_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

// TestWhoReadsAChannel: everybody whom roles and overwrites let see it, and nothing where others may join unasked.
func TestWhoReadsAChannel(t *testing.T) {
	t.Parallel()
	const open, many, intent = "everybody", "more than", "Server Members Intent"
	view, administrator := "1024", "8"
	for name, c := range map[string]struct {
		scene func(f *discordfake.Fake) (channel string)
		want  []string // names
		err   string
	}{
		"everyone_sees_it":      {scene: func(f *discordfake.Fake) string { return f.General }, err: open},
		"one_is_kept_out":       {scene: func(f *discordfake.Fake) string { f.Hide(f.General, f.Bob); return f.General }, err: open},
		"closed_to_all":         {scene: func(f *discordfake.Fake) string { f.CloseTo(f.Random); return f.Random }, want: []string{"Admin"}}, // who owns it
		"closed_to_one":         {scene: func(f *discordfake.Fake) string { f.CloseTo(f.Random, f.Alice); return f.Random }, want: []string{"Admin", "Alice"}},
		"a_bot_is_no_reader":    {scene: func(f *discordfake.Fake) string { f.CloseTo(f.Random, f.OtherBot, f.Alice); return f.Random }, want: []string{"Admin", "Alice"}},
		"one_left":              {scene: func(f *discordfake.Fake) string { f.CloseTo(f.Random, f.Alice); f.Leave(f.Alice); return f.Random }, want: []string{"Admin"}},
		"announcements":         {scene: func(f *discordfake.Fake) string { f.CloseTo(f.Random, f.Alice); f.Announce(f.Random); return f.Random }, err: open},
		"somebody_elses_server": {scene: func(f *discordfake.Fake) string { return f.DM(f.Alice) }, err: open},
		"no_intent":             {scene: func(f *discordfake.Fake) string { f.CloseTo(f.Random, f.Alice); f.ForbidMembers(true); return f.Random }, err: intent},
		"closed_to_a_role": {scene: func(f *discordfake.Fake) string {
			role := f.AddRole("Finance", "0", nil)
			f.SetRoles(f.Bob, role)
			f.CloseTo(f.Random, role)
			return f.Random
		}, want: []string{"Admin", "Bob"}},
		"a_role_that_sees_all": {scene: func(f *discordfake.Fake) string {
			f.SetRoles(f.Bob, f.AddRole("Chief", administrator, nil))
			f.CloseTo(f.Random, f.Alice)
			return f.Random
		}, want: []string{"Admin", "Alice", "Bob"}},
		"a_role_that_sees_most": {scene: func(f *discordfake.Fake) string { // but what everyone is denied
			f.SetRoles(f.Bob, f.AddRole("Old hand", view, nil))
			f.CloseTo(f.Random, f.Alice)
			return f.Random
		}, want: []string{"Admin", "Alice"}},
		"a_role_for_an_account": {scene: func(f *discordfake.Fake) string {
			f.CloseTo(f.Random, f.AddRole("Linked", "0", map[string]any{"guild_connections": nil}))
			return f.Random
		}, err: open},
		"a_role_for_boosting": {scene: func(f *discordfake.Fake) string {
			f.CloseTo(f.Random, f.Alice, f.AddRole("Booster", "0", map[string]any{"premium_subscriber": nil}))
			return f.Random
		}, err: open},
		"a_role_for_whoever_joins": {scene: func(f *discordfake.Fake) string {
			role := f.AddRole("Team", "0", nil)
			f.SetOnboarding(role)
			f.CloseTo(f.Random, role)
			return f.Random
		}, err: open},
		"another_role_for_whoever_joins": {scene: func(f *discordfake.Fake) string {
			f.SetOnboarding(f.AddRole("Runner", "0", nil))
			f.CloseTo(f.Random, f.Alice)
			return f.Random
		}, want: []string{"Admin", "Alice"}},
		"a_crowd": {scene: func(f *discordfake.Fake) string {
			role := f.AddRole("Crowd", "0", nil)
			for i := range 201 {
				f.SetRoles(f.AddUser(fmt.Sprint("Fan ", i)), role)
			}
			f.CloseTo(f.Random, role)
			return f.Random
		}, err: many},
		"a_large_server": {scene: func(f *discordfake.Fake) string { // three pages of members
			for i := range 2400 {
				f.AddUser(fmt.Sprint("Fan ", i))
			}
			f.CloseTo(f.Random, f.Bob, f.AddUser("Zoe"))
			return f.Random
		}, want: []string{"Admin", "Bob", "Zoe"}},
		"too_large_a_server": {scene: func(f *discordfake.Fake) string {
			for i := range 10_000 {
				f.AddUser(fmt.Sprint("Fan ", i))
			}
			f.CloseTo(f.Random, f.Bob)
			return f.Random
		}, err: many},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := discordfake.Start(t, discordfake.Config{})
			at := bot.Thread{Platform: "discord", Team: fake.Guild, Channel: c.scene(fake), ID: "1"}
			got, err := adapter(t, fake, discord.Config{}).Readers(t.Context(), at)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || errors.Is(err, bot.ErrUnavailable) {
					t.Errorf("%d readers and error %v, want a word on %q", len(got), err, c.err)
				}
				return
			}
			var names []string
			for _, id := range got {
				names = append(names, fake.NameOf(id))
			}
			slices.Sort(names)
			if err != nil || !slices.Equal(names, c.want) {
				t.Errorf("%v, %v; want %v", names, err, c.want)
			}
		})
	}
}

// TestReadersOfPrivateThreads: nobody outside of the channel reads one; whether all of it do is not looked up.
func TestReadersOfPrivateThreads(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	a := adapter(t, fake, discord.Config{})
	fake.CloseTo(fake.Random, fake.Alice, fake.Bob)
	at := bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.Random, ID: fake.PrivateThread(fake.Random, "salaries", fake.Alice)}
	if got, err := a.Readers(t.Context(), at); err != nil || len(got) != 3 {
		t.Errorf("a private thread of a closed channel: %v, %v", got, err)
	}
	at.Channel = fake.General
	at.ID = fake.PrivateThread(fake.General, "salaries", fake.Alice)
	if got, err := a.Readers(t.Context(), at); err == nil {
		t.Errorf("a private thread of an open channel: %v", got)
	}
	at.Direct = true
	if got, err := a.Readers(t.Context(), at); err == nil {
		t.Errorf("a direct message: %v", got)
	}
}

// TestMembersAreRefused: without the Server Members Intent, the health checks name it, and are clean once it is enabled.
func TestMembersAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.fake.CloseTo(w.fake.Random, w.fake.Alice)
	w.fake.ForbidMembers(true)
	at := bot.Thread{Platform: "discord", Team: w.fake.Guild, Channel: w.fake.Random, ID: "1"}
	if got, err := w.a.Readers(w.ctx, at); err == nil {
		t.Errorf("read by %v", got)
	}
	if err := w.a.Ready(w.ctx); !errors.Is(err, bot.ErrLimited) || !strings.Contains(err.Error(), "Server Members Intent") {
		t.Errorf("ready: %v", err)
	}
	w.fake.ForbidMembers(false)
	w.settle("a list of members", func() bool { _, err := w.a.Readers(w.ctx, at); return err == nil })
	if err := w.a.Ready(w.ctx); err != nil {
		t.Errorf("ready: %v", err)
	}
}

// TestReadersAreLookedUpLater: a Discord that fails is not one that keeps nobody out.
func TestReadersAreLookedUpLater(t *testing.T) {
	t.Parallel()
	for _, c := range []discordfake.Fault{{Path: "/guilds/"}, {Path: "/channels/"}, {Path: "/onboarding"}, {Path: "/members"}, {Path: "/members", Status: 403, HTML: true}} {
		t.Run(fmt.Sprint(c.Path, c.Status), func(t *testing.T) {
			t.Parallel()
			fake := discordfake.Start(t, discordfake.Config{})
			fake.CloseTo(fake.Random, fake.Alice)
			c.Method, c.Status, c.Times = "GET", cmp.Or(c.Status, 500), 20
			fake.Fail(c)
			at := bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.Random, ID: "1"}
			if got, err := adapter(t, fake, discord.Config{}).Readers(t.Context(), at); !errors.Is(err, bot.ErrUnavailable) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}
