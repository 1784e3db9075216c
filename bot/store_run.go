package bot

import (
	"context"
	"encoding/json"
	"time"

	"maru/agent"
)

// Run is the stored trace of a run.
type Run struct {
	ID      string          `json:"id"`
	Thread  string          `json:"thread"`
	Agent   string          `json:"agent"`
	User    string          `json:"user"`
	Status  string          `json:"status"` // one of the statuses below
	Started time.Time       `json:"started"`
	Ended   time.Time       `json:"ended"`
	Worked  time.Duration   `json:"worked"` // without the time spent waiting for people
	Usage   json.RawMessage `json:"usage"`  // modeluse.Cost
	Trace   json.RawMessage `json:"trace"`  // []agent.Event without tokens
	Day     string          `json:"-"`      // "2026-11-21", to which its usage counts; "" for none
}

// The statuses of a run.
const (
	RunDone    = "done"    // it has answered
	RunWaiting = "waiting" // for people
	RunStopped = "stopped" // a person stopped it
	RunRefused = "refused" // it was refused with a reason before it started, or ended by a limit
	RunFailed  = "failed"  // it ended without an answer
	RunBroken  = "running" // interrupted by the end of the program; the next one continues it
)

// Used is the usage of a day in one channel by one person with one agent, or outside of runs.
type Used struct {
	Day     string        `json:"day"`     // "2026-11-21", in the program's time zone
	Team    string        `json:"team"`    // "slack/T1"
	Channel string        `json:"channel"` // the platform's id, "" where there is none
	User    string        `json:"user"`    // platform id
	Agent   string        `json:"agent"`
	Kind    SpentOn       `json:"kind,omitempty"` // purpose of usage outside of runs; Agent is then ""
	Runs    int           `json:"runs"`
	Failed  int           `json:"failed"`
	Took    time.Duration `json:"took"` // working time, without waits for people
	Up      int           `json:"up"`   // answers that were found good, and bad
	Down    int           `json:"down"`
	agent.Usage
}

// Rated is a person's rating of an answer, by its run.
type Rated struct {
	Run    string
	Thread string // Thread.Key
	User   string // platform id of the person who asked
	Agent  string
	Vote   int // 1 or -1
	At     time.Time
}

// UsageQuery selects usage to sum; an empty field selects all.
type UsageQuery struct {
	Team, Channel, User string
	From, To            string // Days, both included
	Own                 bool   // with Team "": only usage without a team, which is the program's own
	Models              bool   // sums by model and purpose; User must be empty
}

// Artifact is a file that a run made.
type Artifact struct {
	Run    string `json:"run"`
	N      int    `json:"n"` // among the run's files, from 0
	Thread string `json:"-"` // Thread.Key
	Name   string `json:"name"`
	MIME   string `json:"mime,omitempty"`
	Size   int64  `json:"size"` // bytes
	Data   []byte `json:"-"`
}

// Days returns the number of days of the query; ok is false if the range is empty.
func (q UsageQuery) Days() (int, bool) {
	from, err1 := time.Parse(time.DateOnly, q.From)
	to, err2 := time.Parse(time.DateOnly, q.To)
	if err1 != nil || err2 != nil || to.Before(from) {
		return 0, false
	}
	return int(to.Sub(from).Hours()/24) + 1, true
}

// Runs stores traces, usage and files of runs.
//
// SaveRun replaces the run with the same ID and adds the increase of its cost to the sums, so
// repeated saves count once. Usage lists the sums by day, channel, person and agent, in this
// order, without Up and Down; with Models, by day, channel, purpose and model, which have only
// Day, Team, Channel, Kind (the purpose) and Usage. Spend adds usage outside of runs to the sums of its day, place,
// person and kind. After an error it may or may not have been added.
//
// Rated lists the ratings of a team (all teams for "") in a time range, oldest first. They are deleted with their threads.
//
// Files are committed with an [Outcome], or while a run works by KeepFiles, which replaces its files from number from on.
// They are deleted with their thread. Artifacts lists those of a thread or a run without bytes; Artifact returns one.
type Runs interface {
	SaveRun(ctx context.Context, r Run) error
	RunByID(ctx context.Context, id string) (Run, error)
	RunsOf(ctx context.Context, thread string, limit int) ([]Run, error)
	Usage(ctx context.Context, q UsageQuery) ([]Used, error)
	Spend(ctx context.Context, u Used) error
	Rated(ctx context.Context, team string, from, to time.Time) ([]Rated, error)
	Artifacts(ctx context.Context, thread, run string) ([]Artifact, error)
	Artifact(ctx context.Context, run string, n int) (Artifact, error)
	KeepFiles(ctx context.Context, l Lease, run string, from int, files []Artifact) error
}
