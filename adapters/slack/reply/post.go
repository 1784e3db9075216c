package reply

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/lanes/cache"
	"maru/adapters/slack/render"
	"maru/adapters/slack/web"
	"maru/bot"
)

const (
	metaType = "maru_reply" // metadata event_type of every reply

	codeStreaming = "streaming_state_conflict" // the message is an open stream
)

// sentCache remembers this process's posts: it saves edits without a change and a second
// reply for the same key. An evicted entry costs a request, never a duplicate.
type sentCache struct {
	refs  *cache.Cache[string, bot.Ref]
	shown *cache.Cache[string, shown]
}

type shown struct {
	digest string
	key    string
	whole  bool // the Ref lists all messages of the reply
	edited time.Time
}

func newSentCache() *sentCache {
	return &sentCache{refs: cache.New[string, bot.Ref](2048), shown: cache.New[string, shown](8192)}
}

// doubt makes the next edit of a message change it, whatever it is thought to show.
func (s *sentCache) doubt(id string) {
	if was, ok := s.shown.Get(id); ok {
		was.digest = ""
		s.shown.Add(id, was)
	}
}

// incomplete makes the next edit of a reply look for parts that its Ref does not list.
func (s *sentCache) incomplete(head string) {
	if was, ok := s.shown.Get(head); ok {
		was.whole = false
		s.shown.Add(head, was)
	}
}

// at returns the reply that was posted with a key in a channel. A reply in a channel that is
// now closed is answered elsewhere.
func (s *sentCache) at(channel, key string) (bot.Ref, bool) {
	ref, ok := s.refs.Get(key)
	return ref, ok && !ref.IsZero() && cmp.Or(ref.Channel, ref.Thread.Channel) == channel
}

// Writer maintains the replies of one workspace: it posts a card, edits it while it grows,
// and shows its final state exactly once.
type Writer struct {
	web      *web.Client
	streamer *streamer
	signs    *Signs
	trail    *trail
	replied  *Threads

	sent     *sentCache
	appends  *web.Shares // rate shares of drafts that append to a stream
	edits    *web.Shares // rate shares of drafts that edit a message
	promises *web.Promises
}

func newWriter(w *web.Client, r *streamer, g *Signs, l *trail, t *Threads) *Writer {
	return &Writer{
		web: w, streamer: r, signs: g, trail: l, replied: t, sent: newSentCache(),
		appends: web.NewShares(w.Config, web.MethodAppend), edits: web.NewShares(w.Config, web.MethodUpdate), promises: web.NewPromises(w.Now),
	}
}

// Post posts a card as one reply. A key that this process has posted returns the same reply;
// for other processes' keys, call Find first. A draft is skipped, with a zero Ref, when the
// channel has no capacity. Where the bot may not write, as in an archived channel, the asker
// is answered directly.
func (w *Writer) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	ref, err := w.postAt(ctx, to, c, key)
	err = w.web.Patient(err)
	answer := c.Final && len(c.Buttons) == 0 // questions must be decided where they were asked
	if !web.Closed(err) || !answer || to.User.ID == "" || to.Thread.Direct {
		return ref, err
	}
	w.web.Log.WarnContext(ctx, "slack answer sent directly: the bot may not write where it was asked", "channel", to.Thread.Channel, "err", err.Error())
	if direct, derr := w.postDirectly(ctx, to, c, key); derr == nil {
		return direct, nil
	}
	return ref, err
}

func (w *Writer) postAt(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	if key != "" {
		if ref, ok := w.sent.at(to.Thread.Channel, key); ok {
			ref, err := w.Edit(ctx, ref, c)
			if !uneditable(err) {
				return ref, err
			}
		}
	}
	w.signs.setTitle(ctx, to)
	ref, err := w.postStream(ctx, to, c, key)
	if !errors.Is(err, errNoStream) {
		return ref, err
	}
	if key != "" {
		w.signs.session(ctx, to.Thread, stopper(to.User), sessionOf(c))
	}
	if draft(c) && (!w.promises.Room() || w.web.Strict(web.MethodUpdate)) {
		return bot.Ref{Doubtful: ref.Doubtful}, nil // skipped, see [web.Promises]
	}
	ref, err = w.grow(ctx, ref, render.Card(c), key, !draft(c))
	if draft(c) && !ref.IsZero() {
		w.promises.Add(ref.Channel + " " + ref.Messages[0])
	}
	var busy *bot.DeliveryError
	if draft(c) && ref.IsZero() && errors.As(err, &busy) && busy.Code == "ratelimited" {
		return bot.Ref{Doubtful: ref.Doubtful}, nil // skipped: the next draft, or the answer, is posted
	}
	return ref, err
}

// Edit makes the reply show exactly c. A draft is skipped when it exceeds its rate, see
// [web.Shares].
func (w *Writer) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	ref.Channel = cmp.Or(ref.Channel, ref.Thread.Channel)
	ref.Messages = slices.Clone(ref.Messages)
	var err error
	if ref.Stream != "" {
		was := ref
		if ref, err = w.editStream(ctx, ref, c); err != nil {
			was.Doubtful = ref.Doubtful
			ref = was // the next attempt asks Slack for the stream's state
		}
	} else {
		ref, err = w.rewrite(ctx, ref, c, nil)
	}
	if !draft(c) {
		w.signs.session(ctx, ref.Thread, "", sessionOf(c))
	}
	return ref, w.web.Patient(err)
}

// rewrite edits the messages of a reply until they show c, whose text begins new messages at
// breaks.
func (w *Writer) rewrite(ctx context.Context, ref bot.Ref, c bot.Card, breaks []int) (bot.Ref, error) {
	parts := render.CardAt(c, breaks)
	if len(ref.Messages) > 0 {
		head := ref.Channel + " " + ref.Messages[0]
		if draft(c) && !w.edits.Due(head) {
			return ref, nil
		}
		if !draft(c) {
			w.edits.Done(head)
		}
	}
	for i, ts := range ref.Messages {
		if i >= len(parts) {
			break
		}
		if err := w.update(ctx, ref.Channel, ts, parts[i], !draft(c)); err != nil {
			err = web.Delivery("edit", err)
			if uneditable(err) {
				w.sent.refs.Remove(w.keyOf(ref)) // the key must be able to return a new message
			}
			return ref, err
		}
	}
	if !draft(c) && len(ref.Messages) > 0 {
		w.promises.Kept(ref.Channel + " " + ref.Messages[0])
	}
	for len(ref.Messages) > len(parts) {
		last := len(ref.Messages) - 1
		if err := w.remove(ctx, ref.Channel, ref.Messages[last]); err != nil {
			return ref, web.Delivery("edit", err)
		}
		ref.Messages = ref.Messages[:last]
	}
	if len(ref.Messages) == len(parts) {
		return ref, nil
	}
	return w.grow(ctx, w.adopt(ctx, ref), parts, w.keyOf(ref), true)
}

// Remove implements bot.Remover: in a workspace that forbids edits, a draft or question is
// deleted before its answer is posted.
func (w *Writer) Remove(ctx context.Context, ref bot.Ref) error {
	channel := cmp.Or(ref.Channel, ref.Thread.Channel)
	for _, ts := range slices.Backward(ref.Messages) { // the first names the others: if one fails, they are found again
		w.promises.Kept(channel + " " + ts)
		if err := w.remove(ctx, channel, ts); err != nil {
			return web.Delivery("remove", err)
		}
	}
	return nil
}

// uneditable reports whether a message can no longer be edited, so that its card must be posted
// again.
func uneditable(err error) bool { return errors.Is(err, bot.ErrGone) || errors.Is(err, bot.ErrTooOld) }

// grow posts the reply's missing parts.
func (w *Writer) grow(ctx context.Context, ref bot.Ref, parts []render.Part, key string, urgent bool) (bot.Ref, error) {
	for i := len(ref.Messages); i < len(parts); i++ {
		ts, doubtful, err := w.post(ctx, ref, parts[i], *metaOf(ref, key, i), urgent)
		ref.Doubtful = ref.Doubtful || doubtful
		if err != nil {
			if doubtful && i > 0 {
				w.sent.incomplete(ref.Channel + " " + ref.Messages[0])
			}
			return ref, web.Delivery("post", err)
		}
		ref.Messages = append(ref.Messages, ts)
		w.sent.shown.Add(ref.Channel+" "+ts, shown{digest: parts[i].Digest(), key: key, whole: true})
		if key != "" {
			w.sent.refs.Add(key, bot.Ref{Thread: ref.Thread, Channel: ref.Channel, Messages: slices.Clone(ref.Messages)})
		}
	}
	return ref, nil
}

// post posts one message. A request without a clear answer may have succeeded: its key is
// searched before a retry. doubtful says that an earlier request of this message may still take effect.
func (w *Writer) post(ctx context.Context, ref bot.Ref, p render.Part, m slack.SlackMetadata, urgent bool) (ts string, doubtful bool, err error) {
	answered := true // the last request
	send := func(ctx context.Context) error {
		return sendPlainer(p, func(look render.Part) error {
			opts := append(look.Options(), slack.MsgOptionMetadata(m),
				slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl()) // previews would fetch URLs without a click
			if ref.Thread.ID != "" {
				opts = append(opts, slack.MsgOptionTS(ref.Thread.ID))
			}
			var err error
			_, ts, err = w.web.API().PostMessageContext(ctx, ref.Channel, opts...)
			answered = !web.Ambiguous(err) && !errors.Is(err, context.Canceled)
			if err == nil {
				w.replied.NoteReply(ref.Channel, ref.Thread.ID)
			}
			return err
		})
	}
	for try := range web.Tries {
		err = w.web.Do(ctx, web.Job{Method: web.MethodPost, Channel: ref.Channel, Urgent: urgent}, send)
		doubtful = doubtful || !answered
		var busy *bot.DeliveryError
		if !web.Ambiguous(err) || errors.As(err, &busy) || ctx.Err() != nil {
			return ts, doubtful, err
		}
		w.web.Log.WarnContext(ctx, "slack post has no clear result, checking for duplicates", "channel", ref.Channel, "code", cmp.Or(web.Code(err), "network"))
		if werr := w.web.Wait(ctx, time.Second<<try); werr != nil {
			return "", doubtful, err
		}
		found, ok, ferr := w.lookFor(ctx, ref, m)
		if ferr != nil {
			return "", doubtful, err // an unknown result must not cause a duplicate
		}
		if ok {
			return found, try > 0, nil
		}
	}
	return ts, doubtful, err
}

// lookFor finds the reply's message with the same key and part.
func (w *Writer) lookFor(ctx context.Context, ref bot.Ref, m slack.SlackMetadata) (string, bool, error) {
	key, _ := m.EventPayload["key"].(string)
	head, _ := m.EventPayload["first"].(string)
	n, _ := m.EventPayload["part"].(int)
	if key == "" && head == "" {
		return "", false, errors.New("slack: a reply without a key cannot be found")
	}
	found, err := w.trail.ownMessages(ctx, ref.Thread, ref.Channel, head, func(p label) bool {
		return (key != "" && p.key == key || head != "" && p.first == head) && p.part == n
	})
	if err != nil || len(found) == 0 {
		return "", false, err
	}
	return found[0].ts, true, nil
}

// update edits one message unless it shows p already. Edits are idempotent.
func (w *Writer) update(ctx context.Context, channel, ts string, p render.Part, urgent bool) error {
	id := channel + " " + ts
	was, _ := w.sent.shown.Get(id)
	digest := p.Digest()
	if was.digest == digest {
		return nil
	}
	if pause := was.edited.Add(min(w.web.EditEvery, time.Second)).Sub(w.web.Now()); pause > 0 {
		if err := w.web.Wait(ctx, pause); err != nil { // one edit a second, including the final one
			return err
		}
	}
	edit := func() error {
		return w.web.Again(ctx, web.Job{Method: web.MethodUpdate, Channel: channel, Urgent: urgent}, func(ctx context.Context) error {
			return sendPlainer(p, func(look render.Part) error {
				// Edits parse plain text as if a person had typed it, unless told otherwise.
				_, _, _, err := w.web.API().UpdateMessageContext(ctx, channel, ts, append(look.Options(), slack.MsgOptionParse(false))...)
				return err
			})
		})
	}
	err := edit()
	if web.Code(err) == codeStreaming { // opened by a process that did not record it
		w.closeForeign(ctx, bot.Ref{Channel: channel, Messages: []string{ts}}, nil, "")
		err = edit()
	}
	now := shown{key: was.key, whole: was.whole, edited: was.edited}
	if err == nil { // otherwise the visible content is unknown
		now.digest, now.edited = digest, w.web.Now()
	}
	w.sent.shown.Add(id, now)
	return err
}

// remove deletes one message; a missing one counts as deleted.
func (w *Writer) remove(ctx context.Context, channel, ts string) error {
	err := w.web.Again(ctx, web.Job{Method: web.MethodDelete, Channel: channel, Urgent: true}, func(ctx context.Context) error {
		_, _, err := w.web.API().DeleteMessageContext(ctx, channel, ts)
		return err
	})
	if web.Code(err) == "message_not_found" {
		return nil
	}
	return err
}

// adopt adds messages of the reply that were posted but not recorded because of a crash.
func (w *Writer) adopt(ctx context.Context, ref bot.Ref) bot.Ref {
	if len(ref.Messages) == 0 {
		return ref
	}
	head := ref.Messages[0]
	if s, ok := w.sent.shown.Get(ref.Channel + " " + head); ok && s.whole {
		return ref
	}
	found, err := w.trail.ownMessages(ctx, ref.Thread, ref.Channel, head, func(p label) bool { return p.first == head })
	if err != nil {
		w.web.Log.WarnContext(ctx, "slack thread could not be read before a reply grew", "channel", ref.Channel, "code", web.Code(err))
		return ref
	}
	for _, f := range found {
		if f.label.part == len(ref.Messages) && !slices.Contains(ref.Messages, f.ts) {
			ref.Messages = append(ref.Messages, f.ts)
		}
	}
	return ref
}

// keyOf returns a reply's key if this process knows it.
func (w *Writer) keyOf(ref bot.Ref) string {
	if len(ref.Messages) == 0 {
		return ""
	}
	s, _ := w.sent.shown.Get(ref.Channel + " " + ref.Messages[0])
	return s.key
}

// nameOf returns the key of a reply that another process may have posted.
func (w *Writer) nameOf(ref bot.Ref, c bot.Card) string { return cmp.Or(w.keyOf(ref), ref.Key, c.Run) }
