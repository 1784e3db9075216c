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
	JobClose  = "close"  // closes a message that a reply was moved from
	JobTwins  = "twins"  // removes second copies of a reply
	JobTell   = "tell"   // reports a request's outcome to a program
)

// JobWaits is the reason of a delay that does not count as an attempt.
const JobWaits = "waits"

// Job is work in the background. A job with the ID of an existing one is ignored.
type Job struct {
	ID       string
	Kind     string
	Person   string // the person concerned, as agent.User.ID
	Body     json.RawMessage
	At       time.Time // due from then on; now, by the store's clock, if zero
	Attempts int       // how often it was handed out before
	Lapsed   bool      // the previous lease expired: the job was neither ended nor delayed with a reason
}

// Jobs is the durable queue of background work, committed with the outcomes that cause it. A job runs at least
// once, so it must be idempotent.
//
// ClaimJob leases the due job that has waited longest, of the kinds not in but, for ttl; after a crash it becomes due
// again. ok is false if none is due. EndJob removes it. DelayJob extends the lease or, with a reason, schedules the next
// attempt; with JobWaits as the reason, the claim does not count as an attempt. BuryJob keeps its row, without the body, after too many failures. All three ignore missing jobs. PendingJobs
// returns the number and the oldest time of unfinished jobs, leased ones included. DropJobs removes a person's jobs.
type Jobs interface {
	ClaimJob(ctx context.Context, ttl time.Duration, but ...string) (j Job, ok bool, err error)
	EndJob(ctx context.Context, id string) error
	DelayJob(ctx context.Context, id string, by time.Duration, why string) error
	BuryJob(ctx context.Context, id, why string) error
	PendingJobs(ctx context.Context) (n int, oldest time.Time, err error)
	DropJobs(ctx context.Context, person string) (int, error)
}

// NewJob returns a job for a run.
func NewJob(kind, run string, body any) (Job, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return Job{}, fmt.Errorf("encode job %s of %s: %w", kind, run, err)
	}
	return Job{ID: kind + "/" + run, Kind: kind, Body: raw}, nil
}
