package slack_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// patience bounds a test that fails on a slow and busy machine; nothing is measured
// with it.
const patience = 5 * time.Minute

// intake records what an adapter hands over; its hooks decide what is answered.
type intake struct {
	mu          sync.Mutex
	messages    []bot.Message
	changes     []bot.Change
	actions     []bot.Action
	invocations []bot.Invocation

	notes   map[string]string
	prompts int // how many a greeting suggests, at least one
	homes   int // how often a Home was read

	slow      func(context.Context) error // what a message or a command waits for
	hold      func(bot.Message)           // keeps a message from being taken
	onMessage func(bot.Message) error
	onAction  func(bot.Action) (bot.Answer, error)
	onCommand func(bot.Invocation) (*bot.Card, error)
}

func (in *intake) Message(ctx context.Context, m bot.Message) error {
	if in.hold != nil {
		in.hold(m)
	}
	if in.slow != nil {
		if err := in.slow(ctx); err != nil {
			return err
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.onMessage != nil {
		if err := in.onMessage(m); err != nil {
			return err
		}
	}
	in.messages = append(in.messages, m)
	return nil
}

func (in *intake) Change(_ context.Context, c bot.Change) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.changes = append(in.changes, c)
	return nil
}

func (in *intake) Action(_ context.Context, a bot.Action) (bot.Answer, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.actions = append(in.actions, a)
	if in.onAction != nil {
		return in.onAction(a)
	}
	return bot.Answer{}, nil
}

func (in *intake) Command(ctx context.Context, c bot.Invocation) (*bot.Card, error) {
	if in.slow != nil {
		if err := in.slow(ctx); err != nil {
			return nil, err
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.invocations = append(in.invocations, c)
	if in.onCommand != nil {
		return in.onCommand(c)
	}
	return nil, nil
}

func (in *intake) Commands() []bot.Command { return nil }
func (in *intake) Notes() bot.Notes        { return in }

func (in *intake) Note(_ context.Context, key string) (string, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.notes[key], nil
}

func (in *intake) SetNote(_ context.Context, key, value string) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.notes == nil {
		in.notes = map[string]string{}
	}
	in.notes[key] = value
	return nil
}

func (in *intake) SwapNote(_ context.Context, key, before, value string) (bool, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.notes[key] != before && in.notes[key] != value {
		return false, nil
	}
	in.notes[key] = value
	return true, nil
}

// Greet says hello in the person's language, with the channel they look at.
func (in *intake) Greet(_ context.Context, _, viewing bot.Thread, u bot.User) (bot.Greeting, error) {
	g := bot.Greeting{Card: bot.Card{Kind: bot.CardNotice, Text: "hello " + u.Name, Language: "en", Final: true}, Title: "Try"}
	for range max(1, in.prompts) {
		g.Prompts = append(g.Prompts, bot.Prompt{Title: "About " + viewing.Channel, Message: "What is it about?"})
	}
	return g, nil
}

// Home shows how often it was read.
func (in *intake) Home(context.Context, bot.Thread, bot.User) ([]bot.Card, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.homes++
	return []bot.Card{{Kind: bot.CardNotice, Text: fmt.Sprintf("reading %d", in.homes), Language: "en", Final: true}}, nil
}

func (in *intake) readings() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.homes
}

func (in *intake) commands() []bot.Invocation {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.invocations)
}

func (in *intake) said() []bot.Message {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.messages)
}

// unique counts messages as the inbox does: by what they are.
func (in *intake) unique() map[string]bot.Message {
	out := map[string]bot.Message{}
	for _, m := range in.said() {
		out[m.Key()] = m
	}
	return out
}

// world is an adapter that runs against a fake.
type world struct {
	*slackfake.Server
	adapter *slack.Adapter
	in      *intake
	t       *testing.T
}

// shortly waits a hundredth of the time.
func shortly(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d / 100)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func config(f *slackfake.Server) slack.Config {
	return slack.Config{
		BotToken: f.BotToken(), AppToken: f.AppToken(), APIURL: f.URL(),
		Wait: shortly, PostEvery: time.Nanosecond, EditEvery: 2 * time.Millisecond, AskWithin: patience,
	}
}

// start runs an adapter over Socket Mode until the test ends.
func start(t *testing.T, o slackfake.Options, change ...func(*slack.Config)) *world {
	t.Helper()
	f := slackfake.Start(t, o)
	c := config(f)
	for _, ch := range change {
		ch(&c)
	}
	return run(t, f, c)
}

func run(t *testing.T, f *slackfake.Server, c slack.Config) *world {
	t.Helper()
	a, err := slack.New(c)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Server: f, adapter: a, in: &intake{}, t: t}
	if c.AppToken == "" {
		mux := http.NewServeMux()
		a.Mount(mux, w.in)
		srv := httptest.NewServer(mux)
		t.Cleanup(srv.Close)
		f.Deliver(srv.URL)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, w.in) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		if p := f.Problems(); len(p) > 0 {
			t.Errorf("Slack would have dropped: %v", p)
		}
	})
	return w
}

// offline returns an adapter that is asked what needs no Slack.
func offline(t *testing.T) *slack.Adapter {
	t.Helper()
	a, err := slack.New(slack.Config{BotToken: "xoxb-offline", SigningSecret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// overHTTP makes a configuration use the signed endpoints.
func overHTTP(c *slack.Config) {
	c.AppToken, c.SigningSecret = "", "fake-signing-secret"
}

func (w *world) until(what string, cond func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.Wait(ctx, cond); err != nil {
		w.t.Fatalf("%s: %v; refused calls: %v", what, err, w.Refused())
	}
}

func (w *world) settle() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.Settle(ctx); err != nil {
		w.t.Fatalf("not everything was acknowledged: %v", err)
	}
}

func thread(channel, id string) bot.Thread {
	return bot.Thread{Platform: "slack", Team: "T1", Channel: channel, ID: id, Direct: channel[0] == 'D'}
}

func target(channel, id string) bot.Target {
	return bot.Target{Thread: thread(channel, id), ReplyTo: id}
}

// asked returns the target of an answer to a member: a stream needs its reader.
func asked(channel, id string) bot.Target {
	to := target(channel, id)
	to.User = bot.User{ID: "U1"}
	return to
}

// both runs a test over Socket Mode and over HTTP.
func both(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	t.Run("socket", func(t *testing.T) {
		t.Parallel()
		f(t, start(t, slackfake.Options{}))
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		f(t, start(t, slackfake.Options{}, overHTTP))
	})
}

func contextWithTimeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), d)
}
