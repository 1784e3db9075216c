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
	jobTime     = 90 * time.Second // one job, with the model's call
	noticeTime  = time.Minute      // the notice of a job that is parked
	jobHidden   = 2                // leases after which a dead worker's job is taken over
	jobAttempts = 8
	jobPatience = 24 * time.Hour // for which the platform may refuse what is owed to people

	lessonsAtOnce = 3  // model calls beside those for answers
	jobsAtOnce    = 24 // of any other kind: they wait for platforms
)

// JobRecord is the durable queue of jobs.
type JobRecord interface {
	ClaimJob(ctx context.Context, ttl time.Duration, but ...string) (j bot.Job, ok bool, err error)
	EndJob(ctx context.Context, id string) error
	DelayJob(ctx context.Context, id string, by time.Duration, why string) error
	BuryJob(ctx context.Context, id, why string) error
}

// JobDeaths tell which jobs kill processes.
type JobDeaths interface {
	// JobDied is told of a job whose worker died, and reports whether it rests from now on.
	// JobReturned is told of one that came back, and whether that is committed.
	JobDied(ctx context.Context, j bot.Job) (bool, error)
	JobReturned(ctx context.Context, j bot.Job, committed bool)
}

// JobConfig is what Jobs are made of. All of it is needed but Deaths and Parked.
type JobConfig struct {
	Record   JobRecord
	Deaths   JobDeaths                                       // nil: nothing is parked
	Do       map[string]func(context.Context, bot.Job) error // by kind
	GaveUp   func(context.Context, bot.Job, error)           // is told of one that is not tried any more
	Parked   func(context.Context, bot.Job)                  // is told of one that is about to rest, again after a crash; may be nil
	Log      *slog.Logger
	Now      func() time.Time
	LeaseTTL time.Duration // of threads: a dead process's jobs are taken over after two of them
	Poll     time.Duration // how often jobs are looked for
}

// Jobs does background work that follows from answers, at least once.
type Jobs struct {
	record         JobRecord
	deaths         JobDeaths
	doers          map[string]func(context.Context, bot.Job) error
	gaveUp         func(context.Context, bot.Job, error)
	parked         func(context.Context, bot.Job)
	log            *slog.Logger
	now            func() time.Time
	leaseTTL, poll time.Duration
	woken          chan struct{} // wakes who does jobs
}

// NewJobs returns Jobs.
func NewJobs(c JobConfig) *Jobs {
	return &Jobs{record: c.Record, deaths: c.Deaths, doers: c.Do, gaveUp: c.GaveUp, parked: c.Parked, log: c.Log, now: c.Now, leaseTTL: c.LeaseTTL, poll: c.Poll, woken: make(chan struct{}, 1)}
}

// Run does jobs until ctx ends, of each kind a few at the same time: files that a
// platform does not take, or a model that hangs, put off no job of another kind.
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

// jobsAtWork counts jobs by their kind.
type jobsAtWork struct {
	mu sync.Mutex
	n  map[string]int
}

func (w *jobsAtWork) count(kind string, by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n[kind] += by
}

// full are the kinds of which no more are begun.
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

// nextJob claims a job that is of none of these kinds; false if there is none, or the record
// is away.
func (js *Jobs) nextJob(ctx context.Context, but []string) (bot.Job, bool) {
	j, ok, err := js.record.ClaimJob(ctx, jobHidden*js.leaseTTL, but...)
	if err != nil && ctx.Err() == nil {
		js.log.WarnContext(ctx, "look for jobs", "err", err)
	}
	return j, ok && err == nil
}

// oneJob does one job. It is hidden from others while this process lives, and not much
// longer.
func (js *Jobs) oneJob(ctx context.Context, j bot.Job) {
	if js.rests(ctx, j) {
		return
	}
	work, cancel := context.WithTimeout(ctx, jobTime)
	var hiding sync.WaitGroup
	hiding.Go(func() { js.hide(work, j) })
	err := chore.Survive(work, js.log, "job", func() error { return js.do(work, j) })
	cancel()
	hiding.Wait()
	js.endJob(ctx, j, err)
}

// hide keeps a job hidden until ctx ends, and reports whether it was all the time. Where that fails another worker may do
// it at the same time, as after a crash.
func (js *Jobs) hide(ctx context.Context, j bot.Job) (kept bool) {
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
			js.log.WarnContext(ctx, "keep a job", "job", j.ID, "err", err)
		}
	}
}

// do carries a job out. It may have been carried out before, by a process that
// died before it said so.
func (js *Jobs) do(ctx context.Context, j bot.Job) error {
	if do := js.doers[j.Kind]; do != nil {
		return do(ctx, j)
	}
	return fmt.Errorf("%w: %q", errForeignJob, j.Kind)
}

// errForeignJob says that a replica of a newer version has to do a job.
var errForeignJob = errors.New("a job of a kind that this program does not know")

// endJob removes a job that is done, puts off one that failed, and gives it to
// others when the program stops.
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
		if errors.As(err, &d) && d.After > 0 { // the platform has said when
			wait = d.After
		}
		js.log.InfoContext(ctx, "job waits for another try", "job", j.ID, "wait", wait.String(), "err", err)
		err = js.record.DelayJob(ctx, j.ID, wait, "it failed")
	}
	if err != nil {
		js.log.WarnContext(ctx, "end of a job", "job", j.ID, "err", err)
	}
	if js.deaths != nil {
		js.deaths.JobReturned(ctx, j, err == nil)
	}
}

// parkedFor is how long a parked job is hidden: until somebody retries it.
const parkedFor = 100 * 365 * 24 * time.Hour

// rests parks a job that kills processes, and reports whether it did.
func (js *Jobs) rests(ctx context.Context, j bot.Job) bool {
	if js.deaths == nil || !j.Lapsed {
		return false
	}
	deadly, err := js.deaths.JobDied(ctx, j)
	if err == nil && deadly {
		js.log.ErrorContext(ctx, "job parked: the process died with it again and again", "job", j.ID, "tries", j.Attempts)
		if js.tellParked(ctx, j) {
			end, cancel := chore.AtTheEnd(ctx)
			defer cancel()
			err = js.record.DelayJob(end, j.ID, parkedFor, parking.Why) // where it fails the job is parked when its time is over
		}
	}
	if err != nil && ctx.Err() == nil {
		js.log.WarnContext(ctx, "count the deaths of a job", "job", j.ID, "err", err)
	}
	return deadly
}

// tellParked posts the notice of a job that is about to rest, and hides the job meanwhile. It reports whether the job is
// still this worker's: else another one parks it, or has, and somebody may have retried it there.
func (js *Jobs) tellParked(ctx context.Context, j bot.Job) bool {
	if js.parked == nil {
		return true
	}
	work, cancel := context.WithTimeout(ctx, noticeTime)
	defer cancel()
	kept := true
	var hiding sync.WaitGroup
	hiding.Go(func() { kept = js.hide(work, j) })
	js.parked(work, j)
	cancel()
	hiding.Wait() // or it would show the job again
	return kept && ctx.Err() == nil
}

// hopeless reports whether a job that has failed is not tried again: for what the
// platform is only too busy to take, and for what a newer version has to do, there
// is a day.
func (js *Jobs) hopeless(j bot.Job, err error) bool {
	if errors.Is(err, errForeignJob) {
		return js.now().Sub(j.At) > jobPatience
	}
	if j.Attempts+1 < jobAttempts {
		return false
	}
	return j.Kind == bot.JobLearn || !errors.Is(err, bot.ErrUnavailable) || js.now().Sub(j.At) > jobPatience
}

// Wake wakes who does jobs.
func (js *Jobs) Wake() {
	select {
	case js.woken <- struct{}{}:
	default:
	}
}
