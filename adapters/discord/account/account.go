// Package account holds the bot's Discord identity, and whether Discord shows it the content
// of messages. Nothing survives a restart.
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

// Account is the bot's Discord identity and its access to message content. It is learnt from
// READY, or from the API before that.
type Account struct {
	api caller

	mu        sync.Mutex
	id        string
	name      string
	app       string
	noContent bool // Discord hides message content
}

// New returns an account without an identity.
func New(api caller) *Account { return &Account{api: api} }

// Learn stores the identity reported by Discord; "" leaves a value unchanged.
func (me *Account) Learn(id, name, app string) {
	me.mu.Lock()
	defer me.mu.Unlock()
	me.id, me.name, me.app = cmp.Or(id, me.id), cmp.Or(name, me.name), cmp.Or(app, me.app)
}

// Restrict records that Discord hides the content of messages that do not mention the bot.
func (me *Account) Restrict() {
	me.mu.Lock()
	defer me.mu.Unlock()
	me.noContent = true
}

// FixContent tells an admin how to add the missing intent.
const FixContent = "switch on “Message Content Intent” on the “Bot” page of the developer portal and restart"

// ErrLimited reports that the message content intent is missing: the bot works partially.
var ErrLimited = fmt.Errorf("discord: %w: the bot may not read messages without a mention: %s", bot.ErrLimited, FixContent)

// Limited reports whether Discord hides the content of messages that do not mention the bot.
func (me *Account) Limited() bool {
	me.mu.Lock()
	defer me.mu.Unlock()
	return me.noContent
}

// ID returns the bot's ID, "" before it is known.
func (me *Account) ID() string {
	me.mu.Lock()
	defer me.mu.Unlock()
	return me.id
}

// Name returns the bot's name, "" before it is known.
func (me *Account) Name() string {
	me.mu.Lock()
	defer me.mu.Unlock()
	return me.name
}

// Application returns the ID of the bot's application, "" before it is known.
func (me *Account) Application() string {
	me.mu.Lock()
	defer me.mu.Unlock()
	return cmp.Or(me.app, me.id)
}

// Ask returns the bot's ID, from the API before READY.
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
