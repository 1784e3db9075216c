package reply

import (
	"context"
	"errors"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/slack/render"
	"maru/adapters/slack/web"
	"maru/bot"
)

// endStream ends a stream without further text; nil means that it ended. The edits that follow take away the task that
// names it, so it gets metadata. A draft tries twice and leaves the rest to the next draft; the final answer retries after
// a pause.
func (w *Writer) endStream(ctx context.Context, s *stream, meta *slack.SlackMetadata, c bot.Card) error {
	for try := 0; ; try++ {
		err := w.streamer.stop(ctx, s, closing{meta: meta})
		switch {
		case err == nil, hasEnded(err):
			return nil
		case !web.Ambiguous(err), ctx.Err() != nil, draft(c) && try == 1, try == web.Tries-1:
			return err
		}
		if !draft(c) && w.web.Wait(ctx, time.Second<<try) != nil {
			return err
		}
	}
}

// unstoppable reports whether a stream could not be ended for a reason unrelated to its channel:
// the answer can still be shown there by other means.
func unstoppable(err error) bool {
	var busy *bot.DeliveryError
	if errors.As(err, &busy) || web.RetryAfter(err) > 0 {
		return false // retry later
	}
	err = web.Delivery("stream", err)
	return web.ContextError(err) == nil && !uneditable(err) && !errors.Is(err, bot.ErrForbidden)
}

// repost shows an answer in a reply whose last message is a stream that can be neither ended
// nor edited (Slack would end it minutes later). It deletes the message and posts the answer
// again. If the deletion fails too, it posts only the missing text below it, so that nothing
// appears twice. s is nil when another process opened the stream.
func (w *Writer) repost(ctx context.Context, ref bot.Ref, n growth, s *stream, c bot.Card) (bot.Ref, error) {
	at, key := len(ref.Messages)-1, w.nameOf(ref, c)
	parts := render.CardAt(c, n.Breaks)
	err := w.remove(ctx, ref.Channel, ref.Messages[at])
	w.web.Log.WarnContext(ctx, "slack stream cannot be ended, posting the answer again", "channel", ref.Channel, "taken_away", err == nil)
	if err == nil {
		ref.Messages = ref.Messages[:at]
		w.sent.refs.Remove(key) // if the post fails, the key must not return the deleted message
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
