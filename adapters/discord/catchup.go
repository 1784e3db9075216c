package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"maru/bot"
)

const (
	saveEvery  = 2 * time.Second // how often it is written down what was seen
	maxPlaces  = 200             // channels that are looked at again after downtime
	maxMissed  = 300             // messages read of one channel
	pageSize   = 100
	overlap    = 5 * time.Second // ids of several channels come a little out of order
	noteSeen   = "seen"
	notePlaces = "places"
)

// tracks remembers what was seen: the newest message of each channel, the id
// below which everything was brought to the bot, and the channels where it is
// talked to. Message ids count time over all of Discord, so one id is enough to
// know after a restart what was missed.
type tracks struct {
	mu     sync.Mutex
	newest *lru[string]  // by channel: newest message brought to the bot
	active *lru[tracked] // channels where the bot is talked to
	top    string        // newest id of all
	begun  string        // top when the session began
	from   string        // catch up from here; "" when there is nothing to catch up
	loaded bool
	dirty  bool
}

type tracked struct {
	Channel string `json:"c"`
	Guild   string `json:"g,omitempty"`
}

func newTracks() *tracks {
	return &tracks{newest: newLRU[string](maxChannels), active: newLRU[tracked](maxPlaces)}
}

// saw notes that a message was brought to the bot.
func (t *tracks) saw(channel, guild, id string, talked bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, _ := t.newest.get(channel); idNumber(id) > idNumber(old) {
		t.newest.put(channel, id)
	}
	if idNumber(id) > idNumber(t.top) {
		t.top, t.dirty = id, true
	}
	if talked {
		t.active.put(channel, tracked{Channel: channel, Guild: guild})
		t.dirty = true
	}
}

// since is the id after which a channel's messages may have been missed, "" if
// none were.
func (t *tracks) since(channel string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.from == "" {
		return ""
	}
	newest, _ := t.newest.get(channel)
	if idNumber(newest) > idNumber(t.from) {
		return newest
	}
	return t.from
}

// loadTracks reads what an earlier process had seen.
func (a *Adapter) loadTracks(ctx context.Context) error {
	seen, err := a.note(ctx, noteSeen)
	if err != nil {
		return err
	}
	raw, err := a.note(ctx, notePlaces)
	if err != nil {
		return err
	}
	var list []tracked
	if raw != "" {
		if err := json.Unmarshal([]byte(raw), &list); err != nil {
			a.log.WarnContext(ctx, "discord note not understood", "note", notePlaces, "err", err)
		}
	}
	t := a.tracks
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.loaded {
		return nil
	}
	t.loaded = true
	t.top = seen
	for _, p := range slices.Backward(list) {
		t.active.put(p.Channel, p)
	}
	return nil
}

// beginCatchUp is called when a new session begins: what was posted since the
// newest message seen was missed.
func (a *Adapter) beginCatchUp() {
	t := a.tracks
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.top == "" { // never ran before: nothing was missed
		t.from = ""
		t.top = strconv.FormatUint(snowflake(a.cfg.Now()), 10)
		t.begun, t.dirty = t.top, true
		return
	}
	t.begun = t.top
	from := idNumber(t.top) - min(idNumber(t.top), uint64(overlap.Milliseconds())<<22) //nolint:gosec // G115: a positive constant
	from = max(from, snowflake(a.cfg.Now().Add(-a.cfg.CatchUp)))
	t.from = strconv.FormatUint(from, 10)
	for _, id := range t.active.keys() {
		p, _ := t.active.get(id)
		a.lanes.push(event{kind: eventMissed, channel: p.Channel, guild: p.Guild})
	}
}

// catchUpGuild looks into the channels of a guild that have newer messages than
// were seen.
func (a *Adapter) catchUpGuild(g guild) {
	n := 0
	for _, c := range append(slices.Clip(g.Threads), g.Channels...) {
		from := a.tracks.since(c.ID)
		if from == "" || idNumber(c.LastMessageID) <= idNumber(from) || n == maxPlaces {
			continue
		}
		n++
		a.lanes.push(event{kind: eventMissed, channel: c.ID, guild: g.ID})
	}
}

// catchUp reads what was missed in a channel, oldest first, and brings it to the
// bot, which knows what it has already had.
func (a *Adapter) catchUp(ctx context.Context, in bot.Intake, e event) error {
	after := a.tracks.since(e.channel)
	if n := idNumber(e.id); n > 0 { // the lane was full: from this message on
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
			if err := a.deliver(ctx, in, event{kind: eventCreate, channel: e.channel, guild: m.GuildID, id: m.ID, message: m}); err != nil {
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
	slices.SortFunc(page, func(x, y message) int { return cmp.Compare(idNumber(x.ID), idNumber(y.ID)) })
	return page, err
}

// keepTracks writes down what was seen, every now and then.
func (a *Adapter) keepTracks(ctx context.Context) {
	for a.cfg.Wait(ctx, saveEvery) == nil {
		if a.lanes.idle() { // else something older may not be committed yet
			a.saveTracks(ctx)
		}
	}
}

// lastTracks writes down what was seen when the lanes have stopped. If they
// left something behind, it is what had been seen when the session began: what
// is read again then is known to the inbox.
func (a *Adapter) lastTracks(ctx context.Context) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if !a.lanes.idle() {
		t := a.tracks
		t.mu.Lock()
		t.top, t.dirty = t.begun, t.begun != ""
		t.mu.Unlock()
	}
	a.saveTracks(end)
}

func (a *Adapter) saveTracks(ctx context.Context) {
	t := a.tracks
	t.mu.Lock()
	if !t.dirty || !t.loaded {
		t.mu.Unlock()
		return
	}
	t.dirty = false
	top := t.top
	list := make([]tracked, 0, maxPlaces)
	for _, id := range t.active.keys() {
		p, _ := t.active.get(id)
		list = append(list, p)
	}
	t.mu.Unlock()
	raw, err := json.Marshal(list)
	if err == nil {
		err = a.setNote(ctx, notePlaces, string(raw))
	}
	if err == nil {
		err = a.setNote(ctx, noteSeen, top)
	}
	if err != nil {
		t.mu.Lock()
		t.dirty = true
		t.mu.Unlock()
		a.log.WarnContext(ctx, "discord position not written down", "err", err)
	}
}
