package bot

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Adapter connects one platform. The bot discovers optional abilities by type assertion: [Editor],
// [Remover], [Finder], [Dater], [Typer], [Reactor], [Whisperer], [Direct], [Forms], [Picker],
// [Namer], [Fetcher], [Uploader], [Members], [Historian], [Linker], [Mounter], [Prober]. Every
// adapter must pass the suite in bottest.
//
// Facts describes how the platform differs from others. It returns a constant, without a request, also before Run.
//
// Run connects and delivers events to in until ctx ends; then it stops intake, waits for the work
// it started and returns nil. It returns an error only if it cannot work, for example with a
// refused token. It may be called again after an operator has fixed the cause.
//
// Post sends a card into a thread as one reply and returns its reference. key identifies the reply: where the
// platform allows it, posting twice with one key creates one reply. A long card becomes several messages, all
// listed in the Ref. To stay within the platform's limits a draft (CardProgress) may be skipped; the Ref is then
// zero. Errors of a known class are *DeliveryError. The adapter itself honours Retry-After, bounded by ctx.
type Adapter interface {
	Platform() string
	Facts() Facts
	Run(ctx context.Context, in Intake) error
	Post(ctx context.Context, to Target, c Card, key string) (Ref, error)
}

// Facts are the properties of a platform that the bot must consider. The zero value suits most platforms.
type Facts struct {
	// OneUser: all visitors share one identity. If two people must agree, the card explains how a second one can.
	OneUser bool
	// GlobalAccounts: a user id is one person in all teams and direct messages; forgetting there may cover all teams.
	GlobalAccounts bool
	// CommandsInMenus: threads accept no typed commands; a message's menu offers those that apply to a thread.
	CommandsInMenus bool
	// AnswersInChannel: without a setting for reply_in_thread, answers go to the channel itself
	// instead of to a thread.
	AnswersInChannel bool
	// AdminCommand is the command, with its slash, of which admin commands are subcommands; "" if they belong to
	// "/maru" like the others.
	AdminCommand string
	// SilentEdits: edits notify nobody. Questions, and answers of runs that waited for people or took long, are
	// posted as new messages.
	SilentEdits bool
	// OpensSources: a citation opens its passage on the surface itself; elsewhere a button below the answer shows it.
	OpensSources bool
	// FormInputs is the maximum number of inputs in a form, at least [config.GroupSize]; 0 means no limit.
	FormInputs int
	// ShowsWorkAfter is how long a run takes before a draft or typing is shown: each costs a request of a shared limit.
	ShowsWorkAfter time.Duration
}

// Platforms maps platform names to adapters.
type Platforms map[string]Adapter

// Facts returns the facts of a platform, or the zero value without an adapter for it.
func (p Platforms) Facts(name string) Facts {
	a, ok := p[name]
	if !ok {
		return Facts{}
	}
	return a.Facts()
}

// Target is the destination of a reply.
type Target struct {
	Thread  Thread
	ReplyTo string // message that is answered, "" for none
	Title   string // for a thread that is made for the answer
	User    User   // addressee; zero if there is none
}

// Ref locates a reply: the ids of its messages, in order. It is stored before the text grows.
type Ref struct {
	Thread   Thread   `json:"thread"`
	Channel  string   `json:"channel,omitempty"` // where the messages really are, if not Thread.Channel
	Messages []string `json:"messages"`
	// Stream is the adapter's state of a growing reply: how much of it the platform has confirmed. It is opaque to
	// the bot, stored with the reference, and passed to the next edit in any process.
	Stream string `json:"stream,omitempty"`

	// Doubtful says that a message was posted again, and that the earlier request may still take effect.
	Doubtful bool `json:"-"`
	// Key is the key the reply was posted with, "" for its run's. Left is an earlier location of the reply that
	// still has to be closed. Both belong to the bot; adapters need not return them.
	Key  string `json:"key,omitempty"`
	Left *Ref   `json:"left,omitempty"`
}

// IsZero reports whether the reply has not been posted.
func (r Ref) IsZero() bool { return len(r.Messages) == 0 }

// Editor changes a posted reply.
//
// Edit makes the reply show exactly c. It adds messages if c has grown beyond the last one, removes surplus ones,
// and returns the new Ref. With an error, the Ref lists the messages that exist now, so that a retry continues from
// there. Edit is idempotent. To stay within the platform's limits a draft (CardProgress) may be skipped; the next
// edit, at most some seconds later, shows the current state. After ctx ends no draft may arrive: Edit waits for a
// request in flight, as it could otherwise overwrite the final card. EditEvery is the minimum interval between
// edits of one reply and may grow with load; the bot coalesces faster changes and never drops the last. A platform
// with an interval of 100 ms or less must make Post idempotent by key, because the position of its drafts is not
// stored.
type Editor interface {
	Edit(ctx context.Context, ref Ref, c Card) (Ref, error)
	EditEvery() time.Duration
}

// Remover removes a reply that can no longer be edited and has been posted elsewhere. Messages that do not exist
// count as removed.
type Remover interface {
	Remove(ctx context.Context, ref Ref) error
}

// Finder finds a reply by the key it was posted with, after its Ref was lost.
type Finder interface {
	Find(ctx context.Context, to Target, key string) (Ref, bool, error)
}

// Dater returns the time of a message by the platform's clock. Messages are ordered by that clock;
// our own may differ. The time is zero if the id is not a message's. Platforms whose messages our
// own clock dates need no Dater.
type Dater interface {
	Dated(message string) time.Time
}

// Typer shows and clears an activity indicator.
type Typer interface {
	// Typing shows status (which may be ignored) until it is cleared with "" or expires on the platform.
	Typing(ctx context.Context, to Target, status string) error
}

// Reactor adds a reaction to a person's message and removes it.
type Reactor interface {
	React(ctx context.Context, to Target, message string, mark Mark, on bool) error
}

// Mark is the meaning of a reaction; adapters choose the emoji.
type Mark string

// The marks.
const (
	MarkSeen   Mark = "seen"
	MarkQueued Mark = "queued"
)

// Whisperer sends a message in a thread that only one person sees.
type Whisperer interface {
	Whisper(ctx context.Context, to Target, u User, c Card) error
}

// Uploader uploads the files of a run to its thread.
//
// Upload posts all files of a parcel as one message below the answer. The parcel's Key identifies that message: a
// parcel with Again may have been posted by a process that crashed, so Upload first looks for it and posts it only
// if it is missing. Files that the platform rejects, for example for their size, are left out and named in the
// message.
type Uploader interface {
	Upload(ctx context.Context, p Parcel) error
}

// Parcel holds the files of an answer.
type Parcel struct {
	To               Target
	Ref              Ref        // location of the answer; zero if it could not be delivered
	Files            []Artifact // with their bytes, none of them empty
	Text             string     // one line above them, Markdown
	Key              string
	Again, Removable bool // may have been posted before; may be removed later: the adapter notes where it is
}

// Forms is implemented by adapters that open a form in response to a command with a trigger. After a click the
// form is in the [Answer].
type Forms interface {
	OpenForm(ctx context.Context, trigger string, f Form) error
}

// Picker is implemented by adapters whose forms have a people picker.
type Picker interface {
	// Picks reports whether the channel's picker offers an id: a person or, on some platforms, a role.
	Picks(t Thread, id string) bool
	// IsID reports whether an id has the form of a person's, role's or group's id on the platform.
	// An approval must not wait for an approver who cannot exist.
	IsID(id string) bool
	// Groups returns the groups of a channel, by id, that the menu lacks. It takes at most a
	// second and omits unknown ones.
	Groups(ctx context.Context, t Thread) []Option
}

// Namer is implemented by adapters that know display names.
type Namer interface {
	// NameOf returns the display name of a person, role or group, or "" if unknown. It may call
	// the platform, until ctx ends.
	NameOf(ctx context.Context, t Thread, id string) string
}

// Historian reads the messages of a thread from before the bot joined it.
type Historian interface {
	// History returns at most limit messages before the message with id
	// before, oldest first. With ErrLimited they are a part of those: the
	// platform allows no more calls for now.
	History(ctx context.Context, t Thread, before string, limit int) ([]Message, error)
}

// Mounter serves HTTP on the main listener.
type Mounter interface {
	// Mount registers the adapter's paths; in is where their events go.
	Mount(mux *http.ServeMux, in Intake)
}

// Prober checks the adapter's connection, for /readyz and doctor.
type Prober interface {
	// Ready returns nil if events can arrive and replies can be sent. ErrLimited means that it
	// works with limits that an admin should lift.
	Ready(ctx context.Context) error
}

// Errors that adapters return, wrapped in a DeliveryError.
var (
	ErrGone        = errors.New("bot: the message or channel is gone")      // nothing can be posted there again
	ErrForbidden   = errors.New("bot: the bot may not post there")          // an admin must do something
	ErrTooOld      = errors.New("bot: the message can no longer be edited") // post a new message
	ErrUnavailable = errors.New("bot: the platform does not answer")        // worth trying again
)

// ErrLimited reports that a feature works only in part until an admin acts.
var ErrLimited = errors.New("bot: works in part")

// DeliveryError is the reason why a card could not be delivered.
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
