package reply

import (
	"context"
	"time"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/workspace"
	"maru/bot"
)

// Replies maintain replies in every served workspace: they implement bot.Adapter's Post and
// the interfaces that go with it.
type Replies struct {
	in    workspace.In[*Writer]
	every time.Duration
}

var (
	_ bot.Editor  = Replies{}
	_ bot.Remover = Replies{}
	_ bot.Finder  = Replies{}
	_ bot.Dater   = Replies{}
	_ bot.Direct  = Replies{}
)

// NewReplies writes with the writers that in resolves; every is the minimum interval between
// two edits of a reply.
func NewReplies(in workspace.In[*Writer], every time.Duration) Replies {
	return Replies{in: in, every: every}
}

// Post implements bot.Adapter.
func (r Replies) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	w, err := r.in(ctx, "post", to.Thread.Team)
	if err != nil {
		return bot.Ref{}, err
	}
	return w.Post(ctx, to, c, key)
}

// Edit implements bot.Editor.
func (r Replies) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	w, err := r.in(ctx, "edit", ref.Thread.Team)
	if err != nil {
		return ref, err
	}
	return w.Edit(ctx, ref, c)
}

// EditEvery implements bot.Editor: the interval in an idle workspace. A busy one skips
// drafts.
func (r Replies) EditEvery() time.Duration { return r.every }

// Remove implements bot.Remover.
func (r Replies) Remove(ctx context.Context, ref bot.Ref) error {
	w, err := r.in(ctx, "remove", ref.Thread.Team)
	if err != nil {
		return err
	}
	return w.Remove(ctx, ref)
}

// Find implements bot.Finder.
func (r Replies) Find(ctx context.Context, to bot.Target, key string) (bot.Ref, bool, error) {
	w, err := r.in(ctx, "find", to.Thread.Team)
	if err != nil {
		return bot.Ref{}, false, err
	}
	return w.Find(ctx, to, key)
}

// Twins finds the replies that were posted with one of the keys, without the known messages.
func (r Replies) Twins(ctx context.Context, to bot.Target, keys, known []string) ([]bot.Ref, error) {
	w, err := r.in(ctx, "find", to.Thread.Team)
	if err != nil {
		return nil, err
	}
	return w.Twins(ctx, to, keys, known)
}

// Doubt makes the next edit of messages change them, whatever they are thought to show.
func (r Replies) Doubt(ref bot.Ref) {
	if w, err := r.in(context.Background(), "edit", ref.Thread.Team); err == nil {
		w.Doubt(ref)
	}
}

// Dated implements bot.Dater.
func (r Replies) Dated(message string) time.Time { return payload.Time(message) }

// Direct implements bot.Direct: it posts the card in the person's direct conversation with
// the bot.
func (r Replies) Direct(ctx context.Context, t bot.Thread, u bot.User, c bot.Card) error {
	w, err := r.in(ctx, "direct", t.Team)
	if err != nil {
		return err
	}
	to, err := w.DirectWith(ctx, t.Team, u)
	if err != nil {
		return err
	}
	_, err = w.Post(ctx, to, c, "") // a duplicate is harmless here
	return err
}

// OpenDirect implements bot.Direct.
func (r Replies) OpenDirect(ctx context.Context, t bot.Thread, u bot.User) (at bot.Thread, threads bool, err error) {
	w, err := r.in(ctx, "direct", t.Team)
	if err != nil {
		return bot.Thread{}, false, err
	}
	to, err := w.DirectWith(ctx, t.Team, u)
	return to.Thread, true, err
}
