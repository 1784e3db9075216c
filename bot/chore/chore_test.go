package chore_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"maru/bot/chore"
)

// TestTheEndOfTheProgramEndsChores: a running chore is cancelled and waited for, and no other begins.
func TestTheEndOfTheProgramEndsChores(t *testing.T) {
	t.Parallel()
	c := chore.New(slog.New(slog.DiscardHandler))
	var err error
	begun := make(chan struct{})
	c.Start(t.Context(), func(ctx context.Context) {
		close(begun)
		<-ctx.Done()
		err = ctx.Err()
	})
	<-begun
	c.End()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended by %v", err)
	}
	c.Start(t.Context(), func(context.Context) { t.Error("a chore began after the end") })
	c.End()
}
