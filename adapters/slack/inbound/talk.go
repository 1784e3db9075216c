package inbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"maru/adapters/slack/file"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
	"maru/bot/said"
)

// talkPages bounds the requests for one channel: bots may have written most of its messages.
const talkPages = 15

// Read implements said.Reader. Slack lists a channel newest first and without the replies of its threads.
func (f *findings) Read(ctx context.Context, m bot.Message, q said.Span) (said.Talk, error) {
	id, err := f.web.AskWho(ctx)
	if err != nil {
		return said.Talk{}, fmt.Errorf("slack: read channel: %w", web.Delivery("history", err))
	}
	at := bot.Thread{Platform: payload.Platform, Team: m.Thread.Team, Channel: q.Channel}
	if err := f.mayTell(ctx, m, at); err != nil {
		return said.Talk{}, err
	}
	out := said.Talk{Channel: f.nameOf(ctx, q.Channel)}
	v := url.Values{"oldest": {payload.TS(q.From)}, "latest": {payload.TS(q.To)}, "inclusive": {"1"}}
	var raw []payload.Object
	for n, next := 0, "first"; next != ""; n++ {
		if out.Older = len(raw) >= q.Limit || n == talkPages; out.Older {
			break
		}
		var page []payload.Object
		var err error
		if page, next, err = f.web.Page(ctx, at, q.Channel, v); err != nil {
			var busy *bot.DeliveryError
			switch {
			case web.Code(err) == "not_in_channel", web.Code(err) == "missing_scope", web.Code(err) == "channel_not_found":
				return out, fmt.Errorf("slack: %w: %w", said.ErrAbsent, err)
			case !errors.As(err, &busy) || busy.After <= 0:
				return out, fmt.Errorf("slack: read channel: %w", web.Delivery("history", err))
			case n == 0:
				return out, fmt.Errorf("slack: %w: %w", said.ErrBusy, err)
			}
			// Apps distributed outside Slack's marketplace may read 15 messages a minute.
			out.Limited = true
			break
		}
		for _, o := range page {
			out.Since = payload.Time(o.Str("ts"))
			if o.Str("ts") != m.ID && byPerson(o, id) {
				raw = append(raw, o)
			}
		}
		v.Set("cursor", next)
	}
	raw, older := said.Newest(raw, q.Limit)
	out.Older = out.Older || older
	err = f.posts(ctx, at, raw, &out)
	return out, err
}

// byPerson reports whether a person wrote a message. Bots' messages and notices of joins and pins are not.
func byPerson(o payload.Object, id *web.Identity) bool {
	switch o.Str("subtype") {
	case "", "file_share", "thread_broadcast", "me_message":
		return o.Str("ts") != "" && !byBot(o, id) && !payload.Mentions(o.Str("text"), id.User)
	}
	return false
}

// posts converts messages. The error is that of ctx: without its author a message counts as a stranger's.
func (f *findings) posts(ctx context.Context, at bot.Thread, raw []payload.Object, out *said.Talk) error {
	if len(raw) == 0 {
		return nil
	}
	base := f.archive(ctx, at.Channel, raw[0].Str("ts"))
	authors := map[string]said.Message{}
	for _, o := range raw {
		id := o.Str("user")
		one, known := authors[id]
		if !known {
			u, sure := f.users.Sure(ctx, id)
			if ctx.Err() != nil {
				return fmt.Errorf("slack: read channel: %w", ctx.Err())
			}
			one = said.Message{Author: cmp.Or(u.Name, id), Stranger: !sure || u.Name == "" || u.Stranger()}
			authors[id] = one
		}
		words := f.speech.read(ctx, at.Team, o)
		one.At, one.Text, one.Channel = payload.Time(o.Str("ts")), words.text, out.Channel
		for _, q := range words.quoted {
			one.Text += "\n> " + strings.TrimPrefix(q.Author+": ", ": ") + q.Text
		}
		if base != "" {
			one.Link = base + strings.ReplaceAll(o.Str("ts"), ".", "")
		}
		files := len(file.ListOf(at.Team, o)) + len(words.files)
		out.Files += files
		if o.Num("reply_count") > 0 {
			out.Threads++
		}
		if strings.TrimSpace(one.Text) != "" {
			out.Messages = append(out.Messages, one)
		}
	}
	return nil
}

// archive returns the beginning of the addresses of a channel's messages, "" if Slack does not tell one.
func (f *findings) archive(ctx context.Context, channel, ts string) string {
	var r struct {
		Link string `json:"permalink"`
	}
	if err := f.web.Ask(ctx, "chat.getPermalink", channel, url.Values{"channel": {channel}, "message_ts": {ts}}, &r); err != nil {
		return ""
	}
	base, _, ok := strings.Cut(r.Link, "/p"+strings.ReplaceAll(ts, ".", ""))
	if !ok {
		return ""
	}
	return base + "/p"
}

// nameOf returns the name of a channel, "" if Slack does not tell it.
func (f *findings) nameOf(ctx context.Context, channel string) string {
	var info struct {
		Channel payload.Object `json:"channel"`
	}
	if err := f.web.Ask(ctx, "conversations.info", channel, url.Values{"channel": {channel}}, &info); err != nil {
		return ""
	}
	return info.Channel.Str("name")
}

// mayTell returns nil if the author of m and, in a channel, every reader of the answer read a channel.
func (f *findings) mayTell(ctx context.Context, m bot.Message, at bot.Thread) error {
	if strings.HasPrefix(at.Channel, "D") || m.User.Bot && at.Channel != m.Thread.Channel {
		return said.ErrHidden
	}
	if !m.User.Bot {
		switch ok, err := f.members.Reads(ctx, at, m.User.ID); {
		case err != nil:
			return err
		case !ok:
			return said.ErrHidden
		}
	}
	if m.Thread.Direct || at.Channel == m.Thread.Channel {
		return nil
	}
	if f.members.Public(ctx, at.Channel) && !m.User.Guest && !m.User.External && !m.User.Watched {
		if open, err := f.members.Strangers(ctx, m.Thread); err != nil || !open {
			return err
		}
	}
	readers := func(t bot.Thread) func() ([]string, error) {
		return func() ([]string, error) { return f.members.Readers(ctx, t) }
	}
	return said.Covered(readers(m.Thread), readers(at))
}

// channelsIn returns the ids of the channels that a text in Slack's encoding mentions, by the names that its decoded text has.
func channelsIn(raw string) map[string]string {
	var out map[string]string
	for _, m := range token.FindAllStringSubmatch(raw, -1) {
		if id, ok := strings.CutPrefix(m[1], "#"); ok {
			if out == nil {
				out = map[string]string{}
			}
			out[cmp.Or(entities.Replace(m[2]), id)] = id
		}
	}
	return out
}
