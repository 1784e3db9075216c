package bot

import (
	"context"
	"errors"

	"maru/bot/audit"
)

// Errors of the record.
var (
	// ErrFenced means that another worker took over the lease: nothing was written, and the caller
	// must stop its work on the thread.
	ErrFenced = errors.New("bot: the lease was taken over")
	// ErrNotFound means that the row does not exist.
	ErrNotFound = errors.New("bot: not found")
	// ErrShutdown is the cancellation cause when the program stops.
	ErrShutdown = errors.New("bot: the program is stopping")
	// ErrLost is the cancellation cause when a thread's lease is lost.
	ErrLost = errors.New("bot: the thread's lease was lost")
	// ErrDecided reports that an approval is no longer pending.
	ErrDecided = errors.New("bot: already decided")
)

// Record is the durable store: PostgreSQL or one SQLite file. Both pass the suite in memory/memtest.
type Record interface {
	Inbox
	Replies
	Transcripts
	Persons
	Runs
	Approvals
	Ages
	Settings
	audit.Log
	Installations
	Jobs
	Notes
	// FirstNote writes a value unless one exists and returns the stored one, so that replicas that
	// start together agree.
	FirstNote(ctx context.Context, key, value string) (string, error)
	// Ping reports whether the record can commit, for /readyz.
	Ping(ctx context.Context) error
	Close() error
}

// Waker is implemented by records shared by several replicas. It reports threads that got items from other replicas, or a stop
// request from any.
type Waker interface {
	// Wake returns a channel of thread keys that is closed when ctx ends. Keys may be lost: the bot also polls.
	Wake(ctx context.Context) (<-chan string, error)
}
