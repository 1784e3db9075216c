package reply

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

// label identifies one of the bot's own messages: from its metadata or, while it is streamed,
// the ID of a task.
type label struct {
	key, first string
	part       int
	streamed   bool
}

type ownMessage struct {
	ts    string
	label label
}

// Find finds a reply that was posted with key but whose Ref was lost.
func (w *Writer) Find(ctx context.Context, to bot.Target, key string) (bot.Ref, bool, error) {
	ref := bot.Ref{Thread: to.Thread, Channel: to.Thread.Channel}
	if key == "" {
		return ref, false, nil
	}
	heads := map[string]bool{}
	found, err := w.trail.ownMessages(ctx, to.Thread, to.Thread.Channel, to.ReplyTo, func(p label) bool {
		return p.key == key || p.first != ""
	})
	if err != nil {
		return ref, false, web.Delivery("find", err)
	}
	for _, f := range found {
		if f.label.key == key && f.label.part == 0 && len(heads) == 0 {
			heads[f.ts] = true
			ref.Messages = append(ref.Messages, f.ts)
			ref.Stream = growth{Open: f.label.streamed}.write()
		}
	}
	for _, f := range found { // in the order of their parts
		if f.label.part == len(ref.Messages) && f.label.part > 0 && (heads[f.label.first] || f.label.key == key) {
			ref.Messages = append(ref.Messages, f.ts)
			ref.Stream = growth{Open: f.label.streamed}.write()
		}
	}
	if ref.IsZero() {
		return ref, false, nil
	}
	w.sent.refs.Add(key, ref)
	return ref, true, nil
}

// Twins finds the replies that were posted with one of the keys, without the known messages, and second copies of the known
// replies' later parts. Slack posts a repeated request twice.
func (w *Writer) Twins(ctx context.Context, to bot.Target, keys, known []string) ([]bot.Ref, error) {
	found, err := w.trail.ownMessages(ctx, to.Thread, to.Thread.Channel, to.ReplyTo, func(p label) bool { return slices.Contains(keys, p.key) || p.first != "" })
	if err != nil {
		return nil, web.Delivery("find", err)
	}
	var out []bot.Ref
	for _, f := range found { // in the order of their parts
		if slices.Contains(known, f.ts) {
			continue
		}
		at := slices.IndexFunc(out, func(r bot.Ref) bool { return f.label.first == r.Messages[0] })
		switch head := f.label.part == 0 || f.label.first == ""; { // the next part of a stream does not name the first
		case at >= 0:
			out[at].Messages = append(out[at].Messages, f.ts)
		case head && slices.Contains(keys, f.label.key), !head && slices.Contains(known, f.label.first):
			out = append(out, bot.Ref{
				Thread: to.Thread, Channel: to.Thread.Channel, Messages: []string{f.ts}, Stream: growth{Open: f.label.streamed}.write(),
			})
		}
	}
	return out, nil
}

// Doubt makes the next edit of messages change them, whatever they are thought to show.
func (w *Writer) Doubt(ref bot.Ref) {
	for _, ts := range ref.Messages {
		w.sent.doubt(cmp.Or(ref.Channel, ref.Thread.Channel) + " " + ts)
	}
}

// trail finds the bot's own messages by their labels.
type trail struct{ web *web.Client }

// ownMessages returns the bot's messages of a thread since a message whose label matches, by part and
// then by time.
func (l *trail) ownMessages(ctx context.Context, th bot.Thread, channel, since string, match func(label) bool) ([]ownMessage, error) {
	var out []ownMessage
	id, err := l.web.AskWho(ctx)
	if err != nil {
		return nil, err
	}
	err = l.web.Pages(ctx, th, channel, url.Values{"oldest": {since}, "inclusive": {"1"}, "include_all_metadata": {"1"}}, func(m payload.Object) {
		if m.Str("user") != id.User && m.Str("bot_id") != id.Bot {
			return
		}
		if p, ok := labelOf(m); ok && match(p) {
			out = append(out, ownMessage{ts: m.Str("ts"), label: p})
		}
	})
	slices.SortFunc(out, func(x, y ownMessage) int {
		return cmp.Or(cmp.Compare(x.label.part, y.label.part), cmp.Compare(x.ts, y.ts))
	})
	return out, err
}

// labelOf reads the label of a message of the bot.
func labelOf(m payload.Object) (label, bool) {
	if meta := m.Obj("metadata"); meta.Str("event_type") == metaType {
		ev := meta.Obj("event_payload")
		return label{key: ev.Str("key"), first: ev.Str("first"), part: int(ev.Num("part"))}, true
	}
	for _, b := range m.List("blocks") {
		for _, t := range append(b.List("tasks"), b) {
			if key, part, ok := readMark(t.Str("task_id")); ok {
				return label{key: key, part: part, streamed: true}, true
			}
		}
	}
	return label{}, false
}
