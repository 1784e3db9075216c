package slack

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/slack-go/slack"

	"maru/adapters/slack/cache"
	"maru/adapters/slack/web"
	"maru/bot"
)

const (
	metaType = "maru_reply" // event_type of the metadata that every reply carries

	codeStreaming = "streaming_state_conflict" // the message is a stream that is open
)

// sentCache remembers what this process posted: it spares edits that change
// nothing and a second reply for the same key. What it forgot costs a request,
// never a mistake.
type sentCache struct {
	refs  *lru.Cache[string, bot.Ref]
	shown *lru.Cache[string, shown]
}

type shown struct {
	digest string
	key    string
	whole  bool // all messages of the reply are known to its Ref
	edited time.Time
}

func newSentCache() *sentCache {
	return &sentCache{refs: cache.New[string, bot.Ref](2048), shown: cache.New[string, shown](8192)}
}

// at is the reply that was posted with a key in a channel: one that stands where the
// bot may write no more is answered elsewhere.
func (s *sentCache) at(channel, key string) (bot.Ref, bool) {
	ref, ok := s.refs.Get(key)
	return ref, ok && !ref.IsZero() && cmp.Or(ref.Channel, ref.Thread.Channel) == channel
}

// Post sends a card as one reply. A key that this process posted before leads to
// the same reply; for one posted by another process, ask Find first. A draft for
// which the channel has no room now is left out: its Ref is zero. Where the bot may
// not write, as in a channel that was archived meanwhile, who asked is answered
// directly.
func (a *Adapter) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	ref, err := a.postAt(ctx, to, c, key)
	err = a.web.Patient(err)
	answer := c.Final && len(c.Buttons) == 0 // what is asked is decided where it was asked
	if !web.Closed(err) || !answer || to.User.ID == "" || to.Thread.Direct {
		return ref, err
	}
	a.log.WarnContext(ctx, "slack answer sent directly: the bot may not write where it was asked", "channel", to.Thread.Channel, "err", err.Error())
	if direct, derr := a.postDirectly(ctx, to, c, key); derr == nil {
		return direct, nil
	}
	return ref, err
}

func (a *Adapter) postAt(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	if key != "" {
		if ref, ok := a.sent.at(to.Thread.Channel, key); ok {
			ref, err := a.Edit(ctx, ref, c)
			if !lost(err) {
				return ref, err
			}
		}
	}
	a.entitle(ctx, to)
	ref, err := a.postStream(ctx, to, c, key)
	if !errors.Is(err, errNoStream) {
		return ref, err
	}
	if key != "" {
		a.session(ctx, to.Thread, to.User.ID, sessionOf(c))
	}
	if draft(c) && (!a.promises.Room() || a.web.Strict(web.MethodUpdate)) {
		return bot.Ref{}, nil // left out, see [promises]
	}
	ref, err = a.grow(ctx, ref, render(c), key, !draft(c))
	if draft(c) && !ref.IsZero() {
		a.promises.Add(ref.Channel + " " + ref.Messages[0])
	}
	var busy *bot.DeliveryError
	if draft(c) && ref.IsZero() && errors.As(err, &busy) && busy.Code == "ratelimited" {
		return bot.Ref{}, nil // left out: the next draft, or the answer itself, is posted
	}
	return ref, err
}

// Edit makes the reply show exactly c. A draft is left out when its turn has not
// come, see [shares].
func (a *Adapter) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	ref.Channel = cmp.Or(ref.Channel, ref.Thread.Channel)
	ref.Messages = slices.Clone(ref.Messages)
	var err error
	if ref.Stream != "" {
		was := ref
		if ref, err = a.editStream(ctx, ref, c); err != nil {
			ref = was // how a stream stands is asked of Slack by the next try
		}
	} else {
		ref, err = a.rewrite(ctx, ref, c, nil)
	}
	if !draft(c) {
		a.session(ctx, ref.Thread, "", sessionOf(c))
	}
	return ref, a.web.Patient(err)
}

// rewrite edits the messages of a reply until they show c, whose text begins new
// messages at breaks.
func (a *Adapter) rewrite(ctx context.Context, ref bot.Ref, c bot.Card, breaks []int) (bot.Ref, error) {
	parts := renderAt(c, breaks)
	if len(ref.Messages) > 0 {
		head := ref.Channel + " " + ref.Messages[0]
		if draft(c) && !a.edits.Due(head) {
			return ref, nil
		}
		if !draft(c) {
			a.edits.Done(head)
		}
	}
	for i, ts := range ref.Messages {
		if i >= len(parts) {
			break
		}
		if err := a.update(ctx, ref.Channel, ts, parts[i], !draft(c)); err != nil {
			err = web.Delivery("edit", err)
			if lost(err) {
				a.sent.refs.Remove(a.keyOf(ref)) // the same key must be able to lead to a new message
			}
			return ref, err
		}
	}
	if !draft(c) && len(ref.Messages) > 0 {
		a.promises.Kept(ref.Channel + " " + ref.Messages[0])
	}
	for len(ref.Messages) > len(parts) {
		last := len(ref.Messages) - 1
		if err := a.remove(ctx, ref.Channel, ref.Messages[last]); err != nil {
			return ref, web.Delivery("edit", err)
		}
		ref.Messages = ref.Messages[:last]
	}
	if len(ref.Messages) == len(parts) {
		return ref, nil
	}
	return a.grow(ctx, a.adopt(ctx, ref), parts, a.keyOf(ref), true)
}

// Remove implements bot.Remover: in a workspace whose messages nobody may edit, a
// draft or a question makes room for its answer.
func (a *Adapter) Remove(ctx context.Context, ref bot.Ref) error {
	channel := cmp.Or(ref.Channel, ref.Thread.Channel)
	for _, ts := range ref.Messages {
		a.promises.Kept(channel + " " + ts)
		if err := a.remove(ctx, channel, ts); err != nil {
			return web.Delivery("remove", err)
		}
	}
	return nil
}

// lost reports whether a message can no longer be changed, so that its card has
// to be posted anew.
func lost(err error) bool { return errors.Is(err, bot.ErrGone) || errors.Is(err, bot.ErrTooOld) }

// EditEvery is the least time between two edits of one reply.
func (a *Adapter) EditEvery() time.Duration { return a.cfg.EditEvery }

// grow posts the parts that the reply does not have yet.
func (a *Adapter) grow(ctx context.Context, ref bot.Ref, parts []part, key string, urgent bool) (bot.Ref, error) {
	for i := len(ref.Messages); i < len(parts); i++ {
		ts, err := a.post(ctx, ref, parts[i], *metaOf(ref, key, i), urgent)
		if err != nil {
			return ref, web.Delivery("post", err)
		}
		ref.Messages = append(ref.Messages, ts)
		a.sent.shown.Add(ref.Channel+" "+ts, shown{digest: parts[i].digest(), key: key, whole: true})
		if key != "" {
			a.sent.refs.Add(key, bot.Ref{Thread: ref.Thread, Channel: ref.Channel, Messages: slices.Clone(ref.Messages)})
		}
	}
	return ref, nil
}

// post sends one message. A request that failed without a clear answer may have
// been carried out: it is looked for by its key before it is sent again.
func (a *Adapter) post(ctx context.Context, ref bot.Ref, p part, m slack.SlackMetadata, urgent bool) (string, error) {
	var ts string
	send := func(ctx context.Context) error {
		return p.each(func(look part) error {
			opts := append(look.options(), slack.MsgOptionMetadata(m),
				slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl()) // previews fetch without a click
			if ref.Thread.ID != "" {
				opts = append(opts, slack.MsgOptionTS(ref.Thread.ID))
			}
			var err error
			_, ts, err = a.web.API().PostMessageContext(ctx, ref.Channel, opts...)
			if err == nil {
				a.noteReply(ref.Channel, ref.Thread.ID)
			}
			return err
		})
	}
	var err error
	for try := range web.Tries {
		err = a.web.Do(ctx, web.Job{Method: web.MethodPost, Channel: ref.Channel, Urgent: urgent}, send)
		var busy *bot.DeliveryError
		if !web.Ambiguous(err) || errors.As(err, &busy) || ctx.Err() != nil {
			return ts, err
		}
		a.log.WarnContext(ctx, "slack post has no clear answer, looking for it", "channel", ref.Channel, "code", cmp.Or(web.Code(err), "network"))
		if werr := a.cfg.Wait(ctx, time.Second<<try); werr != nil {
			return "", err
		}
		found, ok, ferr := a.lookFor(ctx, ref, m)
		if ferr != nil {
			return "", err // not knowing is no reason to say it twice
		}
		if ok {
			return found, nil
		}
	}
	return ts, err
}

// lookFor finds the message of a reply that carries the same key and part.
func (a *Adapter) lookFor(ctx context.Context, ref bot.Ref, m slack.SlackMetadata) (string, bool, error) {
	key, _ := m.EventPayload["key"].(string)
	head, _ := m.EventPayload["first"].(string)
	n, _ := m.EventPayload["part"].(int)
	if key == "" && head == "" {
		return "", false, errors.New("slack: a reply without a key cannot be found")
	}
	found, err := a.own(ctx, ref.Thread, ref.Channel, head, func(p label) bool {
		return (key != "" && p.key == key || head != "" && p.first == head) && p.part == n
	})
	if err != nil || len(found) == 0 {
		return "", false, err
	}
	return found[0].ts, true, nil
}

// update changes one message if it does not show p already. An edit can be
// repeated as often as need be.
func (a *Adapter) update(ctx context.Context, channel, ts string, p part, urgent bool) error {
	id := channel + " " + ts
	was, _ := a.sent.shown.Get(id)
	digest := p.digest()
	if was.digest == digest {
		return nil
	}
	if pause := was.edited.Add(min(a.cfg.EditEvery, time.Second)).Sub(a.cfg.Now()); pause > 0 {
		if err := a.cfg.Wait(ctx, pause); err != nil { // one edit a second, the final one included
			return err
		}
	}
	edit := func() error {
		return a.web.Again(ctx, web.Job{Method: web.MethodUpdate, Channel: channel, Urgent: urgent}, func(ctx context.Context) error {
			return p.each(func(look part) error {
				// In an edit plain words are read as if a person had typed them, unless it says otherwise.
				_, _, _, err := a.web.API().UpdateMessageContext(ctx, channel, ts, append(look.options(), slack.MsgOptionParse(false))...)
				return err
			})
		})
	}
	err := edit()
	if web.Code(err) == codeStreaming { // begun by a process that could not tell
		a.closeForeign(ctx, bot.Ref{Channel: channel, Messages: []string{ts}}, "")
		err = edit()
	}
	now := shown{key: was.key, whole: was.whole, edited: was.edited}
	if err == nil { // else what it shows is not known
		now.digest, now.edited = digest, a.cfg.Now()
	}
	a.sent.shown.Add(id, now)
	return err
}

// remove deletes one message; one that is gone already is as good.
func (a *Adapter) remove(ctx context.Context, channel, ts string) error {
	err := a.web.Again(ctx, web.Job{Method: web.MethodDelete, Channel: channel, Urgent: true}, func(ctx context.Context) error {
		_, _, err := a.web.API().DeleteMessageContext(ctx, channel, ts)
		return err
	})
	if web.Code(err) == "message_not_found" {
		return nil
	}
	return err
}

// adopt adds messages of the reply that were posted but never recorded, which a
// crash between the two leaves behind.
func (a *Adapter) adopt(ctx context.Context, ref bot.Ref) bot.Ref {
	if len(ref.Messages) == 0 {
		return ref
	}
	head := ref.Messages[0]
	if s, ok := a.sent.shown.Get(ref.Channel + " " + head); ok && s.whole {
		return ref
	}
	found, err := a.own(ctx, ref.Thread, ref.Channel, head, func(p label) bool { return p.first == head })
	if err != nil {
		a.log.WarnContext(ctx, "slack thread could not be read before a reply grew", "channel", ref.Channel, "code", web.Code(err))
		return ref
	}
	for _, f := range found {
		if f.label.part == len(ref.Messages) && !slices.Contains(ref.Messages, f.ts) {
			ref.Messages = append(ref.Messages, f.ts)
		}
	}
	return ref
}

// keyOf returns the key a reply was posted with if this process knows.
func (a *Adapter) keyOf(ref bot.Ref) string {
	if len(ref.Messages) == 0 {
		return ""
	}
	s, _ := a.sent.shown.Get(ref.Channel + " " + ref.Messages[0])
	return s.key
}
