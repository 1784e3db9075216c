package discord

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"maru/bot"
)

const (
	maxMissed  = 300 // messages read of one channel
	pageSize   = 100
	sweepEvery = time.Minute
	sweepAfter = 10 * time.Minute // of silence a channel is not looked at any more
	maxSwept   = 10               // channels that are looked at every time
	maxLooked  = 50               // guilds whose channels are asked for when events are lost
)

// beginCatchUp is called when a new session begins: what was posted since the
// newest message seen was missed.
func (a *Adapter) beginCatchUp(shard int) {
	if !a.tracks.begin(shard, a.cfg.Now(), a.cfg.CatchUp) {
		return
	}
	for _, e := range a.tracks.talked(shard, time.Time{}) {
		e.id, e.since = "", a.tracks.since(e.channel, e.guild)
		a.push(e)
		e.kind = eventRecheck
		a.push(e)
	}
}

// catchUpGuild looks into the channels of a guild that have newer messages than
// were seen.
func (a *Adapter) catchUpGuild(g guild) {
	n := 0
	for _, c := range append(slices.Clip(g.Threads), g.Channels...) {
		from := a.tracks.since(c.ID, g.ID)
		if from == "" || idNumber(c.LastMessageID) <= idNumber(from) || n == maxPlaces {
			continue
		}
		n++
		a.push(event{kind: eventMissed, channel: c.ID, guild: g.ID, since: from})
	}
}

// regain is called when the gateway has lost events in the middle of a
// session: whatever was written lately is read over the API.
func (a *Adapter) regain(ctx context.Context, shard int) {
	from := strconv.FormatUint(snowflake(a.cfg.Now().Add(-sweepEvery)), 10)
	for _, e := range a.tracks.talked(shard, time.Time{}) {
		e.id = from
		a.push(e)
	}
	a.spawn(ctx, func(ctx context.Context) {
		for n, g := range a.places.guildIDs() {
			if n == maxLooked {
				return
			}
			if err := a.lookInto(ctx, g, from); err != nil {
				a.log.WarnContext(ctx, "discord guild not looked into after events were lost", "team", g, "err", err)
			}
		}
	})
}

// lookInto reads those channels of a guild whose newest message is after from.
func (a *Adapter) lookInto(ctx context.Context, guild, from string) error {
	var channels []channel
	err := a.rest.do(ctx, call{
		method: http.MethodGet, path: "/guilds/" + guild + "/channels", bucket: "guild channels/" + guild,
		out: &channels, again: true, urgent: true,
	})
	if err != nil {
		return err
	}
	n := 0
	for _, c := range channels {
		if idNumber(c.LastMessageID) > idNumber(from) && n < maxPlaces {
			n++
			a.push(event{kind: eventMissed, channel: c.ID, guild: guild, id: from})
		}
	}
	return nil
}

// sweep looks, while people talk to the bot somewhere, whether a message came
// there that the gateway did not tell of: nothing else shows the loss of a
// session's last event.
func (a *Adapter) sweep(ctx context.Context) {
	for a.cfg.Wait(ctx, sweepEvery) == nil {
		for _, shard := range a.links.up() {
			for n, e := range a.tracks.talked(shard, a.cfg.Now().Add(-sweepAfter)) {
				if n < maxSwept && e.id != "" {
					e.id = strconv.FormatUint(idNumber(e.id)+1, 10)
					a.push(e)
				}
			}
		}
	}
}

// catchUp reads what was missed in a channel, oldest first, and brings it to the
// bot, which knows what it has already had. Where it begins was settled when the
// session began: by now another may have, with other channels far ahead of this one.
func (a *Adapter) catchUp(ctx context.Context, in bot.Intake, e event) error {
	after := a.tracks.newer(e.channel, e.since)
	if n := idNumber(e.id); n > 0 { // from this message on
		after = strconv.FormatUint(n-1, 10)
	}
	if after == "" {
		return nil
	}
	for n := 0; n < maxMissed; {
		page, err := a.messages(ctx, e.channel, url.Values{"after": {after}, "limit": {strconv.Itoa(pageSize)}})
		if err != nil {
			return err
		}
		for i := range page {
			m := &page[i]
			m.GuildID = first(m.GuildID, e.guild)
			create := event{kind: eventCreate, channel: e.channel, guild: m.GuildID, id: m.ID, message: m, caught: true}
			if err := a.deliver(ctx, in, create); err != nil {
				return err
			}
			after = m.ID
		}
		n += len(page)
		if len(page) < pageSize {
			return nil
		}
	}
	a.log.WarnContext(ctx, "discord channel has more missed messages than are read", "channel", e.channel, "read", maxMissed)
	return nil
}

// messages reads one page of a channel, oldest first.
func (a *Adapter) messages(ctx context.Context, channel string, q url.Values) ([]message, error) {
	var page []message
	err := a.rest.do(ctx, call{
		method: http.MethodGet, path: "/channels/" + channel + "/messages?" + q.Encode(),
		bucket: "messages/" + channel, out: &page, again: true, urgent: true,
	})
	slices.SortFunc(page, func(x, y message) int { return compareIDs(x.ID, y.ID) })
	return page, err
}

// compareIDs orders ids by the time at which they were made.
func compareIDs(x, y string) int { return cmp.Compare(idNumber(x), idNumber(y)) }
