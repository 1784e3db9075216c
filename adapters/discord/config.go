package discord

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"maru/adapters/discord/interact"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/shard"
	"maru/adapters/lanes/conn"
	"maru/bot"
)

// Owners leases names across all replicas; see [shard.Owners].
type Owners = shard.Owners

// Config configures the adapter. Only Token is required.
type Config struct {
	Token     string // of the bot, with or without "Bot "
	PublicKey string // of the application, in hex; serves /discord/interactions when set

	// APIURL is the base URL of the REST API, default https://discord.com/api/v10. If it does
	// not end in a version (/v10), its version is probed at start: …/v10, the URL itself,
	// …/v9, and the same below /api. The API returns the gateway's URL.
	APIURL string

	// ChannelAnswers posts answers in the question's channel, which is then one conversation,
	// instead of in a thread started from the question.
	ChannelAnswers bool

	// ListsMembers says that documents with readers of their own are kept for guilds: Check then wants the right to list members.
	ListsMembers bool

	Command string        // the slash command, default "maru"
	CatchUp time.Duration // maximum age of a missed message that is answered after downtime, default 24 h
	// SearchTime bounds one search through history, default 10 s: somebody waits for the answer.
	SearchTime time.Duration
	EditEvery  time.Duration // minimum interval between two edits of a reply, default 1.25 s: Discord accepts 5 in 5 s

	// AnswerWithin is the deadline for answering a click even if it is not carried out yet,
	// default 2 s: Discord waits for three. A reaction waits as long for its turn, an
	// autocompletion half as long.
	AnswerWithin time.Duration

	// Owners keeps replicas from connecting the same shard twice; nil: this process connects
	// all shards.
	Owners Owners

	// Installations stores the guilds with the bot; nil: they are not tracked. Greet sends a
	// greeting to a new guild: in its system channel, else to its owner.
	Installations bot.Installations
	Greet         bool

	// Apps reports whether mentions by an app or webhook are answered, by its ID; nil: none are.
	Apps func(id string) bool

	Logger *slog.Logger // default: nothing is logged
	// HTTPClient sends the outgoing requests; default one with a timeout of 30 s.
	HTTPClient *http.Client
	// Now is the clock, default time.Now.
	Now func() time.Time
	// Wait sleeps for a duration or until ctx ends; default a timer.
	Wait func(ctx context.Context, d time.Duration) error
	// Jitter returns a number in [0,1), default math/rand.
	Jitter func() float64
}

// Validate reports all faults of c at once.
func (c Config) Validate() error {
	var errs []error
	if bareToken(c.Token) == "" {
		errs = append(errs, errors.New("bot token is empty: set DISCORD_BOT_TOKEN to the token of the “Bot” page in Discord's developer portal"))
	}
	if strings.ContainsAny(bareToken(c.Token), " \t\r\n") {
		errs = append(errs, errors.New("bot token contains spaces: copy DISCORD_BOT_TOKEN again"))
	}
	if _, err := publicKey(c.PublicKey); err != nil {
		errs = append(errs, err)
	}
	if _, err := rest.BaseURL(c.APIURL); err != nil {
		errs = append(errs, err)
	}
	if c.Command != "" && !interact.ValidName(c.Command) {
		errs = append(errs, fmt.Errorf("command %q: Discord wants 1 to 32 lower-case letters, digits, - or _", c.Command))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	return nil
}

func bareToken(token string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(token), "Bot "))
}

// publicKey decodes the application's key; empty means none.
func publicKey(s string) (ed25519.PublicKey, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil, nil
	}
	key, err := hex.DecodeString(s)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, errors.New("public key is not 64 hex digits: set DISCORD_PUBLIC_KEY to “Public Key” of the application's general page, or leave it empty")
	}
	return key, nil
}

// withDefaults fills empty fields.
func (c Config) withDefaults() Config {
	c.Token = bareToken(c.Token)
	c.Command = cmp.Or(c.Command, "maru")
	c.CatchUp = cmp.Or(max(c.CatchUp, 0), 24*time.Hour)
	c.SearchTime = cmp.Or(max(c.SearchTime, 0), 10*time.Second)
	c.EditEvery = cmp.Or(max(c.EditEvery, 0), 1250*time.Millisecond)
	c.AnswerWithin = cmp.Or(max(c.AnswerWithin, 0), 2*time.Second)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.HTTPClient == nil {
		c.HTTPClient = &http.Client{Timeout: 30 * time.Second, CheckRedirect: rest.NoRedirect, Transport: conn.Transport()}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = conn.Sleep
	}
	if c.Jitter == nil {
		c.Jitter = rand.Float64 //nolint:gosec // G404: jitter needs no secrecy
	}
	return c
}
