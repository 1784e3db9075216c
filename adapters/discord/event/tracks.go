package event

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"

	"maru/adapters/discord/wire"
	"maru/adapters/lanes/cache"
)

const (
	saveEvery  = 2 * time.Second // how often positions are saved
	maxPlaces  = 200             // active channels that are checked after downtime
	maxNewest  = 8192            // channels whose newest message is stored
	overlap    = 5 * time.Second // IDs of different channels arrive slightly out of order
	noteSeen   = "seen"
	notePlaces = "places"
)

// clockSkew allows for a local clock that runs ahead of Discord's: a synthetic
// snowflake from a fast clock would sort after real messages and hide them from
// catch-up.
const clockSkew = 10 * time.Minute

// tracks records progress: the newest message of each channel, for each shard the ID
// below which everything was handed to the bot, and the channels where people talk to
// it. Message IDs are times across all of Discord, so one ID per shard is enough to
// find missed messages after a restart.
type tracks struct {
	writing sync.Mutex // serializes changes of the notes

	mu     sync.Mutex
	newest *cache.Cache[string, string]  // by channel: newest message handed to the bot
	active *cache.Cache[string, tracked] // channels where the bot is talked to
	shards []position
	noted  seen // by an earlier process, or another replica
	moved  bool // active has changed since it was saved
}

// position is the progress of one shard.
type position struct {
	top   string // newest ID below which everything was received
	begun string // top when the session began
	ready string // the session began here
	from  string // catch up from here; "" when there is nothing to catch up
	dirty bool   // it has changed since it was saved
}

// tracked is a channel where people talk to the bot.
type tracked struct {
	Channel string    `json:"c"`
	Guild   string    `json:"g,omitempty"`
	at      time.Time // last activity; zero if an earlier process saw it
}

// seen is the stored progress of all shards.
type seen struct {
	Top []string `json:"top"` // by shard
}

func newTracks() *tracks {
	return &tracks{newest: cache.New[string, string](maxNewest), active: cache.New[string, tracked](maxPlaces), shards: make([]position, 1)}
}

// shardOf returns the shard that delivers a guild's events. Direct messages belong to
// no guild and come over the first shard.
func shardOf(guild string, shards int) int {
	return int(wire.IDNumber(guild) >> 22 % uint64(shards)) //nolint:gosec // G115: there are few shards
}

// divide sets the number of shards.
func (t *tracks) divide(shards int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.shards) == shards {
		return
	}
	if had := t.tops(); wire.IDNumber(slices.MaxFunc(had, wire.CompareIDs)) > 0 {
		t.noted.Top = had
	}
	t.shards = make([]position, shards)
}

func (t *tracks) tops() []string {
	out := make([]string, len(t.shards))
	for i, p := range t.shards {
		out[i] = p.top
	}
	return out
}

// adopt loads the stored position of a shard that this process now owns, and the active
// channels. If the number of shards has changed, it starts from the lowest stored
// position. known is false without one.
func (t *tracks) adopt(shard int, s seen, places []tracked) (known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(s.Top) == 0 {
		s = t.noted
	}
	p := &t.shards[shard]
	switch {
	case len(s.Top) == len(t.shards):
		p.top = slices.MaxFunc([]string{p.top, s.Top[shard]}, wire.CompareIDs)
	case len(s.Top) > 0 && p.top == "":
		p.top = slices.MinFunc(s.Top, wire.CompareIDs)
	}
	for _, place := range slices.Backward(places) {
		if !t.active.Has(place.Channel) {
			t.active.Add(place.Channel, place)
		}
	}
	return p.top != ""
}

// saw records a message as handed to the bot.
func (t *tracks) saw(e Event, talked bool, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, _ := t.newest.Get(e.Channel); wire.IDNumber(e.ID) > wire.IDNumber(old) {
		t.newest.Add(e.Channel, e.ID)
	}
	p := &t.shards[shardOf(e.Guild, len(t.shards))]
	top := e.ID
	if e.caught && wire.IDNumber(p.ready) < wire.IDNumber(top) {
		top = p.ready // the gateway may not have delivered other channels' messages after it
	}
	if wire.IDNumber(top) > wire.IDNumber(p.top) {
		p.top, p.dirty = top, true
	}
	if talked {
		t.active.Add(e.Channel, tracked{Channel: e.Channel, Guild: e.Guild, at: now})
		t.moved = true
	}
}

// since returns the ID after which messages of a channel may have been missed, or "" if
// none were.
func (t *tracks) since(channel, guild string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := t.shards[shardOf(guild, len(t.shards))].from
	if from == "" {
		return ""
	}
	return t.newerThan(channel, from)
}

// newer returns the newest message of a channel that was handed to the bot, or since if
// that is newer or "".
func (t *tracks) newer(channel, since string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.newerThan(channel, since)
}

func (t *tracks) newerThan(channel, since string) string {
	newest, _ := t.newest.Get(channel)
	if since != "" && wire.IDNumber(newest) > wire.IDNumber(since) {
		return newest
	}
	return since
}

// talked returns a shard's channels with activity after at, most recent first, each
// with its newest message.
func (t *tracks) talked(shard int, at time.Time) []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Event
	for _, p := range t.active.All() {
		if shardOf(p.Guild, len(t.shards)) == shard && !p.at.Before(at) {
			newest, _ := t.newest.Get(p.Channel)
			out = append(out, Event{Kind: Missed, Channel: p.Channel, Guild: p.Guild, ID: newest})
		}
	}
	return out
}

// begin starts a new session of a shard. ok is false if the bot never ran before, so
// that nothing can have been missed.
func (t *tracks) begin(shard int, now time.Time, reach time.Duration) (ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &t.shards[shard]
	p.ready = strconv.FormatUint(wire.Snowflake(now.Add(-clockSkew)), 10)
	if p.top == "" {
		p.top = p.ready
		p.begun, p.from, p.dirty = p.top, "", true
		return false
	}
	p.begun = p.top
	p.from = strconv.FormatUint(max(before(wire.IDNumber(p.top), overlap), wire.Snowflake(now.Add(-reach))), 10)
	return true
}

// before returns the smallest ID that was made d before id.
func before(id uint64, d time.Duration) uint64 {
	return id - min(id, uint64(d.Milliseconds())<<22) //nolint:gosec // G115: not negative
}

// rewind resets positions to where they were when the sessions began.
func (t *tracks) rewind() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.shards {
		if p := &t.shards[i]; p.begun != "" {
			p.top, p.dirty = p.begun, true
		}
	}
}

// changes returns the values to save: the tops that have advanced, by shard, and the active channels, nil if they are
// unchanged.
func (t *tracks) changes() (tops map[int]string, places []tracked) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tops = map[int]string{}
	for i := range t.shards {
		if p := &t.shards[i]; p.dirty {
			tops[i], p.dirty = p.top, false
		}
	}
	if t.moved {
		t.moved = false
		for _, p := range t.active.All() {
			places = append(places, p)
		}
	}
	return tops, places
}

// failed marks what changes returned as unsaved again.
func (t *tracks) failed(tops map[int]string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.moved = true
	for i := range tops {
		if i < len(t.shards) {
			t.shards[i].dirty = true
		}
	}
}

func (t *tracks) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.shards)
}

// notedTracks reads the stored positions and active channels.
func (q *Queue) notedTracks(ctx context.Context) (s seen, places []tracked, err error) {
	rawSeen, err := q.notes.Note(ctx, noteSeen)
	if err != nil {
		return seen{}, nil, err
	}
	rawPlaces, err := q.notes.Note(ctx, notePlaces)
	if err != nil {
		return seen{}, nil, err
	}
	if wire.IDNumber(rawSeen) > 0 { // the format before sharding
		s.Top = []string{rawSeen}
	} else if rawSeen != "" && json.Unmarshal([]byte(rawSeen), &s) != nil {
		q.log.WarnContext(ctx, "discord note not understood", "note", noteSeen)
	}
	if rawPlaces != "" && json.Unmarshal([]byte(rawPlaces), &places) != nil {
		q.log.WarnContext(ctx, "discord note not understood", "note", notePlaces)
	}
	return s, places, nil
}

// Adopt loads the position stored by an earlier owner of the shard. If there is none, it stores that the shard
// starts now: if the process crashes before its first save, its successor must not take itself for the first.
func (q *Queue) Adopt(ctx context.Context, shard int) error {
	q.tracks.writing.Lock()
	defer q.tracks.writing.Unlock()
	s, places, err := q.notedTracks(ctx)
	if err != nil || q.tracks.adopt(shard, s, places) {
		return err
	}
	now := strconv.FormatUint(wire.Snowflake(q.now().Add(-clockSkew)), 10)
	return q.setJSON(ctx, noteSeen, s.with(map[int]string{shard: now}, q.tracks.count()))
}

// keepTracks saves the positions every saveEvery while no event waits.
func (q *Queue) keepTracks(ctx context.Context) {
	for q.wait(ctx, saveEvery) == nil {
		if q.lanes.Idle() { // otherwise an older event may not be committed yet
			q.saveTracks(ctx)
		}
	}
}

// Close saves the positions after the lanes have stopped. If events are left, it saves
// the positions from the start of the session; the inbox knows the messages that are
// then read again.
func (q *Queue) Close(ctx context.Context) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if !q.lanes.Idle() {
		q.tracks.rewind()
	}
	q.saveTracks(end)
}

// saveTracks saves what has changed and keeps what other replicas have stored of their
// shards.
func (q *Queue) saveTracks(ctx context.Context) {
	q.tracks.writing.Lock()
	defer q.tracks.writing.Unlock()
	tops, places := q.tracks.changes()
	if len(tops) == 0 && places == nil {
		return
	}
	s, others, err := q.notedTracks(ctx)
	if err == nil && places != nil {
		err = q.setJSON(ctx, notePlaces, merge(places, others))
	}
	if err == nil && len(tops) > 0 {
		err = q.setJSON(ctx, noteSeen, s.with(tops, q.tracks.count()))
	}
	if err != nil {
		q.tracks.failed(tops)
		q.log.WarnContext(ctx, "store discord position", "err", err)
	}
}

// with returns the stored progress with some shards' tops replaced.
func (s seen) with(tops map[int]string, shards int) seen {
	out := seen{Top: make([]string, shards)}
	switch {
	case len(s.Top) == shards:
		copy(out.Top, s.Top)
	case len(s.Top) > 0: // the number of shards has changed
		for i := range out.Top {
			out.Top[i] = slices.MinFunc(s.Top, wire.CompareIDs)
		}
	}
	for i, top := range tops {
		if i < shards {
			out.Top[i] = top
		}
	}
	return out
}

// merge adds others' channels that are not among own.
func merge(own, others []tracked) []tracked {
	for _, o := range others {
		if len(own) < maxPlaces && !slices.ContainsFunc(own, func(p tracked) bool { return p.Channel == o.Channel }) {
			own = append(own, o)
		}
	}
	return own
}

func (q *Queue) setJSON(ctx context.Context, key string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return q.notes.SetNote(ctx, key, string(raw))
}
