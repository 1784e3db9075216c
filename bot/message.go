package bot

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"maru/phrase/fit"
)

// Thread is a conversation: the unit of memory and of ordering. Adapters derive it from the platform's ids, so that a
// message belongs to the same thread on every replica and after every restart.
//
//   - Slack: Channel is the channel, ID the ts of the thread's root message, also in
//     direct messages. Events outside a thread, such as a command in a direct
//     message, have ID "".
//   - Discord: a thread made from a question has that message's id, so ID is the
//     question's id and Channel the parent channel from the start. In
//     a direct message ID is "".
//   - Web and console: Team is "local", Channel the person's session, ID
//     the thread.
type Thread struct {
	Platform string `json:"platform"` // "slack", "discord", "web", "console"
	Team     string `json:"team"`     // workspace or guild; "dm" for Discord's direct messages
	Channel  string `json:"channel"`
	ID       string `json:"id"`
	Direct   bool   `json:"direct,omitempty"` // one person and the bot; not part of Key
}

// TeamKey names the thread's workspace or guild over all platforms, such as "slack/T1".
func (t Thread) TeamKey() string { return Esc(t.Platform) + "/" + Esc(t.Team) }

// Key returns the thread's unique name over all platforms, such as
// "slack/T1/C1/1700000000.000100". Every key, row and cache entry of the thread
// starts with it.
func (t Thread) Key() string {
	return Esc(t.Platform) + "/" + Esc(t.Team) + "/" + Esc(t.Channel) + "/" + Esc(t.ID)
}

// SharesTeam reports whether two threads are in one workspace of one platform.
func (t Thread) SharesTeam(o Thread) bool { return t.Platform == o.Platform && t.Team == o.Team }

// SharesChannel reports whether a thread key belongs to t's channel: the message with a button may be in the
// channel while its conversation is a thread.
func (t Thread) SharesChannel(key string) bool {
	o, err := ParseThread(key)
	return err == nil && t.SharesTeam(o) && t.Channel == o.Channel
}

// Person returns a person's unique name across platforms and workspaces.
func (t Thread) Person(u User) string {
	return Esc(t.Platform) + "/" + Esc(t.Team) + "/" + Esc(u.ID)
}

// Places lists the settings levels of a message, in the order of their levels from [config.Workspace] on.
func (t Thread) Places(u User) []string {
	team := t.TeamKey()
	return []string{team, team + "/" + Esc(t.Channel), t.Key(), PersonPlace + t.Person(u)}
}

// ParseThread reverses Thread.Key; Direct is lost.
func ParseThread(key string) (Thread, error) {
	p := strings.Split(key, "/")
	if len(p) != 4 {
		return Thread{}, errors.New("bot: thread key wants platform/team/channel/id")
	}
	return Thread{Platform: Unesc(p[0]), Team: Unesc(p[1]), Channel: Unesc(p[2]), ID: Unesc(p[3])}, nil
}

var (
	keyEscaper   = strings.NewReplacer("%", "%25", "/", "%2F")
	keyUnescaper = strings.NewReplacer("%2F", "/", "%25", "%")
)

// Esc escapes a platform's id for use in a key; Unesc reverses it.
func Esc(s string) string { return keyEscaper.Replace(s) }

// Unesc reverses Esc.
func Unesc(s string) string { return keyUnescaper.Replace(s) }

// User is a person as verified by the platform. Name is data, never authority.
type User struct {
	ID       string   `json:"id"` // the platform's id
	Name     string   `json:"name,omitempty"`
	Locale   string   `json:"locale,omitempty"`    // BCP 47
	TimeZone string   `json:"time_zone,omitempty"` // IANA
	Bot      bool     `json:"bot,omitempty"`
	Admin    bool     `json:"admin,omitempty"`    // of the workspace or guild, at present
	Guest    bool     `json:"guest,omitempty"`    // restricted account
	External bool     `json:"external,omitempty"` // of another workspace
	Watched  bool     `json:"watched,omitempty"`  // people of other workspaces can read the channel
	Roles    []string `json:"roles,omitempty"`
	Operator bool     `json:"operator,omitempty"` // runs this program: signed in to its own console
}

// Stranger reports whether a person is a guest or from another workspace.
func (u User) Stranger() bool { return u.Guest || u.External }

// Reach is the reason why a message reached the bot.
type Reach string

// The ways in which a message reaches the bot.
const (
	ReachMention Reach = "mention" // the bot is addressed by name
	ReachDirect  Reach = "direct"  // a direct message, the console, the web
	ReachFollow  Reach = "follow"  // a message in a thread, without a mention
	ReachAmbient Reach = "ambient" // any other message the bot can see
	ReachCommand Reach = "command" // the text of "/maru ask"
	ReachMenu    Reach = "menu"    // chosen from a message's menu: a request of its own, never a reply in the thread
)

// Message is something a person wrote.
type Message struct {
	ID       string    `json:"id"`              // the platform's id, unique within (platform, team, channel)
	Order    string    `json:"order,omitempty"` // sorts messages of a thread; "" means ID, compared by length, then bytes
	Thread   Thread    `json:"thread"`
	User     User      `json:"user"`
	Reach    Reach     `json:"reach"`
	Text     string    `json:"text"` // plain words: the bot's mention removed, entities decoded, other mentions as @name
	Files    []File    `json:"files,omitempty"`
	Quoted   []Quote   `json:"quoted,omitempty"` // messages that it refers to
	At       time.Time `json:"at"`
	Grant    string    `json:"grant,omitempty"`    // the platform's short-lived permission to search for its author, for the adapter alone
	ReplyTo  string    `json:"reply_to,omitempty"` // id under which the answer is posted, if not Thread.ID
	Delivery string    `json:"delivery,omitempty"` // delivery id, for logs only

	// Top says that the message is at the top level of the channel. Thread.ID is then the thread that an answer
	// would open, or "" for none; the channel's settings may override it.
	Top bool `json:"top,omitempty"`
	// Young says that the thread of a ReachFollow has just started, and that its first message may still be on its
	// way in another request.
	Young bool `json:"-"`
	// Channels holds the ids of the channels that Text names behind "#", by name.
	Channels map[string]string `json:"channels,omitempty"`
	// Overheard is set by the bot: several people write in the thread, so the bot first decides whether the
	// message is addressed to it.
	Overheard bool `json:"overheard,omitempty"`

	// Own says that the bot wrote it; only [Historian] returns such messages. Messages of other programs have a
	// User who is a Bot.
	Own bool `json:"own,omitempty"`

	// Agent is set by the bot: the agent that answers the message regardless of the settings, as for commands that
	// start a run.
	Agent string `json:"agent,omitempty"`

	// Revision is set by the bot: the revision of an edited message that Text has, "" for the original.
	Revision string `json:"revision,omitempty"`
	// Worded is set by the bot: the time it read that revision, zero for the original.
	Worded time.Time `json:"worded,omitzero"`
	// Schedule is set by the bot: the schedule that sends the message in its owner's name, nil for a person's message.
	Schedule *Due `json:"schedule,omitempty"`
	// Request is set by the bot: another program's question to people in the author's name, nil for a person's message.
	Request *Request `json:"request,omitempty"`
	// Again is set by the bot: the item that answers an edited message a second time.
	Again string `json:"again,omitempty"`
}

// Due describes a message sent by a schedule.
type Due struct {
	ID    string  `json:"id"`              // of the schedule
	Note  string  `json:"note,omitempty"`  // a line for the answer's card: whose schedule it is, and whether it is late
	Say   bool    `json:"say,omitempty"`   // post the text without running an agent
	Agent string  `json:"agent,omitempty"` // answers instead of the channel's
	Gaps  *Thread `json:"gaps,omitempty"`  // the channel whose gaps are the answer, nil if an agent answers
}

// Quote is a message that another one refers to: forwarded with it, replied to, or linked.
type Quote struct {
	Author string    `json:"author,omitempty"` // display name
	Text   string    `json:"text"`             // as that of a [Message]
	Files  []File    `json:"files,omitempty"`
	At     time.Time `json:"at,omitzero"`
	// Link is set by the bot: the address in the message that led here, "" if none.
	Link string `json:"link,omitempty"`
	// Thread is the thread that the message starts and that has answers, set by [Linker] only: a link to a
	// thread's first message means the whole thread.
	Thread *Thread `json:"-"`
}

// Key identifies the message independently of its delivery: platform, team, channel and message id. Deliveries
// with the same key are the same message.
func (m Message) Key() string {
	return Esc(m.Thread.Platform) + "/" + Esc(m.Thread.Team) + "/" + Esc(m.Thread.Channel) + "/" + Esc(m.ID)
}

// Position returns the sort key of the message within its thread.
func (m Message) Position() string {
	if m.Order == "" {
		return m.ID
	}
	return m.Order
}

// Stamped returns the platform's time of the message, zero if an adapter may have dated it, since not every platform
// dates commands and menus.
func (m Message) Stamped() time.Time {
	if m.Reach == ReachCommand || m.Reach == ReachMenu {
		return time.Time{}
	}
	return m.At
}

// Run names the run that answers the message.
func (m Message) Run() string {
	if m.Again != "" {
		return RunID(m.Again)
	}
	return RunID(m.Key())
}

// NamesOther reports whether a message without a mention of the bot begins by speaking to another person.
func (m Message) NamesOther() bool { return strings.HasPrefix(strings.TrimSpace(m.Text), "@") }

// EntryText returns the message's text in the transcript.
func (m Message) EntryText() string {
	if len(m.Files) == 0 {
		return m.Text
	}
	var names []string
	for _, f := range m.Files {
		if f.Name != "" { // otherwise the page reported it when it was added
			names = append(names, "📎 "+f.Name)
		}
	}
	return strings.TrimSpace(m.Text + "\n" + strings.Join(names, "\n"))
}

// maxTitle limits a thread's title, in characters.
const maxTitle = 60

// Title derives a thread's title from its first message.
func (m Message) Title() string {
	line, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
	return fit.Clip(line, maxTitle)
}

// File is a file of a message. Its bytes are fetched through the adapter's Fetcher, on demand.
type File struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	MIME string `json:"mime,omitempty"`
	Size int64  `json:"size,omitempty"` // bytes, 0 if not known exactly
	// Empty marks a file that the platform announces with 0 bytes.
	Empty bool   `json:"empty,omitempty"`
	URL   string `json:"url,omitempty"`  // for the adapter; never shown
	Team  string `json:"team,omitempty"` // Thread.Team where it was posted, for adapters that serve several
	// Document is the id of the document, in the message's channel, that already has the file; "" if it must be
	// fetched. Consoles add a file at once and pass it with the next message.
	Document string `json:"document,omitempty"`
}

// Change is a later edit or deletion of a message.
type Change struct {
	Thread  Thread    `json:"thread"`
	Message string    `json:"message"` // id of the message that changed
	Deleted bool      `json:"deleted,omitempty"`
	Text    string    `json:"text,omitempty"` // the new text
	User    User      `json:"user"`
	At      time.Time `json:"at"`
	Files   []File    `json:"files,omitempty"` // of the message as it is now, like the next two
	Quoted  []Quote   `json:"quoted,omitempty"`

	Channels map[string]string `json:"channels,omitempty"`

	// Before is set by the bot: the [Wording] that the text replaces.
	Before string `json:"before,omitempty"`
}

// Action is a click on a button, a choice from a list or a submitted form.
type Action struct {
	ID      string            `json:"id"`             // opaque id that the button carried: names a row, grants nothing
	Verb    string            `json:"verb,omitempty"` // which of the row's buttons: "accept", "reject", …
	Thread  Thread            `json:"thread"`
	Message string            `json:"message,omitempty"` // id of the message that carries the button
	User    User              `json:"user"`
	Values  map[string]string `json:"values,omitempty"`  // fields of a form
	Trigger string            `json:"trigger,omitempty"` // the platform's token for opening a form, for adapters that need one
	Home    bool              `json:"home,omitempty"`    // submitted on the person's home page, see [Homer], according to the platform
	Guess   bool              `json:"guess,omitempty"`   // Thread.ID is the adapter's guess: the platform named the channel and the message alone
	At      time.Time         `json:"at"`
}

// Invocation is a command with its arguments, such as "/maru docs list".
type Invocation struct {
	Name     string            `json:"name"`               // first word: "ask", "help", …
	Args     string            `json:"args"`               // the rest, as written
	Options  map[string]string `json:"options,omitempty"`  // typed options where the platform has them
	Channels map[string]string `json:"channels,omitempty"` // that Args name, as [Message.Channels]
	Thread   Thread            `json:"thread"`
	User     User              `json:"user"`
	ID       string            `json:"id"`                // of the interaction: deduplicates
	Order    string            `json:"order,omitempty"`   // sorts a question among the thread's messages, as [Message.Order]
	Trigger  string            `json:"trigger,omitempty"` // the platform's token for opening a form, valid for seconds; see [Forms]
	At       time.Time         `json:"at"`
	Before   Bound             `json:"before,omitzero"` // what a stop ends: later questions go on
}

// Bound selects questions by their place in a thread and by their time; the zero Bound selects all. For undated commands it allows for clock skew.
type Bound struct {
	Order string    `json:"order"` // as [Message.Position]
	At    time.Time `json:"at"`
}

// Intake receives events from adapters; *Bot implements it.
//
// Message, Change and Action return nil once the event is committed to the record, was committed before, or is not
// for the bot. Only then may the adapter acknowledge it. They return within a second, independently of the model.
// After an error nothing was committed, and the platform should deliver the event again.
//
// Action returns the immediate response, shown only to the person who clicked unless Answer.Card is nil. Command
// returns a card for the caller alone, or nil if the answer is a message of its own. Files of such a card belong
// to no run and include their bytes: the adapter sends them to the caller alone, or links to the files that
// [Exports] generates for their names.
type Intake interface {
	Message(ctx context.Context, m Message) error
	Change(ctx context.Context, c Change) error
	Action(ctx context.Context, a Action) (Answer, error)
	Command(ctx context.Context, c Invocation) (*Card, error)
	Commands() []Command
	Notes() Notes
}

// Answer is the immediate response to a click.
type Answer struct {
	Card   *Card             // shown only to the person who clicked
	Form   *Form             // form to open; with Errors, the submitted form with the entered values
	Errors map[string]string // field errors of a submitted form, by field id
}

// Notes is a small durable store of texts by key, such as last seen ids. An adapter's keys start with its platform.
// SwapNote writes a value if the note holds before, "" for none, or already holds the value, and reports whether it does.
type Notes interface {
	Note(ctx context.Context, key string) (string, error) // "" if there is none
	SetNote(ctx context.Context, key, value string) error // "" removes it; for notes with one writer
	SwapNote(ctx context.Context, key, before, value string) (bool, error)
}

// Fetcher is implemented by adapters whose messages have files.
type Fetcher interface {
	// Fetch opens a file's bytes, at most limit of them (ErrTooLarge beyond). The bot's token is sent only to the
	// platform's own file host. A file stored elsewhere returns ErrElsewhere, a temporary failure ErrUnavailable.
	// If the length differs from the platform's figure, the body ends with an error.
	Fetch(ctx context.Context, f File, limit int64) (io.ReadCloser, error)
}

// ErrTooLarge reports a file larger than the fetch limit.
var ErrTooLarge = errors.New("bot: file is too large")

// ErrElsewhere reports a file stored where the platform gives no access.
var ErrElsewhere = errors.New("bot: the file is stored elsewhere")
