package bot_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/memory/sqlitestore"
	"maru/rag"
)

// thinker is an agent whose thinking is a func.
type thinker struct {
	think func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error)

	mu       sync.Mutex
	requests []agent.Request
	amended  []string
	in       []string // the logs in which
	forgot   []string // threads
}

func (a *thinker) Name() string { return "chat" }

func (a *thinker) Run(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	a.mu.Lock()
	a.requests = append(a.requests, req)
	a.mu.Unlock()
	return a.think(ctx, req, sink)
}

func (a *thinker) Amend(_ context.Context, log, message, _ string, deleted bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if deleted {
		a.amended, a.in = append(a.amended, message), append(a.in, log)
	}
	return nil
}

func (a *thinker) Forget(_ context.Context, thread string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forgot = append(a.forgot, thread)
	return nil
}

// unlearned returns the messages that the agent was told to forget.
func (a *thinker) unlearned() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.amended)
}

func (a *thinker) asked() []agent.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.requests)
}

// echo answers with the question.
func echo(_ context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	for _, w := range strings.SplitAfter(req.Text, " ") {
		sink(agent.Event{Kind: agent.EventToken, Text: w})
	}
	return agent.Result{Text: "echo: " + req.Text}, nil
}

// shelf is a library in memory.
type shelf struct {
	mu   sync.Mutex
	docs []rag.Document
	text map[string]string // of documents, by their IDs, without a YAML header
	fail error
	bad  []string // what a watched folder has beside them
	aged int      // documents that would be read better now
}

// Outdated implements bot.Rereader.
func (s *shelf) Outdated(d rag.Document) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.IndexFunc(s.docs, func(o rag.Document) bool { return o.ID == d.ID }) < s.aged
}

// Refused implements bot.Follower.
func (s *shelf) Refused(language string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]string, len(s.bad))
	for i, name := range s.bad {
		out[i] = name + " " + language
	}
	return out
}

// Move gives a document to the readers of another scope.
func (s *shelf) Move(_ context.Context, from, id, to string) (rag.Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.docs, func(d rag.Document) bool { return d.ID == id && d.Scope == from })
	if at < 0 {
		return rag.Document{}, rag.ErrNotFound
	}
	s.docs[at].Scope = to
	return s.docs[at], nil
}

func (s *shelf) Add(_ context.Context, d bot.NewDocument) (rag.Document, error) {
	body, err := io.ReadAll(d.Body)
	if err != nil {
		return rag.Document{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return rag.Document{}, s.fail
	}
	doc := rag.Document{ID: d.Scope + "|" + d.Name, Scope: d.Scope, Title: d.Name, Source: d.Name, Size: int64(len(body)), Tags: rag.Tags(d.Tags), By: d.By}
	text := string(body)
	if head, rest, ok := strings.Cut(strings.TrimPrefix(text, "---\ntitle: "), "\n---\n\n"); ok {
		doc.Title, text = head, rest
	}
	if s.text == nil {
		s.text = map[string]string{}
	}
	s.text[doc.ID] = text
	s.docs = append(slices.DeleteFunc(s.docs, func(o rag.Document) bool { return o.ID == doc.ID }), doc)
	return doc, nil
}

func (s *shelf) Remove(_ context.Context, scopes []string, id string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.docs)
	s.docs = slices.DeleteFunc(s.docs, func(d rag.Document) bool { return d.ID == id && slices.Contains(scopes, d.Scope) })
	return len(s.docs) < n, nil
}

// PurgeBy, CountBy and PurgeTeam implement privacy.Purger.
func (s *shelf) PurgeBy(_ context.Context, team, by string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.docs)
	s.docs = slices.DeleteFunc(s.docs, func(d rag.Document) bool { return (by == "" || d.By == by) && strings.Contains(d.Scope, ":"+team) })
	return n - len(s.docs), nil
}

func (s *shelf) CountBy(_ context.Context, team, by string) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.docs {
		if d.By == by && strings.Contains(d.Scope, ":"+team) {
			n++
		}
	}
	return n, nil
}

func (s *shelf) PurgeTeam(ctx context.Context, team string) error {
	_, err := s.PurgeBy(ctx, team, "")
	return err
}

func (s *shelf) Documents(_ context.Context, scopes []string) ([]rag.Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []rag.Document
	for _, d := range s.docs {
		if slices.Contains(scopes, d.Scope) {
			out = append(out, d)
		}
	}
	return out, nil
}

// Passage implements bot.Library. A document is one passage.
func (s *shelf) Passage(_ context.Context, scopes []string, chunk string) (rag.Chunk, rag.Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.docs {
		if chunk == d.ID+"#0" && slices.Contains(scopes, d.Scope) && s.text[d.ID] != "" {
			return rag.Chunk{ID: chunk, Document: d.ID, Text: s.text[d.ID]}, d, nil
		}
	}
	return rag.Chunk{}, rag.Document{}, rag.ErrNotFound
}

// world is a running bot with everything around it.
type world struct {
	t        *testing.T
	ctx      context.Context
	path     string
	platform *bottest.Platform
	agent    *thinker
	shelf    *shelf
	store    *sqlitestore.Store
	bot      *service.Bot
	stop     func()
	change   func(*service.Config)
	now      func() time.Time // of record and bot; nil: the machine's
}

// newWorld starts a bot that thinks with think.
func newWorld(t *testing.T, think func(context.Context, agent.Request, agent.Sink) (agent.Result, error)) *world {
	t.Helper()
	// Long enough for subtests that wait for their turn to run in parallel.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	w := &world{
		t: t, ctx: ctx, path: filepath.Join(t.TempDir(), "maru.db"),
		platform: bottest.New("fake"), agent: &thinker{think: think}, shelf: &shelf{},
	}
	empty, err := blank()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.path, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	w.start()
	t.Cleanup(func() { w.stop() })
	return w
}

// blank is the file of a record with all tables and no rows. To make one takes
// longer than most tests.
var blank = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "maru-blank")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "maru.db")
	store, err := sqlitestore.Open(context.Background(), sqlitestore.Config{Path: path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// start opens the record and runs the bot until stop.
func (w *world) start() {
	w.t.Helper()
	log := slog.New(slog.DiscardHandler)
	// One reader, which costs least; and a read within another one would wait for ever, and so shows.
	store, err := sqlitestore.Open(w.ctx, sqlitestore.Config{Path: w.path, Log: log, Now: w.now, Readers: 1})
	if err != nil {
		w.t.Fatal(err)
	}
	w.store = store
	cfg := service.Config{
		Record: store, Runner: agent.NewRunner(log, 0, time.Now, w.agent), Library: w.shelf,
		Adapters: []bot.Adapter{w.platform}, Log: log,
		Poll: 100 * time.Millisecond, SignOfLife: 5 * time.Millisecond, Sweep: 100 * time.Millisecond, Now: w.now,
	}
	if w.change != nil {
		w.change(&cfg)
	}
	w.bot = service.New(cfg)
	ctx, cancel := context.WithCancel(w.ctx)
	ended := make(chan error, 1)
	go func() { ended <- w.bot.Run(ctx) }()
	var once sync.Once
	w.stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				w.t.Errorf("bot ended with %v", err)
			}
			if err := store.Close(); err != nil {
				w.t.Errorf("close record: %v", err)
			}
		})
	}
	if _, err := w.platform.Intake(w.ctx); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) say(text string, in bot.Thread) bot.Message {
	w.t.Helper()
	m, err := w.platform.Say(w.ctx, "U1", text, in)
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

func (w *world) deliver(m bot.Message) {
	w.t.Helper()
	if err := w.bot.Message(w.ctx, m); err != nil {
		w.t.Fatal(err)
	}
}

// replies waits for n final replies in a thread.
func (w *world) replies(in bot.Thread, n int) []bottest.Post {
	w.t.Helper()
	posts, err := w.platform.Await(w.ctx, in, n)
	if err != nil {
		w.t.Fatal(err)
	}
	return posts
}

// settled waits until the inbox is empty.
func (w *world) settled() {
	w.t.Helper()
	w.until("the inbox is empty", func() bool {
		n, _, err := w.store.Pending(w.ctx, "")
		if err != nil {
			w.t.Fatal(err)
		}
		return n == 0
	})
}

// sequential skips a long test whose steps come one after the other under the race detector (make race has -short).
func sequential(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long test whose steps come one after the other")
	}
}

// until waits for something that the bot does in its own time.
func (w *world) until(what string, done func() bool) {
	w.t.Helper()
	for !done() {
		select {
		case <-w.ctx.Done():
			w.t.Fatalf("waited in vain until %s", what)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

var errDown = &bot.DeliveryError{Op: "post", Code: "down", After: time.Millisecond, Err: bot.ErrUnavailable}

var errTest = errors.New("secret-token-in-an-error")
