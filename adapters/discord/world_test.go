package discord_test

import (
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

// patience bounds a test that fails on a slow and busy machine; nothing is measured
// with it.
const patience = 5 * time.Minute

// TestMain lets more tests run side by side than there are processors: they wait
// most of the time, as discordgo takes a second to close a connection.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "24"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// intake records what the adapter delivers; tests change what it answers. Like the
// bot's inbox it knows a message by what it is: one that comes again, as every message
// may, changes nothing.
type intake struct {
	mu       sync.Mutex
	messages []bot.Message
	had      map[string]bool // by key
	doubled  int             // messages that came again
	changes  []bot.Change
	actions  []bot.Action
	invoked  []bot.Invocation
	notes    map[string]string
	changed  chan struct{}
	refuse   int // so many messages are not committed

	onSetNote func(key string) // before the note is kept
	onAction  func(bot.Action) (bot.Answer, error)
	onMessage func(bot.Message)
	onCommand func(bot.Invocation) (*bot.Card, error)
}

func newIntake() *intake {
	return &intake{notes: map[string]string{}, had: map[string]bool{}, changed: make(chan struct{})}
}

func (i *intake) notify() {
	close(i.changed)
	i.changed = make(chan struct{})
}

func (i *intake) Message(_ context.Context, m bot.Message) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.refuse > 0 {
		i.refuse--
		return context.DeadlineExceeded
	}
	if i.had[m.Key()] {
		i.doubled++
		return nil
	}
	i.had[m.Key()] = true
	i.messages = append(i.messages, m)
	i.notify()
	if i.onMessage != nil {
		i.onMessage(m)
	}
	return nil
}

func (i *intake) Change(_ context.Context, c bot.Change) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.changes = append(i.changes, c)
	i.notify()
	return nil
}

func (i *intake) Action(_ context.Context, a bot.Action) (bot.Answer, error) {
	i.mu.Lock()
	i.actions = append(i.actions, a)
	f := i.onAction
	i.notify()
	i.mu.Unlock()
	if f != nil {
		return f(a)
	}
	return bot.Answer{}, nil
}

func (i *intake) Command(_ context.Context, c bot.Invocation) (*bot.Card, error) {
	i.mu.Lock()
	i.invoked = append(i.invoked, c)
	f := i.onCommand
	i.notify()
	i.mu.Unlock()
	if f != nil {
		return f(c)
	}
	return nil, nil
}

func (i *intake) Commands() []bot.Command {
	two := func(ko, en string) map[string]string { return map[string]string{"ko": ko, "en": en} }
	return []bot.Command{
		{Name: "ask", Summary: two("질문하기", "Ask a question"), Args: []bot.Arg{{Name: "question", Summary: two("질문", "Your question"), Required: true, Rest: true}}},
		{Name: "docs", Summary: two("문서", "Documents"), Args: []bot.Arg{
			{Name: "action", Summary: two("할 일", "Action"), Choices: []string{"list", "remove"}},
			{Name: "name", Summary: two("이름", "Name"), Required: true, Complete: true},
		}},
		{Name: "remind", Summary: two("알림", "Remind"), Args: []bot.Arg{
			{Name: "minutes", Summary: two("몇 분 뒤", "In how many minutes"), Kind: bot.ArgInteger, Min: 1, Max: 1440, Required: true},
			{Name: "who", Summary: two("누구에게", "Whom"), Kind: bot.ArgUser}, {Name: "loud", Kind: bot.ArgBool},
			{Name: "where", Kind: bot.ArgChannel}, {Name: "zone", Choices: many()},
		}},
		{Name: "memory show", Summary: two("기억 보기", "Show memory")}, {Name: "memory forget", Summary: two("기억 지우기", "Forget")},
		{Name: "Not A Name"},
		{Name: "set", Summary: two("설정 바꾸기", "Change a setting"), Admin: true, Args: []bot.Arg{{Name: "key", Required: true}, {Name: "value", Rest: true}}},
	}
}

func many() []string {
	var out []string
	for i := range 40 {
		out = append(out, "Zone/"+strconv.Itoa(i))
	}
	return out
}

// Complete implements bot.Completer.
func (i *intake) Complete(ctx context.Context, c bot.Invocation, arg string) []bot.Option {
	if c.Options[arg] == "slow" {
		<-ctx.Done()
		return nil
	}
	if c.Name != "docs" || arg != "name" {
		return nil
	}
	return []bot.Option{{Value: c.Options[arg] + ".md", Label: "문서 (" + c.Options["action"] + ")"}, {Value: c.Options[arg] + ".md"}, {Value: ""}, {Value: strings.Repeat("x", 300)}}
}

func (i *intake) Notes() bot.Notes { return i }

func (i *intake) Note(_ context.Context, key string) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.notes[key], nil
}

func (i *intake) SetNote(_ context.Context, key, value string) error {
	i.mu.Lock()
	before := i.onSetNote
	i.mu.Unlock()
	if before != nil {
		before(key)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.notes[key] = value
	i.notify()
	return nil
}

func (i *intake) SwapNote(_ context.Context, key, before, value string) (bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.notes[key] != before && i.notes[key] != value {
		return false, nil
	}
	i.notes[key] = value
	return true, nil
}

// beforeNotes has f called before each note is kept, from now on: a shard keeps one while
// it connects.
func (i *intake) beforeNotes(f func(key string)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.onSetNote = f
}

func (i *intake) noted(key string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.notes[key]
}

// heir returns the intake of the next process: it knows the notes.
func (i *intake) heir() *intake {
	next := newIntake()
	i.mu.Lock()
	defer i.mu.Unlock()
	maps.Copy(next.notes, i.notes)
	return next
}

func (i *intake) await(ctx context.Context, t *testing.T, what string, cond func() bool) {
	t.Helper()
	if err := i.wait(ctx, cond); err != nil {
		t.Fatalf("waiting for %s: %v", what, err)
	}
}

// wait waits until cond holds.
func (i *intake) wait(ctx context.Context, cond func() bool) error {
	for {
		i.mu.Lock()
		ok, changed := cond(), i.changed
		i.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (i *intake) message(ctx context.Context, t *testing.T, n int) bot.Message {
	t.Helper()
	i.await(ctx, t, "a message", func() bool { return len(i.messages) > n })
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.messages[n]
}

// world is an adapter connected to a fake.
type world struct {
	t    *testing.T
	ctx  context.Context
	fake *discordfake.Fake
	in   *intake
	a    *discord.Adapter
	stop func() error
}

func newWorld(t *testing.T, fc discordfake.Config, cfg discord.Config) *world {
	t.Helper()
	w := &world{t: t, fake: discordfake.Start(t, fc), in: newIntake()}
	ctx, cancel := context.WithCancel(t.Context()) // without a deadline: the clock may be a test's own
	end := time.AfterFunc(patience, cancel)
	t.Cleanup(func() { end.Stop(); cancel() })
	w.ctx = ctx
	w.start(cfg)
	if err := w.fake.AwaitReady(ctx); err != nil {
		t.Fatalf("not ready: %v", err)
	}
	return w
}

func (w *world) start(cfg discord.Config) {
	w.t.Helper()
	a, ended, cancel := run(w.ctx, w.t, w.fake, w.in, cfg)
	w.a = a
	var once sync.Once
	var err error
	w.stop = func() error {
		once.Do(func() {
			cancel()
			select {
			case err = <-ended:
			case <-time.After(patience):
				w.t.Error("Run does not return")
			}
		})
		return err
	}
	w.t.Cleanup(func() {
		if err := w.stop(); err != nil {
			w.t.Errorf("Run ended with %v", err)
		}
	})
}

// run starts an adapter on the fake.
func run(ctx context.Context, t *testing.T, fake *discordfake.Fake, in bot.Intake, cfg discord.Config) (*discord.Adapter, chan error, context.CancelFunc) {
	t.Helper()
	a := adapter(t, fake, cfg)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx, in) }()
	return a, ended, cancel
}

func adapter(t *testing.T, fake *discordfake.Fake, cfg discord.Config) *discord.Adapter {
	t.Helper()
	if cfg.Token == "" {
		cfg.Token = fake.Token()
	}
	if cfg.APIURL == "" {
		cfg.APIURL = fake.URL()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if cfg.AnswerWithin == 0 {
		cfg.AnswerWithin = patience
	}
	cfg.Jitter = func() float64 { return 0 }
	if cfg.HTTPClient == nil {
		cfg.HTTPClient = &http.Client{Timeout: patience, Transport: &http.Transport{}}
	}
	t.Cleanup(cfg.HTTPClient.CloseIdleConnections)
	a, err := discord.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// hurried returns a configuration whose clock runs n times as fast.
func hurried(n int) discord.Config {
	begun := time.Now()
	return discord.Config{
		Now: func() time.Time { return begun.Add(time.Since(begun) * time.Duration(n)) },
		Wait: func(ctx context.Context, d time.Duration) error {
			t := time.NewTimer(d / time.Duration(n))
			defer t.Stop()
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-t.C:
				return nil
			}
		},
	}
}

// testLog shows the adapter's log when a test fails.
type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	defer func() { _ = recover() }() // the test is over
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

func text(s string) bot.Card {
	return bot.Card{Kind: bot.CardText, Text: s, Language: "ko", Final: true}
}

func (w *world) post(m bot.Message, c bot.Card, key string) bot.Ref {
	w.t.Helper()
	ref, err := w.a.Post(w.ctx, bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, Title: m.Text}, c, key)
	if err != nil {
		w.t.Fatalf("post: %v", err)
	}
	return ref
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// ask mentions the bot in the general channel.
func (w *world) ask(s string) bot.Message {
	w.t.Helper()
	n := len(w.in.all())
	w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" "+s)
	return w.in.message(w.ctx, w.t, n)
}

// again returns how many messages came again.
func (i *intake) again() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.doubled
}

func (i *intake) all() []bot.Message {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]bot.Message(nil), i.messages...)
}
