package event

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"maru/adapters/discord/place"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

const (
	maxMissed  = 300 // messages read per channel
	sweepEvery = time.Minute
	sweepAfter = 10 * time.Minute // channels that are silent for longer are not swept
	maxSwept   = 10               // channels per sweep
	maxLooked  = 50               // guilds that are checked after lost events
)

// BeginCatchUp starts catching up at the beginning of a new session: messages after the
// newest one seen were missed.
func (q *Queue) BeginCatchUp(shard int) {
	if !q.tracks.begin(shard, q.now(), q.reach) {
		return
	}
	for _, e := range q.tracks.talked(shard, time.Time{}) {
		e.ID, e.since = "", q.tracks.since(e.Channel, e.Guild)
		q.Push(e)
		e.Kind = Recheck
		q.Push(e)
	}
}

// CatchUpGuild catches up the channels of a guild whose newest message was not seen.
func (q *Queue) CatchUpGuild(g wire.Guild) {
	n := 0
	for _, c := range append(slices.Clip(g.Threads), g.Channels...) {
		from := q.tracks.since(c.ID, g.ID)
		if from == "" || wire.IDNumber(c.LastMessageID) <= wire.IDNumber(from) || n == maxPlaces {
			continue
		}
		n++
		q.Push(Event{Kind: Missed, Channel: c.ID, Guild: g.ID, since: from})
	}
}

// Regain reads recent messages over the API after the gateway has lost events in the
// middle of a session.
func (q *Queue) Regain(ctx context.Context, shard int) {
	from := strconv.FormatUint(wire.Snowflake(q.now().Add(-sweepEvery)), 10)
	for _, e := range q.tracks.talked(shard, time.Time{}) {
		e.ID = from
		q.Push(e)
	}
	q.tasks.Spawn(ctx, func(ctx context.Context) {
		for n, g := range q.places.GuildIDs() {
			if n == maxLooked {
				return
			}
			if err := q.lookInto(ctx, g, from); err != nil {
				q.log.WarnContext(ctx, "discord guild not checked for lost events", "team", g, "err", err)
			}
		}
	})
}

// lookInto reads the channels of a guild whose newest message is after from.
func (q *Queue) lookInto(ctx context.Context, guild, from string) error {
	var channels []wire.Channel
	err := q.api.Do(ctx, rest.Call{
		Method: http.MethodGet, Path: "/guilds/" + guild + "/channels", Bucket: "guild channels/" + guild,
		Out: &channels, Again: true, Urgent: true,
	})
	if err != nil {
		return err
	}
	n := 0
	for _, c := range channels {
		if wire.IDNumber(c.LastMessageID) > wire.IDNumber(from) && n < maxPlaces {
			n++
			q.Push(Event{Kind: Missed, Channel: c.ID, Guild: guild, ID: from})
		}
	}
	return nil
}

// sweep checks active channels for messages that the gateway did not deliver: nothing
// else shows the loss of a session's last event. up returns the connected shards.
func (q *Queue) sweep(ctx context.Context, up func() []int) {
	for q.wait(ctx, sweepEvery) == nil {
		for _, shard := range up() {
			for n, e := range q.tracks.talked(shard, q.now().Add(-sweepAfter)) {
				if n < maxSwept && e.ID != "" {
					e.ID = strconv.FormatUint(wire.IDNumber(e.ID)+1, 10)
					q.Push(e)
				}
			}
		}
	}
}

// catchUp reads a channel's missed messages, oldest first, and hands them to the bot,
// which recognizes those that it already has. The start was fixed when the session
// began: other channels may be far ahead of this one by now.
func (q *Queue) catchUp(ctx context.Context, in bot.Intake, e Event) error {
	after := q.tracks.newer(e.Channel, e.since)
	if n := wire.IDNumber(e.ID); n > 0 { // from this message on
		after = strconv.FormatUint(n-1, 10)
	}
	if after == "" {
		return nil
	}
	for n := 0; n < maxMissed; {
		page, err := q.places.Messages(ctx, e.Channel, url.Values{"after": {after}, "limit": {strconv.Itoa(place.PageSize)}})
		if err != nil {
			return err
		}
		for i := range page {
			m := &page[i]
			m.GuildID = cmp.Or(m.GuildID, e.Guild)
			create := Event{Kind: Create, Channel: e.Channel, Guild: m.GuildID, ID: m.ID, Message: m, caught: true}
			if err := q.deliver(ctx, in, create); err != nil {
				return err
			}
			after = m.ID
		}
		n += len(page)
		if len(page) < place.PageSize {
			return nil
		}
	}
	q.log.WarnContext(ctx, "discord channel has more missed messages than are read", "channel", e.Channel, "read", maxMissed)
	return nil
}
