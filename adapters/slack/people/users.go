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
	// rightFresh is after how long Slack is asked again about somebody who was an admin
	// and clicks or gives a command, adminFresh when they only write: a right that was
	// taken away is not used again. While Slack does not say, what it said counts for
	// adminFresh.
	rightFresh = 2 * time.Second
	lookupTime = 10 * time.Second
	lookups    = 4                // at once
	coolOff    = 30 * time.Second // without waiting, after Slack was too slow
	maxUsers   = 10000
)

// Users knows people's names, languages and roles. A lookup never holds up
// an event for long: what is not known in time stays empty, is fetched in the
// background, and fails closed (a person of unknown role is no admin).
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

// NewUsers asks the client about people; spawn runs what an event does not wait for.
func NewUsers(w *web.Client, spawn workspace.Spawn) *Users {
	return &Users{
		web: w, spawn: spawn, list: cache.New[string, cachedUser](maxUsers),
		slot: make(chan struct{}, lookups), pending: make(map[string]chan struct{}),
	}
}

// Get returns the person, waiting at most limit when they are not known.
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
		return knownOr(ok, c.still(known), id) // an old name is good enough while the new one comes
	}
	waitCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-done:
		known, ok = c.list.Get(id)
		return knownOr(ok, c.still(known), id)
	case <-waitCtx.Done():
		c.mu.Lock()
		c.slow = c.web.Now().Add(coolOff)
		c.mu.Unlock()
		return knownOr(ok, c.still(known), id)
	}
}

// fresh is how long what is known of a person is used unasked where that of others
// is used for limit.
func (k cachedUser) fresh(limit time.Duration) time.Duration {
	switch {
	case !k.user.Admin:
		return limit
	case limit == adminFresh:
		return rightFresh
	}
	return adminFresh
}

// still is a person as they are known, without a right that is known from too long
// ago.
func (c *Users) still(k cachedUser) bot.User {
	if c.web.Now().Sub(k.at) >= adminFresh {
		k.user.Admin = false
	}
	return k.user
}

// knownOr is a person, or what is certain of one who is not known.
func knownOr(ok bool, u bot.User, id string) bot.User {
	if ok {
		return u
	}
	return bot.User{ID: id}
}

// Name returns what a person is called if that is known or soon known.
func (c *Users) Name(ctx context.Context, id string) string {
	return c.Get(ctx, id, c.web.NameWait()).Name
}

// Sure returns a person as Slack says they are now; one without a name if it knows
// nobody of this id. It is false if Slack does not say in time.
func (c *Users) Sure(ctx context.Context, id string) (bot.User, bool) {
	c.lookup(ctx, id, c.web.AskWithin, adminFresh)
	known, ok := c.list.Get(id)
	return known.user, ok && c.web.Now().Sub(known.at) < adminFresh
}

// refresh fetches a person in the background, once at a time; the channel is
// closed when that is over.
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
			c.web.Log.DebugContext(ctx, "slack person is not known", "user", id, "code", web.Code(err))
			if _, ok := c.list.Get(id); !ok && unknownPerson(err) {
				c.list.Add(id, cachedUser{user: bot.User{ID: id}, at: c.web.Now()})
			}
			return
		}
		if c.web.Whoami() == nil {
			return // whose workspace this is, and so who is a stranger to it, is not known yet
		}
		c.list.Add(id, cachedUser{user: c.convert(u), at: c.web.Now()})
	})
	return done
}

// unknownPerson reports whether asking again is of no use for a while.
func unknownPerson(err error) bool {
	switch web.Code(err) {
	case "user_not_found", "user_not_visible", "missing_scope":
		return true
	}
	return false
}

// convert reads a person's profile.
func (c *Users) convert(u *slack.User) bot.User {
	out := bot.User{
		ID: u.ID, Name: cmp.Or(u.Profile.DisplayName, u.Profile.RealName, u.RealName, u.Name),
		Locale: strings.ReplaceAll(u.Locale, "_", "-"), TimeZone: u.TZ, Bot: u.IsBot,
		Admin: u.IsAdmin || u.IsOwner || u.IsPrimaryOwner,
		Guest: u.IsRestricted || u.IsUltraRestricted,
	}
	id := c.web.Whoami()
	if id != nil && !id.Org && u.TeamID != "" && u.TeamID != id.Team && u.Enterprise.EnterpriseID == "" || u.IsStranger {
		out.External, out.Admin = true, false // an admin at home is a guest here
	}
	return out
}
