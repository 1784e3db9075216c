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

// growth is what a reply's Ref carries while it grows, so that another process
// can go on with it: whether its last message is an open stream, how much of the
// text Slack has confirmed there, and at which lines of the text messages began
// because a stream had to end.
type growth struct {
	Open   bool  `json:"open,omitempty"`
	Born   int64 `json:"born,omitempty"` // seconds since 1970
	Sent   int   `json:"sent,omitempty"` // bytes of the rendered text
	Breaks []int `json:"breaks,omitempty"`
}

func readGrowth(s string) growth {
	var n growth
	if json.Unmarshal([]byte(s), &n) != nil {
		return growth{Open: s != ""} // written by a newer version: what it says is closed all the same
	}
	return n
}

// write returns the note as a Ref carries it, "" when there is nothing to say.
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

// crowdedFor is how long posts of a channel queue before a short answer goes as
// a stream instead, which Slack counts apart.
const crowdedFor = 3 * time.Second

// draft reports whether a card only shows progress.
func draft(c bot.Card) bool { return !c.Final && c.Kind == bot.CardProgress }

// postStream posts a reply as a native stream: a draft that will grow, or in a
// channel whose posts queue up a short answer that is whole already.
func (w *Writer) postStream(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	ref := bot.Ref{Thread: to.Thread, Channel: to.Thread.Channel}
	crowded := w.web.Backlog(web.MethodPost, ref.Channel) > crowdedFor
	short := c.Final && (c.Kind == bot.CardText || c.Kind == bot.CardFeedback)
	if !draft(c) && !(short && crowded && len(render.Card(c)) == 1) {
		return ref, errNoStream
	}
	s, err := w.streamer.openStream(ctx, to, key, 0, c)
	if err != nil {
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
		return w.growStream(ctx, ref, n, s, c) // there may be no other draft for a while
	}
	return ref, nil
}

// editStream shows a card in a reply that is, or was, streamed.
func (w *Writer) editStream(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	n := readGrowth(ref.Stream)
	if !n.Open || len(ref.Messages) == 0 {
		return w.settle(ctx, ref, n, nil, c)
	}
	s := w.streamer.streams.get(ref.Channel, ref.Messages[len(ref.Messages)-1])
	switch {
	case s == nil:
		w.closeForeign(ctx, ref, c.Language)
		return w.settle(ctx, ref, n, nil, c)
	case draft(c):
		return w.growStream(ctx, ref, n, s, c)
	}
	return w.finishStream(ctx, ref, n, s, c)
}

// settle goes on with edits. s is the stream that should be over, nil when it was
// not this process's or none was open.
func (w *Writer) settle(ctx context.Context, ref bot.Ref, n growth, s *stream, c bot.Card) (bot.Ref, error) {
	n.Open, n.Born, n.Sent = false, 0, 0
	ref.Stream = n.write()
	got, err := w.rewrite(ctx, ref, c, n.Breaks)
	var d *bot.DeliveryError
	if errors.As(err, &d) && d.Code == codeStreaming && !draft(c) {
		return w.replace(ctx, ref, n, s, c)
	}
	return got, err
}

// leave ends a stream that cannot go on, and shows the card by edits instead:
// they replace all that the stream showed, so nothing is said twice. An answer does
// not wait for a stream that will not end.
func (w *Writer) leave(ctx context.Context, ref bot.Ref, n growth, s *stream, c bot.Card) (bot.Ref, error) {
	err := w.halt(ctx, s, c)
	switch {
	case err == nil:
		w.streamer.streams.ended(s)
	case draft(c) || !hopeless(err):
		return ref, web.Delivery("stream", err)
	}
	ref, err = w.settle(ctx, ref, n, s, c)
	if err == nil {
		w.streamer.streams.ended(s)
	}
	return ref, err
}

// closeForeign ends a stream that another process left open, and marks it.
func (w *Writer) closeForeign(ctx context.Context, ref bot.Ref, lang string) {
	ts := ref.Messages[len(ref.Messages)-1]
	s := &stream{channel: ref.Channel, thread: ref.Thread.ID, ts: ts, lang: lang, mark: "maru:interrupted", tasks: map[string]task{}}
	end := closing{title: phrase.Say(lang, "slack.resumed"), status: slack.TaskCardStatusError}
	if err := w.streamer.stop(ctx, s, end); err != nil && !over(err) {
		w.web.Log.WarnContext(ctx, "slack stream of an earlier process was not closed", "channel", ref.Channel, "code", cmp.Or(web.Code(err), "network"))
	}
}

// growStream appends what a draft has more than was sent, up to the first link
// that may not be previewed, and begins the next message when this one is full
// or its stream will soon end.
func (w *Writer) growStream(ctx context.Context, ref bot.Ref, n growth, s *stream, c bot.Card) (bot.Ref, error) {
	age := w.web.Now().Sub(s.born)
	if !s.torn && age < w.web.StreamLife && !w.appends.Due(ref.Channel+" "+ref.Messages[0]) {
		return ref, nil
	}
	known := c.Links()
	lines := render.Lines(c.Text[:markdown.Settled(c.Text)], known)
	if i := slices.IndexFunc(lines, func(l render.Line) bool { return markdown.LeadsAway(markdown.Slack().Text(l.Tokens), known) }); i >= 0 {
		lines = lines[:i] // shown in the end, by an edit
	}
	if age >= w.web.StreamLife-soonEnds && len(lines) > 0 {
		lines = lines[:len(lines)-1] // the last may still grow
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
		return w.leave(ctx, ref, n, s, c)
	case len(now) < len(s.sent): // nothing new that is settled
	case len(pieces) > at+1:
		return w.rollOver(ctx, ref, n, s, c, pieces[at])
	case age >= w.web.StreamLife:
		n.Breaks = append(slices.Clone(n.Breaks), len(lines))
		return w.rollOver(ctx, ref, n, s, c, pieces[at])
	}
	chunks, tasks := s.taskChunks(c)
	if err := w.streamer.push(ctx, s, s.more(now), chunks, tasks); err != nil {
		return w.leave(ctx, ref, n, s, c)
	}
	ref.Stream = n.of(s).write()
	return ref, nil
}

// continues reports whether a stream can go on to show now: it begins with what
// was sent, or is a part of that because the last line is not settled any more.
// At the end of its life there must be something to end with.
func (w *Writer) continues(s *stream, now string, age time.Duration) bool {
	switch {
	case len(now) < len(s.sent):
		return strings.HasPrefix(s.sent, now) && age < w.web.StreamLife+mustEnd
	case age >= w.web.StreamLife && now == "":
		return false
	}
	return strings.HasPrefix(now, s.sent)
}

// more returns what of a message's text can be sent now.
func (s *stream) more(now string) string {
	if w := markdown.WholeWords(now); len(w) > len(s.sent) {
		return w[len(s.sent):]
	}
	return ""
}

// rollOver ends a message with the text that belongs to it and goes on in a new
// one: a stream if there may be one, else edits.
func (w *Writer) rollOver(ctx context.Context, ref bot.Ref, n growth, s *stream, c bot.Card, p render.Piece) (bot.Ref, error) {
	key := w.keyOf(ref)
	end := closing{text: p.Markdown[len(s.sent):], meta: metaOf(ref, key, len(ref.Messages)-1), title: phrase.Say(c.Language, "slack.continued_below")}
	if err := w.streamer.stop(ctx, s, end); err != nil {
		return w.leave(ctx, ref, n, s, c)
	}
	w.streamer.streams.ended(s)
	w.shows(ref, p.Part(), key)
	n.Open, n.Sent, n.Born = false, 0, 0
	ref.Stream = n.write()
	to := bot.Target{Thread: ref.Thread, User: bot.User{ID: s.user}}
	next, err := w.streamer.openStream(ctx, to, key, len(ref.Messages), bot.Card{Language: c.Language, Status: phrase.Say(c.Language, "slack.continuing")})
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
		return w.leave(ctx, ref, n, s, c)
	}
	text, blocks, ok := render.Continue(parts[at], s.sent)
	if !ok || markdown.LeadsAway(text, c.Links()) {
		return w.leave(ctx, ref, n, s, c)
	}
	key := w.keyOf(ref)
	end := closing{text: text, blocks: blocks, meta: metaOf(ref, key, at)}
	end.title, end.status = ending(c)
	if err := w.streamer.stop(ctx, s, end); err != nil {
		return w.leave(ctx, ref, n, s, c)
	}
	w.shows(ref, parts[at], key)
	return w.settle(ctx, ref, n, nil, c) // changes only what differs: earlier parts, and later ones are posted
}

// ending is what stands above a card in whose stream nothing more comes.
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

// shows notes what the last message of a reply shows now.
func (w *Writer) shows(ref bot.Ref, p render.Part, key string) {
	ts := ref.Messages[len(ref.Messages)-1]
	w.sent.shown.Add(ref.Channel+" "+ts, shown{digest: p.Digest(), key: key, whole: true})
}

// metaOf is what makes a message findable as a part of the reply with that key.
func metaOf(ref bot.Ref, key string, part int) *slack.SlackMetadata {
	m := &slack.SlackMetadata{EventType: metaType, EventPayload: map[string]any{"key": key, "part": part}}
	if part > 0 {
		m.EventPayload["first"] = ref.Messages[0]
	}
	return m
}
