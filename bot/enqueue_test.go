package bot_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/memory/sqlitestore"
)

// TestStoppingGivesBackWhatNoWorkerHas stops a bot that has taken messages and
// answered none: the next one need not wait for leases.
func TestStoppingGivesBackWhatNoWorkerHas(t *testing.T) {
	t.Parallel()
	store, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	platform := bottest.New("fake")
	asked := &thinker{think: func(ctx context.Context, _ agent.Request, _ agent.Sink) (agent.Result, error) {
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	}}
	b := service.New(service.Config{
		Record: store, Runner: agent.NewRunner(slog.New(slog.DiscardHandler), 0, time.Now, asked), Adapters: []bot.Adapter{platform}, Library: &shelf{},
		Log: slog.New(slog.DiscardHandler), LeaseTTL: time.Hour, Workers: 4,
	})
	const messages = 6 // more than there are workers
	for i := range messages {
		m := bot.Message{ID: fmt.Sprint(100 + i), Thread: platform.Thread("C1", fmt.Sprint(100+i)), User: bot.User{ID: "U1"}, Reach: bot.ReachMention, Text: "hello"}
		if err := b.Message(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := b.Run(stopped); err != nil {
		t.Fatal(err)
	}
	for range messages {
		if _, ok, err := store.Claim(t.Context(), "", "next", time.Minute); !ok || err != nil {
			t.Fatalf("a thread is still leased: %v", err)
		}
	}
}
