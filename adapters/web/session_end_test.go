package web_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"maru/adapters/web"
)

func TestSessionsOfPeopleEnd(t *testing.T) {
	t.Parallel()
	in := func(p *person) bool { t.Helper(); return p.get("/api/session").status == http.StatusOK }
	for name, c := range map[string]struct {
		does func(e *entrance, p *person)
		in   bool
	}{
		"nothing happens":     {func(*entrance, *person) {}, true},
		"half a day later":    {func(e *entrance, _ *person) { e.clock.pass(13 * time.Hour) }, false},
		"account is gone":     {func(e *entrance, _ *person) { e.people.set(func(p *people) { p.none = true }) }, false},
		"signed out":          {func(_ *entrance, p *person) { p.post("/logout", "csrf="+p.token) }, false},
		"signs out elsewhere": {func(e *entrance, p *person) { e.other(p.t).post("/logout", "everywhere=1") }, false},
		"signs out one other": {func(e *entrance, p *person) { e.other(p.t).post("/logout", "") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEntrance(t)
			e.become("alice", "staff")
			p := e.person(t)
			p.signIn("/")
			if !in(p) {
				t.Fatal("not signed in")
			}
			e.clock.pass(time.Second)
			kept := p.client.Jar
			c.does(e, p)
			p.client.Jar = kept
			e.clock.pass(2 * time.Second)
			if in(p) != c.in {
				t.Errorf("signed in: %v", !c.in)
			}
			e.people.set(func(p *people) { p.none = false })
			if p.reloadFrom("/login"); p.signIn("/").status != http.StatusSeeOther || !in(p) {
				t.Error("cannot sign in again")
			}
		})
	}
}

// TestStreamsOfPeopleEnd: an open stream ends when its person could not open it any more.
func TestStreamsOfPeopleEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(e *entrance){
		"session too old":     func(e *entrance) { e.clock.pass(13 * time.Hour) },
		"account is gone":     func(e *entrance) { e.people.set(func(p *people) { p.none = true }) },
		"cannot be looked up": func(e *entrance) { e.people.set(func(p *people) { p.down = true }) },
		"operates it no more": func(e *entrance) { e.people.set(func(p *people) { p.demoted = true }) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEntrance(t, func(c *web.Config) { c.Heartbeat = time.Millisecond })
			e.become("boss", "admins")
			p := e.person(t)
			p.signIn("/")
			open := p.events("t1", "", "")
			open.until(`"lines"`)
			end(e)
			if _, err := io.Copy(io.Discard, open.lines); err != nil {
				t.Errorf("the stream: %v, want its end", err)
			}
		})
	}
}
