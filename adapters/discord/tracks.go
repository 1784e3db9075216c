package discord

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	saveEvery  = 2 * time.Second // how often it is written down what was seen
	maxPlaces  = 200             // channels that are looked at again after downtime
	overlap    = 5 * time.Second // ids of several channels come a little out of order
	noteSeen   = "seen"
	notePlaces = "places"
)

// tracks remembers what was seen: the newest message of each channel, for each
// shard the id below which everything was brought to the bot, and the channels
// where it is talked to. Message ids count time over all of Discord, so one id a
// shard is enough to know after a restart what was missed.
type tracks struct {
	mu     sync.Mutex
	newest *lru[string]  // by channel: newest message brought to the bot
	active *lru[tracked] // channels where the bot is talked to
	shards []position
	noted  seen // by an earlier process
	loaded bool
	dirty  bool
}

// position is how far a shard has come.
type position struct {
	top   string // newest id of all
	begun string // top when the session began
	from  string // catch up from here; "" when there is nothing to catch up
}

// tracked is a channel where the bot is talked to.
type tracked struct {
	Channel string    `json:"c"`
	Guild   string    `json:"g,omitempty"`
	at      time.Time // when last; zero for one of an earlier process
}

// seen is the note of how far the shards have come.
type seen struct {
	Top []string `json:"top"` // by shard
}

func newTracks() *tracks {
	return &tracks{newest: newLRU[string](maxChannels), active: newLRU[tracked](maxPlaces), shards: make([]position, 1)}
}

// shardOf returns the shard that tells of a guild. Direct messages, which have
// none, come over the first.
func shardOf(guild string, shards int) int {
	return int(idNumber(guild) >> 22 % uint64(shards)) //nolint:gosec // G115: there are few shards
}

// divide sets how many shards there are. When there were others, each begins
// where the least of them was.
func (t *tracks) divide(shards int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tops := t.noted.Top
	if len(t.shards) == shards && t.shards[0].top != "" {
		return
	}
	if t.shards[0].top != "" {
		tops = nil
		for _, p := range t.shards {
			tops = append(tops, p.top)
		}
	}
	t.shards = make([]position, shards)
	for i := range t.shards {
		switch {
		case len(tops) == shards:
			t.shards[i].top = tops[i]
		case len(tops) > 0:
			t.shards[i].top = slices.MinFunc(tops, compareIDs)
		}
	}
}

// saw notes that a message was brought to the bot.
func (t *tracks) saw(e event, talked bool, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, _ := t.newest.get(e.channel); idNumber(e.id) > idNumber(old) {
		t.newest.put(e.channel, e.id)
	}
	p := &t.shards[shardOf(e.guild, len(t.shards))]
	if idNumber(e.id) > idNumber(p.top) {
		p.top, t.dirty = e.id, true
	}
	if talked {
		t.active.put(e.channel, tracked{Channel: e.channel, Guild: e.guild, at: now})
		t.dirty = true
	}
}

// since is the id after which a channel's messages may have been missed, "" if
// none were.
func (t *tracks) since(channel, guild string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := t.shards[shardOf(guild, len(t.shards))].from
	if from == "" {
		return ""
	}
	newest, _ := t.newest.get(channel)
	if idNumber(newest) > idNumber(from) {
		return newest
	}
	return from
}

// talked returns a shard's channels where the bot was talked to after at, the
// newest first, each with the newest message seen there.
func (t *tracks) talked(shard int, at time.Time) []event {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []event
	for _, id := range t.active.keys() {
		p, _ := t.active.peek(id)
		if shardOf(p.Guild, len(t.shards)) == shard && !p.at.Before(at) {
			newest, _ := t.newest.peek(id)
			out = append(out, event{kind: eventMissed, channel: p.Channel, guild: p.Guild, id: newest})
		}
	}
	return out
}

// begin is called when a shard begins a new session. ok is false when nothing
// can have been missed, because the bot never ran before.
func (t *tracks) begin(shard int, now time.Time, reach time.Duration) (ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &t.shards[shard]
	if p.top == "" {
		p.top = strconv.FormatUint(snowflake(now), 10)
		p.begun, p.from, t.dirty = p.top, "", true
		return false
	}
	p.begun = p.top
	p.from = strconv.FormatUint(max(before(idNumber(p.top), overlap), snowflake(now.Add(-reach))), 10)
	return true
}

// before is the smallest id that was made d before id.
func before(id uint64, d time.Duration) uint64 {
	return id - min(id, uint64(d.Milliseconds())<<22) //nolint:gosec // G115: not negative
}

// rewind undoes what was seen since the sessions began.
func (t *tracks) rewind() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.shards {
		if p := &t.shards[i]; p.begun != "" {
			p.top, t.dirty = p.begun, true
		}
	}
}

// changes returns what is to be written down; ok is false when nothing is.
func (t *tracks) changes() (s seen, places []tracked, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.dirty || !t.loaded {
		return seen{}, nil, false
	}
	t.dirty = false
	for _, p := range t.shards {
		s.Top = append(s.Top, p.top)
	}
	for _, id := range t.active.keys() {
		p, _ := t.active.peek(id)
		places = append(places, p)
	}
	return s, places, true
}

func (t *tracks) load(s seen, places []tracked) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.loaded {
		return
	}
	t.loaded, t.noted = true, s
	for _, p := range slices.Backward(places) {
		t.active.put(p.Channel, p)
	}
}

// loadTracks reads what an earlier process had seen.
func (a *Adapter) loadTracks(ctx context.Context) error {
	rawSeen, err := a.note(ctx, noteSeen)
	if err != nil {
		return err
	}
	rawPlaces, err := a.note(ctx, notePlaces)
	if err != nil {
		return err
	}
	var s seen
	if idNumber(rawSeen) > 0 { // as versions before sharding wrote it
		s.Top = []string{rawSeen}
	} else if rawSeen != "" && json.Unmarshal([]byte(rawSeen), &s) != nil {
		a.log.WarnContext(ctx, "discord note not understood", "note", noteSeen)
	}
	var places []tracked
	if rawPlaces != "" && json.Unmarshal([]byte(rawPlaces), &places) != nil {
		a.log.WarnContext(ctx, "discord note not understood", "note", notePlaces)
	}
	a.tracks.load(s, places)
	return nil
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
		a.tracks.rewind()
	}
	a.saveTracks(end)
}

func (a *Adapter) saveTracks(ctx context.Context) {
	s, places, ok := a.tracks.changes()
	if !ok {
		return
	}
	raw, err := json.Marshal(places)
	if err == nil {
		err = a.setNote(ctx, notePlaces, string(raw))
	}
	if err == nil {
		raw, err = json.Marshal(s)
	}
	if err == nil {
		err = a.setNote(ctx, noteSeen, string(raw))
	}
	if err != nil {
		a.tracks.mu.Lock()
		a.tracks.dirty = true
		a.tracks.mu.Unlock()
		a.log.WarnContext(ctx, "discord position not written down", "err", err)
	}
}
