package discord

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

// account is who the bot is on Discord and whether it may read what people write.
// READY tells who it is; before that the API is asked.
type account struct {
	api *rest.Client

	mu        sync.Mutex
	id        string
	name      string
	app       string
	noContent bool // Discord hides what messages say
}

func newAccount(api *rest.Client) *account { return &account{api: api} }

// learn takes over what Discord said of the bot; "" leaves what is known.
func (me *account) learn(id, name, app string) {
	me.mu.Lock()
	defer me.mu.Unlock()
	me.id, me.name, me.app = cmp.Or(id, me.id), cmp.Or(name, me.name), cmp.Or(app, me.app)
}

// restrict notes that Discord hides what messages say unless they mention the bot.
func (me *account) restrict() {
	me.mu.Lock()
	defer me.mu.Unlock()
	me.noContent = true
}

// fixContent is what an admin does about the missing intent.
const fixContent = "switch on “Message Content Intent” on the “Bot” page of the developer portal and restart"

// errLimited is told by Ready's and Check's callers.
var errLimited = fmt.Errorf("discord: %w: the bot may not read messages without a mention: %s", bot.ErrLimited, fixContent)

// limited reports whether Discord hides what messages say unless they mention
// the bot.
func (me *account) limited() bool {
	me.mu.Lock()
	defer me.mu.Unlock()
	return me.noContent
}

// ID is the bot's own id, "" before it is known.
func (me *account) ID() string {
	me.mu.Lock()
	defer me.mu.Unlock()
	return me.id
}

// Name is what people call the bot, "" before it is known.
func (me *account) Name() string {
	me.mu.Lock()
	defer me.mu.Unlock()
	return me.name
}

// Application is the id of the bot's application, "" before it is known.
func (me *account) Application() string {
	me.mu.Lock()
	defer me.mu.Unlock()
	return cmp.Or(me.app, me.id)
}

// whoAmI returns the bot's own id, asking for it before the gateway has told.
func (me *account) whoAmI(ctx context.Context) (string, error) {
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
