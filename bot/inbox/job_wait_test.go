package inbox_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"maru/bot"
	"maru/bot/chore"
	"maru/bot/inbox"
)

// oneJob is a record of one job that counts its attempts as the stores do.
type oneJob struct {
	mu       sync.Mutex
	due      time.Time
	attempts int
}

func (r *oneJob) ClaimJob(context.Context, time.Duration, ...string) (bot.Job, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.due.After(time.Now()) {
		return bot.Job{}, false, nil
	}
	r.due = time.Now().Add(time.Hour)
	r.attempts++
	return bot.Job{ID: "j", Kind: "twins", At: time.Now(), Attempts: r.attempts - 1}, true, nil
}

func (r *oneJob) EndJob(context.Context, string) error          { return nil }
func (r *oneJob) BuryJob(context.Context, string, string) error { return nil }
func (r *oneJob) DelayJob(_ context.Context, _ string, by time.Duration, why string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.due = time.Now().Add(by); why == bot.JobWaits {
		r.attempts--
	}
	return nil
}

// TestAWaitingJobIsTriedAsOftenAsOthers: a job that could not be tried yet has all its attempts when it can.
func TestAWaitingJobIsTriedAsOftenAsOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls, given := 0, 0
		jobs := inbox.NewJobs(inbox.JobConfig{
			Record: &oneJob{}, Log: slog.New(slog.DiscardHandler), Now: time.Now, LeaseTTL: ttl, Poll: time.Second,
			Do: map[string]func(context.Context, bot.Job) error{"twins": func(context.Context, bot.Job) error {
				if calls++; calls <= 20 {
					return &chore.Later{After: time.Second, Err: errors.New("the thread is busy")}
				}
				return errors.New("it failed")
			}},
			GaveUp: func(context.Context, bot.Job, error) { given = calls },
		})
		ctx, cancel := context.WithTimeout(t.Context(), 55*time.Minute)
		defer cancel()
		jobs.Run(ctx)
		if given != 28 {
			t.Errorf("given up after %d calls, of which 20 waited", given)
		}
	})
}
