package turn

import (
	"context"
	"log/slog"
	"sync"

	"maru/bot"
)

// RunsRecord is the part of the record that stores stops.
type RunsRecord interface {
	bot.Notes
	RunApprovals(ctx context.Context, thread, run string, limit int) ([]bot.Approval, error)
	OpenReplies(ctx context.Context, thread string) ([]bot.Reply, error)
	StopPending(ctx context.Context, s bot.PendingStop) (items []string, err error)
	Entry(ctx context.Context, thread, id string) (bot.Entry, error)
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error)
}

// Asks returns a run's pending questions.
type Asks interface {
	StillAsked(ctx context.Context, thread, run string) ([]string, error)
}

// RunsConfig holds the dependencies of Runs. All fields are required.
type RunsConfig struct {
	Record RunsRecord // if it is a [bot.Stopper], it passes stops on to other replicas
	Asks   Asks
	Woken  <-chan struct{} // receives a token after a wake-up by another replica
	Owner  string          // unique name of this process among the replicas
	Log    *slog.Logger
}

// Runs tracks and stops the runs of this process, and asks other replicas to stop
// theirs. It is safe for concurrent use.
type Runs struct {
	record    RunsRecord
	questions Asks
	woken     <-chan struct{}
	owner     string
	log       *slog.Logger

	mu    sync.Mutex
	runs  map[string]activeRun // by run id
	ended chan struct{}        // closed when the next run ends
	words map[string]stopWord  // by message
	late  map[string]lateWord  // by run ID: stop requests for runs that have not started
}

// NewRuns returns Runs without active runs.
func NewRuns(c RunsConfig) *Runs {
	return &Runs{
		record: c.Record, questions: c.Asks, woken: c.Woken, owner: c.Owner, log: c.Log,
		runs: map[string]activeRun{}, ended: make(chan struct{}), words: map[string]stopWord{}, late: map[string]lateWord{},
	}
}

// StopHere cancels a thread's runs in this process.
func (rs *Runs) StopHere(thread string) { rs.cancelSome(ofThread(thread), errStop) }

// Fence cancels a thread's runs in this process as if its lease had been taken over.
func (rs *Runs) Fence(thread string) { rs.cancelSome(ofThread(thread), bot.ErrFenced) }

// FenceTeam cancels the runs of all threads of a workspace in this process.
func (rs *Runs) FenceTeam(team string) { rs.cancelSome(ofTeam(team), bot.ErrLost) }

// Busy reports whether a thread has an active run in this process.
func (rs *Runs) Busy(thread string) bool { return rs.BusyBeside(thread, "") }
