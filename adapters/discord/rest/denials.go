package rest

import (
	"net/http"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"maru/adapters/discord/cache"
)

const (
	maxDenials  = 4096
	denialFirst = 5 * time.Second // for which the first refusal counts; each further one twice as long
	denialMost  = 5 * time.Minute
)

// denials remember what the bot may not do where. Each refused request counts
// towards a ban of the whole bot, and the limiter's guard is silent everywhere
// before it comes to that: one channel whose rights are missing must not get there.
// Discord tells when rights change, and then everything is asked anew. See
// docs/decisions/0467.
type denials struct {
	now func() time.Time

	mu  sync.Mutex
	all *lru.Cache[string, denial] // by the limiter's key: a route and a place
}

// denial is what Discord answered, and until when it counts.
type denial struct {
	code  int
	until time.Time
	held  time.Duration
}

func newDenials(now func() time.Time) *denials {
	return &denials{now: now, all: cache.New[denial](maxDenials)}
}

// deniable is the name under which a call's refusal is remembered, "" if it says
// nothing of later calls. Files need a right of their own.
func deniable(c Call) string {
	if c.Public || !strings.Contains(c.Bucket, "/") {
		return ""
	}
	if len(c.Files) > 0 {
		return "files " + c.Bucket
	}
	return c.Bucket
}

// known returns the refusal that a call would get again, nil if it may be made.
func (d *denials) known(c Call) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	old, ok := d.all.Get(deniable(c))
	if !ok || !old.until.After(d.now()) {
		return nil
	}
	return &Error{op: c.op(), status: http.StatusForbidden, code: old.code, detail: "as before", unsent: true}
}

// note remembers a refusal, if it is for want of a right.
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

// allow forgets a call's refusal: it worked.
func (d *denials) allow(c Call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all.Remove(deniable(c))
}

// Forget takes over that rights have changed in some places: what was refused there
// is asked anew.
func (r *Client) Forget(where func(place string) bool) { r.denied.forget(where) }

// forget forgets the refusals in some places: their rights have changed.
func (d *denials) forget(where func(place string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range d.all.Keys() {
		if _, place, _ := strings.Cut(key, "/"); where(place) {
			d.all.Remove(key)
		}
	}
}
