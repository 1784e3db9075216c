package bot

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"maru/phrase/fit"
)

// Thread is a conversation: the unit of memory and of order. Adapters derive it
// from the platform's own ids, so that the same message always belongs to the
// same thread, on every replica and after every restart.
//
//   - Slack: Channel is the channel, ID the ts of the thread's root message, in
//     direct messages as well. What is not in a thread, as a command in a direct
//     message, has ID "".
//   - Discord: a thread made from a question has that message's id, so ID is the
//     question's id and Channel the parent channel from the first moment on. In
//     a direct message ID is "".
//   - Web and console: Team is "local", Channel the person's session space, ID
//     the thread.
type Thread struct {
	Platform string `json:"platform"` // "slack", "discord", "web", "console"
	Team     string `json:"team"`     // workspace or guild; "dm" for Discord's direct messages
	Channel  string `json:"channel"`
	ID       string `json:"id"`
	Direct   bool   `json:"direct,omitempty"` // one person and the bot; not part of Key
}

// TeamKey names the thread's workspace or guild over all platforms, such as
// "slack/T1".
func (t Thread) TeamKey() string { return Esc(t.Platform) + "/" + Esc(t.Team) }

// Key returns the thread's unique name over all platforms, such as
// "slack/T1/C1/1700000000.000100". Every key, row and cache entry of the thread
// starts with it.
func (t Thread) Key() string {
	return Esc(t.Platform) + "/" + Esc(t.Team) + "/" + Esc(t.Channel) + "/" + Esc(t.ID)
}

// SharesTeam reports whether two threads are in one workspace of one platform.
func (t Thread) SharesTeam(o Thread) bool { return t.Platform == o.Platform && t.Team == o.Team }

// SharesChannel reports whether a thread key is one of t's channel: the message that
// carries a button may stand in the channel while the conversation is its thread.
func (t Thread) SharesChannel(key string) bool {
	o, err := ParseThread(key)
	return err == nil && t.SharesTeam(o) && t.Channel == o.Channel
}

// Person is a person's unique name over platforms and workspaces.
func (t Thread) Person(u User) string {
	return Esc(t.Platform) + "/" + Esc(t.Team) + "/" + Esc(u.ID)
}

// Places lists where a setting can be set for a message, in the order of
// their levels from [config.Workspace] on.
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

// Esc makes a platform's id a part of a key; Unesc reverses it.
func Esc(s string) string { return keyEscaper.Replace(s) }

// Unesc reverses Esc.
func Unesc(s string) string { return keyUnescaper.Replace(s) }

// User is a person as the platform verified them. Name is data, never authority.
type User struct {
	ID       string   `json:"id"` // the platform's id
	Name     string   `json:"name,omitempty"`
	Locale   string   `json:"locale,omitempty"`    // BCP 47
	TimeZone string   `json:"time_zone,omitempty"` // IANA
	Bot      bool     `json:"bot,omitempty"`
	Admin    bool     `json:"admin,omitempty"`    // of the workspace or guild, as the platform says now
	Guest    bool     `json:"guest,omitempty"`    // restricted account
	External bool     `json:"external,omitempty"` // of another workspace
	Watched  bool     `json:"watched,omitempty"`  // where this was said, people of other workspaces read along
	Roles    []string `json:"roles,omitempty"`
	Operator bool     `json:"operator,omitempty"` // runs this program: signed in to its own console
}

// Stranger reports whether somebody is a guest or of another workspace.
func (u User) Stranger() bool { return u.Guest || u.External }

// Reach says why a message came to the bot.
type Reach string

// The ways in which a message reaches the bot.
const (
	ReachMention Reach = "mention" // the bot is addressed by name
	ReachDirect  Reach = "direct"  // a direct message, the console, the web
	ReachFollow  Reach = "follow"  // a message in a thread, without a mention
	ReachAmbient Reach = "ambient" // any other message the bot can see
	ReachCommand Reach = "command" // the text of "/maru ask"
	ReachMenu    Reach = "menu"    // chosen from a message's menu: a wish of its own, never a reply in the thread
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
	Quoted   []Quote   `json:"quoted,omitempty"` // what it was said about
	At       time.Time `json:"at"`
	Grant    string    `json:"grant,omitempty"`    // the platform's short-lived permission to search for its author, for the adapter alone
	ReplyTo  string    `json:"reply_to,omitempty"` // id under which the answer is posted, if not Thread.ID
	Delivery string    `json:"delivery,omitempty"` // delivery id, for logs only

	// Top says that the message stands in the channel itself. Thread.ID is then the
	// thread that an answer would open, or "" for none; a place may want it otherwise.
	Top bool `json:"top,omitempty"`
	// Young says that the thread of a ReachFollow began a moment before, and that what
	// began it may still be on its way: it came by another request.
	Young bool `json:"-"`
	// Overheard is set by the bot: several people talk in the thread, and whether
	// this was said to the bot is decided before it is answered.
	Overheard bool `json:"overheard,omitempty"`

	// Own says that the bot wrote it itself; only [Historian] gives such messages. Words of other
	// programs are those of a User who is a Bot.
	Own bool `json:"own,omitempty"`

	// Agent is set by the bot: the agent that answers the message, whatever its place has chosen.
	// Commands that begin a run of their own set it.
	Agent string `json:"agent,omitempty"`

	// Revision is set by the bot: which wording of an edited message Text is, "" for
	// the one with which it came.
	Revision string `json:"revision,omitempty"`
	// Worded is set by the bot: when it read that wording, zero for the first.
	Worded time.Time `json:"worded,omitzero"`
	// Schedule is set by the bot: the schedule that says this in its owner's name, nil for what a person said.
	Schedule *Due `json:"schedule,omitempty"`
	// Request is set by the bot: what another program asks people in the author's name, nil for what a person said.
	Request *Request `json:"request,omitempty"`
	// Again is set by the bot: the item for which a message is answered once more,
	// after it was edited.
	Again string `json:"again,omitempty"`
}

// Due is why a schedule sends a message.
type Due struct {
	ID    string  `json:"id"`              // of the schedule
	Note  string  `json:"note,omitempty"`  // a line for the answer's card: whose schedule it is, and whether it is late
	Say   bool    `json:"say,omitempty"`   // the text is posted as it is, without a run of an agent
	Agent string  `json:"agent,omitempty"` // answers instead of the place's
	Gaps  *Thread `json:"gaps,omitempty"`  // the channel whose gaps are the answer, nil for what an agent answers
}

// Quote is a message that another one is about: forwarded with it, somebody else's to
// which it replies, or one to which it links.
type Quote struct {
	Author string    `json:"author,omitempty"` // display name
	Text   string    `json:"text"`             // as that of a [Message]
	Files  []File    `json:"files,omitempty"`
	At     time.Time `json:"at,omitzero"`
	// Link is set by the bot: the address in the message that led to it, "" if none did.
	Link string `json:"link,omitempty"`
	// Thread is the thread that the message begins and that others have answered in, set by
	// [Linker] alone: who links to a thread's beginning means what was said in it.
	Thread *Thread `json:"-"`
}

// Key returns what the message is, whatever delivered it: platform, team,
// channel and message id. Two deliveries with one key are one message.
func (m Message) Key() string {
	return Esc(m.Thread.Platform) + "/" + Esc(m.Thread.Team) + "/" + Esc(m.Thread.Channel) + "/" + Esc(m.ID)
}

// Position sorts the message among those of its thread.
func (m Message) Position() string {
	if m.Order == "" {
		return m.ID
	}
	return m.Order
}

// Stamped is when the message was said by the clock of its platform, zero for what an
// adapter may have dated itself: not every platform gives commands and menus a time.
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

// NamesOther reports whether a message without a mention of the bot begins by speaking
// to another person.
func (m Message) NamesOther() bool { return strings.HasPrefix(strings.TrimSpace(m.Text), "@") }

// EntryText is the message as the transcript shows it.
func (m Message) EntryText() string {
	if len(m.Files) == 0 {
		return m.Text
	}
	var names []string
	for _, f := range m.Files {
		if f.Name != "" { // else the page told of it when it was added
			names = append(names, "📎 "+f.Name)
		}
	}
	return strings.TrimSpace(m.Text + "\n" + strings.Join(names, "\n"))
}

// maxTitle bounds a thread's title, in characters.
const maxTitle = 60

// Title makes a thread's title of the message that began it.
func (m Message) Title() string {
	line, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
	return fit.Clip(line, maxTitle)
}

// File is a file that came with a message. Its bytes are fetched through the
// adapter's Fetcher when they are wanted, never before.
type File struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	MIME string `json:"mime,omitempty"`
	Size int64  `json:"size,omitempty"` // bytes, 0 if not known exactly
	URL  string `json:"url,omitempty"`  // for the adapter; never shown
	Team string `json:"team,omitempty"` // Thread.Team where it was posted, for adapters that serve several
	// Document is the document that the file is already, of those of the message's place; "" for
	// one that is to be fetched. Consoles add a file at once and hand it over with the next message.
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

	// Answered is set by the bot: the message had its answer when the change came.
	Answered bool `json:"answered,omitempty"`
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
	Home    bool              `json:"home,omitempty"`    // given on the person's own page, see [Homer]: the platform says so
	Guess   bool              `json:"guess,omitempty"`   // Thread.ID is the adapter's guess: the platform named the channel and the message alone
	At      time.Time         `json:"at"`
}

// Invocation is a command that a person gave, such as "/maru docs list".
type Invocation struct {
	Name    string            `json:"name"`              // first word: "ask", "help", …
	Args    string            `json:"args"`              // the rest, as written
	Options map[string]string `json:"options,omitempty"` // typed options where the platform has them
	Thread  Thread            `json:"thread"`
	User    User              `json:"user"`
	ID      string            `json:"id"`                // of the interaction: deduplicates
	Order   string            `json:"order,omitempty"`   // sorts a question among the thread's messages, as [Message.Order]
	Trigger string            `json:"trigger,omitempty"` // the platform's token for opening a form, valid for seconds; see [Forms]
	At      time.Time         `json:"at"`
}

// Intake is what adapters hand events to; *Bot implements it.
//
// Message, Change and Action return nil once the event is committed to the
// record (or was committed before, or is none of the bot's business): only then
// may the adapter acknowledge it. They return within a second whatever the
// model does. An error means: not committed, let the platform deliver again.
//
// Action answers with what the clicker is told at once, privately unless
// Answer.Card is nil. Command answers with a card for the caller alone, or a
// nil card when the answer comes as a message of its own. Files of such a card have
// no run and their bytes with them: the adapter hands them to the caller alone, or
// links to what [Exports] makes of their names.
type Intake interface {
	Message(ctx context.Context, m Message) error
	Change(ctx context.Context, c Change) error
	Action(ctx context.Context, a Action) (Answer, error)
	Command(ctx context.Context, c Invocation) (*Card, error)
	Commands() []Command
	Notes() Notes
}

// Answer is what happens at once after a click.
type Answer struct {
	Card   *Card             // a private word to who clicked
	Form   *Form             // open this form; with Errors, the submitted one with what was typed
	Errors map[string]string // field errors of a submitted form, by field id
}

// Notes is a small durable memory for adapters: last seen ids, gateway session
// budgets. Keys start with the adapter's platform.
type Notes interface {
	Note(ctx context.Context, key string) (string, error) // "" if there is none
	SetNote(ctx context.Context, key, value string) error // "" removes it
}

// Fetcher is implemented by adapters whose messages carry files.
type Fetcher interface {
	// Fetch opens a file's bytes, at most limit of them (more is ErrTooLarge).
	// The bot's token goes to the platform's own file host and nowhere else; a file
	// that is kept elsewhere is ErrElsewhere, one that does not come for a reason that
	// passes ErrUnavailable. Of what is shorter or longer than the platform said the
	// body ends with an error.
	Fetch(ctx context.Context, f File, limit int64) (io.ReadCloser, error)
}

// ErrTooLarge says that a file is larger than what may be fetched.
var ErrTooLarge = errors.New("bot: file is too large")

// ErrElsewhere says that a file is kept where the platform does not hand it out.
var ErrElsewhere = errors.New("bot: the file is kept elsewhere")
