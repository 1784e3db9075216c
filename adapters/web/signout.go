package web

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"maru/bot/shared"
)

const (
	// endedNote stores the signed-out sessions across restarts and replicas.
	endedNote = platform + "/signed_out"
	// endedAge is how long a session that ended on another replica may still be accepted
	// here.
	endedAge = time.Second
	// endedTime bounds a read of the note: the record may be down.
	endedTime = 2 * time.Second
	// maxEnded bounds the list. Beyond it, the oldest sessions are ended, signed out or not.
	maxEnded = 500
)

// ended lists sessions that were signed out before they expired: otherwise a copy of a cookie
// would stay valid for the rest of its month.
type ended struct {
	Before int64            `json:"before,omitempty"` // sessions issued up to this time are over, in Unix seconds
	IDs    map[string]int64 `json:"ids"`              // time of issue
	// People holds those who signed out everywhere: their sessions issued up to this time, in Unix milliseconds,
	// are over.
	People map[string]int64 `json:"people,omitempty"`
}

func (e *ended) has(s session) bool {
	_, over := e.IDs[s.id]
	at, everywhere := e.People[s.key()]
	return over || s.issued.Unix() <= e.Before || everywhere && s.issued.UnixMilli() <= at
}

// add merges another list.
func (e *ended) add(o ended) {
	e.Before = max(e.Before, o.Before)
	if e.IDs == nil {
		e.IDs = map[string]int64{}
	}
	maps.Copy(e.IDs, o.IDs)
	for who, at := range o.People {
		if e.People == nil {
			e.People = map[string]int64{}
		}
		e.People[who] = max(e.People[who], at)
	}
}

// trim drops expired sessions, with a day for clock skew, and enforces the bound.
func (e *ended) trim(now time.Time) {
	old := now.Add(-sessionAge - 24*time.Hour).Unix()
	maps.DeleteFunc(e.IDs, func(_ string, began int64) bool { return began < old })
	maps.DeleteFunc(e.People, func(_ string, at int64) bool { return at/1000 < old })
	for len(e.People) > maxEnded { // beyond the bound, everybody's sessions of that time are over
		oldest := slices.MinFunc(slices.Collect(maps.Keys(e.People)), func(a, b string) int { return cmp.Compare(e.People[a], e.People[b]) })
		e.Before = max(e.Before, e.People[oldest]/1000)
		delete(e.People, oldest)
	}
	if len(e.IDs) <= maxEnded {
		return
	}
	ids := slices.SortedFunc(maps.Keys(e.IDs), func(a, b string) int { return cmp.Compare(e.IDs[a], e.IDs[b]) })
	for _, id := range ids[:len(ids)-maxEnded] {
		e.Before = max(e.Before, e.IDs[id])
		delete(e.IDs, id)
	}
}

// endings caches the signed-out sessions.
type endings struct {
	mu   sync.Mutex
	read time.Time // time of the last read of the note
	list ended
}

// over reports whether the session was signed out. While the record is down, the cache
// applies.
func (d *door) over(ctx context.Context, s session) bool {
	if !s.person {
		return false // it opened no login
	}
	d.endings.mu.Lock()
	defer d.endings.mu.Unlock()
	if now := d.cfg.Now(); d.endings.read.IsZero() || now.Sub(d.endings.read) > endedAge {
		d.endings.read = now
		if err := d.readEnded(ctx); err != nil {
			d.cfg.Log.WarnContext(ctx, "read ended sessions", "err", err)
		}
	}
	return d.endings.list.has(s)
}

// readEnded merges the note into the cache. The caller holds the lock.
func (d *door) readEnded(ctx context.Context) error {
	// Finish even if this visitor is gone: the next one needs the result too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endedTime)
	defer cancel()
	text, err := d.in.Notes().Note(ctx, endedNote)
	if err != nil {
		return err
	}
	return d.endings.merge(text)
}

// merge adds a note's sessions to the cache.
func (e *endings) merge(text string) error {
	var noted ended
	if text != "" {
		if err := json.Unmarshal([]byte(text), &noted); err != nil {
			return err
		}
	}
	e.list.add(noted)
	return nil
}

// end ends a session, or all sessions of its person: here at once, on other replicas and after restarts once it is
// stored.
func (d *door) end(ctx context.Context, s session, everywhere bool) error {
	if !s.person {
		return nil
	}
	over := ended{IDs: map[string]int64{s.id: s.issued.Unix()}}
	if everywhere {
		over = ended{People: map[string]int64{s.key(): d.cfg.Now().UnixMilli()}}
	}
	d.endings.mu.Lock()
	defer d.endings.mu.Unlock()
	d.endings.list.add(over)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endedTime)
	defer cancel()
	return shared.Amend(ctx, d.in.Notes(), endedNote, func(was string) (string, error) {
		if err := d.endings.merge(was); err != nil {
			return "", err // do not overwrite others' sign-outs
		}
		d.endings.list.trim(d.cfg.Now())
		raw, err := json.Marshal(d.endings.list)
		return string(raw), err
	})
}
