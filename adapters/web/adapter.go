package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"maru/adapters/web/access"
	"maru/bot"
)

// The console's platform, and the team of those who sign in with the password. Accounts have other teams; see
// [HomeOf].
const (
	platform = "web"
	team     = "local"
	ownerID  = "owner"
)

// editEvery is the minimum interval between two states of a growing card: about the eye's
// resolution.
const editEvery = 40 * time.Millisecond

var (
	_ bot.Adapter   = (*Adapter)(nil)
	_ bot.Editor    = (*Adapter)(nil)
	_ bot.Finder    = (*Adapter)(nil)
	_ bot.Whisperer = (*Adapter)(nil)
	_ bot.Mounter   = (*Adapter)(nil)
	_ bot.Fetcher   = (*Adapter)(nil)
	_ bot.Members   = (*Adapter)(nil)
)

// Adapter is the web console. It is safe for concurrent use.
type Adapter struct {
	cfg     Config
	hub     *hub
	held    held
	seal    sealer
	tries   *access.Tries
	order   atomic.Int64
	streams *streams
}

// New returns a console, or all faults of its configuration.
func New(cfg Config) (*Adapter, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.setDefaults()
	key := []byte(cfg.Key)
	if len(key) == 0 {
		key = make([]byte, 32)
		_, _ = rand.Read(key) // never fails: crypto/rand aborts the program instead
	}
	a := &Adapter{
		cfg: cfg, streams: newStreams(),
		seal:  sealer{key: key, login: string(cfg.Login)},
		tries: access.NewTries(),
	}
	a.hub = newHub(a.newID(), cfg.Now)
	return a, nil
}

// Platform implements bot.Adapter.
func (a *Adapter) Platform() string { return platform }

// Facts implements bot.Adapter: every conversation on the console has one person.
func (a *Adapter) Facts() bot.Facts { return bot.Facts{OneUser: true, OpensSources: true} }

// Run implements bot.Adapter. Requests arrive over the main listener; Run only ends the event
// streams with ctx, so that the listener can shut down.
func (a *Adapter) Run(ctx context.Context, _ bot.Intake) error {
	if a.cfg.SignIn != nil {
		a.cfg.SignIn.Watch(ctx)
	}
	<-ctx.Done()
	a.streams.close()
	return nil
}

// Mount implements bot.Mounter: the console handles every path of mux without another
// handler. It panics when in is not a [Desk], which is a wiring mistake.
func (a *Adapter) Mount(mux *http.ServeMux, in bot.Intake) {
	desk, ok := in.(Desk)
	if !ok {
		panic(fmt.Sprintf("web: Mount: %T is not a web.Desk", in))
	}
	mux.Handle("/", a.routes(in, desk))
}

// Post implements bot.Adapter. The message's ID is derived from key, so posting twice yields
// one message, also across a restart.
func (a *Adapter) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	if err := a.check("post", to.Thread); err != nil {
		return bot.Ref{}, err
	}
	id := cardID(key)
	a.show(ctx, to.Thread, item{ID: id, Card: &c, At: a.cfg.Now()})
	return bot.Ref{Thread: to.Thread, Messages: []string{id}}, nil
}

// Edit implements bot.Editor.
func (a *Adapter) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	if err := a.check("edit", ref.Thread); err != nil {
		return ref, err
	}
	if ref.IsZero() {
		return ref, &bot.DeliveryError{Op: "edit", Err: bot.ErrGone}
	}
	a.show(ctx, ref.Thread, item{ID: ref.Messages[0], Card: &c, At: a.cfg.Now()})
	return ref, nil
}

// EditEvery implements bot.Editor.
func (a *Adapter) EditEvery() time.Duration { return editEvery }

// Find implements bot.Finder. A message that this process has not seen counts as unposted:
// posting it again gives it the same ID.
func (a *Adapter) Find(_ context.Context, to bot.Target, key string) (bot.Ref, bool, error) {
	id := cardID(key)
	if !a.hub.has(to.Thread, id) {
		return bot.Ref{}, false, nil
	}
	return bot.Ref{Thread: to.Thread, Messages: []string{id}}, true, nil
}

// Whisper implements bot.Whisperer. The console has one user, so a private message is a
// normal card that does not survive a restart.
func (a *Adapter) Whisper(ctx context.Context, to bot.Target, _ bot.User, c bot.Card) error {
	if err := a.check("whisper", to.Thread); err != nil {
		return err
	}
	c.Final = true
	a.show(ctx, to.Thread, item{ID: a.newID(), Card: &c, At: a.cfg.Now()})
	return nil
}

// check rejects a thread of another platform or place.
func (a *Adapter) check(op string, t bot.Thread) error {
	if t.Platform != platform || t.ID == "" {
		return &bot.DeliveryError{Op: op, Code: "foreign_thread", Err: bot.ErrGone}
	}
	return nil
}

// thread returns the thread with that ID in the console's place.
func (a *Adapter) thread(id string) bot.Thread {
	return bot.Thread{Platform: platform, Team: team, Channel: a.cfg.Space, ID: id, Direct: true}
}

// newID returns an unguessable ID of 16 characters.
func (a *Adapter) newID() string {
	var b [8]byte
	if _, err := a.cfg.Random.Read(b[:]); err != nil {
		_, _ = rand.Read(b[:])
	}
	return hex.EncodeToString(b[:])
}

// nextOrder returns a sort key after all earlier ones, also across restarts.
func (a *Adapter) nextOrder(at time.Time) string {
	for {
		last := a.order.Load()
		next := max(at.UnixMicro(), last+1)
		if a.order.CompareAndSwap(last, next) {
			return strconv.FormatInt(next, 10)
		}
	}
}

// cardID names the message of a reply.
func cardID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "c" + hex.EncodeToString(sum[:8])
}

// streams counts the open event streams and ends them.
type streams struct {
	mu      sync.Mutex
	over    bool
	open    sync.WaitGroup
	closing chan struct{}
}

func newStreams() *streams { return &streams{closing: make(chan struct{})} }

// enter reports whether another stream may be opened.
func (s *streams) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	s.open.Add(1)
	return true
}

func (s *streams) leave() { s.open.Done() }

// close ends all streams and waits for them.
func (s *streams) close() {
	s.mu.Lock()
	if !s.over {
		s.over = true
		close(s.closing)
	}
	s.mu.Unlock()
	s.open.Wait()
}
