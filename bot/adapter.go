package bot

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Adapter connects one platform. The bot asks for more abilities by type
// assertion: [Editor], [Remover], [Finder], [Dater], [Typer], [Reactor], [Whisperer],
// [Direct], [Forms], [Picker], [Namer], [Fetcher], [Uploader], [Members], [Historian],
// [Linker], [Mounter], [Prober]. bottest has the suite that every adapter must pass.
//
// Facts says how the platform differs from others. It returns the same value each
// time, without a request, before Run as well.
//
// Run connects and delivers events to in until ctx ends; then it stops intake,
// waits for what it started and returns nil. It returns an error only when it
// can never work, such as a refused token; it may then be called again, since an
// operator may have mended that.
//
// Post sends a card into a thread as one reply and returns where it stands. key
// names the reply: posting twice with one key should lead to one reply where the
// platform allows it. A card too long for one message becomes several, all in
// the Ref. A draft (CardProgress) may be left out to stay within the platform's
// limits; the Ref is then zero. Errors are *DeliveryError where the class is known; retries by
// Retry-After are the adapter's own business, bounded by ctx.
type Adapter interface {
	Platform() string
	Facts() Facts
	Run(ctx context.Context, in Intake) error
	Post(ctx context.Context, to Target, c Card, key string) (Ref, error)
}

// Facts are the properties of a platform that change what the bot says or does there.
// The zero value is right for most platforms.
type Facts struct {
	// OneUser: all visitors are one and the same person. Where two people must
	// agree, the card says how a second one can.
	OneUser bool
	// GlobalAccounts: a user id names the same person in all teams and in direct
	// messages. A request there to forget somebody can then cover all teams.
	GlobalAccounts bool
	// CommandsInMenus: commands cannot be given in threads; the menu of a message
	// has those that concern a thread.
	CommandsInMenus bool
	// AnswersInChannel: where nobody has set reply_in_thread, answers stand in the
	// channel itself instead of in threads.
	AnswersInChannel bool
	// AdminCommand is the command, with its slash, below which admin commands are
	// registered; "" if they stand below "/maru" like the others.
	AdminCommand string
	// SilentEdits: nobody is notified of an edit. What people must not miss of a run that waited
	// for them, or took long, is a new message there.
	SilentEdits bool
	// FormInputs is how many inputs a form takes, at least [config.GroupSize]; 0 if
	// forms take any number. The bot splits its settings form accordingly.
	FormInputs int
}

// Platforms are the adapters by the names of their platforms.
type Platforms map[string]Adapter

// Facts are those of a platform, zero of one that has no adapter (any more).
func (p Platforms) Facts(name string) Facts {
	a, ok := p[name]
	if !ok {
		return Facts{}
	}
	return a.Facts()
}

// Target is where a reply goes.
type Target struct {
	Thread  Thread
	ReplyTo string // message that is answered, "" for none
	Title   string // for a thread that is made for the answer
	User    User   // who is answered; zero when nobody in particular is
}

// Ref says where a reply stands: the ids of its messages, in order. It is stored
// before the text grows.
type Ref struct {
	Thread   Thread   `json:"thread"`
	Channel  string   `json:"channel,omitempty"` // where the messages really are, if not Thread.Channel
	Messages []string `json:"messages"`
	// Stream is the adapter's own note on a reply that still grows: how much of
	// it the platform has confirmed. It is opaque to the bot, stored with the
	// rest, and handed back with the next edit, by whatever process makes it.
	Stream string `json:"stream,omitempty"`

	// Key is under what name the reply was posted, "" for its run's, and Left an earlier place of it
	// that still has to be closed. Both are the bot's; adapters need not return them.
	Key  string `json:"key,omitempty"`
	Left *Ref   `json:"left,omitempty"`
}

// IsZero reports whether the reply has not been posted.
func (r Ref) IsZero() bool { return len(r.Messages) == 0 }

// Editor changes a reply that was posted.
//
// Edit makes the reply show exactly c: it adds messages when c grew beyond the
// last one and removes those left over, and returns the new Ref: with an error, of
// the messages that stand there then, from which the next try goes on. The same card
// twice is the same as once. A draft (CardProgress) may be left out to stay
// within the platform's limits: the next edit, some seconds later at the latest,
// shows what it would have shown. Once ctx ends no draft may still arrive: an
// edit that was sent is waited for, or it could come after the final one.
// EditEvery is the least time between two edits of one reply, and may grow with
// the load; the bot coalesces what comes faster, and never drops the last. A
// platform that takes an edit every 100 ms or faster must make posting twice
// with one key one reply: where its drafts stand is not stored.
type Editor interface {
	Edit(ctx context.Context, ref Ref, c Card) (Ref, error)
	EditEvery() time.Duration
}

// Remover takes a reply away whose place another one takes, because it may not be
// edited any more. Messages that are gone already are as good as removed.
type Remover interface {
	Remove(ctx context.Context, ref Ref) error
}

// Finder finds a reply that was posted with key but whose Ref was lost.
type Finder interface {
	Find(ctx context.Context, to Target, key string) (Ref, bool, error)
}

// Dater tells when a message was posted by the platform's clock, which is not ours and dates what
// people say: only times of one clock tell what was said first. It is zero of what is no message.
// Adapters whose messages our own clock dates do without.
type Dater interface {
	Dated(message string) time.Time
}

// Typer shows and clears that the bot is at work.
type Typer interface {
	// Typing shows status (which may be ignored) until it is cleared with ""
	// or the platform's own time is over.
	Typing(ctx context.Context, to Target, status string) error
}

// Reactor puts a small mark on a person's message and takes it away.
type Reactor interface {
	React(ctx context.Context, to Target, message string, mark Mark, on bool) error
}

// Mark is a meaning that adapters show as an emoji of theirs.
type Mark string

// The marks.
const (
	MarkSeen   Mark = "seen"
	MarkQueued Mark = "queued"
)

// Whisperer tells one person something in a thread that others do not see.
type Whisperer interface {
	Whisper(ctx context.Context, to Target, u User, c Card) error
}

// Uploader puts files that a run made into its thread.
//
// Upload posts all files of a parcel as one message below the answer. The parcel's
// Key names that message: a parcel with Again may have been posted before by a
// process that died, so it is looked for first and posted only if it is not
// there. What the platform does not take, such as a file that is too large for
// it, is left out and named in the message.
type Uploader interface {
	Upload(ctx context.Context, p Parcel) error
}

// Parcel is what follows an answer.
type Parcel struct {
	To    Target
	Ref   Ref        // where the answer stands; zero if it could not be delivered
	Files []Artifact // with their bytes, none of them empty
	Text  string     // one line above them, Markdown
	Key   string
	Again bool
}

// Forms is implemented by adapters that open a form as the answer to a command that
// carried a trigger; after a click it is in the [Answer].
type Forms interface {
	OpenForm(ctx context.Context, trigger string, f Form) error
}

// Picker is implemented by adapters whose forms have a menu of people.
type Picker interface {
	// Picks reports whether the menu of a place has what an id names: people, and on
	// some platforms roles.
	Picks(t Thread, id string) bool
	// IsID reports whether an id can be that of a person, role or group of the platform:
	// a name that is none would be waited for in vain.
	IsID(id string) bool
	// Groups are the groups of a place that the menu has not, by their ids. It waits
	// a second at most and leaves out what it does not know.
	Groups(ctx context.Context, t Thread) []Option
}

// Namer is implemented by adapters that know what people call each other.
type Namer interface {
	// NameOf is what a person, role or group of a place is called, "" if that is not
	// known; it may ask the platform, until ctx ends.
	NameOf(ctx context.Context, t Thread, id string) string
}

// Historian reads what was said in a thread before the bot came.
type Historian interface {
	// History returns at most limit messages before the message with id
	// before, oldest first.
	History(ctx context.Context, t Thread, before string, limit int) ([]Message, error)
}

// Mounter serves HTTP on the main listener.
type Mounter interface {
	// Mount registers the adapter's paths; in is where their events go.
	Mount(mux *http.ServeMux, in Intake)
}

// Prober says whether the adapter's connection works, for /readyz and doctor.
type Prober interface {
	// Ready returns nil when events can arrive and replies can be sent. An error
	// that is ErrLimited says that they do, and that an admin should do
	// something so that more of them can.
	Ready(ctx context.Context) error
}

// Errors that adapters return, wrapped in a DeliveryError.
var (
	ErrGone        = errors.New("bot: the message or channel is gone")      // nothing can be posted there again
	ErrForbidden   = errors.New("bot: the bot may not post there")          // an admin must do something
	ErrTooOld      = errors.New("bot: the message can no longer be edited") // post anew
	ErrUnavailable = errors.New("bot: the platform does not answer")        // worth trying again
)

// ErrLimited says that something works only in part until an admin acts.
var ErrLimited = errors.New("bot: works in part")

// DeliveryError is why a card could not be delivered.
type DeliveryError struct {
	Op    string        // "post", "edit", …
	Code  string        // the platform's own code
	After time.Duration // wait this long before trying again, 0 if unknown
	Err   error         // one of the errors above, or another
}

// Error implements error; it never contains a token or a message's text.
func (e *DeliveryError) Error() string {
	s := "bot: " + e.Op
	if e.Code != "" {
		s += " (" + e.Code + ")"
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the class.
func (e *DeliveryError) Unwrap() error { return e.Err }
