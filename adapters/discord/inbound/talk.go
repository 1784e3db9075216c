package inbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"maru/adapters/discord/place"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/bot/said"
)

// talkPages bounds the requests for one channel: bots may have written most of its messages.
const talkPages = 20

// Read implements said.Reader. A channel's messages do not include those of its threads.
func (r *Reader) Read(ctx context.Context, m bot.Message, q said.Span) (said.Talk, error) {
	guild, c, err := r.mayTell(ctx, m, q.Channel)
	if err != nil {
		return said.Talk{}, err
	}
	out := said.Talk{Channel: c.Name}
	end := q.To.Add(time.Millisecond) // ids count milliseconds: those of the last one belong to the period
	asked := said.Query{After: q.From, Before: end}
	before := strconv.FormatUint(wire.Snowflake(end), 10)
	at, by := m, r.authorsOf(guild)
	at.Thread.Team = guild
	for n := 0; ; n++ {
		if out.Older = len(out.Messages) >= q.Limit || n == talkPages; out.Older {
			break
		}
		page, err := r.places.Messages(ctx, q.Channel, url.Values{"limit": {strconv.Itoa(place.PageSize)}, "before": {before}})
		switch {
		case err == nil:
		case hidden(err):
			return out, fmt.Errorf("discord: %w: %w", said.ErrAbsent, err)
		case !busy(err) || n == 0:
			return out, refusedSearch(err)
		default:
			out.Limited = true
		}
		for i := range slices.Backward(page) {
			one := &page[i]
			if one.Timestamp.Before(q.From) {
				continue
			}
			out.Since = one.Timestamp
			if post, ok := r.saidIn(ctx, at, asked, c, by, one); ok {
				out.Messages = append(out.Messages, post)
			}
			if r.byOthers(one) {
				out.Files += len(one.Files())
			}
			if one.Started != nil {
				out.Threads++
			}
		}
		if out.Limited || len(page) < place.PageSize || page[0].Timestamp.Before(q.From) {
			break
		}
		before = page[0].ID
	}
	kept, older := said.Newest(out.Messages, q.Limit)
	out.Messages, out.Older = kept, out.Older || older
	return out, nil
}

// byOthers reports whether a person wrote a message.
func (r *Reader) byOthers(one *wire.Message) bool {
	return one.Author != nil && !one.ByApp() && one.Author.ID != r.me.ID()
}

// mayTell returns a channel, with its guild, if the author of m and, in a guild, every reader of the answer can read its history.
func (r *Reader) mayTell(ctx context.Context, m bot.Message, channel string) (guild string, c wire.Channel, err error) {
	if m.User.Bot && channel != m.Thread.Channel {
		return "", c, said.ErrHidden
	}
	if guild = m.Thread.Team; !m.User.Bot {
		if guild, err = r.readsBack(ctx, m, "", channel); errors.Is(err, bot.ErrForbidden) {
			return "", c, said.ErrHidden
		} else if err != nil {
			return "", c, err
		}
	}
	if c, err = r.places.Channel(ctx, channel); err != nil {
		return "", c, fmt.Errorf("discord: read channel: %w", rest.Delivery("read", err))
	}
	if c.IsForum() {
		return "", c, said.ErrForum
	}
	of := channel
	if c.IsThread() {
		of = cmp.Or(c.ParentID, channel)
	}
	switch {
	case m.Thread.Direct:
		return guild, c, nil
	case m.Thread.Team == place.TeamDirect: // a group, whose members are not looked up
		return "", c, said.ErrAudience
	}
	open, err := r.places.Open(ctx, m.Thread)
	if err != nil {
		return "", c, refusedSearch(err)
	}
	if slices.ContainsFunc(open, func(o wire.Channel) bool { return o.ID == of }) {
		return guild, c, nil
	}
	return guild, c, said.Covered(
		func() ([]string, error) { return r.places.Readers(ctx, m.Thread) },
		func() ([]string, error) {
			return r.places.ReadersBack(ctx, bot.Thread{Platform: place.Platform, Team: guild, Channel: of})
		})
}

// Channels returns the ids of the channels that a message mentions, by the names that its text has.
func (r *Reader) Channels(content string) map[string]string {
	var out map[string]string
	for _, m := range inText.FindAllStringSubmatch(content, -1) {
		if m[1] != "#" {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[r.channelName(m[2])] = m[2]
	}
	return out
}

// NameChannels writes the names of the channels that a text mentions.
func (r *Reader) NameChannels(content string) string {
	return outsideCode(content, func(s string) string {
		return inText.ReplaceAllStringFunc(s, func(t string) string {
			if p := inText.FindStringSubmatch(t); p[1] == "#" {
				return "#" + r.channelName(p[2])
			}
			return t
		})
	})
}

// channelName returns the name of a channel, or its id while the name is not known.
func (r *Reader) channelName(id string) string {
	c, _ := r.places.Known(id)
	return cmp.Or(c.Name, id)
}
