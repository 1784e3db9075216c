// Package restfake is what the fakes of REST APIs share: a clock, the token that lets in, refusals in wait, and the requests
// so far. It knows no API.
package restfake

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Desk is embedded in a fake. Its lock guards the whole fake.
type Desk struct {
	sync.Mutex

	Clock time.Time
	Token string
	Most  int // of a listing at once

	refusals []refusal
	asked    []string
}

// refusal is what the next request gets.
type refusal struct {
	status int
	header http.Header
	body   string
	path   string // that it is for, "" for any
}

// Long returns a clock of ten days ago, in whole minutes.
func Long() time.Time { return time.Now().UTC().Truncate(time.Minute).Add(-240 * time.Hour) }

// Pass lets time go by.
func (d *Desk) Pass(by time.Duration) {
	d.Lock()
	defer d.Unlock()
	d.Clock = d.Clock.Add(by)
}

// Now returns the server's clock.
func (d *Desk) Now() time.Time {
	d.Lock()
	defer d.Unlock()
	return d.Clock
}

// Demand changes the token that lets in.
func (d *Desk) Demand(token string) {
	d.Lock()
	defer d.Unlock()
	d.Token = token
}

// AtOnce bounds what a listing has at once.
func (d *Desk) AtOnce(n int) {
	d.Lock()
	defer d.Unlock()
	d.Most = n
}

// Refuse answers the next request with a status, a body, and headers of the form "Name: value".
func (d *Desk) Refuse(status int, body string, headers ...string) {
	d.RefuseAt("", status, body, headers...)
}

// RefuseAt is [Desk.Refuse] for the next request whose address contains a text. Requests with other addresses are served until it comes.
func (d *Desk) RefuseAt(path string, status int, body string, headers ...string) {
	d.Lock()
	defer d.Unlock()
	h := http.Header{}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		h.Set(name, value)
	}
	d.refusals = append(d.refusals, refusal{status, h, body, path})
}

// Asked returns the paths and queries of requests since the last call.
func (d *Desk) Asked() []string {
	d.Lock()
	defer d.Unlock()
	list := d.asked
	d.asked = nil
	return list
}

// Refused notes a request and reports whether it was answered with a refusal. The caller holds the lock.
func (d *Desk) Refused(w http.ResponseWriter, r *http.Request) bool {
	d.asked = append(d.asked, r.URL.RequestURI())
	if len(d.refusals) == 0 || !strings.Contains(r.URL.RequestURI(), d.refusals[0].path) {
		return false
	}
	f := d.refusals[0]
	d.refusals = d.refusals[1:]
	for name, values := range f.header {
		w.Header()[name] = values
	}
	w.WriteHeader(f.status)
	fmt.Fprint(w, f.body)
	return true
}
