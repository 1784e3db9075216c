package discord

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"maru/adapters/lanes"
	"maru/bot"
)

// Adapter speaks to Discord. See New.
type Adapter struct {
	cfg    Config
	id     string // of this process, among those that share the record
	log    *slog.Logger
	key    ed25519.PublicKey // nil: no HTTP interactions
	rest   *rest
	places *places
	typing *typists
	lanes  *lanes.Lanes[event]
	tracks *tracks // what was seen, for catching up
	ledger *ledger // what was posted, for finding lost replies

	links *links // what stands between Discord and this process

	skewed atomic.Pointer[time.Time] // when it was last said that Discord's clock is another

	work sync.WaitGroup // goroutines that outlive the call that started them
	done chan struct{}  // closed when Run ends

	budget sync.Mutex        // of identifies: one change at a time
	turns  map[int]time.Time // by shard: when its last session began, as far as is known
	// dialling has the shards that took a turn and have not sent their identify, with when.
	dialling map[int]time.Time

	mu        sync.Mutex
	stopped   bool
	botID     string
	botName   string
	appID     string
	notes     bot.Notes                  // nil before Run
	noContent bool                       // Discord hides what messages say
	why       error                      // why there is no connection at all
	questions *lru.Cache[string, bool]   // messages from which no thread was made yet
	roots     *lru.Cache[string, string] // conversation of own messages in channels
	shown     *lru.Cache[string, string] // digest of what own messages show
	v2        *lru.Cache[string, bool]   // own messages that consist of components
	tokens    *lru.Cache[string, grant]  // newest interaction of a person in a channel
	proofs    *lru.Cache[string, proof]  // by guild and person: what Discord said of them last
	hinted    *lru.Cache[string, bool]   // threads in which people were told what cannot be read
	claimed   *lru.Cache[string, bool]   // interactions that are or were handled
	replied   *lru.Cache[string, bool]   // interactions that were answered
	listed    *lru.Cache[string, bool]   // guilds that READY named

	guildTurns map[string]chan struct{}  // by guild: ends with the last of what happened to it; guarded by mu
	drafts     *lru.Cache[string, draft] // forms that people may open once more
}

var (
	_ bot.Adapter   = (*Adapter)(nil)
	_ bot.Editor    = (*Adapter)(nil)
	_ bot.Remover   = (*Adapter)(nil)
	_ bot.Finder    = (*Adapter)(nil)
	_ bot.Dater     = (*Adapter)(nil)
	_ bot.Typer     = (*Adapter)(nil)
	_ bot.Reactor   = (*Adapter)(nil)
	_ bot.Whisperer = (*Adapter)(nil)
	_ bot.Fetcher   = (*Adapter)(nil)
	_ bot.Uploader  = (*Adapter)(nil)
	_ bot.Members   = (*Adapter)(nil)
	_ bot.Historian = (*Adapter)(nil)
	_ bot.Linker    = (*Adapter)(nil)
	_ bot.Mounter   = (*Adapter)(nil)
	_ bot.Prober    = (*Adapter)(nil)
)

// New makes an adapter. It makes no request; Run connects.
func New(cfg Config) (*Adapter, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	key, err := publicKey(cfg.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	cfg = cfg.withDefaults()
	a := &Adapter{
		cfg: cfg, id: rand.Text(), log: cfg.Logger, key: key, rest: newREST(cfg), places: newPlaces(),
		done: make(chan struct{}), links: newLinks(), turns: map[int]time.Time{}, dialling: map[int]time.Time{},
		questions: newCache[bool](4096), roots: newCache[string](4096), shown: newCache[string](4096), v2: newCache[bool](4096),
		tokens: newCache[grant](1024), proofs: newCache[proof](4096), hinted: newCache[bool](4096), claimed: newCache[bool](4096), replied: newCache[bool](4096), listed: newCache[bool](1 << 14),
		guildTurns: map[string]chan struct{}{},
		drafts:     newCache[draft](maxDrafts),
	}
	a.rest.limit.server = a.places.server
	a.typing, a.lanes, a.tracks, a.ledger = newTypists(), newLanes(), newTracks(), newLedger()
	return a, nil
}

// Platform implements bot.Adapter.
func (a *Adapter) Platform() string { return platform }

// Facts implements bot.Adapter.
func (a *Adapter) Facts() bot.Facts {
	return bot.Facts{
		GlobalAccounts:   true, // in all servers and in direct messages
		AnswersInChannel: a.cfg.ChannelAnswers,
		AdminCommand:     "/" + adminRoot(a.cfg.Command),
		FormInputs:       maxModalInputs,
	}
}

// EditEvery implements bot.Editor.
func (a *Adapter) EditEvery() time.Duration { return a.cfg.EditEvery }

// Run implements bot.Adapter: it keeps the gateway connected and hands events to
// in, in the order of their channel, until ctx ends. It is called once. What Discord refuses at
// the start is an error of the set-up and ends it; what Discord takes away later (a token made
// anew, 4004) is told by Ready, and the other platforms go on.
func (a *Adapter) Run(ctx context.Context, in bot.Intake) error {
	a.mu.Lock()
	a.notes = in.Notes()
	a.mu.Unlock()
	inner, cancel := context.WithCancel(ctx)
	defer a.end()
	defer cancel()
	var running sync.WaitGroup
	defer a.lastTracks(ctx)
	defer running.Wait()
	running.Go(func() { a.lanes.Run(inner, func(ctx context.Context, e event) { a.take(ctx, in, e) }) })
	running.Go(func() { a.keepTracks(inner) })
	running.Go(func() { a.sweep(inner) })
	err := a.connect(inner, in)
	if err != nil && a.links.worked() {
		a.log.ErrorContext(ctx, "discord does not let the bot in any more", "err", err.Error())
		<-ctx.Done()
	}
	cancel()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// end waits for everything that was started besides.
func (a *Adapter) end() {
	a.mu.Lock()
	a.stopped = true
	a.mu.Unlock()
	close(a.done)
	a.work.Wait()
}

// spawn runs f beside; false when the adapter has ended. f's context ends with
// the adapter.
func (a *Adapter) spawn(ctx context.Context, f func(context.Context)) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		return false
	}
	a.work.Go(func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		var watch sync.WaitGroup
		watch.Go(func() {
			select {
			case <-a.done:
				cancel()
			case <-ctx.Done():
			}
		})
		defer watch.Wait()
		defer cancel()
		defer a.survive(ctx, "background work")
		f(ctx)
	})
	return true
}

// survive keeps a panic in one event from ending the program.
func (a *Adapter) survive(ctx context.Context, what string) {
	if r := recover(); r != nil {
		a.log.ErrorContext(ctx, "discord adapter panicked", "where", what, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
	}
}

// survived does what somebody waits for: a panic in it is an error.
func (a *Adapter) survived(ctx context.Context, what string, f func() error) (err error) {
	err = errPanicked
	defer a.survive(ctx, what)
	return f()
}

var errPanicked = errors.New("discord: panicked")

// Ready implements bot.Prober.
func (a *Adapter) Ready(context.Context) error {
	if a.rest.dead() {
		return errToken
	}
	a.mu.Lock()
	why, limited := a.why, a.noContent
	a.mu.Unlock()
	if why == nil {
		why = a.links.state()
	}
	switch {
	case why != nil:
		return fmt.Errorf("discord: %w", why)
	case limited:
		return errLimited
	}
	return nil
}

// setDown notes why there is no connection; nil when there may be.
func (a *Adapter) setDown(why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.why = why
}

// self is the bot's own id, "" before it is known.
func (a *Adapter) self() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.botID
}

// name is what people call the bot, "" before it is known.
func (a *Adapter) name() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.botName
}

func (a *Adapter) application() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return first(a.appID, a.botID)
}

func (a *Adapter) noteQuestion(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.questions.Add(id, true)
}

// note reads a durable note; without notes there are none.
func (a *Adapter) note(ctx context.Context, key string) (string, error) {
	a.mu.Lock()
	notes := a.notes
	a.mu.Unlock()
	if notes == nil {
		return "", nil
	}
	return notes.Note(ctx, platform+"/"+key)
}

func (a *Adapter) setNote(ctx context.Context, key, value string) error {
	a.mu.Lock()
	notes := a.notes
	a.mu.Unlock()
	if notes == nil {
		return nil
	}
	return notes.SetNote(ctx, platform+"/"+key, value)
}
