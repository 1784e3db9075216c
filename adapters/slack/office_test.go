package slack_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/agent"
	"maru/bot"
	"maru/bot/service"
	"maru/memory/sqlitestore"
	"maru/rag"
)

// thinker is an agent whose thinking is a func; it knows how many run at once.
type thinker struct {
	think func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error)

	mu      sync.Mutex
	asked   []agent.Request
	running map[string]int
	crowded bool // two runs on one thread
}

func (a *thinker) Name() string { return "chat" }

func (a *thinker) Run(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	a.mu.Lock()
	a.asked = append(a.asked, req)
	a.running[req.Thread]++
	a.crowded = a.crowded || a.running[req.Thread] > 1
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.running[req.Thread]--
		a.mu.Unlock()
	}()
	return a.think(ctx, req, sink)
}

func (a *thinker) Amend(context.Context, string, string, string, bool) error { return nil }
func (a *thinker) Forget(context.Context, string) error                      { return nil }

func (a *thinker) requests() []agent.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.asked)
}

// echo answers at once with the question.
func echo(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
	return agent.Result{Text: "echo: " + req.Text}, nil
}

// noDocuments is a library without any.
type noDocuments struct{}

func (noDocuments) Add(context.Context, bot.NewDocument) (rag.Document, error) {
	return rag.Document{}, rag.ErrNotFound
}
func (noDocuments) Remove(context.Context, []string, string) (bool, error)      { return false, nil }
func (noDocuments) Documents(context.Context, []string) ([]rag.Document, error) { return nil, nil }
func (noDocuments) Passage(context.Context, []string, string) (rag.Chunk, rag.Document, error) {
	return rag.Chunk{}, rag.Document{}, rag.ErrNotFound
}

// office is a whole bot, with a record on disk, at a fake Slack.
type office struct {
	*slackfake.Server
	agent   *thinker
	adapter *slack.Adapter
	tb      testing.TB
	path    string
	change  func(*slack.Config)
	stop    func()
}

// hire starts a bot that thinks with think.
func hire(tb testing.TB, o slackfake.Options, think func(context.Context, agent.Request, agent.Sink) (agent.Result, error), change func(*slack.Config)) *office {
	tb.Helper()
	w := &office{
		Server: slackfake.Start(tb, o), tb: tb, path: filepath.Join(tb.TempDir(), "maru.db"), change: change,
		agent: &thinker{think: think, running: map[string]int{}},
	}
	w.work(nil)
	tb.Cleanup(func() { w.stop() })
	return w
}

// work starts the bot, over HTTP behind wrap when the configuration has no app
// token.
func (w *office) work(wrap func(http.Handler) http.Handler) {
	w.tb.Helper()
	log := slog.New(slog.DiscardHandler)
	store, err := sqlitestore.Open(w.tb.Context(), sqlitestore.Config{Path: w.path, Log: log})
	if err != nil {
		w.tb.Fatal(err)
	}
	cfg := slack.Config{
		BotToken: w.BotToken(), AppToken: w.AppToken(), SigningSecret: w.SigningSecret(), APIURL: w.URL(),
		PostEvery: time.Nanosecond, EditEvery: 20 * time.Millisecond, AskWithin: patience,
	}
	if w.change != nil {
		w.change(&cfg)
	}
	if w.adapter, err = slack.New(cfg); err != nil {
		w.tb.Fatal(err)
	}
	b := service.New(service.Config{
		Record: store, Runner: agent.NewRunner(log, 0, time.Now, w.agent), Library: noDocuments{},
		Adapters: []bot.Adapter{w.adapter}, Log: log, Poll: 50 * time.Millisecond,
	})
	var srv *httptest.Server
	if cfg.AppToken == "" {
		mux := http.NewServeMux()
		w.adapter.Mount(mux, b)
		h := http.Handler(mux)
		if wrap != nil {
			h = wrap(mux)
		}
		srv = httptest.NewServer(h)
		w.Deliver(srv.URL)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			w.tb.Errorf("the bot ended with %v", err)
		}
		if srv != nil {
			srv.Close()
		}
		if err := store.Close(); err != nil {
			w.tb.Errorf("close record: %v", err)
		}
	})
}

// until waits for something that Slack sees.
func (w *office) until(what string, cond func() bool) {
	w.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.Wait(ctx, cond); err != nil {
		w.tb.Fatalf("%s: %v; refused calls: %v", what, err, w.Refused())
	}
}

// answers returns the bot's finished replies in a thread.
func (w *office) answers(channel, thread string) []string {
	var out []string
	for _, m := range w.Replies(channel, thread) {
		if !m.Streaming() {
			out = append(out, strings.TrimSpace(m.Shown()))
		}
	}
	return out
}

func (w *office) settle() {
	w.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.Settle(ctx); err != nil {
		w.tb.Fatal(err)
	}
}
