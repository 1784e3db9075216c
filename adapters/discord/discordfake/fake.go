package discordfake

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Config changes a fake from its defaults.
type Config struct {
	Token      string        // of the bot; default "fake.discord.token"
	Heartbeat  time.Duration // interval told in hello; default 41.25 s
	RateLimits bool          // enforce Discord's limits a channel: 5 sends and 5 edits in 5 s
	Spec       string        // path of Discord's OpenAPI file; default looked for in shared/ folders above
	Overlap    int           // events that a resume replays again although they were seen
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
	flags        int // of the application
	users        map[string]*User
	channels     map[string]*Channel
	messages     map[string][]*Message // by channel, oldest first
	nonces       map[string]string     // channel and nonce: message
	reactions    map[string][]string   // message: emojis of the bot
	typing       map[string]int        // channel: requests
	commands     []any
	interactions map[string]*Interaction // by token
	files        map[string][]byte
	faults       []Fault
	journal      []Call
	violations   []string
	buckets      map[string][]time.Time
	gate         gate
}

// User is a person or a bot.
type User struct {
	ID, Name string
	Bot      bool
	Roles    []string
	Locale   string
}

// Channel is a text channel, a thread or a direct channel.
type Channel struct {
	ID, Guild, Parent, Name string
	Type                    int
	Archived, Locked        bool
	Recipient               string
	NoThreads               bool // threads cannot be made here
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
	HTML   bool // the body is none of Discord's
	Hang   bool // the connection is cut without an answer
	Done   bool // the request takes effect and fails all the same
	Times  int  // default 1
	After  float64
}

// Start runs a fake until the test ends, and fails the test if the bot broke one
// of Discord's rules.
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
	if cfg.Token == "" {
		cfg.Token = "fake.discord.token"
	}
	if cfg.Heartbeat <= 0 {
		cfg.Heartbeat = 41250 * time.Millisecond
	}
	public, secret, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	sp, err := openSpec(cfg.Spec)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	f := &Fake{
		cfg: cfg, addr: l.Addr().String(), public: public, secret: secret, spec: sp,
		changed: make(chan struct{}), users: map[string]*User{}, channels: map[string]*Channel{},
		messages: map[string][]*Message{}, nonces: map[string]string{}, reactions: map[string][]string{},
		typing: map[string]int{}, interactions: map[string]*Interaction{}, files: map[string][]byte{},
		buckets: map[string][]time.Time{},
	}
	f.gate.sessions = map[string]*session{}
	f.populate()
	f.server = &http.Server{Handler: f.handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = f.server.Serve(l) }() // ends with Close
	return f, nil
}

func (f *Fake) populate() {
	f.flags = 1 << 19
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

// URL is the base of the REST API, as an operator would set it.
func (f *Fake) URL() string { return "http://" + f.addr + "/api/v10" }

// Token is the bot's token.
func (f *Fake) Token() string { return f.cfg.Token }

// PublicKey is the application's key in hex.
func (f *Fake) PublicKey() string { return hex.EncodeToString(f.public) }

// Bot is the bot's user id.
func (f *Fake) Bot() string { return f.botID }

// Mention is the text that mentions the bot.
func (f *Fake) Mention() string { return "<@" + f.botID + ">" }

// RoleMention is the text that mentions the bot's own role.
func (f *Fake) RoleMention() string { return "<@&" + f.botRole + ">" }

// HasSpec reports whether bodies are checked against Discord's OpenAPI file.
func (f *Fake) HasSpec() bool { return f.spec != nil }

const epoch = 1420070400000

// id makes a snowflake; they grow.
func (f *Fake) id() string {
	n := uint64(time.Now().UnixMilli()-epoch) << 22 //nolint:gosec // G115: after 2015
	if n <= f.lastID {
		n = f.lastID + 1
	}
	f.lastID = n
	return strconv.FormatUint(n, 10)
}

// AddChannel makes a text channel in the guild.
func (f *Fake) AddChannel(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id()
	f.channels[id] = &Channel{ID: id, Guild: f.Guild, Name: name}
	return id
}

// AddUser makes a member of the guild.
func (f *Fake) AddUser(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id()
	f.users[id] = &User{ID: id, Name: name, Locale: "en-US"}
	return id
}

// SetLocale sets the language of a person's app.
func (f *Fake) SetLocale(user, locale string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users[user].Locale = locale
}

// ForbidThreads makes a channel one in which no thread can be made.
func (f *Fake) ForbidThreads(channel string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.channels[channel].NoThreads = true
}

// ForbidContent takes the application the right to read what messages say.
func (f *Fake) ForbidContent() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flags = 0
}

// Archive archives a thread, and locks it if asked.
func (f *Fake) Archive(thread string, locked bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.channels[thread].Archived, f.channels[thread].Locked = true, locked
}

// ForgetNonces does what time does: nonces are known for some minutes only.
func (f *Fake) ForgetNonces() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.nonces)
}

// DM returns the direct channel between a person and the bot.
func (f *Fake) DM(user string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dm(user)
}

func (f *Fake) dm(user string) string {
	for _, c := range f.channels {
		if c.Type == 1 && c.Recipient == user {
			return c.ID
		}
	}
	id := f.id()
	f.channels[id] = &Channel{ID: id, Type: 1, Recipient: user}
	return id
}

// Thread makes a thread without a message of its own, as people can.
func (f *Fake) Thread(channel, name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id()
	c := &Channel{ID: id, Guild: f.Guild, Parent: channel, Name: name, Type: 11}
	f.channels[id] = c
	f.dispatch("THREAD_CREATE", f.channelJSON(c))
	return id
}

// PutFile makes an attachment for SayWith.
func (f *Fake) PutFile(name, mime string, content []byte) File {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id()
	f.files[id] = content
	return File{ID: id, Name: name, MIME: mime, Size: len(content), URL: "http://" + f.addr + "/attachments/" + id + "/" + name}
}

// Say posts a message as a person.
func (f *Fake) Say(user, channel, text string) Message { return f.SayWith(user, channel, text, "") }

// Reply posts a message as a person in answer to another one.
func (f *Fake) Reply(user, channel, text, to string) Message {
	return f.SayWith(user, channel, text, to)
}

// SayWith posts a message as a person, in answer to another if replyTo is not
// empty, with files.
func (f *Fake) SayWith(user, channel, text, replyTo string, files ...File) Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := &Message{ID: f.id(), Channel: channel, Author: user, Content: text, Reference: replyTo, Files: files, At: time.Now()}
	f.messages[channel] = append(f.messages[channel], m)
	f.dispatchMessage("MESSAGE_CREATE", m)
	f.notify()
	return *m
}

// Redeliver sends the event of a message again.
func (f *Fake) Redeliver(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.find(id); m != nil {
		f.dispatchMessage("MESSAGE_CREATE", m)
	}
}

// EditMessage changes a person's message.
func (f *Fake) EditMessage(id, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.find(id); m != nil {
		m.Content, m.Edited = text, time.Now()
		f.dispatchMessage("MESSAGE_UPDATE", m)
		f.notify()
	}
}

// DeleteMessage removes a message, as its author or a moderator would.
func (f *Fake) DeleteMessage(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.find(id); m != nil {
		f.removeMessage(m)
	}
}

func (f *Fake) removeMessage(m *Message) {
	list := f.messages[m.Channel]
	i := slices.Index(list, m)
	f.messages[m.Channel] = slices.Delete(list, i, i+1)
	body := map[string]any{"id": m.ID, "channel_id": m.Channel}
	if c := f.channels[m.Channel]; c != nil && c.Guild != "" {
		body["guild_id"] = c.Guild
	}
	f.dispatch("MESSAGE_DELETE", body)
	f.notify()
}

// Dispatch sends any gateway event, for payloads that the fake does not make.
func (f *Fake) Dispatch(kind string, data any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dispatch(kind, data)
}

func (f *Fake) find(id string) *Message {
	for _, list := range f.messages {
		for _, m := range list {
			if m.ID == id {
				return m
			}
		}
	}
	return nil
}

// Messages returns what people see in a channel or thread, oldest first.
func (f *Fake) Messages(channel string) []Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []Message
	for _, m := range f.messages[channel] {
		out = append(out, *m)
	}
	return out
}

// BotMessages returns the bot's messages in a channel or thread, oldest first.
func (f *Fake) BotMessages(channel string) []Message {
	var out []Message
	for _, m := range f.Messages(channel) {
		if m.Author == f.botID {
			out = append(out, m)
		}
	}
	return out
}

// Channel returns a channel or thread.
func (f *Fake) Channel(id string) (Channel, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.channels[id]
	if !ok {
		return Channel{}, false
	}
	return *c, true
}

// Reactions returns the bot's reactions to a message.
func (f *Fake) Reactions(message string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.reactions[message])
}

// Typed returns how often the bot was shown as typing in a channel.
func (f *Fake) Typed(channel string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.typing[channel]
}

// Commands returns the commands that the bot registered.
func (f *Fake) Commands() []any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.commands)
}

// Fail queues faults.
func (f *Fake) Fail(faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range faults {
		x.Times = max(x.Times, 1)
		f.faults = append(f.faults, x)
	}
}

// Journal returns all requests to the REST API, in order.
func (f *Fake) Journal() []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.journal)
}

// Count returns how many requests had this method and this part of a path.
func (f *Fake) Count(method, path string) int {
	n := 0
	for _, c := range f.Journal() {
		if c.Method == method && strings.Contains(c.Path, path) {
			n++
		}
	}
	return n
}

// Violations returns the rules that the bot broke.
func (f *Fake) Violations() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.violations)
}

// ForgiveViolations forgets them, for tests that break rules on purpose.
func (f *Fake) ForgiveViolations() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.violations = nil
}

func (f *Fake) violate(format string, args ...any) {
	f.violations = append(f.violations, fmt.Sprintf(format, args...))
}

func (f *Fake) notify() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// Await waits until cond holds; it is asked again whenever something happened.
func (f *Fake) Await(ctx context.Context, cond func() bool) error {
	for {
		f.mu.Lock()
		changed := f.changed
		f.mu.Unlock()
		if cond() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// AwaitAnswers waits until the bot has at least n messages in a channel or
// thread (a question's thread has the question's id) and returns them.
func (f *Fake) AwaitAnswers(ctx context.Context, channel string, n int) ([]Message, error) {
	err := f.Await(ctx, func() bool { return len(f.BotMessages(channel)) >= n })
	return f.BotMessages(channel), err
}
