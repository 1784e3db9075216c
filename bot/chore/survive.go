package chore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// ErrPanicked reports a panic in a piece of work.
var ErrPanicked = errors.New("it panicked")

// Survive runs a piece of work and converts a panic to an error, which is retried and given up like any other. The
// panic's text may contain people's words and is only logged.
func Survive(ctx context.Context, log *slog.Logger, what string, work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.ErrorContext(ctx, "panic", "where", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("%s: %w", what, ErrPanicked)
		}
	}()
	return work()
}

// Guard runs work that nobody waits for, and logs a panic.
func Guard(ctx context.Context, log *slog.Logger, what string, work func()) {
	_ = Survive(ctx, log, what, func() error { work(); return nil }) // it is logged
}
