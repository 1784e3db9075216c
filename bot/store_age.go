package bot

import (
	"context"
	"time"
)

// AgedQuery chooses threads that hold something old.
type AgedQuery struct {
	Place  string    // of a Setting: a workspace, a channel or a thread; "" for all
	User   string    // platform id: only what this person wrote counts; "" for anybody's
	Before time.Time // what is older counts
	After  string    // only threads after this key, in the store's order of keys
	Limit  int
}

// Ages removes what is old.
//
// SettingsNamed lists what is set for a key, in all places. Aged lists threads by
// their keys, in the store's order of keys.
//
// Old lists the ids of a thread's entries from before a time, the oldest first;
// with a user only what that person wrote. What waits for a decision, and what
// it is about, is never old. rest reports whether anything else is in the thread.
// Expire removes those entries with everything that came of them (answers,
// replies, traces, decided approvals, ratings, files), and returns how many
// entries went. A thread in which nothing is left and waits is known no more. It
// returns ErrFenced for a lease that was taken over.
//
// Rested lists the threads without work that were used since they were last kept, and not
// since before. Kept marks one.
type Ages interface {
	SettingsNamed(ctx context.Context, key string) ([]Setting, error)
	Aged(ctx context.Context, q AgedQuery) ([]string, error)
	Old(ctx context.Context, thread, user string, before time.Time) (old []string, rest bool, err error)
	Expire(ctx context.Context, l Lease, user string, before time.Time) (int, error)
	Rested(ctx context.Context, before time.Time, limit int) ([]string, error)
	Kept(ctx context.Context, thread string) error
}
