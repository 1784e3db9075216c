package inbound

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"maru/adapters/discord/place"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

const maxHistory = 500

// History implements bot.Historian. A thread started from a message begins with that message,
// which is in the parent channel.
func (r *Reader) History(ctx context.Context, t bot.Thread, before string, limit int) ([]bot.Message, error) {
	limit = min(limit, maxHistory)
	channel := t.Channel
	if t.ID != "" && !t.Direct && t.Team != place.TeamDirect {
		isThread, err := r.places.IsThread(ctx, t.ID)
		if err != nil {
			return nil, rest.Delivery("history", err)
		}
		if isThread {
			channel = t.ID
		}
	}
	var all []wire.Message
	begun := false // reached the channel's first message
	for len(all) < limit && !begun {
		q := url.Values{"limit": {strconv.Itoa(min(limit-len(all), place.PageSize))}}
		if before != "" {
			q.Set("before", before)
		}
		page, err := r.places.Messages(ctx, channel, q)
		if err != nil {
			return nil, rest.Delivery("history", err)
		}
		if len(page) == 0 || len(page) < min(limit-len(all), place.PageSize) {
			begun = true
		}
		if len(page) > 0 {
			before = page[0].ID
		}
		all = append(page, all...)
	}
	if begun && channel == t.ID && t.ID != t.Channel && len(all) < limit && !r.places.InForum(t) {
		all = append(r.starter(ctx, t), all...)
	}
	return r.past(ctx, t, all), nil
}

// starter returns the message that a thread was started from, if there is one.
func (r *Reader) starter(ctx context.Context, t bot.Thread) []wire.Message {
	var m wire.Message
	err := r.api.Do(ctx, rest.Call{
		Method: http.MethodGet, Path: "/channels/" + t.Channel + "/messages/" + t.ID,
		Bucket: "message/" + t.Channel, Out: &m, Again: true, Urgent: true,
	})
	if err != nil || m.ID == "" {
		return nil // some threads have none
	}
	return []wire.Message{m}
}

// past converts messages of people and bots.
func (r *Reader) past(ctx context.Context, t bot.Thread, all []wire.Message) []bot.Message {
	guild := t.Team
	if t.Direct || guild == place.TeamDirect {
		guild = ""
	}
	var out []bot.Message
	for i := range all {
		m := &all[i]
		if m.Author == nil || m.Type != wire.MessageDefault && m.Type != wire.MessageReply {
			continue
		}
		msg := bot.Message{
			ID: m.ID, Order: m.ID, Thread: t, User: r.members.User(guild, m.Author, m.Member), Reach: bot.ReachAmbient,
			Text: r.titled(m, r.PlainText(m, guild)), Files: m.Files(), Quoted: r.quoted(ctx, m, guild), At: m.Timestamp, Own: m.Author.ID == r.me.ID(),
		}
		if msg.User.Name = r.author(m, guild); m.ByApp() {
			msg.User.Bot = true
		}
		out = append(out, msg)
	}
	return slices.Clip(out)
}
