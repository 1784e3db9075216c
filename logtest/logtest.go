// Package logtest is a log that tests read: what a program tells its operator is
// behaviour like any other. The package knows nothing of ours.
package logtest

import (
	"log/slog"
	"strings"
	"sync"
)

// Log keeps what is written to it and may be read meanwhile, by whatever
// goroutine. Its zero value is an empty log.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write adds b to the log; it never fails.
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String returns all that was written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Logger writes to the log as text, a line a record, what only helps with
// looking for faults too: it must hold no secret either.
func (l *Log) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
