package bot

import (
	"encoding/json"
	"strings"
	"time"

	"maru/agent"
	"maru/phrase"
)

// Observer counts events, for metrics. Its methods return at once.
type Observer interface {
	Received(platform string, result string)               // "new", "duplicate", "ignored", "error"
	Finished(agent, outcome string, overall time.Duration) // a status of a [Run], or "dead"
	FirstToken(agent string, after time.Duration)
	ModelCall(purpose string, u agent.Usage, took time.Duration, failed string) // failed: the kind of error, "" for none
	ToolCall(name string, failed bool, took time.Duration)
	Checked(agent string, c agent.Checked) // the citations of an answer
	Delivered(platform, op, result string)
}

// Finding is the state of a part of the program, for `/maru doctor`.
type Finding struct {
	Part    string // "model", "fallback", "embeddings", "redis", "documents", "pdf", "mcp NAME": data
	Off     bool   // not set up
	Pending bool   // not known yet: it is being prepared
	Detail  string // a name: data, "" for none
	Count   string // phrase for a count, "" for none; it takes N
	N       int
	Err     error // nil: it works; [ErrLimited]: in part
}

// Feed is the current state of a run: a snapshot, of which slow followers skip some and reconnecting ones miss nothing that still holds.
type Feed struct {
	Run    string     `json:"run"`
	Thread string     `json:"thread"`
	Life   string     `json:"life"`  // of the process's work on the run: offsets of another life mean nothing
	Reset  int        `json:"reset"` // number of times the text was restarted
	Text   string     `json:"text,omitempty"`
	Status string     `json:"status,omitempty"`
	Plan   agent.Plan `json:"plan,omitzero"`
	Asks   []FeedAsk  `json:"asks,omitempty"` // questions waiting for people
	Ended  string     `json:"ended,omitempty"`
	Final  *Card      `json:"final,omitempty"` // once it has ended
}

// FeedAsk is a waiting run's question, for programs.
type FeedAsk struct {
	Approval  string            `json:"approval"`
	Interrupt string            `json:"interrupt"`
	Kind      string            `json:"kind"`
	Ask       json.RawMessage   `json:"ask"`
	Names     map[string]string `json:"names,omitempty"` // by ID in it: the platform's name, as cards show it
	Actions   []agent.Action    `json:"actions"`         // labelled choices; some accept text
	Schema    json.RawMessage   `json:"schema,omitempty"`
	Expires   string            `json:"expires,omitempty"` // RFC 3339
}

// Ruling is a decision about a waiting run, made by a program or on a page.
type Ruling struct {
	Run        string
	Approval   string // which of the run's questions; "" if only one waits
	Action     string // one of the question's verbs; "approve" is accept
	Text       string
	Values     map[string]string
	Suggestion string
	Thread     Thread // where the person speaks from
	User       User   // as that surface has authenticated them
}

// Ruled is the outcome of a ruling.
type Ruled struct {
	Approval string            `json:"approval"`
	Run      string            `json:"run"`
	Kind     string            `json:"kind"`
	State    ApprovalState     `json:"state"` // "pending": more people must agree
	By       string            `json:"by,omitempty"`
	Outcome  string            `json:"outcome,omitempty"` // who decided what and when, as text
	Errors   map[string]string `json:"errors,omitempty"`  // by field: nothing was decided
}

// RunWait is a question that a run waits for.
type RunWait struct {
	Node   string    `json:"node"`             // that asks
	Asker  string    `json:"asker,omitempty"`  // who asked for the run, by name or id
	Others []string  `json:"others,omitempty"` // other people who may decide, according to the channel's present approvers
	Until  time.Time `json:"until"`
}

// Whom lists the people who may decide, in a language.
func (w RunWait) Whom(lang string) string {
	first := phrase.Say(lang, "bot.people.asker")
	if w.Asker != "" {
		first = phrase.Say(lang, "bot.people.asker_named", w.Asker)
	}
	return strings.Join(append([]string{first}, w.Others...), ", ")
}
