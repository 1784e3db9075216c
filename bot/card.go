package bot

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"maru/agent"
	"maru/phrase"
	"maru/phrase/fit"
)

// CardKind is the purpose of a card; adapters choose the platform's native layout by it.
type CardKind string

// The kinds of cards.
const (
	CardText     CardKind = "text"     // an answer
	CardProgress CardKind = "progress" // an answer in progress; its buttons stop it and ask nothing
	CardChoices  CardKind = "choices"  // a question with buttons
	CardPlan     CardKind = "plan"     // steps with their states
	CardFeedback CardKind = "feedback" // an answer whose last two buttons are 👍 and 👎
	CardNotice   CardKind = "notice"   // a short word: refusal, hint, failure
)

// Card is one message in platform-neutral form. A question of an agent ([agent.Ask]) is stored as
// data, which may contain strangers' words; cards are rendered from it for each reader, with
// invisible characters shown. The state of a step is the only type shared by both.
//
// An adapter renders a card once, at its outbound boundary: it truncates what is too long, never
// fails a post because of the content, and always has a plain-text form.
type Card struct {
	Kind     CardKind   `json:"kind"`
	Title    string     `json:"title,omitempty"`
	Text     string     `json:"text,omitempty"`   // Markdown (CommonMark with tables)
	Status   string     `json:"status,omitempty"` // one short line on the current activity
	Steps    []Step     `json:"steps,omitempty"`
	Fields   []Field    `json:"fields,omitempty"` // label and value pairs
	Sources  []Source   `json:"sources,omitempty"`
	Nearest  []Source   `json:"nearest,omitempty"` // passages closest to an unanswered question; pointers, not sources. Text names them
	Files    []Artifact `json:"files,omitempty"`   // made by the run: an [Uploader] posts them afterwards, others link to them; see [Intake] for files of a command
	Leads    []Lead     `json:"leads,omitempty"`   // conversations that Text lists, for surfaces that can open them
	Buttons  []Button   `json:"buttons,omitempty"`
	Footer   string     `json:"footer,omitempty"`   // one quiet line under the card; see Own
	Language string     `json:"language,omitempty"` // one of [phrase.Languages]: for the adapter's own words
	Final    bool       `json:"final,omitempty"`    // nothing more will be written to this message
	Failed   bool       `json:"failed,omitempty"`   // a notice that what was asked for was refused or failed
	Stopped  bool       `json:"stopped,omitempty"`  // an answer that a person broke off: it is not whole
	Run      string     `json:"run,omitempty"`      // the run it shows, for links to its trace
	Own      bool       `json:"own,omitempty"`      // the text is the bot's own words, not an agent's: it may name commands and contain moments ([phrase.Timed])
}

// Worded returns the card with words for its moments ([phrase.Timed]): for programs, models, terminals and the record.
func (c Card) Worded() Card {
	c.Text, c.Footer = phrase.MomentWords(c.Text), phrase.MomentWords(c.Footer)
	c.Fields = slices.Clone(c.Fields)
	for i, f := range c.Fields {
		c.Fields[i].Value = phrase.MomentWords(f.Value)
	}
	return c
}

// NewNotice returns a final card with a text for one person.
func NewNotice(text, language string) *Card {
	return &Card{Kind: CardNotice, Text: text, Language: language, Final: true}
}

// NewFailure is [NewNotice] for something that was not done.
func NewFailure(text, language string) *Card {
	return &Card{Kind: CardNotice, Text: text, Language: language, Final: true, Failed: true}
}

// Lead is a conversation to which a person can be directed.
type Lead struct {
	Thread Thread `json:"thread"`
	Title  string `json:"title"`
	Detail string `json:"detail,omitempty"`
}

// Step is one line of a plan.
type Step struct {
	Text   string    `json:"text"`
	State  StepState `json:"state"`
	Detail string    `json:"detail,omitempty"`
}

// StepOf converts a step of an agent's plan for a card.
func StepOf(s agent.PlanStep) Step {
	return Step{Text: fit.Visible(s.Text), Detail: fit.Visible(s.Detail), State: cmp.Or(s.State, StepWaiting)}
}

// StepState is the progress of a step.
type StepState = agent.StepState

// The states of a step; on a card it has one.
const (
	StepWaiting = agent.StepWaiting
	StepRunning = agent.StepRunning
	StepDone    = agent.StepDone
	StepFailed  = agent.StepFailed
	StepSkipped = agent.StepSkipped
)

// Field is a labelled value.
type Field struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// Source is a passage or page that an answer cites by number.
type Source struct {
	N       int     `json:"n"`
	Title   string  `json:"title"`
	Heading string  `json:"heading,omitempty"`
	Page    int     `json:"page,omitempty"`
	Score   float64 `json:"score,omitempty"`
	Quote   string  `json:"quote,omitempty"`
	Chunk   string  `json:"chunk,omitempty"` // id of the passage, for opening it
	URL     string  `json:"url,omitempty"`   // where a person can open it, "" if nowhere
}

// Links returns the addresses that the card's text may link to under a title: those of its sources. Any other link
// shows its address.
func (c Card) Links() map[string]bool {
	known := make(map[string]bool, len(c.Sources))
	for _, s := range c.Sources {
		if s.URL != "" {
			known[strings.TrimSpace(s.URL)] = true
		}
	}
	return known
}

// Button is a choice. ID is the opaque id of a row in the record, Verb one of the row's choices; together they
// have at most 64 bytes and carry no data.
type Button struct {
	ID    string      `json:"id"`
	Verb  string      `json:"verb"`
	Label string      `json:"label"`
	Style ButtonStyle `json:"style,omitempty"`
	// Spoken replaces Label in screen readers where the platform supports it: the meaning of a
	// picture, the subject of an approval. "" means Label.
	Spoken string `json:"spoken,omitempty"`
	URL    string `json:"url,omitempty"` // a link button; ID and Verb are then empty
}

// Verbs of controls that name a run and not an approval.
const (
	VerbStop = "run.stop"
	VerbUp   = "rate.up"
	VerbDown = "rate.down"
	VerbDont = "memory.dont" // under an answer that used memory of a person
)

// ButtonStyle is a button's visual weight.
type ButtonStyle string

// The styles of buttons.
const (
	ButtonPlain   ButtonStyle = ""
	ButtonPrimary ButtonStyle = "primary"
	ButtonDanger  ButtonStyle = "danger"
)

// Form asks for several values; it follows a click or a command, see [Answer] and [Forms].
type Form struct {
	ID     string  `json:"id"` // opaque, as Button.ID
	Verb   string  `json:"verb"`
	Title  string  `json:"title"`
	Submit string  `json:"submit"`
	Inputs []Input `json:"inputs"`
	Some   bool    `json:"some,omitempty"` // one of them at least must be filled in
}

// Input is one field of a form.
type Input struct {
	ID      string   `json:"id"`
	Label   string   `json:"label"`
	Hint    string   `json:"hint,omitempty"`
	Value   string   `json:"value,omitempty"`
	Long    bool     `json:"long,omitempty"`    // several lines
	Options []Option `json:"options,omitempty"` // a choice instead of text
	// Several are options of a multiple choice; none may be chosen. Value joins the chosen ones with commas. Adapters
	// without such a control, or with too many options for it, show a text field.
	Several []Option `json:"several,omitempty"`
	// Pick shows the platform's people picker; Value has the chosen ids, separated by commas. It is only used with
	// a [Picker].
	Pick     bool `json:"pick,omitempty"`
	Required bool `json:"required,omitempty"`
	Max      int  `json:"max,omitempty"`   // characters, 0 for the platform's own limit
	Lines    int  `json:"lines,omitempty"` // that are not empty, 0 for any number
}

// Values splits Value at commas and spaces: the chosen options of Several or Pick.
func (in Input) Values() []string {
	return strings.FieldsFunc(in.Value, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// Option is one choice of an input.
type Option struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// MarkFlaw begins the hint of a rejected input, followed by the reason.
const MarkFlaw = "⚠️ "

// Flawed returns the form with the reasons of rejected fields, by ID, as their hints.
func (f Form) Flawed(wrong map[string]string) Form {
	f.Inputs = slices.Clone(f.Inputs)
	for i, in := range f.Inputs {
		if why := wrong[in.ID]; why != "" {
			f.Inputs[i].Hint = MarkFlaw + why
		}
	}
	return f
}

// Typed returns the form with the values a person entered, for correction. A field that the
// surface had no room for keeps its proposed value.
func (f Form) Typed(entered map[string]string) *Form {
	out := f
	out.Inputs = slices.Clone(f.Inputs)
	for i := range out.Inputs {
		if v, there := entered[out.Inputs[i].ID]; there {
			out.Inputs[i].Value = v
		}
	}
	return &out
}
