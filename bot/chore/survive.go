package chore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// ErrPanicked is the error of a piece of work that panicked.
var ErrPanicked = errors.New("it panicked")

// Survive does one piece of work. A panic in it is that work's failure, tried again and
// given up like any other, and not the end of everybody else's. Its words may hold
// what people said: they are for the log alone.
func Survive(ctx context.Context, log *slog.Logger, what string, work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.ErrorContext(ctx, "panic", "where", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("%s: %w", what, ErrPanicked)
		}
	}()
	return work()
}

// Guard does what nobody waits for: a panic in it is logged.
func Guard(ctx context.Context, log *slog.Logger, what string, work func()) {
	_ = Survive(ctx, log, what, func() error { work(); return nil }) // it is logged
}
