package reply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/bot"
)

// twinFinder finds the messages that were posted with a key, but for the known ones. Adapters implement it whose platform
// posts twice what is sent twice with one key.
type twinFinder interface {
	Twins(ctx context.Context, to bot.Target, key string, known []string) ([]bot.Ref, error)
}

// twinsAfter is longer than a request to a platform may take. A lease is shorter: a request that a dead process has sent may
// take effect after its successor has looked for the message and posted its own.
const twinsAfter = time.Minute

// twins is the body of a job that removes the second copy of a reply.
type twins struct {
	Run      string     `json:"run"`
	Key      string     `json:"key"`
	To       bot.Target `json:"to"`
	Messages []string   `json:"messages,omitempty"` // the reply's own
	Lang     string     `json:"lang"`
}

// mayHaveTwin notes that a message was posted that an earlier attempt may have posted, too.
func (p *Presenter) mayHaveTwin(ref bot.Ref) {
	if _, ok := p.Adapter.(twinFinder); ok && !ref.IsZero() {
		p.posted = append(p.posted, twins{Run: p.Run, Key: p.key(), To: p.To, Messages: slices.Clone(ref.Messages), Lang: p.Lang})
	}
}

// lookAgain returns the jobs that look for second copies.
func (p *Presenter) lookAgain(ctx context.Context) (jobs []bot.Job) {
	for _, t := range p.posted {
		j, err := bot.NewJob(bot.JobTwins, t.Run+"/"+t.Key, t)
		if err != nil {
			p.all.log.WarnContext(ctx, "encode a posted reply", "run", p.Run, "err", err)
			continue
		}
		j.At = p.all.now().Add(twinsAfter)
		jobs = append(jobs, j)
	}
	return jobs
}

// RemoveTwins removes what a dead process posted beside its successor's reply.
func (rs *Replies) RemoveTwins(ctx context.Context, j bot.Job) error {
	var t twins
	if err := json.Unmarshal(j.Body, &t); err != nil {
		rs.log.ErrorContext(ctx, "job dropped", "job", j.ID, "err", err)
		return nil
	}
	a := rs.adapters[t.To.Thread.Platform]
	f, ok := a.(twinFinder)
	if !ok {
		return nil
	}
	found, err := f.Twins(ctx, t.To, t.Key, t.Messages)
	if err != nil {
		return err
	}
	row, err := rs.record.Reply(ctx, t.Run) // after the look: what a later attempt posted is stored by then
	if err != nil && !errors.Is(err, bot.ErrNotFound) {
		return fmt.Errorf("read reply: %w", err)
	}
	for _, ref := range found {
		if slices.ContainsFunc(ref.Messages, func(m string) bool { return slices.Contains(row.Ref.Messages, m) }) {
			continue
		}
		rs.log.WarnContext(ctx, "second copy of a reply is removed", "run", t.Run, "platform", a.Platform())
		if err := closeLeft(ctx, a, left{Run: t.Run, Ref: ref, Lang: t.Lang}); err != nil {
			return err
		}
	}
	return nil
}
