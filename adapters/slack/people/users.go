package people

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/lanes/cache"
	"maru/adapters/slack/web"
	"maru/adapters/slack/workspace"
	"maru/bot"
)

const (
	userFresh  = 10 * time.Minute
	adminFresh = time.Minute
	// rightFresh is the cache time of an admin's profile for clicks and commands, adminFresh
	// for messages: a revoked role must not be used again. While Slack does not answer, the
	// cached profile counts for adminFresh.
	rightFresh = 2 * time.Second
	lookupTime = 10 * time.Second
	lookups    = 4                // concurrent
	coolOff    = 30 * time.Second // time without waiting after a slow answer
	maxUsers   = 10000
)

// Users caches people's names, languages and roles. A look-up never delays an event for long:
// on a timeout the profile stays empty, is fetched in the background, and fails closed (a
// person of unknown role is not an admin).
type Users struct {
	web   *web.Client
	spawn workspace.Spawn
	list  *cache.Cache[string, cachedUser]
	slot  chan struct{}

	mu      sync.Mutex
	pending map[string]chan struct{}
	slow    time.Time
}

type cachedUser struct {
	user bot.User
	at   time.Time
}

// NewUsers looks people up with the client; spawn runs background look-ups.
func NewUsers(w *web.Client, spawn workspace.Spawn) *Users {
	return &Users{
		web: w, spawn: spawn, list: cache.New[string, cachedUser](maxUsers),
		slot: make(chan struct{}, lookups), pending: make(map[string]chan struct{}),
	}
}

// Get returns the person, waiting at most limit for an uncached profile.
func (c *Users) Get(ctx context.Context, id string, limit time.Duration) bot.User {
	fresh := userFresh
	if limit >= c.web.AskWithin {
		fresh = adminFresh
	}
	return c.lookup(ctx, id, limit, fresh)
}

func (c *Users) lookup(ctx context.Context, id string, limit, fresh time.Duration) bot.User {
	if id == "" {
		return bot.User{}
	}
	now := c.web.Now()
	known, ok := c.list.Get(id)
	if ok && now.Sub(known.at) < known.fresh(fresh) {
		return known.user
	}
	done := c.refresh(ctx, id)
	c.mu.Lock()
	slow := now.Before(c.slow)
	c.mu.Unlock()
	if ok && fresh == userFresh && !known.user.Admin || slow && limit < c.web.AskWithin {
		return cachedOrDefault(ok, c.trusted(known), id) // an old name suffices until the new one arrives
	}
	waitCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-done:
		known, ok = c.list.Get(id)
		return cachedOrDefault(ok, c.trusted(known), id)
	case <-waitCtx.Done():
		c.mu.Lock()
		c.slow = c.web.Now().Add(coolOff)
		c.mu.Unlock()
		return cachedOrDefault(ok, c.trusted(known), id)
	}
}

// fresh returns the cache time of this profile, given limit for those of non-admins.
func (k cachedUser) fresh(limit time.Duration) time.Duration {
	switch {
	case !k.user.Admin:
		return limit
	case limit == adminFresh:
		return rightFresh
	}
	return adminFresh
}

// trusted returns a cached person, without a role that is too old to trust.
func (c *Users) trusted(k cachedUser) bot.User {
	if c.web.Now().Sub(k.at) >= adminFresh {
		k.user.Admin = false
	}
	return k.user
}

// cachedOrDefault returns the cached person, or the defaults for an unknown one.
func cachedOrDefault(ok bool, u bot.User, id string) bot.User {
	if ok {
		return u
	}
	return bot.User{ID: id}
}

// Name returns a person's name if it is cached or arrives in time.
func (c *Users) Name(ctx context.Context, id string) string {
	return c.Get(ctx, id, c.web.NameWait()).Name
}

// Sure returns a person as Slack reports them now, without a name if the ID is unknown; false
// if Slack does not answer in time.
func (c *Users) Sure(ctx context.Context, id string) (bot.User, bool) {
	c.lookup(ctx, id, c.web.AskWithin, adminFresh)
	known, ok := c.list.Get(id)
	return known.user, ok && c.web.Now().Sub(known.at) < adminFresh
}

// refresh fetches a person in the background, once at a time; the channel closes when it is
// done.
func (c *Users) refresh(ctx context.Context, id string) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if done, ok := c.pending[id]; ok {
		return done
	}
	done := make(chan struct{})
	c.pending[id] = done
	c.spawn(ctx, lookupTime, func(ctx context.Context) {
		defer func() {
			c.mu.Lock()
			delete(c.pending, id)
			c.mu.Unlock()
			close(done)
		}()
		select {
		case c.slot <- struct{}{}:
		case <-ctx.Done():
			return
		}
		defer func() { <-c.slot }()
		var u *slack.User
		err := c.web.Do(ctx, web.Job{Method: "users.info"}, func(ctx context.Context) (err error) {
			u, err = c.web.API().GetUserInfoContext(ctx, id)
			return err
		})
		if err != nil {
			c.web.Log.DebugContext(ctx, "slack profile lookup failed", "user", id, "code", web.Code(err))
			if _, ok := c.list.Get(id); !ok && unknownPerson(err) {
				c.list.Add(id, cachedUser{user: bot.User{ID: id}, at: c.web.Now()})
			}
			return
		}
		if c.web.Whoami() == nil {
			return // the own workspace is unknown, so strangers cannot be recognised yet
		}
		c.list.Add(id, cachedUser{user: c.convert(u), at: c.web.Now()})
	})
	return done
}

// unknownPerson reports whether retrying is useless for a while.
func unknownPerson(err error) bool {
	switch web.Code(err) {
	case "user_not_found", "user_not_visible", "missing_scope":
		return true
	}
	return false
}

// convert converts a person's profile.
func (c *Users) convert(u *slack.User) bot.User {
	out := bot.User{
		ID: u.ID, Name: cmp.Or(u.Profile.DisplayName, u.Profile.RealName, u.RealName, u.Name),
		Locale: strings.ReplaceAll(u.Locale, "_", "-"), TimeZone: u.TZ, Bot: u.IsBot,
		Admin: u.IsAdmin || u.IsOwner || u.IsPrimaryOwner,
		Guest: u.IsRestricted || u.IsUltraRestricted,
	}
	id := c.web.Whoami()
	if id != nil && !id.Org && u.TeamID != "" && u.TeamID != id.Team && u.Enterprise.EnterpriseID == "" || u.IsStranger {
		out.External, out.Admin = true, false // an admin of another workspace is a guest here
	}
	return out
}
