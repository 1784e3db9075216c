// Package visitor resolves a person who signed in to the console: it asks the person's platform for their role, and
// the record whether their workspace still has Maru.
//
// Invariants: a person whom the platform does not know any more, and everybody of a workspace that sent Maru away, is nobody. What a
// platform said is used for half a minute; while it does not answer, for five minutes more, and without the rights of an admin
// or of those who run the program.
//
// It must not know sessions and pages: those are maru/adapters/web's.
package visitor

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"maru/adapters/web"
	"maru/adapters/web/signin"
	"maru/bot"
)

// Directory is implemented by adapters that know a person as the platform says at this moment.
type Directory interface {
	// PersonNow returns a person of the thread's workspace; false if there is none, or the account was closed.
	PersonNow(ctx context.Context, t bot.Thread, id string) (bot.User, bool, error)
}

// Installations tells whether a workspace has Maru.
type Installations interface {
	Installation(ctx context.Context, platform, team string) (bot.Installation, error)
}

// Config is what a Desk is made of.
type Config struct {
	Directories   map[string]Directory // by platform
	Installations Installations
	Operates      func(t bot.Thread, u bot.User) bool // whether somebody is on the list of those who run the program
	Given         Given                               // roles given in the console; without notes there are none
	Now           func() time.Time                    // nil: time.Now
}

// Times for which an answer of a platform is used, and most people remembered.
const (
	fresh  = 30 * time.Second
	stale  = 5 * time.Minute
	people = 10_000
	patien = 5 * time.Second // for an answer
	retry  = 5 * time.Second // after a look-up that failed
)

// Desk implements [web.People]. It is safe for concurrent use.
type Desk struct {
	cfg Config

	mu     sync.Mutex
	seen   map[string]sight
	failed map[string]failure
}

var _ web.People = (*Desk)(nil)

// sight is the cached result of looking up a person.
type sight struct {
	user  bot.User
	there bool
	at    time.Time
}

// failure is a look-up that failed: until the retry it is not made again.
type failure struct {
	err error
	at  time.Time
}

// New returns a Desk.
func New(c Config) *Desk {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Desk{cfg: c, seen: map[string]sight{}, failed: map[string]failure{}}
}

// Person implements [web.People].
func (d *Desk) Person(ctx context.Context, id signin.Identity) (web.Person, error) {
	place := bot.Thread{Platform: id.Platform, Team: id.Team}
	p := web.Person{Identity: id, Home: web.HomeOf(place, id.User), Role: id.Role}
	var given signin.Role
	if d.cfg.Given.Notes != nil {
		var err error
		if given, err = d.cfg.Given.Of(ctx, place, id.User); err != nil {
			return web.Person{}, err
		}
	}
	if id.Role != "" { // the provider's claims gave it
		p.User = bot.User{ID: id.User, Name: id.Name, Admin: id.Role == signin.Admin, Operator: id.Role == signin.Admin}
		apply(given, &p.User, &p.Role, true)
		return p, nil
	}
	u, current, err := d.user(ctx, place, id.User)
	if err != nil {
		return web.Person{}, err
	}
	u.Name = cmp.Or(u.Name, id.Name)
	p.User, p.Role = u, signin.Member
	switch {
	case u.Stranger():
		p.Role = signin.Viewer
	case current && d.cfg.Operates(place, u):
		p.Role, p.User.Operator = signin.Admin, true
	case u.Admin:
		p.Role = signin.Admin
	}
	apply(given, &p.User, &p.Role, current)
	return p, nil
}

// user returns a person of a workspace, remembered for a moment; current is false for one whom the platform cannot confirm now.
func (d *Desk) user(ctx context.Context, place bot.Thread, id string) (u bot.User, current bool, err error) {
	key, now := place.TeamKey()+"/"+id, d.cfg.Now()
	d.mu.Lock()
	was, known := d.seen[key]
	d.mu.Unlock()
	current = known && now.Sub(was.at) <= fresh
	if !current {
		u, there, err := d.lookOnce(ctx, key, place, id)
		switch {
		case err == nil:
			was, current = sight{u, there, now}, true
			d.keep(key, was)
		case !known || now.Sub(was.at) > stale:
			return bot.User{}, false, err
		default: // the platform does not answer: what was known is used, but grants nothing
			was.user.Admin = false
		}
	}
	if !was.there {
		return bot.User{}, current, bot.ErrNotFound
	}
	return was.user, current, nil
}

// lookOnce asks for a person, unless asking failed a moment ago: a page makes many requests, and each would wait for the platform.
func (d *Desk) lookOnce(ctx context.Context, key string, place bot.Thread, id string) (bot.User, bool, error) {
	d.mu.Lock()
	last, failed := d.failed[key]
	d.mu.Unlock()
	if failed && d.cfg.Now().Sub(last.at) < retry {
		return bot.User{}, false, last.err
	}
	// Finish even if this visitor is gone: the next one needs the result too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patien)
	defer cancel()
	u, there, err := d.look(ctx, place, id)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		delete(d.failed, key)
		return u, there, nil
	}
	if len(d.failed) >= people {
		clear(d.failed)
	}
	d.failed[key] = failure{err, d.cfg.Now()}
	return bot.User{}, false, err
}

// look asks for a person: false if there is none any more.
func (d *Desk) look(ctx context.Context, place bot.Thread, id string) (bot.User, bool, error) {
	dir, ok := d.cfg.Directories[place.Platform]
	if !ok { // the platform was switched off
		return bot.User{}, false, nil
	}
	in, err := d.cfg.Installations.Installation(ctx, place.Platform, place.Team)
	switch {
	case err == nil && (in.State == bot.InstallLeaving || in.State == bot.InstallRemoved):
		return bot.User{}, false, nil
	case err != nil && !errors.Is(err, bot.ErrNotFound): // a workspace that is served by its token alone has no row
		return bot.User{}, false, err
	}
	u, there, err := dir.PersonNow(ctx, place, id)
	if errors.Is(err, bot.ErrGone) || errors.Is(err, bot.ErrForbidden) { // the workspace is not served
		return bot.User{}, false, nil
	}
	return u, there && !u.Bot, err
}

// keep caches a person; when full, the cache is emptied.
func (d *Desk) keep(key string, s sight) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.seen) >= people {
		clear(d.seen)
	}
	d.seen[key] = s
}
