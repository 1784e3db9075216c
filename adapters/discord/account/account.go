// Package account knows who the bot is on Discord, and whether Discord shows it what
// people write. It keeps nothing over a restart.
package account

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

// caller makes a request to the API.
type caller interface {
	Do(ctx context.Context, c rest.Call) error
}

// Account is who the bot is on Discord and whether it may read what people write.
// READY tells who it is; before that the API is asked.
type Account struct {
	api caller

	mu        sync.Mutex
	id        string
	name      string
	app       string
	noContent bool // Discord hides what messages say
}

// New returns an account of which nothing is known yet.
func New(api caller) *Account { return &Account{api: api} }

// Learn takes over what Discord said of the bot; "" leaves what is known.
func (me *Account) Learn(id, name, app string) {
	me.mu.Lock()
	defer me.mu.Unlock()
	me.id, me.name, me.app = cmp.Or(id, me.id), cmp.Or(name, me.name), cmp.Or(app, me.app)
}

// Restrict notes that Discord hides what messages say unless they mention the bot.
func (me *Account) Restrict() {
	me.mu.Lock()
	defer me.mu.Unlock()
	me.noContent = true
}

// FixContent is what an admin does about the missing intent.
const FixContent = "switch on “Message Content Intent” on the “Bot” page of the developer portal and restart"

// ErrLimited says that the message content intent is missing: the bot works in part.
var ErrLimited = fmt.Errorf("discord: %w: the bot may not read messages without a mention: %s", bot.ErrLimited, FixContent)

// Limited reports whether Discord hides what messages say unless they mention
// the bot.
func (me *Account) Limited() bool {
	me.mu.Lock()
	defer me.mu.Unlock()
	return me.noContent
}

// ID is the bot's own id, "" before it is known.
func (me *Account) ID() string {
	me.mu.Lock()
	defer me.mu.Unlock()
	return me.id
}

// Name is what people call the bot, "" before it is known.
func (me *Account) Name() string {
	me.mu.Lock()
	defer me.mu.Unlock()
	return me.name
}

// Application is the id of the bot's application, "" before it is known.
func (me *Account) Application() string {
	me.mu.Lock()
	defer me.mu.Unlock()
	return cmp.Or(me.app, me.id)
}

// Ask returns the bot's own id, asking for it before the gateway has told.
func (me *Account) Ask(ctx context.Context) (string, error) {
	if id := me.ID(); id != "" {
		return id, nil
	}
	var u wire.User
	err := me.api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/users/@me", Bucket: "me", Out: &u, Again: true, Urgent: true})
	if err != nil {
		return "", err
	}
	me.mu.Lock()
	defer me.mu.Unlock()
	me.id = cmp.Or(me.id, u.ID)
	return me.id, nil
}
