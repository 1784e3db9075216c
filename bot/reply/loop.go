package reply

import (
	"context"
	"sync"
	"time"

	"maru/bot"
)

// untilStop returns a context that ends when the presenter is stopped; the caller must call release.
func (p *Presenter) untilStop(ctx context.Context) (stopped context.Context, release func()) {
	stopped, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-p.stop:
			cancel()
		case <-stopped.Done():
		}
	})
	return stopped, func() {
		cancel()
		watch.Wait()
	}
}

// loop shows drafts until it is stopped. It never shows the final card.
func (p *Presenter) loop(ctx context.Context) {
	editor, canEdit := p.Adapter.(bot.Editor)
	if !canEdit {
		return // one post, the final one
	}
	if !p.worthShowing(ctx) {
		return
	}
	edits, release := p.untilStop(ctx) // an edit in progress is abandoned for the final one
	defer release()
	for {
		card, _ := p.card(p.Run)
		fresh := p.show(ctx, edits, editor, card)
		if !p.pause(ctx, editor.EditEvery(), fresh) {
			return
		}
	}
}

// secondLook is the time for which a message from before a crash stays unchanged.
const secondLook = 2 * time.Second

// quickEdits is the edit interval up to which every change is shown at once. On slower platforms the first post
// waits until the run takes noticeable time, so that a quick answer costs one call instead of two.
const quickEdits = 100 * time.Millisecond

// quick reports whether the platform shows every word at once. Its posts are idempotent by key, so
// the position of its drafts is not stored.
func (p *Presenter) quick() bool {
	e, ok := p.Adapter.(bot.Editor)
	return ok && e.EditEvery() <= quickEdits
}

// signOfLife returns the duration after which a run shows that it works.
func (p *Presenter) signOfLife() time.Duration {
	return max(p.all.signOfLife, p.Adapter.Facts().ShowsWorkAfter)
}

// worthShowing waits until a draft should be shown; false if the run ends first.
func (p *Presenter) worthShowing(ctx context.Context) bool {
	wait, changed := p.signOfLife(), p.draft.changed
	switch {
	case p.unsure && !p.Row.Ref.IsZero():
		// After a crash the message may already show the answer or a question; a resumed run
		// reaches it again in a moment.
		wait, changed = max(wait, secondLook), nil
	case len(p.History) > 0:
		return true
	case !p.quick():
		changed = nil
	}
	life := time.NewTimer(wait)
	defer life.Stop()
	select {
	case <-p.stop:
		return false
	case <-ctx.Done():
		return false
	case <-life.C:
	case <-changed:
	}
	return true
}

// pause waits until the next edit is due and there is something to show: a draft that the platform
// skipped, or a sign of progress while no text arrives.
func (p *Presenter) pause(ctx context.Context, every time.Duration, fresh bool) bool {
	t := time.NewTimer(every)
	defer t.Stop()
	select {
	case <-p.stop:
		return false
	case <-ctx.Done():
		return false
	case <-t.C:
	}
	if !fresh {
		return true
	}
	t.Reset(tellEvery)
	select {
	case <-p.stop:
		return false
	case <-ctx.Done():
		return false
	case <-p.draft.changed:
	case <-t.C:
	}
	return true
}

// show posts or edits a draft, and reports whether the platform accepted it. A failure leaves a stale draft: only
// the final card must arrive.
func (p *Presenter) show(ctx, edits context.Context, editor bot.Editor, card bot.Card) bool {
	if p.holds(ctx) != nil {
		return true // whose reply it is now shows it
	}
	if p.Row.Ref.IsZero() {
		err := p.post(ctx, card)
		if err != nil {
			p.all.log.DebugContext(ctx, "post draft", "platform", p.Adapter.Platform(), "err", err)
		}
		return err == nil && !p.Row.Ref.IsZero()
	}
	// An edit that waits for its turn at the platform must not outlive the lease.
	held, cancel := context.WithTimeout(edits, p.held.Add(p.all.leaseTTL*2/3).Sub(p.all.now()))
	defer cancel()
	ref, err := editor.Edit(held, p.Row.Ref, card)
	p.observe("edit", err)
	if err == nil || !ref.IsZero() {
		p.moved(ctx, ref)
	}
	return err == nil
}
