package turn

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"maru/bot"
)

// RunsRecord is the part of the record in which stops are noted.
type RunsRecord interface {
	bot.Notes
	RunApprovals(ctx context.Context, thread, run string, limit int) ([]bot.Approval, error)
	OpenReplies(ctx context.Context, thread string) ([]bot.Reply, error)
	Entry(ctx context.Context, thread, id string) (bot.Entry, error)
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error)
}

// Asks says which questions of a run still wait for people.
type Asks interface {
	StillAsked(ctx context.Context, thread, run string) ([]string, error)
}

// RunsConfig is what Runs are made of. All of it is needed.
type RunsConfig struct {
	Record RunsRecord // one that is a [bot.Stopper] passes stops on to other replicas
	Asks   Asks
	Woken  <-chan struct{} // holds a token when another replica has called
	Owner  string          // names this process among the replicas
	Log    *slog.Logger
}

// Runs knows the runs of this process and stops them, and asks other replicas to stop
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
	words map[string]time.Time // by message: when a word of it stopped something
	late  map[string]lateWord  // by run id: what came for one that had not begun
}

// NewRuns returns Runs, of which none is at work.
func NewRuns(c RunsConfig) *Runs {
	return &Runs{
		record: c.Record, questions: c.Asks, woken: c.Woken, owner: c.Owner, log: c.Log,
		runs: map[string]activeRun{}, ended: make(chan struct{}), words: map[string]time.Time{}, late: map[string]lateWord{},
	}
}

// StopHere cancels what works on a thread in this process.
func (rs *Runs) StopHere(thread string) { rs.cancelThread(thread, errStop) }

// Fence cancels what works on a thread in this process, as if its lease had been taken over.
func (rs *Runs) Fence(thread string) { rs.cancelThread(thread, bot.ErrFenced) }

// FenceTeam cancels the runs of all threads of a workspace in this process.
func (rs *Runs) FenceTeam(team string) { rs.cancelTeam(team, bot.ErrLost) }

// Busy reports whether a run is at work in a thread in this process.
func (rs *Runs) Busy(thread string) bool { return rs.BusyBeside(thread, "") }
