package slack

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"maru/bot"
)

// TestSlackIsAnsweredInTime: Slack waits three seconds, however slow a store is.
func TestSlackIsAnsweredInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(Config{}.withDefaults())
		d.take = func(ctx context.Context, _ bot.Intake, _ envelope) (result, error) {
			<-ctx.Done()
			return result{}, ctx.Err()
		}
		begin := time.Now()
		if _, err := d.receive(t.Context(), nil, envelope{}); err == nil {
			t.Error("what is not stored is taken")
		}
		if took := time.Since(begin); took >= 3*time.Second {
			t.Errorf("answered after %v", took)
		}
	})
}
