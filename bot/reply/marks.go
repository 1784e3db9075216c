package reply

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"maru/bot"
	"maru/bot/chore"
)

// marked is a message that may have marks: the body of a job that removes them.
type marked struct {
	To      bot.Target `json:"to"`
	Message string     `json:"message"`
	Marks   []bot.Mark `json:"marks"`
}

// signs holds the marks that a run's message may have.
type signs struct {
	seen, queued atomic.Bool
	noted        string   // the job that removes them as a last resort, "" for none
	closing      []string // the jobs that close messages the reply moved from
}

// unmarkAfter is the time for removing the marks without a job.
const unmarkAfter = 10 * time.Second

// Owed returns the jobs for clean-up that remains when a run's item ends: marks, and messages that
// the reply has left. They may have to wait for the platform's rate limits.
func (p *Presenter) Owed(ctx context.Context) []bot.Job {
	jobs := p.unclosed(ctx)
	for _, j := range jobs {
		p.signs.closing = append(p.signs.closing, j.ID)
	}
	jobs = append(jobs, p.lookAgain(ctx)...)
	var marks []bot.Mark
	if p.signs.seen.Load() {
		marks = append(marks, bot.MarkSeen)
	}
	if p.signs.queued.Load() {
		marks = append(marks, bot.MarkQueued)
	}
	if len(marks) == 0 {
		return jobs
	}
	j, err := bot.NewJob(bot.JobUnmark, p.Run, marked{To: p.To, Message: p.message, Marks: marks})
	if err != nil {
		p.all.log.WarnContext(ctx, "encode marks", "run", p.Run, "err", err)
		return jobs
	}
	j.At = p.all.now().Add(unmarkAfter)
	p.signs.noted = j.ID
	return append(jobs, j)
}

// Settled drops the jobs of clean-up that has been done.
func (p *Presenter) Settled(ctx context.Context) {
	if len(p.signs.closing) > 0 && len(p.unclosed(ctx)) == 0 {
		for _, id := range p.signs.closing {
			p.endJob(ctx, id)
		}
	}
	if p.signs.noted == "" || p.signs.seen.Load() || p.signs.queued.Load() {
		return
	}
	p.endJob(ctx, p.signs.noted)
}

func (p *Presenter) endJob(ctx context.Context, id string) {
	ctx, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	if err := p.all.record.EndJob(ctx, id); err != nil {
		p.all.log.DebugContext(ctx, "end of a job", "job", id, "err", err) // the job would find nothing to do
	}
}

// TakeMarks removes the marks of a message.
func (rs *Replies) TakeMarks(ctx context.Context, j bot.Job) error {
	var m marked
	if err := json.Unmarshal(j.Body, &m); err != nil {
		rs.log.ErrorContext(ctx, "job dropped", "job", j.ID, "err", err)
		return nil
	}
	r, ok := rs.adapters[m.To.Thread.Platform].(bot.Reactor)
	if !ok {
		return nil
	}
	for _, mark := range m.Marks {
		err := r.React(ctx, m.To, m.Message, mark, false)
		if errors.Is(err, bot.ErrGone) || errors.Is(err, bot.ErrForbidden) {
			return nil // invisible, or only an admin may remove it
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unmark removes the queue mark of a message whose turn has come. The sweep retries failures; if a process that
// may be dead set the mark, the run's own job does.
func (rs *Replies) unmark(ctx context.Context, it bot.Item, p *Presenter) {
	if _, ok := p.Adapter.(bot.Reactor); !ok {
		return
	}
	v, here := rs.marked.Load(p.Run)
	if begun, waits := v.(chan struct{}); waits && rs.marked.CompareAndDelete(p.Run, begun) {
		close(begun)
	} else if here {
		rs.chores.Start(ctx, func(ctx context.Context) { rs.unmarkOne(ctx, p.Run) })
	} else if it.Kind == bot.ItemMessage && !it.Begun && rs.hasWaited(it) {
		p.signs.queued.Store(true)
	}
}

// hasWaited reports whether an item is so old that the process that received it may have marked
// its message. The age comes from the record's clock; an item from the future has an unknown age.
func (rs *Replies) hasWaited(it bot.Item) bool {
	waited := rs.now().Sub(it.At)
	return waited >= queuedAfter || waited < 0
}

// unmarkOne removes the queue mark of a message that this process marked.
func (rs *Replies) unmarkOne(ctx context.Context, run string) {
	v, ok := rs.marked.Load(run)
	m, is := v.(marked)
	if !ok || !is {
		return
	}
	r, ok := rs.adapters[m.To.Thread.Platform].(bot.Reactor)
	if !ok {
		return
	}
	err := r.React(ctx, m.To, m.Message, bot.MarkQueued, false)
	if err == nil || errors.Is(err, bot.ErrGone) || errors.Is(err, bot.ErrForbidden) {
		rs.marked.Delete(run)
		return
	}
	rs.log.DebugContext(ctx, "remove mark", "platform", m.To.Thread.Platform, "err", err)
}

// SweepMarks removes the queue marks of messages whose turn came on another replica, or after a rate limit.
func (rs *Replies) SweepMarks(ctx context.Context) {
	rs.marked.Range(func(k, v any) bool {
		run, ok := k.(string)
		m, is := v.(marked)
		if ok && is && rs.turnCame(ctx, m.To.Thread, run) {
			rs.unmarkOne(ctx, run)
		}
		return ctx.Err() == nil
	})
}
