package reply

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"maru/bot"
)

// Finish ends the drafts and delivers the final card, within the bot's time limit. The returned reply is final, or
// failed with the card kept. An error means that another worker has to deliver it: the lease was lost, or ctx
// ended before delivery.
func (p *Presenter) Finish(ctx context.Context, card bot.Card) (bot.Reply, error) {
	card.Final = true
	row, err := p.Settle(ctx, card, bot.ReplyFinal)
	if err == nil && ctx.Err() != nil && row.State != bot.ReplyFinal {
		err = context.Cause(ctx)
	}
	return row, err
}

// Settle ends the drafts and delivers a card that stays until the next event; the reply is then in the given
// state. It may wait for the platform for a long time, without occupying a worker. It returns an error if the
// lease was lost.
func (p *Presenter) Settle(ctx context.Context, card bot.Card, state bot.ReplyState) (bot.Reply, error) {
	defer p.all.workers.Lend(p.Lease.Thread)()
	p.stopOnce.Do(func() { close(p.stop) })
	p.ended.Wait()
	if p.broken != nil || p.Row.State != bot.ReplyOpen { // nothing can be shown, or all is
		return p.Row, p.broken
	}
	p.choosePlace()
	raw, err := json.Marshal(card)
	if err != nil {
		p.all.log.ErrorContext(ctx, "encode card", "run", p.Run, "err", err)
	}
	p.Row.Card = raw
	dctx, cancel := context.WithTimeout(ctx, p.all.patience)
	defer cancel()
	if err := p.deliver(dctx, card); err != nil {
		p.Row.State = bot.ReplyFailed
		if ctx.Err() == nil && p.broken == nil {
			p.all.log.ErrorContext(ctx, "reply not delivered", "run", p.Run, "platform", p.Adapter.Platform(), "err", err)
		}
		return p.Row, p.broken
	}
	p.Row.State = state
	return p.Row, p.broken
}

// deliver retries until the final card is shown, the platform refuses it for good, or ctx ends. A
// card that cannot replace the draft is posted again, once: the message may be deleted while the
// channel exists, or the thread locked while the requester can be reached.
func (p *Presenter) deliver(ctx context.Context, card bot.Card) (err error) {
	reposted, draft := false, p.Row.Ref
	defer func() {
		if errors.Is(err, bot.ErrForbidden) && p.Row.Ref.IsZero() {
			p.Row.Ref = draft // it is still there
		}
	}()
	for n := 1; ; n++ {
		err = p.deliverOnce(ctx, card)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return err
		case unchangeable(err) && !p.Row.Ref.IsZero() && !reposted:
			reposted = true
			p.vacate(ctx, err)
			p.Row.Ref = p.placed(bot.Ref{})
			continue
		case errors.Is(err, bot.ErrGone), errors.Is(err, bot.ErrForbidden), errors.Is(err, bot.ErrFenced):
			return err
		}
		if !Rest(ctx, n, err) {
			return err
		}
	}
}

// Rest waits before the next attempt after the n-th one failed, as long as the platform requires; false if ctx
// ends first or would.
func Rest(ctx context.Context, n int, err error) bool {
	var d *bot.DeliveryError
	var said time.Duration
	if errors.As(err, &d) {
		said = d.After
	}
	wait := backoff(n, said)
	if until, ok := ctx.Deadline(); ok && time.Until(until) < wait {
		return false
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

func (p *Presenter) deliverOnce(ctx context.Context, card bot.Card) error {
	if err := p.holds(ctx); err != nil {
		return err
	}
	if err := p.move(ctx); err != nil {
		return err
	}
	editor, canEdit := p.Adapter.(bot.Editor)
	if p.Row.Ref.IsZero() || !canEdit {
		done, err := p.retake(ctx, card)
		if done || err != nil && !unchangeable(err) {
			return err
		}
		p.vacate(ctx, err)
		return p.postAnew(ctx, card)
	}
	ref, err := editor.Edit(ctx, p.Row.Ref, card)
	p.observe("final", err)
	switch {
	case err == nil:
		p.Row.Ref = p.placed(ref)
	case !ref.IsZero(): // added and removed messages are not changed again
		p.moved(ctx, ref)
	}
	return err
}

// Patiently retries a delivery in a leased thread until it succeeds, the platform refuses it for good, or the time
// limit ends. As in Settle it occupies no worker.
func (rs *Replies) Patiently(ctx context.Context, thread string, try func(context.Context) error) error {
	defer rs.workers.Lend(thread)()
	ctx, cancel := context.WithTimeout(ctx, rs.patience)
	defer cancel()
	for n := 1; ; n++ {
		err := try(ctx)
		if err == nil || unchangeable(err) || !Rest(ctx, n, err) {
			return err
		}
	}
}

// unchangeable reports whether a reply can never be edited again at its place.
func unchangeable(err error) bool {
	return errors.Is(err, bot.ErrGone) || errors.Is(err, bot.ErrTooOld) || errors.Is(err, bot.ErrForbidden)
}

// vacate removes a draft or question that can no longer be edited. Next to the new answer it would
// show progress for good, or offer buttons without effect.
func (p *Presenter) vacate(ctx context.Context, why error) {
	r, ok := p.Adapter.(bot.Remover)
	if !ok || !errors.Is(why, bot.ErrTooOld) || p.Row.Ref.IsZero() {
		return
	}
	if err := r.Remove(ctx, p.Row.Ref); err != nil {
		p.all.log.WarnContext(ctx, "draft remains besides its answer", "run", p.Run, "platform", p.Adapter.Platform(), "err", err)
	}
}

func (p *Presenter) observe(op string, err error) {
	p.all.observe.Delivered(p.Adapter.Platform(), op, resultOf(err))
}

// resultOf classifies a delivery, for metrics.
func resultOf(err error) string {
	var d *bot.DeliveryError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &d) && d.Code != "":
		return d.Code
	}
	return "error"
}
