package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// The kinds of jobs.
const (
	JobLearn  = "learn"  // lessons become memory
	JobFiles  = "files"  // files that a run made are put into its thread
	JobUnmark = "unmark" // marks are taken off a message
	JobClose  = "close"  // a message that a reply left is closed
	JobTell   = "tell"   // a program is told how its request ended
)

// Job is work in the background. ID says what it is: a second one with the same
// ID while the first is there is no second job.
type Job struct {
	ID       string
	Kind     string
	Person   string // whom it concerns, as agent.User.ID
	Body     json.RawMessage
	At       time.Time // due from then on; now, by the store's clock, if zero
	Attempts int       // how often it was handed out before
	Lapsed   bool      // whoever had it before let it lapse: neither ended nor delayed with a word
}

// Jobs is the durable queue of background work, committed with the outcomes it
// follows from. A job is done at least once, so it must be in effect once by
// itself.
//
// ClaimJob hands out a job that is due and of none of the kinds in but, the one that
// waits longest first, and hides it for ttl; whoever dies with it leaves it to others then. ok is false
// if none is due. EndJob removes it. DelayJob hides it for longer: to be worked
// on, or with a word on why until it is tried again. BuryJob keeps its row,
// without the body, as one that failed too often. All three do nothing for a job
// that is gone. PendingJobs counts those that wait, hidden or not, and tells since
// when the oldest does. DropJobs removes a person's jobs.
type Jobs interface {
	ClaimJob(ctx context.Context, ttl time.Duration, but ...string) (j Job, ok bool, err error)
	EndJob(ctx context.Context, id string) error
	DelayJob(ctx context.Context, id string, by time.Duration, why string) error
	BuryJob(ctx context.Context, id, why string) error
	PendingJobs(ctx context.Context) (n int, oldest time.Time, err error)
	DropJobs(ctx context.Context, person string) (int, error)
}

// NewJob is a job about a run.
func NewJob(kind, run string, body any) (Job, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return Job{}, fmt.Errorf("encode job %s of %s: %w", kind, run, err)
	}
	return Job{ID: kind + "/" + run, Kind: kind, Body: raw}, nil
}
