package parking

import (
	"context"
	"fmt"
	"strings"

	"maru/bot"
)

// jobsWithin lists the parked jobs of runs within a place as in [Store]. Jobs without a run are omitted.
func (p *Parked) jobsWithin(ctx context.Context, within string) (list []Item, err error) {
	if p.Thread == nil {
		return nil, nil
	}
	jobs, err := p.Store.ParkedJobs(ctx, 0) // the store does not filter by place, and other places' older jobs must not displace these
	if err != nil {
		return nil, err
	}
	for _, j := range jobs {
		_, run, _ := strings.Cut(j.ID, "/") // see bot.NewJob
		thread, err := p.Thread(ctx, run)
		if err != nil {
			return nil, fmt.Errorf("thread of a parked job: %w", err)
		}
		if thread != "" && (within == "" || thread == within || strings.HasPrefix(thread, within+"/")) {
			list = append(list, Item{ID: j.ID, Thread: thread, At: j.At, Parked: j.At})
		}
		if len(list) == mostAll {
			break
		}
	}
	return list, nil
}

// retryJob makes a job due for a person, with a reset count, and returns the number of jobs.
func (p *Parked) retryJob(ctx context.Context, t bot.Thread, u bot.User, id string) (int, error) {
	ok, err := p.RetryJob(ctx, id)
	if err != nil || !ok {
		return 0, err
	}
	p.Rules.Audit(ctx, t, u, "job.retry", map[string]any{"job": id})
	if p.WakeJobs != nil {
		p.WakeJobs()
	}
	return 1, nil
}
