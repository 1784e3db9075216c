package discord_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
	"maru/datatest"
)

// answering is an intake that answers each message once, as the bot does: what a
// message is decides whether it came before.
type answering struct {
	*intake
	mu      sync.Mutex
	answer  func(bot.Message)
	known   map[string]bool
	again   int
	running sync.WaitGroup
}

func (a *answering) Message(ctx context.Context, m bot.Message) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known[m.Key()] {
		a.again++
		return nil
	}
	a.known[m.Key()] = true
	if m.Reach == bot.ReachMention {
		a.running.Go(func() { a.answer(m) })
	}
	return a.intake.Message(ctx, m)
}

// breaksOf returns the ways in which the connection breaks.
func breaksOf(fake *discordfake.Fake) []func() {
	breaks := []func(){
		fake.Drop, fake.AskReconnect, func() { fake.Invalidate(true) }, func() { fake.Invalidate(false) },
		func() { fake.ForgetSessions(); fake.Drop() },
		func() { fake.SetAcks(false) },
	}
	for _, code := range []int{1000, 1001, 1006, 1011, 1012, 4000, 4001, 4002, 4003, 4005, 4007, 4008, 4009} {
		breaks = append(breaks, func() { fake.CloseGateway(code) })
	}
	return breaks
}

// TestNothingIsLostOrAnsweredTwice breaks the connection in every way there is
// while people write: the gateway drops, repeats and reorders events, closes
// with each code, ends sessions and stops acknowledging.
func TestNothingIsLostOrAnsweredTwice(t *testing.T) {
	t.Parallel()
	messages, every := 600, 8
	if datatest.Short(t) {
		messages = 150
	}
	cfg := hurried(40)
	cfg.Logger = slog.New(slog.DiscardHandler)
	fake := discordfake.Start(t, discordfake.Config{Heartbeat: time.Second, Overlap: 3, Now: cfg.Now, Turn: time.Second})
	in := &answering{intake: newIntake(), known: map[string]bool{}}
	ctx, stop := context.WithCancel(t.Context()) // without a deadline: the clocks differ
	defer stop()
	defer time.AfterFunc(2*patience, stop).Stop()
	a, ended, cancel := run(ctx, t, fake, in, cfg)
	in.answer = func(m bot.Message) {
		if _, err := a.Post(ctx, bot.Target{Thread: m.Thread, Title: m.Text}, text("answer"), m.ID); err != nil {
			t.Errorf("post: %v", err)
		}
	}
	if err := fake.AwaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // G404: repeatable
	fake.Disturb(discordfake.Disturbance{Drop: 0.03, Duplicate: 0.05, Reorder: 0.05, Seed: 7})
	breaks := breaksOf(fake)
	cuts := 0
	var asked []string
	for i := range messages {
		channel := []string{fake.General, fake.Random}[i%2]
		asked = append(asked, fake.Say(fake.Alice, channel, fake.Mention()+" "+strconv.Itoa(i)).ID)
		if i%every == 0 {
			breaks[random.IntN(len(breaks))]()
			cuts++
			if i%(4*every) == 0 { // else while it is away
				fake.SetAcks(true)
				if err := fake.AwaitReady(ctx); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	fake.SetAcks(true)
	answered := func(id string) int { return len(fake.BotMessages(id)) }
	next := 0 // all before it have their answers: what was seen is not counted again with every event
	if err := fake.Await(ctx, func() bool {
		for next < len(asked) && answered(asked[next]) > 0 {
			next++
		}
		return next == len(asked)
	}); err != nil {
		t.Errorf("%v", err)
	}
	in.running.Wait()
	lost, twice := 0, 0
	for _, id := range asked {
		switch n := answered(id); {
		case n == 0:
			lost++
		case n > 1:
			twice++
		}
	}
	in.mu.Lock()
	t.Logf("%d messages over %d cuts: %d lost, %d answered twice; %d deliveries came again, %d sessions, %d resumes",
		messages, cuts, lost, twice, in.again, len(fake.Identifies()), fake.Resumes())
	in.mu.Unlock()
	if lost > 0 || twice > 0 {
		t.Errorf("%d lost, %d answered twice", lost, twice)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestShuffledEventsComeInOrder is an order of arrival that Discord does not
// promise against and a proxy can make.
func TestShuffledEventsComeInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.fake.Disturb(discordfake.Disturbance{Reorder: 0.4, Duplicate: 0.1, Seed: 3})
	const n = 200
	for i := range n {
		w.fake.Say(w.fake.Alice, w.fake.General, fmt.Sprintf("%s %03d", w.fake.Mention(), i))
	}
	w.fake.Disturb(discordfake.Disturbance{})
	w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" end")
	w.in.await(w.ctx, t, "all", func() bool { return len(w.in.messages) == n+1 })
	seen, last := map[string]bool{}, ""
	for _, m := range w.in.all() {
		if !seen[m.ID] && m.Text < last {
			t.Fatalf("%q comes after %q", m.Text, last)
		}
		seen[m.ID], last = true, max(last, m.Text)
	}
}

func TestLostEventIsAskedForAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.fake.Disturb(discordfake.Disturbance{Drop: 1})
	w.fake.Say(w.fake.Alice, w.fake.Random, w.fake.Mention()+" lost")
	w.fake.Disturb(discordfake.Disturbance{})
	w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" seen")
	w.in.await(w.ctx, t, "both", func() bool { return len(w.in.messages) == 2 })
	if n := w.fake.Resumes(); n != 1 {
		t.Errorf("%d resumes", n)
	}
}

func TestLastEventOfASessionIsMissed(t *testing.T) {
	t.Parallel()
	cfg := hurried(30)
	w := newWorld(t, discordfake.Config{Now: cfg.Now, Turn: time.Second}, cfg)
	m := w.ask("first")
	w.fake.Disturb(discordfake.Disturbance{Drop: 1})
	w.fake.Say(w.fake.Alice, m.Thread.Channel, w.fake.Mention()+" lost, and nothing comes after it")
	w.in.await(w.ctx, t, "the lost one", func() bool { return len(w.in.messages) == 2 })
}

// slowIn is an intake that does not commit what comes from a channel while it is
// closed.
type slowIn struct {
	*intake
	channel string
	closed  chan struct{}
}

func (s *slowIn) Message(ctx context.Context, m bot.Message) error {
	if m.Text == "held" && m.Thread.Channel == s.channel {
		<-s.closed
	}
	return s.intake.Message(ctx, m)
}

// TestAChannelThatWaitsHoldsUpNoOther has more channels beside it than are worked on at
// the same time.
func TestAChannelThatWaitsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	in := &slowIn{intake: newIntake(), channel: fake.General, closed: make(chan struct{})}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	_, ended, cancel := run(ctx, t, fake, in, discord.Config{})
	if err := fake.AwaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	fake.Say(fake.Alice, fake.General, fake.Mention()+" held")
	const others = 100
	for i := range others {
		fake.Say(fake.Alice, fake.AddChannel("beside-"+strconv.Itoa(i)), fake.Mention()+" goes on")
	}
	in.await(ctx, t, "all others", func() bool { return len(in.messages) == others })
	close(in.closed)
	in.await(ctx, t, "the held one", func() bool { return len(in.messages) == others+1 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestAChannelBehindTheOthersIsReadFromWhereItWas has a channel wait for the store
// while two sessions begin and another channel goes on.
func TestAChannelBehindTheOthersIsReadFromWhereItWas(t *testing.T) {
	t.Parallel()
	cfg := hurried(40)
	fake := discordfake.Start(t, discordfake.Config{Now: cfg.Now, Turn: time.Second})
	in := &slowIn{intake: newIntake(), channel: fake.General, closed: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context()) // without a deadline: the clocks differ
	defer stop()
	defer time.AfterFunc(patience, stop).Stop()
	_, ended, cancel := run(ctx, t, fake, in, cfg)
	say := func(channel, text string) { fake.Say(fake.Alice, channel, fake.Mention()+" "+text) }
	heard := func(text string) {
		t.Helper()
		in.await(ctx, t, text, func() bool {
			return slices.ContainsFunc(in.messages, func(m bot.Message) bool { return m.Text == text })
		})
	}
	again := func(meanwhile func()) {
		t.Helper()
		sessions := len(fake.Identifies())
		fake.SetOffline(true)
		fake.ForgetSessions()
		fake.Drop()
		meanwhile()
		fake.SetOffline(false)
		if err := fake.Await(ctx, func() bool { return len(fake.Identifies()) > sessions && fake.Connected() }); err != nil {
			t.Fatal(err)
		}
	}
	if err := fake.AwaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	say(fake.General, "first here")
	say(fake.Random, "first there")
	heard("first here")
	heard("first there")
	say(fake.General, "held")
	again(func() {
		say(fake.General, "missed here")
		say(fake.Random, "missed there")
	})
	heard("missed there")
	if err := cfg.Wait(ctx, 30*time.Second); err != nil {
		t.Fatal(err)
	}
	say(fake.General, "later here")
	say(fake.Random, "later")
	heard("later")
	again(func() {})
	say(fake.Random, "last")
	heard("last")
	close(in.closed)
	heard("missed here")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
