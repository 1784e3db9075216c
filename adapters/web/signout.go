package web

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// endedNote is where the sessions that people signed out of are kept: over a
	// restart, and for every replica. Two that end in the same moment on two replicas
	// may be noted as one alone; each is over where its person signed out all the same.
	endedNote = platform + "/signed_out"
	// endedAge is how long a session that ended on another replica may be let in here.
	endedAge = time.Second
	// endedTime bounds a look at the note: the record may be away.
	endedTime = 2 * time.Second
	// maxEnded bounds the list. With more, the sessions that began first are over
	// whether somebody signed out of them or not.
	maxEnded = 500
)

// ended are the sessions that are over before their time. A cookie says nothing of
// that: a copy of it would be good for the rest of its month.
type ended struct {
	Before int64            `json:"before,omitempty"` // what began up to then is over, in Unix seconds
	IDs    map[string]int64 `json:"ids"`              // when each began
}

func (e *ended) has(s session) bool {
	_, over := e.IDs[s.id]
	return over || s.issued.Unix() <= e.Before
}

// add takes over what another list knows.
func (e *ended) add(o ended) {
	e.Before = max(e.Before, o.Before)
	maps.Copy(e.IDs, o.IDs)
}

// trim drops what is over by its age, with a day for clocks that differ, and keeps
// to the bound.
func (e *ended) trim(now time.Time) {
	old := now.Add(-sessionAge - 24*time.Hour).Unix()
	maps.DeleteFunc(e.IDs, func(_ string, began int64) bool { return began < old })
	if len(e.IDs) <= maxEnded {
		return
	}
	ids := slices.SortedFunc(maps.Keys(e.IDs), func(a, b string) int { return cmp.Compare(e.IDs[a], e.IDs[b]) })
	for _, id := range ids[:len(ids)-maxEnded] {
		e.Before = max(e.Before, e.IDs[id])
		delete(e.IDs, id)
	}
}

// endings is what a door knows of the sessions that are over.
type endings struct {
	mu   sync.Mutex
	read time.Time // when the note was last looked at
	list ended
}

// over reports whether the person has signed out of the session. While the record
// is away, what was known before holds.
func (d *door) over(ctx context.Context, s session) bool {
	if !s.person {
		return false // no door was opened by it
	}
	d.endings.mu.Lock()
	defer d.endings.mu.Unlock()
	if now := d.cfg.Now(); d.endings.read.IsZero() || now.Sub(d.endings.read) > endedAge {
		d.endings.read = now
		if err := d.readEnded(ctx); err != nil {
			d.cfg.Log.WarnContext(ctx, "sessions that ended elsewhere are not known", "err", err)
		}
	}
	return d.endings.list.has(s)
}

// readEnded adds what is noted to what is known. The caller holds the lock.
func (d *door) readEnded(ctx context.Context) error {
	// The next visitor wants to know as well, also when this one has gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endedTime)
	defer cancel()
	var noted ended
	text, err := d.in.Notes().Note(ctx, endedNote)
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &noted)
	}
	if d.endings.list.IDs == nil {
		d.endings.list.IDs = map[string]int64{}
	}
	if err == nil {
		d.endings.list.add(noted)
	}
	return err
}

// end ends a session: here at once, elsewhere and over a restart when it is noted.
func (d *door) end(ctx context.Context, s session) error {
	if !s.person {
		return nil
	}
	d.endings.mu.Lock()
	defer d.endings.mu.Unlock()
	err := d.readEnded(ctx)
	d.endings.list.IDs[s.id] = s.issued.Unix()
	if err != nil {
		return err // what others ended is not to be written over
	}
	d.endings.list.trim(d.cfg.Now())
	raw, err := json.Marshal(d.endings.list)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endedTime)
	defer cancel()
	return d.in.Notes().SetNote(ctx, endedNote, string(raw))
}
