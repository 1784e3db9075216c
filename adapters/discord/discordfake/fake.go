package discordfake

import (
	"cmp"
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Config changes a fake from its defaults.
type Config struct {
	Token      string           // of the bot; default "fake.discord.token"
	Heartbeat  time.Duration    // interval in HELLO; default 41.25 s
	RateLimits bool             // enforce Discord's limits a channel: 5 sends and 5 edits in 5 s
	GlobalRate int              // requests per second over all routes but interactions', 0 for no limit
	OneBucket  bool             // with RateLimits: all of them share one limit a channel
	Spec       string           // path of Discord's OpenAPI file; default looked for in shared/ folders above; "-" for none
	Overlap    int              // events that a resume replays again although they were seen
	Shards     int              // that /gateway/bot recommends; default 1
	Now        func() time.Time // clock of ids and limits; default time.Now
	Turn       time.Duration    // least time between two identifies; default 5 s, as Discord's for most bots
	Patience   time.Duration    // how long an interaction waits for its first answer; default 1 h: Discord's 3 s would measure how busy the machine is
	Offline    bool             // no listener and no gateway: only Transport reaches the fake, so that time can be simulated
	Posted     func(Message)    // receives each message that the bot posts or changes, under the fake's lock; may be nil
}

// Fake is a running Discord. Its methods may be called from any goroutine.
type Fake struct {
	// Guild, General and Random are a guild with two text channels; Alice is a
	// member, Admin may manage the guild, OtherBot is a bot.
	Guild, General, Random string
	Alice, Bob, Admin      string
	OtherBot               string

	cfg    Config
	server *http.Server
	addr   string
	public ed25519.PublicKey
	secret ed25519.PrivateKey
	spec   *spec

	mu           sync.Mutex
	changed      chan struct{} // closed when something happened
	lastID       uint64
	botID, appID string
	botRole      string
	flags        int       // of the application
	selfGiven    []string  // roles that the onboarding gives
	moreRoles    []any     // of the guild
	outside      bool      // the bot is not in the guild
	joined       time.Time // when the bot was taken in, zero: long ago
	system       string    // the guild's system channel, "" for none
	users        map[string]*User
	channels     map[string]*Channel
	messages     map[string][]*Message // by channel, oldest first
	nonces       map[string]string     // channel and nonce: message
	reactions    map[string][]string   // message: emojis of the bot
	typing       map[string]int        // channel: requests
	commands     []any
	interactions map[string]*Interaction // by token
	files        map[string][]byte
	endless      map[string]bool     // of files, that are sent again and again
	poured       atomic.Int64        // bytes of them
	consents     map[string]*consent // by code and by the token that it was traded for
	faults       []Fault
	journal      []Call
	violations   []string
	buckets      map[string][]time.Time
	lately       []time.Time // requests that count towards the limit of all
	gate         gate
}

// User is a person or a bot.
type User struct {
	ID, Name string
	Bot      bool
	Roles    []string
	Locale   string
	Left     bool // no longer a member
	Guest    bool // was invited to a voice channel only
}

// Channel is a text channel, a thread or a direct channel.
type Channel struct {
	ID, Guild, Parent, Name string
	Type                    int
	Archived, Locked        bool
	Recipient               string
	NoThreads               bool     // threads cannot be made here
	Muted                   bool     // the bot may not write here
	NoHistory               bool     // the bot may not read the history
	Hidden                  []string // roles and people denied to see it; the guild's id is everyone
	Shown                   []string // roles and people allowed to see it although everyone is denied
	Now                     []string // people who see it without its history
	Members                 []string // of a private thread
}

// Message is a message as people see it.
type Message struct {
	ID, Channel, Author string
	Content             string
	Components          []any
	Flags               int
	Nonce               string
	Reference           string // message that it replies to
	Edits               int
	Edited              time.Time
	Files               []File
	Ephemeral           bool
	At                  time.Time
	Beside              map[string]any // further members, as "embeds"
}

// Text returns the message's text: its content, or that of its text displays.
func (m Message) Text() string {
	if m.Flags&flagV2 == 0 {
		return m.Content
	}
	return strings.Join(displays(m.Components), "\n")
}

func displays(list []any) []string {
	var out []string
	for _, e := range list {
		el, _ := e.(map[string]any)
		if s, ok := el["content"].(string); ok && el["type"] == 10.0 {
			out = append(out, s)
		}
		inner, _ := el["components"].([]any)
		out = append(out, displays(inner)...)
	}
	return out
}

// File is an attachment.
type File struct {
	ID, Name, MIME, URL string
	Size                int
}

// Call is one request to the REST API.
type Call struct {
	Method, Path string
	Body         map[string]any
	Status       int
	At           time.Time
}

// Fault makes the next Times matching requests fail.
type Fault struct {
	Method string // "" for any
	Path   string // part of the path
	Status int
	Code   int
	HTML   bool // the body is an HTML page, as of a proxy
	Hang   bool // the connection is cut without an answer
	Done   bool // the request takes effect and fails
	Times  int  // default 1
	Later  int  // how many such requests go well before
	After  float64
}

// Start runs a fake until the test ends, and fails the test if the bot broke one of Discord's rules.
func Start(t testing.TB, cfg Config) *Fake {
	t.Helper()
	f, err := New(cfg)
	if err != nil {
		t.Fatalf("start discordfake: %v", err)
	}
	t.Cleanup(func() {
		f.Close()
		for _, v := range f.Violations() {
			t.Errorf("discordfake: %s", v)
		}
	})
	return f
}

// New runs a fake until Close.
func New(cfg Config) (*Fake, error) {
	cfg.Token = cmp.Or(cfg.Token, "fake.discord.token")
	cfg.Heartbeat = cmp.Or(max(cfg.Heartbeat, 0), 41250*time.Millisecond)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Turn = cmp.Or(max(cfg.Turn, 0), 5*time.Second)
	cfg.Patience = cmp.Or(max(cfg.Patience, 0), time.Hour)
	cfg.Shards = max(cfg.Shards, 1)
	public, secret, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	sp, err := openSpec(cfg.Spec)
	if err != nil {
		return nil, err
	}
	f := &Fake{
		cfg: cfg, addr: "discord.invalid", public: public, secret: secret, spec: sp,
		changed: make(chan struct{}), users: map[string]*User{}, channels: map[string]*Channel{},
		messages: map[string][]*Message{}, nonces: map[string]string{}, reactions: map[string][]string{},
		typing: map[string]int{}, interactions: map[string]*Interaction{}, consents: map[string]*consent{}, files: map[string][]byte{},
		buckets: map[string][]time.Time{},
	}
	f.gate.sessions = map[string]*session{}
	f.server = &http.Server{Handler: f.handler(), ReadHeaderTimeout: time.Minute}
	if !cfg.Offline {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("listen: %w", err)
		}
		f.addr = l.Addr().String()
		go func() { _ = f.server.Serve(l) }() // ends with Close
	}
	f.populate()
	return f, nil
}

func (f *Fake) populate() {
	f.flags = 1<<19 | 1<<15
	f.botID, f.appID = f.id(), f.id()
	f.users[f.botID] = &User{ID: f.botID, Name: "Maru", Bot: true}
	f.Guild = f.id()
	f.botRole = f.id()
	f.General, f.Random = f.AddChannel("general"), f.AddChannel("random")
	f.Alice, f.Bob = f.AddUser("Alice"), f.AddUser("Bob")
	f.Admin, f.OtherBot = f.AddUser("Admin"), f.AddUser("OtherBot")
	f.users[f.Admin].Roles = []string{"9" + f.Guild[1:]}
	f.users[f.OtherBot].Bot = true
}

// Close ends all connections.
func (f *Fake) Close() {
	_ = f.server.Close()
	f.Drop()
}

// URL returns the base of the REST API, as an operator would set it.
func (f *Fake) URL() string { return "http://" + f.addr + "/api/v10" }

// Token returns the bot's token.
func (f *Fake) Token() string { return f.cfg.Token }

// PublicKey returns the application's key in hex.
func (f *Fake) PublicKey() string { return hex.EncodeToString(f.public) }

// Bot returns the bot's user id.
func (f *Fake) Bot() string { return f.botID }

// Mention returns the text that mentions the bot.
func (f *Fake) Mention() string { return "<@" + f.botID + ">" }

// RoleMention returns the text that mentions the bot's own role.
func (f *Fake) RoleMention() string { return "<@&" + f.botRole + ">" }

// HasSpec reports whether bodies are checked against Discord's OpenAPI file.
func (f *Fake) HasSpec() bool { return f.spec != nil }

func (f *Fake) now() time.Time { return f.cfg.Now() }

const epoch = 1420070400000

// id returns a new snowflake; they increase.
func (f *Fake) id() string {
	n := uint64(f.now().UnixMilli()-epoch) << 22 //nolint:gosec // G115: after 2015
	if n <= f.lastID {
		n = f.lastID + 1
	}
	f.lastID = n
	return strconv.FormatUint(n, 10)
}
