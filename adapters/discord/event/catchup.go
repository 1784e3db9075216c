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
	maxMissed  = 300 // messages read of one channel
	sweepEvery = time.Minute
	sweepAfter = 10 * time.Minute // of silence a channel is not looked at any more
	maxSwept   = 10               // channels that are looked at every time
	maxLooked  = 50               // guilds whose channels are asked for when events are lost
)

// BeginCatchUp is called when a new session begins: what was posted since the
// newest message seen was missed.
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

// CatchUpGuild looks into the channels of a guild that have newer messages than
// were seen.
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

// Regain is called when the gateway has lost events in the middle of a
// session: whatever was written lately is read over the API.
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
				q.log.WarnContext(ctx, "discord guild not looked into after events were lost", "team", g, "err", err)
			}
		}
	})
}

// lookInto reads those channels of a guild whose newest message is after from.
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

// sweep looks, while people talk to the bot somewhere, whether a message came
// there that the gateway did not tell of: nothing else shows the loss of a
// session's last event. up are the shards that are connected.
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

// catchUp reads what was missed in a channel, oldest first, and brings it to the
// bot, which knows what it has already had. Where it begins was settled when the
// session began: by now another may have, with other channels far ahead of this one.
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
