package bot_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/config"
	"maru/memory/memtest/servers"
	"maru/memory/pgstore"
	"maru/memory/sqlitestore"
)

// editor is a process that takes in an edit and dies at its commit.
type editor struct {
	SQLite, URL, Schema string // the record
	After               bool   // it dies when the edit is committed, else when it would be
	Change              bot.Change
}

// record opens the record of an editor.
func (e editor) record(ctx context.Context) (bot.Record, func() error, error) {
	log := slog.New(slog.DiscardHandler)
	if e.SQLite != "" {
		s, err := sqlitestore.Open(ctx, sqlitestore.Config{Path: e.SQLite, Log: log, Readers: 1})
		return s, s.Close, err
	}
	s, err := pgstore.Open(ctx, pgstore.Config{URL: e.URL, Schema: e.Schema, Log: log, Timeout: 2 * time.Minute, Patience: 2 * time.Minute})
	return s, s.Close, err
}

// lethal is a record whose process is killed at the commit of an edit.
type lethal struct {
	bot.Record

	after bool
}

func (d lethal) Amend(ctx context.Context, thread, id string, c bot.Change, with *bot.Item) (bool, error) {
	if d.after {
		if _, err := d.Record.Amend(ctx, thread, id, c, with); err != nil {
			return false, err
		}
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		return false, err
	}
	select {}
}

const editorVar = "MARU_TEST_EDITOR"

// TestEditorProcess is the process of an editor.
func TestEditorProcess(t *testing.T) {
	t.Parallel()
	var e editor
	if json.Unmarshal([]byte(os.Getenv(editorVar)), &e) != nil {
		t.Skip("runs in a process of TestEditsOfAKilledProcess")
	}
	store, _, err := e.record(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	b := service.New(service.Config{
		Record: lethal{store, e.After}, Runner: agent.NewRunner(log, 0, time.Now, &thinker{think: echo}), Library: &shelf{},
		Adapters: []bot.Adapter{bottest.New("fake")}, Log: log, Owner: "editor",
	})
	t.Errorf("the change returned with %v", b.Change(t.Context(), e.Change))
}

// dies runs an editor's process.
func (e editor) dies(t *testing.T) {
	t.Helper()
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestEditorProcess$")
	cmd.Env = append(os.Environ(), editorVar+"="+string(raw))
	out, err := cmd.CombinedOutput()
	if state := cmd.ProcessState; state == nil || state.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the process ended with %v: %s", err, out)
	}
}

// TestEditsOfAKilledProcess: SIGKILL at the commit of an edit, before and after it, with on_edit=again. However often the platform
// delivers the edit then, its text is answered once, whether the question was answered before, or waits for its turn, or is being
// answered by another replica.
func TestEditsOfAKilledProcess(t *testing.T) {
	sequential(t)
	t.Parallel()
	for record, of := range map[string]func(t *testing.T) editor{
		"sqlite":   func(t *testing.T) editor { return editor{SQLite: filepath.Join(t.TempDir(), "maru.db")} },
		"postgres": func(t *testing.T) editor { return editor{URL: servers.Postgres(t), Schema: servers.Name()} },
	} {
		for name, c := range map[string]struct {
			state     string // of the question when the editor dies
			after     bool
			delivered int // how often the platform delivers the edit again
			want      []string
		}{
			"answered_before":   {"answered", false, 2, []string{"echo: slow words", "echo: quick words"}},
			"answered_after":    {"answered", true, 0, []string{"echo: slow words", "echo: quick words"}},
			"answered_after_2":  {"answered", true, 2, []string{"echo: slow words", "echo: quick words"}},
			"waiting_before":    {"waiting", false, 2, []string{"echo: slow words", "echo: quick words"}},
			"waiting_after":     {"waiting", true, 0, []string{"echo: quick words"}},
			"waiting_after_2":   {"waiting", true, 2, []string{"echo: quick words"}},
			"running_elsewhere": {"running", true, 0, []string{"echo: slow words", "echo: quick words"}},
		} {
			if c.state == "running" && record == "sqlite" { // one process alone has it open
				continue
			}
			t.Run(record+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := &edited{t: t, editor: of(t), platform: bottest.New("fake"), at: make(chan string, 8), gate: make(chan struct{})}
				stop := w.start(c.state != "waiting")
				m := w.platform.Message("U1", "slow words", w.platform.Thread("C1", ""))
				if err := w.bot.Message(t.Context(), m); err != nil {
					t.Fatal(err)
				}
				if w.Change = (bot.Change{Thread: m.Thread, Message: m.ID, Text: "quick words", User: m.User, At: time.Now()}); c.state == "running" {
					<-w.at
				} else {
					close(w.gate)
				}
				if c.state == "answered" {
					w.settled()
				}
				if w.After = c.after; c.state == "running" {
					w.dies(t)
					close(w.gate)
				} else {
					stop()
					w.dies(t)
					stop = w.start(true)
				}
				w.settled()
				for range c.delivered {
					if err := w.bot.Change(t.Context(), w.Change); err != nil {
						t.Fatal(err)
					}
					w.settled()
				}
				var got []string
				for _, p := range w.platform.Posts(m.Thread) {
					got = append(got, p.Card.Text)
				}
				if stop(); !slices.Equal(got, c.want) {
					t.Errorf("answers %q, want %q", got, c.want)
				}
			})
		}
	}
}

// edited is a bot on the record of an editor, where questions are answered again when they are edited.
type edited struct {
	editor

	t        *testing.T
	platform *bottest.Platform
	record   bot.Record
	bot      *service.Bot
	at       chan string
	gate     chan struct{}
}

// start starts the bot, with its workers if it shall answer.
func (w *edited) start(answers bool) (stop func()) {
	w.t.Helper()
	store, closeStore, err := w.editor.record(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	w.record = store
	if err := store.SetSetting(w.t.Context(), bot.Setting{Place: "fake/T1/C1", Key: "on_edit", Value: []byte(`"` + config.EditAgain + `"`), By: "U1"}); err != nil {
		w.t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	w.bot = service.New(service.Config{
		Record: store, Runner: agent.NewRunner(log, 0, time.Now, &thinker{think: stalls(w.at, w.gate)}), Library: &shelf{}, Owner: "one",
		Adapters: []bot.Adapter{w.platform}, Log: log, Poll: 100 * time.Millisecond, SignOfLife: 5 * time.Millisecond, Sweep: 100 * time.Millisecond,
	})
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan error, 1)
	if answers {
		go func() { ended <- w.bot.Run(ctx) }()
	} else {
		ended <- nil
	}
	return func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Error(err)
		}
		if err := closeStore(); err != nil {
			w.t.Error(err)
		}
	}
}

// settled waits until the inbox is empty.
func (w *edited) settled() {
	w.t.Helper()
	for {
		n, _, err := w.record.Pending(w.t.Context(), "")
		if err != nil {
			w.t.Fatal(err)
		}
		if n == 0 {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}
