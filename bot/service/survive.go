package service

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// errPanicked is the error of a piece of work that panicked.
var errPanicked = errors.New("it panicked")

// survived does one piece of work. A panic in it is that work's failure, tried again and
// given up like any other, and not the end of everybody else's. Its words may hold
// what people said: they are for the log alone.
func (b *Bot) survived(ctx context.Context, what string, work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			b.log.ErrorContext(ctx, "panic", "where", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("%s: %w", what, errPanicked)
		}
	}()
	return work()
}

// surviving does what nobody waits for: a panic in it is logged.
func (b *Bot) surviving(ctx context.Context, what string, work func()) {
	_ = b.survived(ctx, what, func() error { work(); return nil }) // it is logged
}
