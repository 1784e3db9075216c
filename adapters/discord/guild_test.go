package discord_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

// landlord is an intake that keeps guilds, as a record and the bot do.
type landlord struct {
	*intake

	gmu  sync.Mutex
	rows map[string]bot.Installation
	left []bot.Departure
	slow chan struct{} // if set, a departure is committed when it is closed
}

func (l *landlord) SaveInstallation(context.Context, bot.Installation) (bot.Installation, error) {
	return bot.Installation{}, bot.ErrStale
}

func (l *landlord) Installation(_ context.Context, _, team string) (bot.Installation, error) {
	l.gmu.Lock()
	defer l.gmu.Unlock()
	if in, ok := l.rows[team]; ok {
		return in, nil
	}
	return bot.Installation{}, bot.ErrNotFound
}

func (l *landlord) Installations(context.Context, string) ([]bot.Installation, error) {
	l.gmu.Lock()
	defer l.gmu.Unlock()
	var out []bot.Installation
	for _, in := range l.rows {
		out = append(out, in)
	}
	return out, nil
}

func (l *landlord) Vacate(context.Context, string, string, string) (int, error) { return 0, nil }
func (l *landlord) Purge(context.Context, string, string) error                 { return nil }
func (l *landlord) TeamThreads(context.Context, string, string, int) ([]string, error) {
	return nil, nil
}

func (l *landlord) Join(_ context.Context, in bot.Installation) (bot.Installation, error) {
	l.gmu.Lock()
	defer l.gmu.Unlock()
	in.State = bot.InstallActive
	l.rows[in.Team] = in
	return in, nil
}

func (l *landlord) Leave(ctx context.Context, d bot.Departure) error {
	if l.slow != nil {
		select {
		case <-l.slow:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	l.gmu.Lock()
	defer l.gmu.Unlock()
	in := l.rows[d.Team]
	in.State = bot.InstallRemoved
	l.rows[d.Team] = in
	l.left = append(l.left, d)
	return nil
}

func (l *landlord) Welcome(locale string) bot.Card {
	return bot.Card{Kind: bot.CardNotice, Text: "welcome in " + locale, Final: true}
}

func (l *landlord) state(team string) bot.InstallState {
	l.gmu.Lock()
	defer l.gmu.Unlock()
	return l.rows[team].State
}

// guildWorld runs an adapter that keeps guilds.
func guildWorld(t *testing.T, greet bool, prepare func(*discordfake.Fake)) (*discordfake.Fake, *landlord, func()) {
	t.Helper()
	fake := discordfake.Start(t, discordfake.Config{})
	prepare(fake)
	l := &landlord{intake: newIntake(), rows: map[string]bot.Installation{}}
	return fake, l, runGuilds(t, fake, l, greet)
}

func runGuilds(t *testing.T, fake *discordfake.Fake, l *landlord, greet bool) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	_, ended, end := run(ctx, t, fake, l, discord.Config{Installations: l, Greet: greet})
	var once sync.Once
	stop = func() {
		once.Do(func() {
			end()
			if err := <-ended; err != nil {
				t.Errorf("Run ended with %v", err)
			}
			cancel()
		})
	}
	t.Cleanup(stop)
	if err := fake.AwaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	return stop
}

func (l *landlord) awaits(t *testing.T, team string, state bot.InstallState) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for l.state(team) != state {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatalf("the guild is %q, want %q", l.state(team), state)
		}
	}
}

// TestAGuildTakesTheBotIn: a new guild is stored and greeted once, in its system
// channel or, without one, its owner; one where the bot has been is only stored.
func TestAGuildTakesTheBotIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, system, greet bool
		channel, owner        int
	}{
		"system_channel":     {system: true, greet: true, channel: 1},
		"owner":              {greet: true, owner: 1},
		"switched_off":       {system: true},
		"was_there_at_start": {before: true, system: true, greet: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, l, _ := guildWorld(t, c.greet, func(f *discordfake.Fake) {
				if !c.before {
					f.ExpelUnseen()
				}
			})
			system := ""
			if c.system {
				system = fake.General
			}
			fake.Invite(system)
			l.awaits(t, fake.Guild, bot.InstallActive)
			dm := fake.DM(fake.Admin)
			for want, place := range map[int]string{c.channel: fake.General, c.owner: dm} {
				if want == 0 {
					continue
				}
				if err := fake.Await(t.Context(), func() bool { return len(fake.BotMessages(place)) == want }); err != nil {
					t.Fatal(err)
				}
				if said := fake.BotMessages(place)[0].Content; !strings.Contains(said, "welcome in ko") {
					t.Errorf("greeting %q", said)
				}
			}
			fake.Outage(true)
			fake.Outage(false)
			fake.Say(fake.Alice, fake.General, fake.Mention()+" hi") // everything before it has been handled then
			l.message(t.Context(), t, 0)
			if n := len(fake.BotMessages(fake.General)); n != c.channel {
				t.Errorf("%d greetings in the channel, want %d", n, c.channel)
			}
			if n := len(fake.BotMessages(dm)); n != c.owner {
				t.Errorf("%d greetings to the owner, want %d", n, c.owner)
			}
			if len(l.left) > 0 {
				t.Errorf("an outage was taken for the end: %+v", l.left)
			}
		})
	}
}

// TestAGuildSendsTheBotAway, now or while it is not connected, and takes it in
// again.
func TestAGuildSendsTheBotAway(t *testing.T) {
	t.Parallel()
	fake, l, stop := guildWorld(t, true, func(*discordfake.Fake) {})
	l.awaits(t, fake.Guild, bot.InstallActive)
	fake.Expel()
	l.awaits(t, fake.Guild, bot.InstallRemoved)
	fake.Invite(fake.General)
	l.awaits(t, fake.Guild, bot.InstallActive)
	if err := fake.Await(t.Context(), func() bool { return len(fake.BotMessages(fake.General)) == 1 }); err != nil {
		t.Fatal(err)
	}
	stop()
	fake.ExpelUnseen()
	runGuilds(t, fake, l, true)
	l.awaits(t, fake.Guild, bot.InstallRemoved)
	l.gmu.Lock()
	defer l.gmu.Unlock()
	if len(l.left) != 2 || l.left[0].Why != "guild_delete" || l.left[1].Why != "left_while_away" {
		t.Errorf("departures %+v", l.left)
	}
}

// TestAGuildThatChangesItsMind sends the bot away and takes it in again before the
// record has taken the first: it is taken in then, and greeted.
func TestAGuildThatChangesItsMind(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	l := &landlord{intake: newIntake(), rows: map[string]bot.Installation{}, slow: make(chan struct{})}
	runGuilds(t, fake, l, true)
	l.awaits(t, fake.Guild, bot.InstallActive)
	fake.Expel()
	fake.Invite(fake.General)
	fake.Say(fake.Alice, fake.General, fake.Mention()+" hi") // both have come in when this is heard
	l.message(t.Context(), t, 0)
	close(l.slow)
	if err := fake.Await(t.Context(), func() bool { return len(fake.BotMessages(fake.General)) == 1 }); err != nil {
		t.Fatal(err)
	}
	if s := l.state(fake.Guild); s != bot.InstallActive || len(l.left) != 1 {
		t.Errorf("the guild is %s after %+v", s, l.left)
	}
}

// looks waits until it is noted when guilds were first looked at.
func (l *landlord) looks(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for l.noted("discord/guilds-since") == "" {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("nothing says when guilds were first looked at")
		}
	}
}

// TestAGuildTakesTheBotInWhileItIsAway: such a guild is greeted once, at the next
// start. One that took it in before guilds were looked at is used to it.
func TestAGuildTakesTheBotInWhileItIsAway(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		looked bool          // guilds were looked at before
		ago    time.Duration // that the guild took the bot in
		want   int
	}{
		"since_the_last_start":   {true, -time.Minute, 1},
		"before_the_first_look":  {true, time.Hour, 0},
		"first_start_of_all":     {false, time.Hour, 0},
		"upgrade_knows_no_guild": {false, 1000 * time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := discordfake.Start(t, discordfake.Config{})
			l := &landlord{intake: newIntake(), rows: map[string]bot.Installation{}}
			fake.ExpelUnseen()
			if c.looked {
				stop := runGuilds(t, fake, l, true)
				l.looks(t)
				stop()
			}
			fake.InviteUnseen(fake.General, time.Now().Add(-c.ago))
			for range 2 { // the second start has greeted already
				stop := runGuilds(t, fake, l, true)
				l.awaits(t, fake.Guild, bot.InstallActive)
				if err := fake.Await(t.Context(), func() bool { return len(fake.BotMessages(fake.General)) >= c.want }); err != nil {
					t.Fatal(err)
				}
				stop()
			}
			if n := len(fake.BotMessages(fake.General)); n != c.want {
				t.Errorf("%d greetings, want %d", n, c.want)
			}
		})
	}
}

// TestGiveBack takes the bot out of a guild for the operator.
func TestGiveBack(t *testing.T) {
	t.Parallel()
	fake, l, _ := guildWorld(t, true, func(*discordfake.Fake) {})
	l.awaits(t, fake.Guild, bot.InstallActive)
	a := adapter(t, fake, discord.Config{})
	for range 2 { // a second time finds nothing to do
		if err := a.GiveBack(t.Context(), bot.Installation{Team: fake.Guild}); err != nil {
			t.Fatal(err)
		}
	}
	l.awaits(t, fake.Guild, bot.InstallRemoved)
}
