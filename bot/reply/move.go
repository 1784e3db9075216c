package reply

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// longWait is the duration after which nobody is assumed to watch a reply grow.
const longWait = time.Minute

// Name of a reply's final message. Questions' messages are named after the question.
const placeEnd = "end"

// MoveBelow posts the next card as a new message below the conversation, on platforms that do not
// notify of edits. place identifies the message, so repeating the move after a crash posts nothing
// twice.
func (p *Presenter) MoveBelow(place string) {
	if p.Adapter.Facts().SilentEdits {
		p.place = p.Run + "-" + place
	}
}

// EndBelow is [Presenter.MoveBelow] for the answer of a run that waited for people, or took longer than longWait.
// The answers of other runs stay in place.
func (p *Presenter) EndBelow() { p.ends = true }

// choosePlace chooses the place of the last card. The loop has ended.
func (p *Presenter) choosePlace() {
	if p.ends && (len(p.History) > 0 || p.Row.Ref.Key != "" || p.all.now().Sub(p.Row.At) >= longWait) {
		p.MoveBelow(placeEnd)
	}
}

// IsBelow reports, after delivery, whether the card is a new message that people were notified of.
func (p *Presenter) IsBelow() bool { return p.place != "" }

// placed completes an adapter's reference with the bot's own fields.
func (p *Presenter) placed(ref bot.Ref) bot.Ref {
	p.doubted, ref.Doubtful = p.doubted || ref.Doubtful, false
	ref.Key, ref.Left = p.Row.Ref.Key, p.Row.Ref.Left
	return ref
}

// move changes the reply's place to the wanted one. The change is committed before anything is
// posted, so that a process that continues after a crash knows where to look and what to close.
func (p *Presenter) move(ctx context.Context) error {
	p.leave(ctx) // from an earlier attempt
	if p.place == "" || p.Row.Ref.Key == p.place {
		return nil
	}
	f, ok := p.Adapter.(bot.Finder)
	if ok && p.unsure && p.Row.Ref.IsZero() { // an earlier attempt may have posted and died before it knew
		ref, found, err := f.Find(ctx, p.To, p.key())
		if err != nil {
			return err
		}
		if found {
			p.setRef(p.placed(ref))
		}
	}
	next := bot.Ref{Key: p.place}
	if left := p.Row.Ref; !left.IsZero() {
		next.Left = &left
	}
	stored := next
	if next.Left != nil {
		last := *next.Left
		last.Left = p.toClose()
		stored.Left = &last
	} else {
		stored.Left = p.toClose()
	}
	if err := p.all.record.SetRef(ctx, p.Lease, p.Run, stored); err != nil {
		return fmt.Errorf("move reply: %w", err)
	}
	p.setRef(next)
	p.keys = fit.Distinct(append(p.keys, p.place))
	p.unsure = false
	p.leave(ctx)
	return nil
}

// left is a message that a reply has moved from: the body of a job that closes it.
type left struct {
	Run    string      `json:"run"`
	Ref    bot.Ref     `json:"ref"`
	Fields []bot.Field `json:"fields,omitempty"` // decisions made by people
	Lang   string      `json:"lang"`
}

// closeAfter is the time a presenter has to close an abandoned message before a job does.
const closeAfter = 3 * time.Second

// leave starts closing the messages that the reply has moved away from, concurrently with the
// delivery of the card. [Presenter.Owed] returns what remains.
func (p *Presenter) leave(ctx context.Context) {
	ref := p.Row.Ref
	at := ref.Left
	ref.Left = nil
	p.setRef(ref)
	for ; at != nil; at = at.Left {
		last := *at
		last.Left = nil
		p.close(ctx, left{p.Run, last, p.History, p.Lang})
	}
}

// close closes a message that the reply has moved away from, in the background.
func (p *Presenter) close(ctx context.Context, l left) {
	if l.Ref.Key != "" {
		p.stays = append(p.stays, l)
	}
	p.mu.Lock()
	p.lefts = append(p.lefts, l)
	p.mu.Unlock()
	p.cleared.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeAfter)
		defer cancel()
		if err := closeLeft(ctx, p.Adapter, l); err != nil {
			p.all.log.DebugContext(ctx, "close left message", "platform", p.Adapter.Platform(), "err", err)
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.lefts = slices.DeleteFunc(p.lefts, func(o left) bool { return sameRef(o.Ref, l.Ref) })
	})
}

// toClose returns the messages that are not closed yet, each with the next one as its Left. It is stored with the
// reference until the outcome's commit stores the jobs: a process that dies in between leaves them to the next.
func (p *Presenter) toClose() (first *bot.Ref) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lefts {
		ref := l.Ref
		ref.Left = first
		first = &ref
	}
	return first
}

// unclosed returns the jobs for messages that are not closed yet.
func (p *Presenter) unclosed(ctx context.Context) (jobs []bot.Job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lefts {
		j, err := bot.NewJob(bot.JobClose, p.Run+"/"+l.Ref.Messages[0], l)
		if err != nil {
			p.all.log.WarnContext(ctx, "encode left messages", "run", p.Run, "err", err)
			continue
		}
		j.At = p.all.now().Add(closeAfter)
		jobs = append(jobs, j)
	}
	return jobs
}

// CloseLeft closes a message from which a reply has moved away.
func (rs *Replies) CloseLeft(ctx context.Context, j bot.Job) error {
	var l left
	if err := json.Unmarshal(j.Body, &l); err != nil {
		rs.log.ErrorContext(ctx, "job dropped", "job", j.ID, "err", err)
		return nil
	}
	a, ok := rs.adapters[l.Ref.Thread.Platform]
	if !ok {
		return nil
	}
	return closeLeft(ctx, a, l)
}

// closeLeft closes a message: a mere progress message is removed; a question, which has its own
// place, keeps the decisions and loses its buttons. It is idempotent.
func closeLeft(ctx context.Context, a bot.Adapter, l left) error {
	remover, removes := a.(bot.Remover)
	editor, edits := a.(bot.Editor)
	stays := l.Ref.Key != "" || !removes
	if edits && (stays || l.Ref.Stream != "") { // a stream is ended before it is removed
		ref, err := editor.Edit(ctx, l.Ref, bot.Card{
			Kind: bot.CardNotice, Text: phrase.Say(l.Lang, "bot.reply.below"), Fields: l.Fields, Language: l.Lang, Run: l.Run, Final: true,
		})
		if unchangeable(err) {
			return nil
		}
		if err != nil {
			return err
		}
		l.Ref.Messages = ref.Messages
	}
	if stays {
		return nil
	}
	if err := remover.Remove(ctx, l.Ref); !unchangeable(err) {
		return err
	}
	return nil
}
