package event

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"maru/adapters/discord/place"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

const (
	recheckReach = 24 * time.Hour // older messages are not rechecked
	maxRechecked = 50             // messages per place
	recheckPages = 3              // per channel
)

// recheck finds edits and deletions that happened while the bot was away, by reading
// the remembered messages of a place again: Discord reports each only once.
func (q *Queue) recheck(ctx context.Context, in bot.Intake, e Event) error {
	holder, ok := in.(bot.Rememberer)
	away := q.tracks.away(e.Guild)
	if !ok || away.IsZero() {
		return nil
	}
	t, _, err := q.places.Conversation(ctx, e.Channel, e.Guild)
	if err != nil {
		return err
	}
	held, err := holder.Remembered(ctx, t, q.now().Add(-recheckReach), maxRechecked)
	if err != nil {
		return err
	}
	where := map[string][]bot.Message{} // by channel
	for _, m := range held {
		if wire.IDNumber(m.ID) > 0 && wire.IDTime(m.ID).Before(away.Add(2*overlap)) { // later ones were just read
			c := q.places.Where(m.Thread, m.ID)
			where[c] = append(where[c], m)
		}
	}
	for c, list := range where {
		if err := q.compare(ctx, in, Event{Channel: c, Guild: e.Guild}, list, away); err != nil {
			return err
		}
	}
	return nil
}

// compare reads a channel and hands the bot every edit and deletion of the held
// messages since it was away.
func (q *Queue) compare(ctx context.Context, in bot.Intake, at Event, held []bot.Message, away time.Time) error {
	there, upTo, err := q.standing(ctx, at.Channel, held)
	if err != nil {
		return err
	}
	for _, h := range held {
		e := Event{Channel: at.Channel, Guild: at.Guild, ID: h.ID}
		m := there[h.ID]
		switch {
		case m != nil && m.Edited != nil && m.Edited.After(away.Add(-overlap)):
			m.GuildID = cmp.Or(m.GuildID, at.Guild)
			e.Kind, e.Message = Update, m
		case m == nil && wire.IDNumber(h.ID) <= upTo:
			gone, err := q.isGone(ctx, at.Channel, h.ID)
			if err != nil {
				return err
			}
			if !gone {
				continue
			}
			e.Kind = Delete
		default:
			continue
		}
		if err := q.deliver(ctx, in, e); err != nil {
			return err
		}
	}
	return nil
}

// standing reads a channel's messages from the oldest held one on. It also returns the
// ID up to which it has read all of them.
func (q *Queue) standing(ctx context.Context, channel string, held []bot.Message) (map[string]*wire.Message, uint64, error) {
	from, to := wire.IDNumber(held[0].ID), uint64(0)
	for _, h := range held {
		from, to = min(from, wire.IDNumber(h.ID)), max(to, wire.IDNumber(h.ID))
	}
	there, after := map[string]*wire.Message{}, from-1
	for range recheckPages {
		page, err := q.places.Messages(ctx, channel, url.Values{"after": {strconv.FormatUint(after, 10)}, "limit": {strconv.Itoa(place.PageSize)}})
		if rest.StatusOf(err) == http.StatusNotFound || rest.StatusOf(err) == http.StatusForbidden {
			return there, 0, nil // nothing is known about an unreadable channel
		}
		if err != nil {
			return nil, 0, err
		}
		for i := range page {
			there[page[i].ID], after = &page[i], max(after, wire.IDNumber(page[i].ID))
		}
		if len(page) < place.PageSize {
			return there, to, nil
		}
		if after >= to {
			break
		}
	}
	return there, after, nil
}

// isGone reports whether a message was deleted. Discord shows an empty channel to a bot
// without the right to read its history, so absence from a page proves nothing.
func (q *Queue) isGone(ctx context.Context, channel, id string) (bool, error) {
	err := q.api.Do(ctx, rest.Call{
		Method: http.MethodGet, Path: "/channels/" + channel + "/messages/" + id, Bucket: "message/" + channel, Again: true, Urgent: true,
	})
	switch {
	case rest.CodeOf(err) == rest.CodeUnknownMessage:
		return true, nil
	case rest.StatusOf(err) == http.StatusNotFound, rest.StatusOf(err) == http.StatusForbidden:
		return false, nil
	}
	return false, err
}

// away returns the time since which a shard's events may have been missed, zero if none were.
func (t *tracks) away(guild string) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.shards[shardOf(guild, len(t.shards))]; p.from != "" {
		return wire.IDTime(p.from)
	}
	return time.Time{}
}
