package service

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/chore"
)

const (
	jobTime     = 90 * time.Second // one job, with the model's call
	jobHidden   = 2                // leases after which a dead worker's job is taken over
	jobAttempts = 8
	jobPatience = 24 * time.Hour // for which the platform may refuse what is owed to people

	lessonsAtOnce = 3  // model calls beside those for answers
	jobsAtOnce    = 24 // of any other kind: they wait for platforms
)

// workOff does jobs until ctx ends, of each kind a few at the same time: files that a
// platform does not take, or a model that hangs, put off no job of another kind.
func (b *Bot) workOff(ctx context.Context) {
	tick := time.NewTicker(b.cfg.Poll)
	defer tick.Stop()
	var workers sync.WaitGroup
	defer workers.Wait()
	at := jobsAtWork{n: map[string]int{}}
	for {
		for ctx.Err() == nil {
			j, ok := b.nextJob(ctx, at.full())
			if !ok {
				break
			}
			at.count(j.Kind, 1)
			workers.Go(func() {
				b.oneJob(ctx, j)
				at.count(j.Kind, -1)
				b.wake()
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-b.jobs:
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
func (b *Bot) nextJob(ctx context.Context, but []string) (bot.Job, bool) {
	j, ok, err := b.cfg.Record.ClaimJob(ctx, jobHidden*b.cfg.LeaseTTL, but...)
	if err != nil && ctx.Err() == nil {
		b.log.WarnContext(ctx, "look for jobs", "err", err)
	}
	return j, ok && err == nil
}

// oneJob does one job. It is hidden from others while this process lives, and not much
// longer.
func (b *Bot) oneJob(ctx context.Context, j bot.Job) {
	work, cancel := context.WithTimeout(ctx, jobTime)
	var hiding sync.WaitGroup
	hiding.Go(func() { b.hide(work, j) })
	err := chore.Survive(work, b.log, "job", func() error { return b.do(work, j) })
	cancel()
	hiding.Wait()
	b.endJob(ctx, j, err)
}

// hide keeps a job hidden until ctx ends. Where that fails another worker may do
// it at the same time, as after a crash.
func (b *Bot) hide(ctx context.Context, j bot.Job) {
	tick := time.NewTicker(b.cfg.LeaseTTL / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := b.cfg.Record.DelayJob(ctx, j.ID, jobHidden*b.cfg.LeaseTTL, ""); err != nil && ctx.Err() == nil {
			b.log.WarnContext(ctx, "keep a job", "job", j.ID, "err", err)
		}
	}
}

// do carries a job out. It may have been carried out before, by a process that
// died before it said so.
func (b *Bot) do(ctx context.Context, j bot.Job) error {
	switch j.Kind {
	case bot.JobLearn:
		return b.learner.Take(ctx, j)
	case bot.JobFiles:
		return b.parcels.HandOver(ctx, j)
	case bot.JobUnmark:
		return b.replies.TakeMarks(ctx, j)
	}
	return fmt.Errorf("%w: %q", errForeignJob, j.Kind)
}

// errForeignJob says that a replica of a newer version has to do a job.
var errForeignJob = errors.New("a job of a kind that this program does not know")

// endJob removes a job that is done, puts off one that failed, and gives it to
// others when the program stops.
func (b *Bot) endJob(ctx context.Context, j bot.Job, err error) {
	stopping := ctx.Err() != nil
	ctx, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	switch {
	case err == nil:
		err = b.cfg.Record.EndJob(ctx, j.ID)
	case stopping:
		err = b.cfg.Record.DelayJob(ctx, j.ID, 0, "the program stopped")
	case b.hopeless(j, err):
		b.log.ErrorContext(ctx, "job given up", "job", j.ID, "tries", j.Attempts+1, "err", err)
		if j.Kind == bot.JobFiles { // somebody waits for them
			b.parcels.GiveUp(ctx, j, err)
		}
		err = b.cfg.Record.BuryJob(ctx, j.ID, "failed too often")
	default:
		wait := min(10*time.Second<<min(j.Attempts, 6), 10*time.Minute)
		var d *bot.DeliveryError
		if errors.As(err, &d) && d.After > 0 { // the platform has said when
			wait = d.After
		}
		b.log.InfoContext(ctx, "job waits for another try", "job", j.ID, "wait", wait.String(), "err", err)
		err = b.cfg.Record.DelayJob(ctx, j.ID, wait, "it failed")
	}
	if err != nil {
		b.log.WarnContext(ctx, "end of a job", "job", j.ID, "err", err)
	}
}

// hopeless reports whether a job that has failed is not tried again: for what the
// platform is only too busy to take, and for what a newer version has to do, there
// is a day.
func (b *Bot) hopeless(j bot.Job, err error) bool {
	if errors.Is(err, errForeignJob) {
		return b.cfg.Now().Sub(j.At) > jobPatience
	}
	if j.Attempts+1 < jobAttempts {
		return false
	}
	return j.Kind == bot.JobLearn || !errors.Is(err, bot.ErrUnavailable) || b.cfg.Now().Sub(j.At) > jobPatience
}

// wake wakes who does jobs.
func (b *Bot) wake() {
	select {
	case b.jobs <- struct{}{}:
	default:
	}
}
