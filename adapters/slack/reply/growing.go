package reply

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/slack/render"
	"maru/adapters/slack/web"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/markdown"
)

// growth is the state of a growing reply in its Ref, so that another process can continue it:
// whether its last message is an open stream, the length of the text that Slack confirmed
// there, and the lines at which roll-overs of streams began new messages.
type growth struct {
	Open   bool  `json:"open,omitempty"`
	Born   int64 `json:"born,omitempty"` // Unix seconds
	Sent   int   `json:"sent,omitempty"` // bytes of the rendered text
	Breaks []int `json:"breaks,omitempty"`
}

func readGrowth(s string) growth {
	var n growth
	if json.Unmarshal([]byte(s), &n) != nil {
		return growth{Open: s != ""} // from a newer version: treat the reply as streaming, so that it is closed
	}
	return n
}

// write encodes the state for a Ref, "" for an empty one.
func (n growth) write() string {
	raw, err := json.Marshal(n)
	if err != nil || string(raw) == "{}" {
		return ""
	}
	return string(raw)
}

func (n growth) of(s *stream) growth {
	return growth{Open: true, Born: s.born.Unix(), Sent: len(s.sent), Breaks: n.Breaks}
}

// crowdedFor is the post backlog of a channel above which a short answer is sent as a stream,
// which has its own rate limit.
const crowdedFor = 3 * time.Second

// draft reports whether a card shows only progress.
func draft(c bot.Card) bool { return !c.Final && c.Kind == bot.CardProgress }

// postStream posts a reply as a native stream: a growing draft or, in a channel with a
// backlog of posts, a complete short answer.
func (w *Writer) postStream(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	ref := bot.Ref{Thread: to.Thread, Channel: to.Thread.Channel}
	crowded := w.web.Backlog(web.MethodPost, ref.Channel) > crowdedFor
	short := c.Final && (c.Kind == bot.CardText || c.Kind == bot.CardFeedback)
	if !draft(c) && !(short && crowded && len(render.Card(c)) == 1) {
		return ref, errNoStream
	}
	s, doubtful, err := w.streamer.openStream(ctx, to, key, 0, c)
	if err != nil {
		ref.Doubtful = doubtful
		return ref, err
	}
	ref.Messages = []string{s.ts}
	w.sent.shown.Add(ref.Channel+" "+s.ts, shown{key: key, whole: true})
	n := growth{}.of(s)
	ref.Stream = n.write()
	w.sent.refs.Add(key, ref)
	if c.Final {
		return w.finishStream(ctx, ref, n, s, c)
	}
	if c.Text != "" {
		return w.growStream(ctx, ref, n, s, c) // the next draft may take a while
	}
	return ref, nil
}

// editStream shows a card in a reply that is or was streamed.
func (w *Writer) editStream(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	n := readGrowth(ref.Stream)
	if !n.Open || len(ref.Messages) == 0 {
		return w.continueByEdits(ctx, ref, n, nil, c)
	}
	s := w.streamer.streams.get(ref.Channel, ref.Messages[len(ref.Messages)-1])
	switch {
	case s == nil:
		w.closeForeign(ctx, ref, w.lastMeta(ref, c), c.Language)
		return w.continueByEdits(ctx, ref, n, nil, c)
	case draft(c):
		return w.growStream(ctx, ref, n, s, c)
	}
	return w.finishStream(ctx, ref, n, s, c)
}

// continueByEdits continues with edits. s is the stream that should have ended, nil if none was open
// or another process owned it.
func (w *Writer) continueByEdits(ctx context.Context, ref bot.Ref, n growth, s *stream, c bot.Card) (bot.Ref, error) {
	n.Open, n.Born, n.Sent = false, 0, 0
	ref.Stream = n.write()
	got, err := w.rewrite(ctx, ref, c, n.Breaks)
	var d *bot.DeliveryError
	if errors.As(err, &d) && d.Code == codeStreaming && !draft(c) {
		return w.repost(ctx, ref, n, s, c)
	}
	return got, err
}

// abandonStream ends a stream that cannot continue, and shows the card by edits: they replace the
// streamed text, so nothing appears twice. An answer does not wait for a stream that cannot
// be ended.
func (w *Writer) abandonStream(ctx context.Context, ref bot.Ref, n growth, s *stream, c bot.Card) (bot.Ref, error) {
	err := w.endStream(ctx, s, w.lastMeta(ref, c), c)
	switch {
	case err == nil:
		w.streamer.streams.forget(s)
	case draft(c) || !unstoppable(err):
		return ref, web.Delivery("stream", err)
	}
	ref, err = w.continueByEdits(ctx, ref, n, s, c)
	if err == nil {
		w.streamer.streams.forget(s)
	}
	return ref, err
}

// closeForeign ends a stream that another process left open, and marks it. The edits that follow take away the task that
// names it, so it gets metadata, unless that is unknown.
func (w *Writer) closeForeign(ctx context.Context, ref bot.Ref, meta *slack.SlackMetadata, lang string) {
	ts := ref.Messages[len(ref.Messages)-1]
	s := &stream{channel: ref.Channel, thread: ref.Thread.ID, ts: ts, lang: lang, mark: "maru:interrupted", tasks: map[string]task{}}
	end := closing{meta: meta, title: phrase.Say(lang, "slack.resumed"), status: slack.TaskCardStatusError}
	if err := w.streamer.stop(ctx, s, end); err != nil && !hasEnded(err) {
		w.web.Log.WarnContext(ctx, "slack stream of another process was not closed", "channel", ref.Channel, "code", cmp.Or(web.Code(err), "network"))
	}
}

// growStream appends a draft's new text, up to the first link that must not be previewed, and
// rolls over to the next message when this one is full or its stream will soon end.
func (w *Writer) growStream(ctx context.Context, ref bot.Ref, n growth, s *stream, c bot.Card) (bot.Ref, error) {
	age := w.web.Now().Sub(s.born)
	if !s.torn && age < w.web.StreamLife && !w.appends.Due(ref.Channel+" "+ref.Messages[0]) {
		return ref, nil
	}
	known := c.Links()
	lines := render.Lines(c.Text[:markdown.Settled(c.Text)], known, c.Language)
	if i := slices.IndexFunc(lines, func(l render.Line) bool { return markdown.LeadsAway(markdown.Slack().Text(l.Tokens), known) }); i >= 0 {
		lines = lines[:i] // shown by the final edit
	}
	if age >= w.web.StreamLife-soonEnds && len(lines) > 0 {
		lines = lines[:len(lines)-1] // the last line may still grow
	}
	pieces, at := render.SplitAt(lines, render.MaxPart, n.Breaks), len(ref.Messages)-1
	now := ""
	if at < len(pieces) {
		now = pieces[at].Markdown
	}
	if at == len(pieces)-1 {
		now = markdown.Growing(now, lines)
	}
	switch {
	case s.torn, !w.continues(s, now, age):
		return w.abandonStream(ctx, ref, n, s, c)
	case len(now) < len(s.sent): // no new settled text
	case len(pieces) > at+1:
		return w.rollOver(ctx, ref, n, s, c, pieces[at])
	case age >= w.web.StreamLife:
		n.Breaks = append(slices.Clone(n.Breaks), len(lines))
		return w.rollOver(ctx, ref, n, s, c, pieces[at])
	}
	chunks, tasks := s.taskChunks(c)
	if err := w.streamer.push(ctx, s, s.unsent(now), chunks, tasks); err != nil {
		return w.abandonStream(ctx, ref, n, s, c)
	}
	ref.Stream = n.of(s).write()
	return ref, nil
}

// continues reports whether a stream can continue with now: it extends the sent text, or is a
// prefix of it because the last line is unsettled again. At the end of its life there must be
// new text to end with.
func (w *Writer) continues(s *stream, now string, age time.Duration) bool {
	switch {
	case len(now) < len(s.sent):
		return strings.HasPrefix(s.sent, now) && age < w.web.StreamLife+mustEnd
	case age >= w.web.StreamLife && now == "":
		return false
	}
	return strings.HasPrefix(now, s.sent)
}

// unsent returns the unsent text of a message that is settled.
func (s *stream) unsent(now string) string {
	if w := markdown.WholeWords(now); len(w) > len(s.sent) {
		return w[len(s.sent):]
	}
	return ""
}

// rollOver completes a message and continues in a new one: a stream if possible, else edits.
func (w *Writer) rollOver(ctx context.Context, ref bot.Ref, n growth, s *stream, c bot.Card, p render.Piece) (bot.Ref, error) {
	key := w.keyOf(ref)
	end := closing{text: p.Markdown[len(s.sent):], meta: metaOf(ref, key, len(ref.Messages)-1), title: phrase.Say(c.Language, "slack.continued_below")}
	if err := w.streamer.stop(ctx, s, end); err != nil {
		return w.abandonStream(ctx, ref, n, s, c)
	}
	w.streamer.streams.forget(s)
	w.noteShown(ref, p.Part(), key)
	n.Open, n.Sent, n.Born = false, 0, 0
	ref.Stream = n.write()
	to := bot.Target{Thread: ref.Thread, User: bot.User{ID: s.user}}
	next, doubtful, err := w.streamer.openStream(ctx, to, key, len(ref.Messages), bot.Card{Language: c.Language, Status: phrase.Say(c.Language, "slack.continuing")})
	ref.Doubtful = ref.Doubtful || doubtful
	if errors.Is(err, errNoStream) {
		return ref, nil // the next draft is an edit
	}
	if err != nil {
		return ref, web.Delivery("stream", err)
	}
	ref.Messages = append(ref.Messages, next.ts)
	w.sent.shown.Add(ref.Channel+" "+next.ts, shown{key: key, whole: true})
	w.sent.refs.Add(key, ref)
	ref.Stream = n.of(next).write()
	return ref, nil
}

// finishStream ends a reply's stream with its final card.
func (w *Writer) finishStream(ctx context.Context, ref bot.Ref, n growth, s *stream, c bot.Card) (bot.Ref, error) {
	w.appends.Done(ref.Channel + " " + ref.Messages[0])
	parts, at := render.CardAt(c, n.Breaks), len(ref.Messages)-1
	if s.torn || at >= len(parts) {
		return w.abandonStream(ctx, ref, n, s, c)
	}
	text, blocks, ok := render.Continue(parts[at], s.sent)
	if !ok || markdown.LeadsAway(text, c.Links()) {
		return w.abandonStream(ctx, ref, n, s, c)
	}
	key := w.keyOf(ref)
	end := closing{text: text, blocks: blocks, meta: metaOf(ref, key, at)}
	end.title, end.status = ending(c)
	if err := w.streamer.stop(ctx, s, end); err != nil {
		return w.abandonStream(ctx, ref, n, s, c)
	}
	w.noteShown(ref, parts[at], key)
	return w.continueByEdits(ctx, ref, n, nil, c) // edits only parts that differ, and posts the missing ones
}

// ending returns the title and state of a stream's task after its last card.
func ending(c bot.Card) (title string, status slack.TaskCardStatus) {
	switch {
	case !c.Final:
		return phrase.Say(c.Language, "slack.waits"), slack.TaskCardStatusPending
	case c.Stopped:
		return phrase.Say(c.Language, "slack.stopped"), slack.TaskCardStatusError
	case c.Kind == bot.CardNotice:
		return phrase.Say(c.Language, "slack.ended"), slack.TaskCardStatusError
	}
	return phrase.Say(c.Language, "slack.done"), slack.TaskCardStatusComplete
}

// noteShown records the visible content of a reply's last message.
func (w *Writer) noteShown(ref bot.Ref, p render.Part, key string) {
	ts := ref.Messages[len(ref.Messages)-1]
	w.sent.shown.Add(ref.Channel+" "+ts, shown{digest: p.Digest(), key: key, whole: true})
}

// lastMeta returns the metadata of a reply's last message, nil if the reply's key is unknown: it would be named wrongly.
func (w *Writer) lastMeta(ref bot.Ref, c bot.Card) *slack.SlackMetadata {
	key := w.nameOf(ref, c)
	if key == "" {
		return nil
	}
	return metaOf(ref, key, len(ref.Messages)-1)
}

// metaOf returns the metadata that identifies a message as part of the reply with key.
func metaOf(ref bot.Ref, key string, part int) *slack.SlackMetadata {
	m := &slack.SlackMetadata{EventType: metaType, EventPayload: map[string]any{"key": key, "part": part}}
	if part > 0 {
		m.EventPayload["first"] = ref.Messages[0]
	}
	return m
}
