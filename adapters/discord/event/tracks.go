package event

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"maru/adapters/discord/cache"
	"maru/adapters/discord/wire"
)

const (
	saveEvery  = 2 * time.Second // how often it is written down what was seen
	maxPlaces  = 200             // channels that are looked at again after downtime
	maxNewest  = 8192            // channels whose newest message is remembered
	overlap    = 5 * time.Second // ids of several channels come a little out of order
	noteSeen   = "seen"
	notePlaces = "places"
)

// clocksDiffer is how far our clock may go before the one that Discord makes ids by: an id of ours
// that were later than those of what is said next would hide it from who looks for what was missed.
const clocksDiffer = 10 * time.Minute

// tracks remembers what was seen: the newest message of each channel, for each
// shard the id below which everything was brought to the bot, and the channels
// where it is talked to. Message ids count time over all of Discord, so one id a
// shard is enough to know after a restart what was missed.
type tracks struct {
	writing sync.Mutex // one change of the notes at a time

	mu     sync.Mutex
	newest *lru.Cache[string, string]  // by channel: newest message brought to the bot
	active *lru.Cache[string, tracked] // channels where the bot is talked to
	shards []position
	noted  seen // by an earlier process, or another replica
	moved  bool // active has changed since it was written down
}

// position is how far a shard has come.
type position struct {
	top   string // newest id below which everything was told or is read
	begun string // top when the session began
	ready string // the session began here
	from  string // catch up from here; "" when there is nothing to catch up
	dirty bool   // it has changed since it was written down
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
	return &tracks{newest: cache.New[string](maxNewest), active: cache.New[tracked](maxPlaces), shards: make([]position, 1)}
}

// shardOf returns the shard that tells of a guild. Direct messages, which have
// none, come over the first.
func shardOf(guild string, shards int) int {
	return int(wire.IDNumber(guild) >> 22 % uint64(shards)) //nolint:gosec // G115: there are few shards
}

// divide sets how many shards there are.
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

// adopt takes over what was written down of a shard that this process owns from
// now on, and the places where the bot is talked to. When there were more or
// fewer shards, it begins where the least of them was. known is false when
// nothing was written down.
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
		if _, known := t.active.Peek(place.Channel); !known {
			t.active.Add(place.Channel, place)
		}
	}
	return p.top != ""
}

// saw notes that a message was brought to the bot.
func (t *tracks) saw(e Event, talked bool, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, _ := t.newest.Get(e.Channel); wire.IDNumber(e.ID) > wire.IDNumber(old) {
		t.newest.Add(e.Channel, e.ID)
	}
	p := &t.shards[shardOf(e.Guild, len(t.shards))]
	top := e.ID
	if e.caught && wire.IDNumber(p.ready) < wire.IDNumber(top) {
		top = p.ready // what other channels have after it the gateway may not have told
	}
	if wire.IDNumber(top) > wire.IDNumber(p.top) {
		p.top, p.dirty = top, true
	}
	if talked {
		t.active.Add(e.Channel, tracked{Channel: e.Channel, Guild: e.Guild, at: now})
		t.moved = true
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
	return t.newerThan(channel, from)
}

// newer returns the newest message of a channel that was brought to the bot, or
// since, if that is newer or "".
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

// talked returns a shard's channels where the bot was talked to after at, the
// newest first, each with the newest message seen there.
func (t *tracks) talked(shard int, at time.Time) []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Event
	for _, id := range slices.Backward(t.active.Keys()) {
		p, _ := t.active.Peek(id)
		if shardOf(p.Guild, len(t.shards)) == shard && !p.at.Before(at) {
			newest, _ := t.newest.Peek(id)
			out = append(out, Event{Kind: Missed, Channel: p.Channel, Guild: p.Guild, ID: newest})
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
	p.ready = strconv.FormatUint(wire.Snowflake(now.Add(-clocksDiffer)), 10)
	if p.top == "" {
		p.top = p.ready
		p.begun, p.from, p.dirty = p.top, "", true
		return false
	}
	p.begun = p.top
	p.from = strconv.FormatUint(max(before(wire.IDNumber(p.top), overlap), wire.Snowflake(now.Add(-reach))), 10)
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
			p.top, p.dirty = p.begun, true
		}
	}
}

// changes returns what is to be written down: the tops of the shards that have
// moved on, by their number, and the places, nil if they are the same.
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
		for _, id := range slices.Backward(t.active.Keys()) {
			p, _ := t.active.Peek(id)
			places = append(places, p)
		}
	}
	return tops, places
}

// failed takes back that something was written down.
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

// notedTracks reads what was written down.
func (q *Queue) notedTracks(ctx context.Context) (s seen, places []tracked, err error) {
	rawSeen, err := q.notes.Note(ctx, noteSeen)
	if err != nil {
		return seen{}, nil, err
	}
	rawPlaces, err := q.notes.Note(ctx, notePlaces)
	if err != nil {
		return seen{}, nil, err
	}
	if wire.IDNumber(rawSeen) > 0 { // as versions before sharding wrote it
		s.Top = []string{rawSeen}
	} else if rawSeen != "" && json.Unmarshal([]byte(rawSeen), &s) != nil {
		q.log.WarnContext(ctx, "discord note not understood", "note", noteSeen)
	}
	if rawPlaces != "" && json.Unmarshal([]byte(rawPlaces), &places) != nil {
		q.log.WarnContext(ctx, "discord note not understood", "note", notePlaces)
	}
	return s, places, nil
}

// Adopt reads what an earlier process, or the shard's owner before, had seen. If
// there was none, it writes down that the shard begins now: a process that dies
// before it first writes how far it came has missed what follows, and whoever
// comes next must not take itself for the first.
func (q *Queue) Adopt(ctx context.Context, shard int) error {
	q.tracks.writing.Lock()
	defer q.tracks.writing.Unlock()
	s, places, err := q.notedTracks(ctx)
	if err != nil || q.tracks.adopt(shard, s, places) {
		return err
	}
	now := strconv.FormatUint(wire.Snowflake(q.now().Add(-clocksDiffer)), 10)
	return q.setJSON(ctx, noteSeen, s.with(map[int]string{shard: now}, q.tracks.count()))
}

// keepTracks writes down what was seen, every now and then.
func (q *Queue) keepTracks(ctx context.Context) {
	for q.wait(ctx, saveEvery) == nil {
		if q.lanes.Idle() { // else something older may not be committed yet
			q.saveTracks(ctx)
		}
	}
}

// Close writes down what was seen when the lanes have stopped. If they
// left something behind, it is what had been seen when the session began: what
// is read again then is known to the inbox.
func (q *Queue) Close(ctx context.Context) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if !q.lanes.Idle() {
		q.tracks.rewind()
	}
	q.saveTracks(end)
}

// saveTracks writes down what has changed. What other replicas have written of
// their shards stays.
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
		q.log.WarnContext(ctx, "discord position not written down", "err", err)
	}
}

// with puts some shards' tops into a note.
func (s seen) with(tops map[int]string, shards int) seen {
	out := seen{Top: make([]string, shards)}
	switch {
	case len(s.Top) == shards:
		copy(out.Top, s.Top)
	case len(s.Top) > 0: // there were more or fewer
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

// merge adds those of others' places that are not among own.
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
