package bot

import (
	"context"
	"time"
)

// AgedQuery selects threads with old entries.
type AgedQuery struct {
	Place  string    // of a Setting: a workspace, a channel or a thread; "" for all
	User   string    // platform id: only entries by this person count; "" for everybody
	Before time.Time // entries before this time
	After  string    // only threads after this key, in the store's order of keys
	Limit  int
}

// Ages removes expired data.
//
// SettingsNamed lists a setting's values in all places. Aged lists threads with expired entries by
// key, in key order.
//
// Old lists the ids of a thread's entries from before a time, oldest first; with a user, only that person's. Pending approvals
// and the messages they concern never count as old. rest reports whether the thread contains anything else. Expire removes the
// entries with everything derived from them (answers, replies, traces, decided approvals, ratings, files) and returns the
// number of entries removed. A thread left empty without pending work is deleted. Expire returns ErrFenced for a lost lease.
//
// Rested lists idle threads that were used since they were last kept, and not after the given
// time. Kept marks one.
type Ages interface {
	SettingsNamed(ctx context.Context, key string) ([]Setting, error)
	Aged(ctx context.Context, q AgedQuery) ([]string, error)
	Old(ctx context.Context, thread, user string, before time.Time) (old []string, rest bool, err error)
	Expire(ctx context.Context, l Lease, user string, before time.Time) (int, error)
	Rested(ctx context.Context, before time.Time, limit int) ([]string, error)
	Kept(ctx context.Context, thread string) error
}
