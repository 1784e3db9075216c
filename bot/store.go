package bot

import (
	"context"
	"errors"
	"maru/bot/audit"
)

// Errors of the record.
var (
	// ErrFenced says that the lease was taken over: whatever was to be written
	// was not, and the holder must stop work on the thread.
	ErrFenced = errors.New("bot: the lease was taken over")
	// ErrNotFound says that there is no such row.
	ErrNotFound = errors.New("bot: not found")
	// ErrShutdown is the cause with which work is cancelled when the program stops.
	ErrShutdown = errors.New("bot: the program is stopping")
	// ErrLost is the cause with which work is cancelled when its thread's lease is lost.
	ErrLost = errors.New("bot: the thread's lease was lost")
	// ErrDecided says that an approval is no longer pending.
	ErrDecided = errors.New("bot: already decided")
)

// Record is the place where nothing is lost: PostgreSQL or one SQLite file.
// memory/memtest has the suite that both pass.
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
	// FirstNote notes a value where nothing is noted and returns what is: all who note
	// at the same moment, replicas that start together, get one value.
	FirstNote(ctx context.Context, key, value string) (string, error)
	// Ping reports whether the record can commit, for /readyz.
	Ping(ctx context.Context) error
	Close() error
}

// Waker is implemented by records shared by several replicas: it tells which
// threads got work from elsewhere.
type Waker interface {
	// Wake returns a channel of thread keys that is closed when ctx ends. Keys
	// may be lost: the bot also polls.
	Wake(ctx context.Context) (<-chan string, error)
}
