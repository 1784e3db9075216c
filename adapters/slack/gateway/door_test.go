package gateway

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"maru/adapters/lanes/conn"
	"maru/bot"
)

// TestSlackIsAnsweredInTime: Slack waits three seconds, however slow a store is.
func TestSlackIsAnsweredInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := New(Config{Wait: conn.Sleep, Log: slog.New(slog.DiscardHandler)})
		d.take = func(ctx context.Context, _ bot.Intake, _ Envelope) (Result, error) {
			<-ctx.Done()
			return Result{}, ctx.Err()
		}
		begin := time.Now()
		if _, err := d.deliver(t.Context(), nil, Envelope{}); err == nil {
			t.Error("what is not stored is taken")
		}
		if took := time.Since(begin); took >= 3*time.Second {
			t.Errorf("answered after %v", took)
		}
	})
}
