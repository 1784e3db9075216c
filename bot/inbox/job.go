package inbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/chore"
	"maru/bot/parking"
)

const (
	jobTime     = 90 * time.Second // per attempt, model call included
	noticeTime  = time.Minute      // for posting the notice about a parked job
	jobHidden   = 2                // claim of a job, in lease durations
	jobAttempts = 8
	jobPatience = 24 * time.Hour // retries while a platform is unavailable

	lessonsAtOnce = 3  // learning jobs in parallel: they compete with answers for the model
	jobsAtOnce    = 24 // jobs of any other kind in parallel: they mostly wait for platforms
)

// JobRecord is the durable queue of jobs.
type JobRecord interface {
	ClaimJob(ctx context.Context, ttl time.Duration, but ...string) (j bot.Job, ok bool, err error)
	EndJob(ctx context.Context, id string) error
	DelayJob(ctx context.Context, id string, by time.Duration, why string) error
	BuryJob(ctx context.Context, id, why string) error
}

// JobDeaths detects jobs that crash the process.
type JobDeaths interface {
	// JobDied notes that a job's worker died, and reports whether to park the job.
	// JobReturned notes that a job returned, and whether its outcome is committed.
	JobDied(ctx context.Context, j bot.Job) (bool, error)
	JobReturned(ctx context.Context, j bot.Job, committed bool)
}

// JobConfig holds the dependencies and limits of Jobs. All fields but Deaths and Parked are required.
type JobConfig struct {
	Record   JobRecord
	Deaths   JobDeaths                                       // nil: no job is parked
	Do       map[string]func(context.Context, bot.Job) error // by kind
	GaveUp   func(context.Context, bot.Job, error)           // called when a job is not retried any more
	Parked   func(context.Context, bot.Job)                  // is told of one that is about to rest, again after a crash; may be nil
	Log      *slog.Logger
	Now      func() time.Time
	LeaseTTL time.Duration // of threads; a dead process's jobs are claimed after two of them
	Poll     time.Duration // interval between searches for jobs
}

// Jobs runs the background jobs that answers leave behind, with at-least-once semantics.
type Jobs struct {
	record         JobRecord
	deaths         JobDeaths
	doers          map[string]func(context.Context, bot.Job) error
	gaveUp         func(context.Context, bot.Job, error)
	parked         func(context.Context, bot.Job)
	log            *slog.Logger
	now            func() time.Time
	leaseTTL, poll time.Duration
	woken          chan struct{} // holds a token after Wake
}

// NewJobs returns Jobs.
func NewJobs(c JobConfig) *Jobs {
	return &Jobs{record: c.Record, deaths: c.Deaths, doers: c.Do, gaveUp: c.GaveUp, parked: c.Parked, log: c.Log, now: c.Now, leaseTTL: c.LeaseTTL, poll: c.Poll, woken: make(chan struct{}, 1)}
}

// Run processes jobs until ctx ends. Concurrency is limited per kind, so that a failing platform or a
// hanging model delays no job of another kind.
func (js *Jobs) Run(ctx context.Context) {
	tick := time.NewTicker(js.poll)
	defer tick.Stop()
	var workers sync.WaitGroup
	defer workers.Wait()
	at := jobsAtWork{n: map[string]int{}}
	for {
		for ctx.Err() == nil {
			j, ok := js.nextJob(ctx, at.full())
			if !ok {
				break
			}
			at.count(j.Kind, 1)
			workers.Go(func() {
				js.oneJob(ctx, j)
				at.count(j.Kind, -1)
				js.Wake()
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-js.woken:
		case <-tick.C:
		}
	}
}

// jobsAtWork counts active jobs by kind.
type jobsAtWork struct {
	mu sync.Mutex
	n  map[string]int
}

func (w *jobsAtWork) count(kind string, by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n[kind] += by
}

// full returns the kinds that have reached their limit.
func (w *jobsAtWork) full() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var kinds []string
	for kind, n := range w.n {
		if n >= jobsAtOnce || kind == bot.JobLearn && n >= lessonsAtOnce {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// nextJob claims a job of any kind except but; ok is false if there is none or the record
// is unavailable.
func (js *Jobs) nextJob(ctx context.Context, but []string) (j bot.Job, ok bool) {
	j, ok, err := js.record.ClaimJob(ctx, jobHidden*js.leaseTTL, but...)
	if err != nil && ctx.Err() == nil {
		js.log.WarnContext(ctx, "claim job", "err", err)
	}
	return j, ok && err == nil
}

// oneJob runs one job and keeps its claim alive meanwhile.
func (js *Jobs) oneJob(ctx context.Context, j bot.Job) {
	if js.parkDeadly(ctx, j) {
		return
	}
	work, cancel := context.WithTimeout(ctx, jobTime)
	var hiding sync.WaitGroup
	hiding.Go(func() { js.extendClaim(work, j) })
	err := chore.Survive(work, js.log, "job", func() error { return js.do(work, j) })
	cancel()
	hiding.Wait()
	js.endJob(ctx, j, err)
}

// extendClaim renews the claim of a job until ctx ends, and reports whether every renewal succeeded. If one fails, another
// worker may run the job at the same time, as after a crash.
func (js *Jobs) extendClaim(ctx context.Context, j bot.Job) (kept bool) {
	tick := time.NewTicker(js.leaseTTL / 2)
	defer tick.Stop()
	for kept = true; ; {
		select {
		case <-ctx.Done():
			return kept
		case <-tick.C:
		}
		if err := js.record.DelayJob(ctx, j.ID, jobHidden*js.leaseTTL, ""); err != nil && ctx.Err() == nil {
			kept = false
			js.log.WarnContext(ctx, "extend claim of job", "job", j.ID, "err", err)
		}
	}
}

// do runs a job's handler. The job may have run before, in a process that died before committing
// its outcome.
func (js *Jobs) do(ctx context.Context, j bot.Job) error {
	if do := js.doers[j.Kind]; do != nil {
		return do(ctx, j)
	}
	return fmt.Errorf("%w: %q", errForeignJob, j.Kind)
}

// errForeignJob marks a job that only a replica of a newer version can run.
var errForeignJob = errors.New("a job of a kind that this program does not know")

// endJob removes a finished job, delays or buries a failed one, and releases one that shutdown
// interrupted.
func (js *Jobs) endJob(ctx context.Context, j bot.Job, err error) {
	stopping := ctx.Err() != nil
	ctx, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	switch {
	case err == nil:
		err = js.record.EndJob(ctx, j.ID)
	case stopping:
		err = js.record.DelayJob(ctx, j.ID, 0, "the program stopped")
	case js.hopeless(j, err):
		js.log.ErrorContext(ctx, "job given up", "job", j.ID, "tries", j.Attempts+1, "err", err)
		js.gaveUp(ctx, j, err)
		err = js.record.BuryJob(ctx, j.ID, "failed too often")
	default:
		wait := min(10*time.Second<<min(j.Attempts, 6), 10*time.Minute)
		var d *bot.DeliveryError
		if errors.As(err, &d) && d.After > 0 { // the platform's Retry-After
			wait = d.After
		}
		why := "it failed"
		var later *chore.Later
		if errors.As(err, &later) {
			wait, why = later.After, bot.JobWaits
		}
		js.log.InfoContext(ctx, "job will be retried", "job", j.ID, "wait", wait.String(), "err", err)
		err = js.record.DelayJob(ctx, j.ID, wait, why)
	}
	if err != nil {
		js.log.WarnContext(ctx, "commit outcome of job", "job", j.ID, "err", err)
	}
	if js.deaths != nil {
		js.deaths.JobReturned(ctx, j, err == nil)
	}
}

// parkedFor delays a parked job indefinitely: it runs when somebody retries it.
const parkedFor = 100 * 365 * 24 * time.Hour

// parkDeadly parks a job that repeatedly crashed the process, and reports whether it did.
func (js *Jobs) parkDeadly(ctx context.Context, j bot.Job) bool {
	if js.deaths == nil || !j.Lapsed {
		return false
	}
	deadly, err := js.deaths.JobDied(ctx, j)
	if err == nil && deadly {
		js.log.ErrorContext(ctx, "job parked: it crashed the process repeatedly", "job", j.ID, "tries", j.Attempts)
		if js.tellParked(ctx, j) {
			end, cancel := chore.AtTheEnd(ctx)
			defer cancel()
			err = js.record.DelayJob(end, j.ID, parkedFor, parking.Why) // on failure, the next worker parks it when the claim ends
		}
	}
	if err != nil && ctx.Err() == nil {
		js.log.WarnContext(ctx, "count crashes of job", "job", j.ID, "err", err)
	}
	return deadly
}

// tellParked posts the notice about a job to be parked, and keeps its claim meanwhile. It reports whether the claim held:
// otherwise another worker parks the job or has parked it, and somebody may have retried it since.
func (js *Jobs) tellParked(ctx context.Context, j bot.Job) bool {
	if js.parked == nil {
		return true
	}
	work, cancel := context.WithTimeout(ctx, noticeTime)
	defer cancel()
	kept := true
	var hiding sync.WaitGroup
	hiding.Go(func() { kept = js.extendClaim(work, j) })
	js.parked(work, j)
	cancel()
	hiding.Wait() // a late renewal would end the parking
	return kept && ctx.Err() == nil
}

// hopeless reports whether to give up on a failed job. Jobs that wait for an unavailable platform, for a replica of a
// newer version, or that could not be tried yet are retried for jobPatience.
func (js *Jobs) hopeless(j bot.Job, err error) bool {
	var later *chore.Later
	if errors.Is(err, errForeignJob) || errors.As(err, &later) {
		return js.now().Sub(j.At) > jobPatience
	}
	if j.Attempts+1 < jobAttempts {
		return false
	}
	return j.Kind == bot.JobLearn || !errors.Is(err, bot.ErrUnavailable) || js.now().Sub(j.At) > jobPatience
}

// Wake makes Run look for jobs now.
func (js *Jobs) Wake() {
	select {
	case js.woken <- struct{}{}:
	default:
	}
}
