package inbox

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/parking"
)

// queueOfOne is a record with one job, whose workers have died.
type queueOfOne struct {
	mu     sync.Mutex
	due    time.Time
	claims int
	why    []string
	fail   error // of hiding it
}

func (q *queueOfOne) ClaimJob(_ context.Context, ttl time.Duration, _ ...string) (bot.Job, bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if time.Now().Before(q.due) {
		return bot.Job{}, false, nil
	}
	q.due = time.Now().Add(ttl)
	q.claims++
	return bot.Job{ID: "j", Kind: bot.JobFiles, Attempts: 3, Lapsed: true}, true, nil
}

func (q *queueOfOne) DelayJob(ctx context.Context, _ string, by time.Duration, why string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if q.fail != nil && why == "" {
		return q.fail
	}
	q.due = time.Now().Add(by)
	if why != "" {
		q.why = append(q.why, why)
	}
	return nil
}

func (*queueOfOne) EndJob(context.Context, string) error          { return nil }
func (*queueOfOne) BuryJob(context.Context, string, string) error { return nil }

type deadlyJobs struct{}

func (deadlyJobs) JobDied(context.Context, bot.Job) (bool, error) { return true, nil }
func (deadlyJobs) JobReturned(context.Context, bot.Job, bool)     {}

// TestAJobIsHiddenWhileItsNoticeIsPosted: a platform that takes longer than the lease gets one notice of a parked job, and a
// worker that lost the job meanwhile, or stops, does not park it.
func TestAJobIsHiddenWhileItsNoticeIsPosted(t *testing.T) {
	t.Parallel()
	const lease = 40 * time.Millisecond
	for name, c := range map[string]struct {
		fail  error
		stops bool
		parks int
	}{"slow_platform": {parks: 1}, "record_away": {fail: context.DeadlineExceeded}, "program_stops": {stops: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			q := &queueOfOne{fail: c.fail}
			notices := make(chan bool, 100)
			js := NewJobs(JobConfig{
				Record: q, Deaths: deadlyJobs{}, Log: slog.New(slog.DiscardHandler), Now: time.Now, LeaseTTL: lease, Poll: 5 * time.Millisecond,
				Parked: func(ctx context.Context, _ bot.Job) {
					notices <- true
					if c.stops {
						stop()
					}
					select {
					case <-ctx.Done():
					case <-time.After(8 * lease):
					}
				},
			})
			done := make(chan bool)
			go func() { js.Run(ctx); close(done) }()
			<-notices
			time.Sleep(12 * lease)
			stop()
			<-done
			q.mu.Lock()
			defer q.mu.Unlock()
			if c.fail == nil && (q.claims != 1 || len(notices) > 0) {
				t.Errorf("claimed %d times, %d more notices", q.claims, len(notices))
			}
			if len(q.why) != c.parks || c.parks > 0 && q.why[0] != parking.Why {
				t.Errorf("parked %q, want %d", q.why, c.parks)
			}
		})
	}
}
