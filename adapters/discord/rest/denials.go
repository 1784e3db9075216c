package rest

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"maru/adapters/lanes/cache"
)

const (
	maxDenials  = 4096
	denialFirst = 5 * time.Second // for which the first refusal counts; each further one twice as long
	denialMost  = 5 * time.Minute
)

// denials caches missing permissions by route and place. Each refused request counts
// towards a ban of the whole bot, and the limiter pauses everything before that; one
// channel without permissions must not get there. An event about changed permissions
// clears the cache. See adapters/discord/README.md.
type denials struct {
	now func() time.Time

	mu  sync.Mutex
	all *cache.Cache[string, denial] // by the limiter's key: a route and a place
}

// denial is Discord's refusal and its expiry.
type denial struct {
	code  int
	until time.Time
	held  time.Duration
}

func newDenials(now func() time.Time) *denials {
	return &denials{now: now, all: cache.New[string, denial](maxDenials)}
}

// deniable returns the key under which a call's refusal is cached, or "" if it says
// nothing about later calls. Files need a permission of their own.
func deniable(c Call) string {
	if c.Public || !strings.Contains(c.Bucket, "/") {
		return ""
	}
	if len(c.Files) > 0 {
		return "files " + c.Bucket
	}
	return c.Bucket
}

// known returns the cached refusal of a call, or nil if it may be made.
func (d *denials) known(c Call) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	old, ok := d.all.Get(deniable(c))
	if !ok || !old.until.After(d.now()) {
		return nil
	}
	return &Error{op: c.op(), status: http.StatusForbidden, code: old.code, detail: "as before", unsent: true}
}

// note caches a refusal for a missing permission.
func (d *denials) note(c Call, e *Error) {
	key := deniable(c)
	if key == "" || e.code != CodeNoAccess && e.code != CodeNoPermission && e.code != codeNoDirect {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	old, ok := d.all.Get(key)
	held := denialFirst
	if ok {
		held = min(2*old.held, denialMost)
	}
	if ok && old.until.After(d.now()) { // both were sent before either was answered
		return
	}
	d.all.Add(key, denial{code: e.code, until: d.now().Add(held), held: held})
}

// allow removes a call's refusal after it succeeded.
func (d *denials) allow(c Call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all.Remove(deniable(c))
}

// Forget clears the cached refusals of places whose permissions have changed.
func (r *Client) Forget(where func(place string) bool) { r.denied.forget(where) }

// forget clears the refusals of some places.
func (d *denials) forget(where func(place string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range d.all.All() {
		if _, place, _ := strings.Cut(key, "/"); where(place) {
			d.all.Remove(key)
		}
	}
}
