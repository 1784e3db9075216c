package inbox_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"maru/bot"
	"maru/bot/inbox"
	"maru/bot/parking"
)

const ttl = 10 * time.Second

// slowRecord has one job, whose last worker died, and takes its time to hide it.
type slowRecord struct {
	mu     sync.Mutex
	handed bool
	hidden []string // why
}

func (r *slowRecord) ClaimJob(context.Context, time.Duration, ...string) (bot.Job, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.handed
	r.handed = true
	return bot.Job{ID: "j", Kind: "deadly", Attempts: 3, Lapsed: true}, first, nil
}

func (r *slowRecord) EndJob(context.Context, string) error          { return nil }
func (r *slowRecord) BuryJob(context.Context, string, string) error { return nil }
func (r *slowRecord) DelayJob(_ context.Context, _ string, _ time.Duration, why string) error {
	r.mu.Lock()
	r.hidden = append(r.hidden, why)
	r.mu.Unlock()
	time.Sleep(ttl)
	return nil
}

type deadly struct{}

func (deadly) JobDied(context.Context, bot.Job) (bool, error) { return true, nil }
func (deadly) JobReturned(context.Context, bot.Job, bool)     {}

// TestAParkedJobStaysHidden: nothing shows a job again that was parked.
func TestAParkedJobStaysHidden(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &slowRecord{}
		jobs := inbox.NewJobs(inbox.JobConfig{
			Record: r, Deaths: deadly{}, Log: slog.New(slog.DiscardHandler), Now: time.Now, LeaseTTL: ttl, Poll: time.Minute,
			GaveUp: func(context.Context, bot.Job, error) {},
		})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		jobs.Run(ctx)
		if len(r.hidden) != 1 || r.hidden[0] != parking.Why {
			t.Errorf("hidden %q", r.hidden)
		}
	})
}
