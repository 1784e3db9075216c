package reply

import (
	"context"
	"errors"
	"time"

	"maru/adapters/slack/render"
	"maru/adapters/slack/web"
	"maru/bot"
)

// halt ends a stream without a word more; nil means that it is over. A draft asks
// twice and leaves the rest to the next one. An answer, after which nothing comes,
// asks again after a moment.
func (w *Writer) halt(ctx context.Context, s *stream, c bot.Card) error {
	for try := 0; ; try++ {
		err := w.streamer.stop(ctx, s, closing{})
		switch {
		case err == nil, over(err):
			return nil
		case !web.Ambiguous(err), ctx.Err() != nil, draft(c) && try == 1, try == web.Tries-1:
			return err
		}
		if !draft(c) && w.web.Wait(ctx, time.Second<<try) != nil {
			return err
		}
	}
}

// hopeless reports whether a stream could not be ended for a reason that says
// nothing about its place: the answer can still be shown there by other means.
func hopeless(err error) bool {
	var busy *bot.DeliveryError
	if errors.As(err, &busy) || web.RetryAfter(err) > 0 {
		return false // later
	}
	err = web.Delivery("stream", err)
	return web.ContextError(err) == nil && !lost(err) && !errors.Is(err, bot.ErrForbidden)
}

// replace shows an answer where the reply's last message is a stream that can
// neither be ended nor edited; Slack would end it minutes later. The message is
// taken away and the answer posted anew. Where that is refused as well, what the
// message does not show yet is posted below it, so that nothing is said twice. s is
// nil when another process began the stream.
func (w *Writer) replace(ctx context.Context, ref bot.Ref, n growth, s *stream, c bot.Card) (bot.Ref, error) {
	at, key := len(ref.Messages)-1, w.keyOf(ref)
	parts := render.CardAt(c, n.Breaks)
	err := w.remove(ctx, ref.Channel, ref.Messages[at])
	w.web.Log.WarnContext(ctx, "slack does not end a stream, the answer is posted anew", "channel", ref.Channel, "taken_away", err == nil)
	if err == nil {
		ref.Messages = ref.Messages[:at]
		w.sent.refs.Remove(key) // if the post fails, the key must not lead to what is gone
		return w.grow(ctx, ref, parts, key, true)
	}
	if ctx.Err() != nil {
		return ref, web.Delivery("stream", err)
	}
	missing := parts[min(at, len(parts)):]
	if len(missing) > 0 && s != nil && !s.torn {
		missing = append(render.Rest(missing[0], s.sent), missing[1:]...)
	}
	return w.grow(ctx, ref, append(make([]render.Part, at+1), missing...), key, true)
}
