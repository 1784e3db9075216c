package inbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"maru/adapters/slack/file"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
	"maru/bot/content"
)

// Slack lists a thread's messages oldest first. The last ones of a long thread are therefore
// searched in time spans before the message, each longer than all nearer ones together.
const (
	firstSpan = 10 * time.Minute
	spanGrows = 16
	spanPage  = 999 // Slack's limit of a page
	maxSpans  = 12  // requests
)

// past reads a conversation's earlier messages.
type past struct {
	web    *web.Client
	users  persons
	speech *speech
}

// History returns the messages of people and bots in the thread before a message, oldest
// first; of a long thread, the newest. Where a rate limit ends the reading, it returns what it has with bot.ErrLimited.
func (p *past) History(ctx context.Context, t bot.Thread, before string, limit int) ([]bot.Message, error) {
	if limit <= 0 {
		return nil, nil
	}
	id, err := p.web.AskWho(ctx)
	if err != nil {
		return nil, fmt.Errorf("slack: history: %w", web.Delivery("history", err))
	}
	said := pastWords{before: before, all: map[string]payload.Object{}}
	err = p.readPast(ctx, t, limit, said)
	var busy *bot.DeliveryError
	limited := errors.As(err, &busy) && busy.After > 0 && len(said.all) > 0
	if limited {
		// Apps distributed outside Slack's marketplace may read 15 messages a minute.
		p.web.Log.WarnContext(ctx, "slack rate limit ends reading of a thread", "channel", t.Channel, "read", len(said.all), "wait", busy.After.String())
	} else if err != nil {
		return nil, web.Delivery("history", err)
	}
	raw := slices.SortedFunc(maps.Values(said.all), func(x, y payload.Object) int { return cmp.Compare(x.Str("ts"), y.Str("ts")) })
	raw = raw[max(0, len(raw)-limit):]
	out := make([]bot.Message, 0, len(raw))
	for _, m := range raw {
		out = append(out, p.past(ctx, id, t, m))
	}
	if limited {
		return out, fmt.Errorf("%w: slack allows no more reads for %s", bot.ErrLimited, busy.After)
	}
	return out, nil
}

// pastWords collects the messages before a message, by timestamp.
type pastWords struct {
	before string
	all    map[string]payload.Object
}

// add collects a page and returns the number of new messages.
func (s pastWords) add(page []payload.Object) int {
	had := len(s.all)
	for _, m := range page {
		switch m.Str("subtype") {
		case "", "file_share", "thread_broadcast", "me_message", "bot_message", "huddle_thread":
			if ts := m.Str("ts"); ts != "" && (s.before == "" || ts < s.before) {
				s.all[ts] = m
			}
		}
	}
	return len(s.all) - had
}

// readPast reads the last messages of a conversation, at least limit if there are that many.
func (p *past) readPast(ctx context.Context, t bot.Thread, limit int, said pastWords) error {
	v := url.Values{"latest": {said.before}, "inclusive": {"0"}}
	page, next, err := p.web.Page(ctx, t, t.Channel, v)
	said.add(page)
	if err != nil || next == "" || len(page) == 0 {
		return err
	}
	if t.ID != "" {
		return p.readBack(ctx, t, page[len(page)-1].Str("ts"), limit, said)
	}
	for range web.MaxPages - 1 { // a channel lists the newest first
		if len(said.all) >= limit || next == "" {
			return nil
		}
		v.Set("cursor", next)
		if page, next, err = p.web.Page(ctx, t, t.Channel, v); err != nil {
			return err
		}
		said.add(page)
	}
	return nil
}

// readBack reads a thread backwards until it has enough messages or reaches read.
func (p *past) readBack(ctx context.Context, t bot.Thread, read string, limit int, said pastWords) error {
	end, span, found := said.before, firstSpan, 0
	to, begun := payload.Time(end), payload.Time(read)
	if end == "" {
		to = p.web.Now()
	}
	for asked := 0; asked < maxSpans; {
		from := to.Add(-span)
		start := payload.TS(from)
		if !from.After(begun) {
			start = read
		}
		v := url.Values{"oldest": {start}, "latest": {end}, "inclusive": {"1"}, "limit": {strconv.Itoa(spanPage)}}
		for next := "more"; next != "" && asked < maxSpans; asked++ {
			var page []payload.Object
			var err error
			if page, next, err = p.web.Page(ctx, t, t.Channel, v); err != nil {
				return err
			}
			found += said.add(page)
			v.Set("cursor", next)
		}
		if found >= limit || start == read {
			return nil
		}
		to, end, span = from, start, span*spanGrows
	}
	p.web.Log.WarnContext(ctx, "slack thread is too long to find all of its last messages", "channel", t.Channel, "thread", t.ID)
	return nil
}

// past converts a message of a thread's history.
func (p *past) past(ctx context.Context, id *web.Identity, t bot.Thread, m payload.Object) bot.Message {
	said := p.speech.read(ctx, t.Team, m)
	out := bot.Message{
		ID: m.Str("ts"), Order: m.Str("ts"), Thread: t, At: payload.Time(m.Str("ts")),
		Reach: reach(m, t, payload.Mentions(said.raw, id.User)), Text: said.text, Files: append(file.ListOf(t.Team, m), said.files...), Quoted: said.quoted,
	}
	if byBot(m, id) {
		out.User = bot.User{ID: cmp.Or(m.Str("user"), m.Str("bot_id")), Name: appName(m), Bot: true}
		out.Own = m.Str("user") == id.User || m.Str("bot_id") != "" && m.Str("bot_id") == id.Bot
		return out
	}
	out.User = p.users.Get(ctx, m.Str("user"), p.web.NameWait())
	return out
}

// appName returns the name under which an app wrote a message; "" for a person's.
func appName(m payload.Object) string {
	if name := cmp.Or(m.Str("username"), m.Obj("bot_profile").Str("name")); name != "" {
		return content.App(name)
	}
	return ""
}
