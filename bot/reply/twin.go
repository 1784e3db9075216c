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

// twinFinder finds the messages that were posted with one of the keys, but for the known ones. Adapters implement it whose
// platform posts twice what is sent twice with one key. What the known ones show is taken for unknown from then on: a late
// draft may have changed it.
type twinFinder interface {
	Twins(ctx context.Context, to bot.Target, keys, known []string) ([]bot.Ref, error)
}

// twinsAfter is longer than a request to a platform may take. A lease is shorter, and the next process on a file does not
// wait for it: a request that a dead process has sent may take effect after its successor has looked for the message and
// posted its own.
const twinsAfter = time.Minute

// twins is the body of a job that removes the second copies of a reply.
type twins struct {
	Run      string     `json:"run"`
	Keys     []string   `json:"keys"` // with which the reply may have been posted
	To       bot.Target `json:"to"`
	Messages []string   `json:"messages,omitempty"` // the reply's own
	Left     []left     `json:"left,omitempty"`     // messages that it left and that stay
	Lang     string     `json:"lang"`
}

// lookAgain returns the job that looks for second copies, if a post without a known result may still take effect: one of this
// presenter's, or of an earlier attempt. Attempts are counted in the record, so that a successor that dies owes its
// successor nothing.
func (p *Presenter) lookAgain(ctx context.Context) []bot.Job {
	if _, ok := p.Adapter.(twinFinder); !ok || !p.again && !p.doubted || p.Row.Ref.IsZero() {
		return nil
	}
	own := slices.Clone(p.Row.Ref.Messages)
	for _, l := range p.stays {
		own = append(own, l.Ref.Messages...)
	}
	j, err := bot.NewJob(bot.JobTwins, p.Run+"/"+p.key(), twins{Run: p.Run, Keys: p.keys, To: p.To, Messages: own, Left: p.stays, Lang: p.Lang})
	if err != nil {
		p.all.log.WarnContext(ctx, "encode a posted reply", "run", p.Run, "err", err)
		return nil
	}
	j.At = p.all.now().Add(twinsAfter)
	return []bot.Job{j}
}

// RemoveTwins removes what a dead process posted beside its successor's reply, and closes what the reply left once more.
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
	if rs.workers.Busy(t.To.Thread.Key()) { // it may post what is not stored yet
		return &bot.DeliveryError{Op: "look", After: twinsAfter, Err: bot.ErrUnavailable}
	}
	found, err := f.Twins(ctx, t.To, t.Keys, t.Messages)
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
	for _, l := range t.Left { // a late draft may have opened them again
		if err := closeLeft(ctx, a, l); err != nil {
			return err
		}
	}
	return nil
}
